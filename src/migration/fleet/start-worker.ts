/** A member that comes from outside: it waits for a run to begin, and works until it is over. */
import { setTimeout as after } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { NoLedgerError } from '../ledger/postgres-error.js';
import { targetOf } from '../target.js';
import type { Board, FleetOrders } from './board.js';
import { CannotJoinError } from './cannot-join-error.js';
import type { MemberWork } from './fleet-ledger.js';
import { type Joined, joinFleet } from './join.js';
import { checkBookAt } from './line-address.js';
import { takePart, work } from './member.js';
import { memberStatus, outsideStatus } from './member-status.js';
import { NO_WORK } from './member-work.js';
import type { Worker, WorkerOptions } from './worker.js';

const DEFAULT_CONCURRENCY = 32;
const BETWEEN_LOOKS_MS = 1000;
/** Open work, of which nothing is heard for so long, is rung for somewhere else. */
const QUIET_MS = 60_000;

/**
 * Joins the fleet of a run, as soon as there is one. Rejects with a `BookError` for a `bookAt` that cannot be meant;
 * `finished` rejects with a `CannotJoinError` where the run calls
 * another service or has another engine than this worker, and as ledgers on PostgreSQL do.
 *
 * @example
 * const worker = await startWorker({ client, address: 'https://api.example.com', database: 'postgres://db.example.com/import' });
 * process.once('SIGTERM', () => worker.drain());
 * await worker.finished;
 */
export async function startWorker(options: WorkerOptions): Promise<Worker> {
  return workerOf(options, joinFleet);
}

/** The same, with another way to join. */
export function workerOf(options: WorkerOptions, joining: typeof joinFleet): Worker {
  if (options.bookAt !== undefined) checkBookAt(options.bookAt);
  const { onNote = () => {} } = options;
  const ending = new AbortController();
  const hard = new AbortController();
  let status = () => outsideStatus(ending.signal.aborted ? 'draining' : 'waiting', NO_WORK);

  async function live(): Promise<{ state: 'over' | 'drained'; work: MemberWork }> {
    const joined = await join();
    if (joined === undefined) return { state: 'drained', work: NO_WORK };
    const { lease } = joined.ledger;
    try {
      let state: 'over' | 'drained' | 'changed' = 'changed';
      while (state === 'changed') {
        const orders = await runIn(joined);
        if (orders !== undefined) await options.beforeWork?.();
        state = orders === undefined ? 'drained' : await workIn(joined, orders);
      }
      return { state, work: { ...lease.work } };
    } finally {
      const { work } = lease;
      status = () => outsideStatus('left', work);
      await joined.close();
    }
  }

  /** undefined where it was drained before there was anything to join. */
  async function join(): Promise<Joined | undefined> {
    const { database, schema, queue, name } = options;
    for (let isTold = false; !ending.signal.aborted; ) {
      try {
        return await joining({ database, schema, queue, name, isCoordinator: false, onNote });
      } catch (error) {
        if (!(error instanceof NoLedgerError)) throw error;
        if (!isTold) onNote('waiting for a run to begin (data-import run … --fleet).');
        isTold = true;
        await look(ending.signal);
      }
    }
    return undefined;
  }

  /** The orders of a run that is open. */
  async function runIn({ board, queue }: Joined): Promise<FleetOrders | undefined> {
    for (let isTold = false; !ending.signal.aborted; await lookAgain(board, ending.signal)) {
      const orders = board.orders();
      if (orders?.state === 'open') {
        checkIsOurs(orders, queue, options.address);
        return orders;
      }
      if (!isTold) onNote('waiting for a run to begin (data-import run … --fleet).');
      isTold = true;
    }
    return undefined;
  }

  /** `changed`: the run was begun again with other settings, such as another team. */
  async function workIn(joined: Joined, { settings }: FleetOrders): Promise<'over' | 'drained' | 'changed'> {
    const { client, bookAt, concurrency = DEFAULT_CONCURRENCY, onEvent = () => {} } = options;
    const { ledger, board } = joined;
    const { lease } = ledger;
    const { pace, end } = takePart(joined, client, { concurrency, isCoordinator: false, onNote });
    const now = () => new Date();
    let isHeard = false;
    const told = { bookAt, concurrency, isCoordinator: false, now, onNote, onEvent };
    const atWork = work(joined, { client, pace, settings }, told);
    const part = { records: atWork.records, pace: pace.status };
    status = () => memberStatus(joined, { part, isDraining: ending.signal.aborted });
    hard.signal.addEventListener('abort', atWork.breakOff);
    onNote(`joined the run into ${settings.address}.`);
    const over = new AbortController();
    const isAnother = () => !isDeepStrictEqual(board.orders()?.settings, settings);
    // At once: no call leaves with the settings of before.
    const stopHearing = board.onOrders(() => {
      if (isAnother()) pace.leave();
    });
    try {
      await Promise.race([atWork.failed, untilOver(over.signal)]);
      if (board.orders()?.state === 'over') return 'over';
      return ending.signal.aborted ? 'drained' : 'changed';
    } finally {
      over.abort();
      stopHearing();
      // What has not left is given back.
      pace.leave();
      await atWork.end();
      hard.signal.removeEventListener('abort', atWork.breakOff);
      await end();
    }

    async function untilOver(signal: AbortSignal): Promise<void> {
      let quietSince = performance.now();
      while (!ending.signal.aborted && !signal.aborted && board.orders()?.state !== 'over' && !isAnother()) {
        await lookAgain(board, AbortSignal.any([ending.signal, signal]));
        const orders = board.orders();
        // The run may have been begun again, with a service that has moved.
        if (orders !== undefined) checkIsOurs(orders, joined.queue, options.address);
        if (lease.work.requests > 0 || orders?.ended != null || orders?.paused != null) isHeard = true;
        if (isHeard || performance.now() - quietSince < QUIET_MS) continue;
        quietSince = performance.now();
        if (await ledger.hasWork()) onNote('records are open, but nothing rings here: is --queue that of the run?');
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

/** As soon as the orders change, or a moment later. */
async function lookAgain(board: Board, signal: AbortSignal): Promise<void> {
  const changed = new AbortController();
  const stopHearing = board.onOrders(() => changed.abort());
  await look(AbortSignal.any([signal, changed.signal]));
  stopHearing();
}

async function look(signal: AbortSignal): Promise<void> {
  await after(BETWEEN_LOOKS_MS, undefined, { signal }).catch(() => {});
}

/** A worker that called another service would import the book there. */
function checkIsOurs({ settings }: FleetOrders, queue: 'postgres' | 'redis', address: string): void {
  const [ofRun, ofWorker] = [targetOf(settings.address), targetOf(address)];
  if (ofRun !== ofWorker) {
    throw new CannotJoinError(
      `target: the run in this ledger belongs to ${ofRun}, and this worker is for ${ofWorker}. ` +
        `Give it --base-url ${ofRun}; where the service has moved, begin the run with --retarget ${ofRun}.`,
      'settings',
    );
  }
  if (settings.queue !== queue) {
    throw new CannotJoinError(
      `fleet: the members of this run are called by ${settings.queue}, and this worker listens to ${queue}. Give it the --queue of the run.`,
      'settings',
    );
  }
}
