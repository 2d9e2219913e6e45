/** `startWorker`: a process that joins a distributed run: it waits for a run to begin, and works until it is over. */
import { setTimeout as after } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { DataImportClient } from '../../client.js';
import type { LedgerRecord } from '../ledger/ledger.js';
import { NoLedgerError } from '../ledger/postgres/database-error.js';
import type { RecordEvent } from '../record/apply-event.js';
import { targetOf } from '../run/target.js';
import { CannotJoinError } from './errors.js';
import { type Joined, joinRun, takePart } from './join.js';
import { checkBookAt } from './line-address.js';
import type { RunSettings } from './run-state.js';
import { noWork, type WorkerWork } from './worker-rows.js';
import { outsideStatus, type WorkerStatus, workerStatus } from './worker-status.js';

/** Of `startWorker`. */
export interface WorkerOptions {
  /** The client that the worker calls. It is watched while the worker works, and not closed. */
  client: DataImportClient;
  /** What the client calls, as the run's `address` has it. */
  address: string;
  /** `postgres://user@host:5432/database`: where the ledger of the run is. */
  database: string;
  /**
   * Schema of the ledger.
   * @default 'data_import'
   */
  schema?: string | undefined;
  /**
   * Engine of the work queue: `redis://…`, or `postgres://…`.
   * @default the database of the ledger
   */
  queue?: string | undefined;
  /**
   * Where the input is for this worker, where the run has left it in its place: the folder or URL that the names in it
   * are relative to.
   * @default the names as the run has them
   */
  bookAt?: string | undefined;
  /**
   * Shown in status and report.
   * @default the machine's name and the process
   */
  name?: string | undefined;
  /**
   * Calls in flight at once, of all steps.
   * @default 32
   */
  concurrency?: number | undefined;
  /** Called after each event of a record here is on disk. */
  onEvent?: ((record: LedgerRecord, event: RecordEvent) => void) | undefined;
  /**
   * Called before it works at a run whose address is its own; where it rejects, `finished` does, and the worker leaves.
   * @internal
   */
  beforeWork?: (() => Promise<void>) | undefined;
  /** Called with one line for people: the engine is away, the ledger is out of reach. */
  onNote?: ((note: string) => void) | undefined;
}

/** A worker that is running. */
export interface StartedWorker {
  /** How it stands now. */
  status(): WorkerStatus;
  /** Takes no more records; calls in flight end, the rest is left to the others. */
  drain(): void;
  /** Breaks off calls in flight, too. */
  stop(): void;
  /** Resolves when the run is over, or it was drained. Rejects where it cannot work, as with a `CannotJoinError`. */
  finished: Promise<{ state: 'over' | 'drained'; work: WorkerWork }>;
}

const DEFAULT_CONCURRENCY = 32;
const BETWEEN_LOOKS_MS = 1000;
const WAITING = 'waiting for a run to begin (data-import run … --fleet).';

/**
 * Joins a distributed run as soon as there is one. Rejects with a `BookError` for an invalid `bookAt`; `finished` rejects
 * with a `CannotJoinError` where the run calls another service or has another engine than this worker, and as ledgers on
 * PostgreSQL do.
 *
 * @example
 * const worker = await startWorker({ client, address: 'https://api.example.com', database: 'postgres://db.example.com/import' });
 * process.once('SIGTERM', () => worker.drain());
 * await worker.finished;
 */
export async function startWorker(options: WorkerOptions): Promise<StartedWorker> {
  return workerOf(options, joinRun);
}

