/** Exports `startWorker`, which joins a distributed run: it waits until a run begins, and works until the run is over. */
import { setTimeout as after } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { Callbacks } from '../../../callbacks.js';
import type { DataImportClient } from '../../../client.js';
import { checkOptionKinds, type OptionKinds } from '../../../validation/option-kinds.js';
import type { LedgerRecord } from '../../ledger/ledger.js';
import { hasNoFreeConnection, NoLedgerError } from '../../ledger/postgres/database-error.js';
import { DEFAULT_RECONNECT_MS } from '../../ledger/postgres/postgres-ledger.js';
import type { RecordEvent } from '../../record/events/record-event.js';
import { targetOf } from '../../run/expect-target.js';
import { CannotJoinError } from '../cannot-join.js';
import { type Joined, joinRun } from '../ledger/distributed-ledger.js';
import { runState } from '../ledger/read-run.js';
import { noWork, sum, type WorkerWork } from '../ledger/worker-rows.js';
import { isOpen, type RunSettings, type RunState } from '../state/run-state.js';
import { takePart, type Work } from './record-worker.js';
import { statusOf, type WorkerStatus } from './worker-status.js';

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

const KINDS: OptionKinds<WorkerOptions> = {
  client: 'client',
  address: 'string',
  database: 'string',
  schema: 'string?',
  name: 'string?',
  concurrency: 'number?',
  onEvent: 'function?',
  beforeWork: 'function?',
  onNote: 'function?',
};

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

/** Why it left a run; `changed`: the run was drained or halted, or begun again with other settings, such as another team. */
type Left = 'over' | 'drained' | 'changed';

const DEFAULT_CONCURRENCY = 32;
const COMMAND = 'data-import-sdk run … --distributed';

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
  checkOptionKinds('startWorker', options, KINDS);
  return workerOf(options);
}

/** The parts that tests replace. */
const MEANS = { join: joinRun, runState, lookEveryMs: 1000 };

/** The same with other functions to find and join a run, for tests. */
export function workerOf(options: WorkerOptions, means = MEANS): StartedWorker {
  const { client, address, database, schema, name, concurrency = DEFAULT_CONCURRENCY } = options;
  const callbacks = new Callbacks();
  const onEvent = callbacks.watched(options.onEvent) ?? (() => {});
  const onNote = callbacks.watched(options.onNote) ?? (() => {});
  const { beforeWork } = options;
  /** Aborted by `drain` and `stop`. */
  const ending = new AbortController();
  const { signal } = ending;
  /** The work in the current run. */
  let work: Work | undefined;
  /** Counts of the runs before. */
  let before = noWork();
  let hasLeft = false;
  let waiting = `waiting for a run to begin (${COMMAND}).`;
  /** Checks whether to leave the current run. */
  let look = () => {};

  async function run(): StartedWorker['finished'] {
    try {
      for (let hasWorked = false; ; hasWorked = true) {
        const joined = await join(hasWorked);
        const state = typeof joined === 'string' ? joined : await takePartIn(joined);
        if (state === 'changed') continue;
        await callbacks.settled();
        return { state, work: before };
      }
    } finally {
      hasLeft = true;
    }
  }

  /**
   * Waits until a run is open. Until then it does not join, because a worker that has joined blocks the commands on the ledger, such as `resolve`.
   * `drained`: before there was one. `over`: the run in which it has worked is over.
   */
  async function join(hasWorked: boolean): Promise<Joined | 'drained' | 'over'> {
    let noted = '';
    while (!signal.aborted && !callbacks.hasFailed()) {
      let note = waiting;
      try {
        // A worker that waits stays while the server restarts.
        const found = await means.runState({ database, schema }, noted === '' ? 0 : DEFAULT_RECONNECT_MS);
        if (found?.phase === 'over' && hasWorked) return 'over';
        if (isOpen(found))
          return await means.join({ connectionString: database, schema, name, isCoordinator: false, onNote });
      } catch (error) {
        if (hasNoFreeConnection(error)) note = `${(error as Error).message} Retrying every second.`;
        else if (!(error instanceof NoLedgerError)) throw error;
      }
      if (note !== noted) onNote(note);
      noted = note;
      await after(means.lookEveryMs, undefined, { signal }).catch(() => {});
    }
    return 'drained';
  }

  async function takePartIn(joined: Joined): Promise<Left> {
    try {
      const now = joined.state.current();
      // It was drained, halted or ended meanwhile.
      if (!isOpen(now)) return 'changed';
      checkIsOurs(now.settings, address);
      await beforeWork?.();
      return await workIn(joined, now.settings);
    } finally {
      await joined.ledger.close();
    }
  }

  /** Works until the run ends, or must be joined again. */
  async function workIn(joined: Joined, settings: RunSettings): Promise<Left> {
    const { state } = joined;
    const current = takePart(joined, {
      ...{ client, settings, concurrency, works: true, isCoordinator: false, onEvent, onNote },
    });
    work = current;
    onNote(`joined the run into ${settings.address}.`);
    let stopLooking = () => {};
    const left = new Promise<Left>((resolve) => {
      look = () => {
        const now = state.current();
        const isAnother = now?.ended != null || !isDeepStrictEqual(now?.settings, settings);
        // At once, so that no call starts with the old settings.
        if (isAnother || signal.aborted) current.throttle.leave();
        if (now?.ended != null) waiting = `${endInWords(now.ended)} Waiting for it to continue (${COMMAND}).`;
        if (now?.phase === 'over') resolve('over');
        else if (signal.aborted) resolve('drained');
        else if (isAnother) resolve('changed');
      };
      stopLooking = state.onChange(() => look());
      look();
    });
    try {
      return await Promise.race([current.failed, left, callbacks.failed]);
    } finally {
      stopLooking();
      // Other workers take over the remaining records.
      current.throttle.leave();
      await current.end();
      before = sum(before, current.done());
      work = undefined;
    }
  }

  const drain = () => {
    ending.abort();
    look();
  };
  const finished = run();
  // The caller awaits it later; until then a rejection must not count as unhandled.
  finished.catch(() => {});
  return {
    status: () => statusOf(work, { isDraining: signal.aborted, hasLeft, before }),
    drain,
    stop() {
      drain();
      work?.breakOff();
    },
    finished,
  };
}

function endInWords({ state, reason }: NonNullable<RunState['ended']>): string {
  if (reason === null) return `the run was ${state === 'halted' ? 'halted' : 'drained'}.`;
  return `the run ${state === 'halted' ? 'was halted' : 'ended unfinished'}: ${reason}.`;
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
