/** Exports `startWorker`, which joins a distributed run: it waits until a run begins, and works until the run is over. */
import { setTimeout as after } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { DataImportClient } from '../../../client.js';
import type { LedgerRecord } from '../../ledger/ledger.js';
import { NoLedgerError } from '../../ledger/postgres/database-error.js';
import { DEFAULT_RECONNECT_MS } from '../../ledger/postgres/postgres-ledger.js';
import type { RecordEvent } from '../../record/events/record-event.js';
import { targetOf } from '../../run/expect-target.js';
import { CannotJoinError } from '../cannot-join.js';
import { type Joined, joinRun, outsideStatus, statusOf, takePart, type WorkerStatus } from '../join.js';
import { runPhase } from '../ledger/run-phase.js';
import { noWork, type WorkerWork } from '../ledger/worker-rows.js';
import { isOpen, type RunSettings } from '../state/run-state.js';

/** Options of `startWorker`. */
export interface WorkerOptions {
  /** The client of the worker. The worker adds hooks to it while it works, and does not close it. */
  client: DataImportClient;
  /** Base URL of the client. It must equal the `address` of the run. */
  address: string;
  /** Address of the ledger's database: `postgres://user@host:5432/database`. */
  database: string;
  /**
   * Schema of the ledger.
   * @default 'data_import'
   */
  schema?: string | undefined;
  /**
   * Name of this worker in status and report.
   * @default the host name and the process id
   */
  name?: string | undefined;
  /**
   * Limit of calls in flight, of all steps.
   * @default 32
   */
  concurrency?: number | undefined;
  /** Called after the ledger has stored an event of a record of this worker. */
  onEvent?: ((record: LedgerRecord, event: RecordEvent) => void) | undefined;
  /**
   * Called before it works in a run with its address. If it rejects, `finished` rejects too, and the worker leaves.
   * @internal
   */
  beforeWork?: (() => Promise<void>) | undefined;
  /** Called with a line of text if the ledger is unavailable, and when it is available again. */
  onNote?: ((note: string) => void) | undefined;
}

/** A worker that is running. */
export interface StartedWorker {
  /** Returns the current state. */
  status(): WorkerStatus;
  /** Takes no more records. Calls in flight end; other workers take over the remaining records. */
  drain(): void;
  /** The same, but aborts calls in flight. */
  stop(): void;
  /** Resolves when the run is over or the worker was drained. Rejects if it cannot work, for example with a `CannotJoinError`. */
  finished: Promise<{ state: 'over' | 'drained'; work: WorkerWork }>;
}

const DEFAULT_CONCURRENCY = 32;
const BETWEEN_LOOKS_MS = 1000;
const WAITING = 'waiting for a run to begin (data-import-sdk run … --distributed).';

/**
 * Joins a distributed run as soon as one has begun. `finished` rejects with a `CannotJoinError` if the run calls another service than this
 * worker, and as `postgresLedger` if the database cannot be used.
 *
 * @example
 * const worker = await startWorker({ client, address: 'https://api.example.com', database: 'postgres://db.example.com/import' });
 * process.once('SIGTERM', () => worker.drain());
 * await worker.finished;
 */
export async function startWorker(options: WorkerOptions): Promise<StartedWorker> {
  return workerOf(options, { join: joinRun, runPhase, lookEveryMs: BETWEEN_LOOKS_MS });
}

/** The parts that tests replace. */
interface WorkerMeans {
  join: typeof joinRun;
  runPhase: typeof runPhase;
  lookEveryMs: number;
}

/** The same with other functions to find and join a run, for tests. */
export function workerOf(options: WorkerOptions, means: WorkerMeans): StartedWorker {
  const worker = new WorkerProcess(options, means);
  const finished = worker.run();
  // The caller awaits it later; until then a rejection must not count as unhandled.
  finished.catch(() => {});
  return {
    status: () => worker.status(),
    drain: () => worker.ending.abort(),
    stop() {
      worker.ending.abort();
      worker.breakingOff.abort();
    },
    finished,
  };
}

class WorkerProcess {
  /** Aborted by `drain` and `stop`. */
  readonly ending = new AbortController();
  /** Aborted by `stop`: aborts the calls in flight. */
  readonly breakingOff = new AbortController();
  readonly #options: WorkerOptions;
  readonly #means: WorkerMeans;
  /** Counts of all runs in which it worked. */
  readonly #total = noWork();

  constructor(options: WorkerOptions, means: WorkerMeans) {
    this.#options = options;
    this.#means = means;
  }

  status: () => WorkerStatus = () => outsideStatus('waiting');