/** The same, with another way to join. */
export function workerOf(options: WorkerOptions, joining: typeof joinRun): StartedWorker {
  if (options.bookAt !== undefined) checkBookAt(options.bookAt);
  const { onNote = () => {} } = options;
  const ending = new AbortController();
  const hard = new AbortController();
  let status = () => outsideStatus(ending.signal.aborted ? 'draining' : 'waiting');

  async function live(): Promise<{ state: 'over' | 'drained'; work: WorkerWork }> {
    const joined = await join();
    if (joined === undefined) return { state: 'drained', work: noWork() };
    const before = noWork();
    try {
      let state: 'over' | 'drained' | 'changed' = 'changed';
      while (state === 'changed') {
        const settings = await runIn(joined);
        if (settings !== undefined) await options.beforeWork?.();
        state = settings === undefined ? 'drained' : await workIn(joined, settings, before);
      }
      return { state, work: before };
    } finally {
      status = () => outsideStatus('left', before);
      await joined.close();
    }
  }

  /** undefined where it was drained before there was anything to join. */
  async function join(): Promise<Joined | undefined> {
    const { database, schema, queue, name } = options;
    for (let isTold = false; !ending.signal.aborted; isTold = true) {
      try {
        return await joining({ database, schema, queue, name, isCoordinator: false, onNote });
      } catch (error) {
        if (!(error instanceof NoLedgerError)) throw error;
        if (!isTold) onNote(WAITING);
        await look(ending.signal);
      }
    }
    return undefined;
  }

  /** The settings of a run that is open. */
  async function runIn(joined: Joined): Promise<RunSettings | undefined> {
    const { state, engine } = joined;
    for (let isTold = false; !ending.signal.aborted; isTold = true) {
      const now = state.current();
      if (now?.phase === 'open') {
        checkIsOurs(now.settings, engine, options.address);
        return now.settings;
      }
      if (!isTold) onNote(WAITING);
      await lookAgain(joined, ending.signal);
    }
    return undefined;
  }

  /** `changed`: the run was begun again with other settings, such as another team. */
  async function workIn(
    joined: Joined,
    settings: RunSettings,
    total: WorkerWork,
  ): Promise<'over' | 'drained' | 'changed'> {
    const { client, bookAt, concurrency = DEFAULT_CONCURRENCY, onEvent = () => {} } = options;
    const { state, engine } = joined;
    const work = takePart(joined, {
      ...{ client, settings, concurrency, bookAt, works: true, isCoordinator: false, onEvent, onNote },
      now: () => new Date(),
    });
    status = () => workerStatus(joined, work, ending.signal.aborted);
    hard.signal.addEventListener('abort', work.breakOff);
    onNote(`joined the run into ${settings.address}.`);
    const left = new AbortController();
    const isAnother = () => !isDeepStrictEqual(state.current()?.settings, settings);
    // At once: no call starts with the settings of before.
    const stopListening = state.onChange(() => {
      if (isAnother()) work.throttle.leave();
    });
    try {
      await Promise.race([work.failed, untilOver(left.signal)]);
      if (state.current()?.phase === 'over') return 'over';
      return ending.signal.aborted ? 'drained' : 'changed';
    } finally {
      left.abort();
      stopListening();
      // What was not sent is left to the others.
      work.throttle.leave();
      await work.end();
      hard.signal.removeEventListener('abort', work.breakOff);
      add(total, work.done());
    }

    async function untilOver(signal: AbortSignal): Promise<void> {
      while (!ending.signal.aborted && !signal.aborted && state.current()?.phase !== 'over' && !isAnother()) {
        await lookAgain(joined, AbortSignal.any([ending.signal, signal]));
        const now = state.current();
        // The run may have been begun again, with a service that has moved.
        if (now !== undefined) checkIsOurs(now.settings, engine, options.address);
      }
    }
  }

  const finished = live();
  // Whoever started it looks at it in the end; until then it is nobody's unhandled rejection.
  finished.catch(() => {});
  return {
    status: () => status(),
    drain: () => ending.abort(),
    stop() {
      ending.abort();
      hard.abort();
    },
    finished,
  };
}

function add(total: WorkerWork, done: WorkerWork): void {
  for (const name of Object.keys(total) as (keyof WorkerWork)[]) total[name] += done[name];
}

/** As soon as the state changes, or a moment later. */
async function lookAgain({ state }: Joined, signal: AbortSignal): Promise<void> {
  const changed = new AbortController();
  const stopListening = state.onChange(() => changed.abort());
  await look(AbortSignal.any([signal, changed.signal]));
  stopListening();
}

async function look(signal: AbortSignal): Promise<void> {
  await after(BETWEEN_LOOKS_MS, undefined, { signal }).catch(() => {});
}

/** A worker that called another service would import the records there. */
function checkIsOurs({ address, queue }: RunSettings, engine: 'postgres' | 'redis', ownAddress: string): void {
  const [ofRun, ofWorker] = [targetOf(address), targetOf(ownAddress)];
  if (ofRun !== ofWorker) {
    throw new CannotJoinError(
      `target: the run in this ledger belongs to ${ofRun}, and this worker is for ${ofWorker}. ` +
        `Give it --base-url ${ofRun}; where the service has moved, begin the run with --retarget ${ofRun}.`,
      'settings',
    );
  }
  if (queue !== engine) {
    throw new CannotJoinError(
      `queue: the work queue of this run is on ${queue}, and this worker's is on ${engine}. Give it the --queue of the run.`,
      'settings',
    );
  }
}