  async run(): Promise<{ state: 'over' | 'drained'; work: WorkerWork }> {
    try {
      for (let hasWorked = false; ; hasWorked = true) {
        this.status = () => outsideStatus(this.ending.signal.aborted ? 'draining' : 'waiting', this.#total);
        const joined = await this.#join(hasWorked);
        const state = typeof joined === 'string' ? joined : await this.#takePart(joined);
        if (state !== 'changed') return { state, work: this.#total };
      }
    } finally {
      this.status = () => outsideStatus('left', this.#total);
    }
  }

  async #takePart(joined: Joined): Promise<'over' | 'drained' | 'changed'> {
    try {
      const now = joined.state.current();
      // It was drained, halted or ended meanwhile.
      if (!isOpen(now)) return 'changed';
      const { settings } = now;
      checkIsOurs(settings, this.#options.address);
      await this.#options.beforeWork?.();
      return await this.#workIn(joined, settings);
    } finally {
      await joined.close();
    }
  }

  /**
   * Waits until a run is open. Until then it does not join, because a worker that has joined blocks the commands on the ledger, such as `resolve`.
   * `drained`: before there was one. `over`: the run in which it has worked is over.
   */
  async #join(hasWorked: boolean): Promise<Joined | 'drained' | 'over'> {
    const { database, schema, name } = this.#options;
    const { signal } = this.ending;
    for (let hasNoted = false; !signal.aborted; hasNoted = true) {
      try {
        // A worker that waits stays while the server restarts.
        const phase = await this.#means.runPhase({ database, schema }, hasNoted ? DEFAULT_RECONNECT_MS : 0);
        if (phase === 'over' && hasWorked) return 'over';
        if (phase === 'open') {
          return await this.#means.join({
            database,
            schema,
            name,
            signal,
            isCoordinator: false,
            onNote: this.#note,
          });
        }
      } catch (error) {
        if (!(error instanceof NoLedgerError)) throw error;
      }
      if (!hasNoted) {
        this.#note(WAITING);
      }
      await after(this.#means.lookEveryMs, undefined, { signal }).catch(() => {});
    }
    return 'drained';
  }

  /**
   * Works until the run ends. `changed`: the run was drained or halted, or begun again with other settings, such as another team.
   */
  async #workIn(joined: Joined, settings: RunSettings): Promise<'over' | 'drained' | 'changed'> {
    const { client, concurrency = DEFAULT_CONCURRENCY, onEvent = () => {} } = this.#options;
    const { state } = joined;
    const work = takePart(joined, {
      ...{ client, settings, concurrency, works: true, isCoordinator: false, onEvent, onNote: this.#note },
      now: () => new Date(),
    });
    this.status = () => statusOf(joined, work, this.ending.signal.aborted);
    this.breakingOff.signal.addEventListener('abort', work.breakOff);
    this.#note(`joined the run into ${settings.address}.`);
    let stopLooking = () => {};
    const left = new Promise<'over' | 'drained' | 'changed'>((resolve) => {
      const { signal } = this.ending;
      const look = () => {
        const now = state.current();
        const isAnother = now?.ended != null || !isDeepStrictEqual(now?.settings, settings);
        // At once, so that no call starts with the old settings.
        if (isAnother || signal.aborted) work.throttle.leave();
        if (now?.phase === 'over') resolve('over');
        else if (signal.aborted) resolve('drained');
        else if (isAnother) resolve('changed');
      };
      const stopListening = state.onChange(look);
      signal.addEventListener('abort', look);
      stopLooking = () => {
        stopListening();
        signal.removeEventListener('abort', look);
      };
      look();
    });
    try {
      return await Promise.race([work.failed, left]);
    } finally {
      stopLooking();
      // Other workers take over the remaining records.
      work.throttle.leave();
      await work.end();
      this.breakingOff.signal.removeEventListener('abort', work.breakOff);
      const done = work.done();
      for (const name of Object.keys(done) as (keyof WorkerWork)[]) this.#total[name] += done[name];
    }
  }

  #note = (note: string): void => this.#options.onNote?.(note);
}

/** Throws a `CannotJoinError` if the run has another service: otherwise the records would be imported elsewhere. */
function checkIsOurs({ address }: RunSettings, ownAddress: string): void {
  const [ofRun, ofWorker] = [targetOf(address), targetOf(ownAddress)];
  if (ofRun !== ofWorker) {
    throw new CannotJoinError(
      `target: the run in this ledger belongs to ${ofRun}, and this worker is for ${ofWorker}. ` +
        `Start it with --base-url ${ofRun}. If the address of the service has changed, begin the run with --retarget ${ofRun}.`,
      'settings',
    );
  }
}
