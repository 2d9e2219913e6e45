/** How a worker stands, for people and for the service manager that looks after it. */
import type { PaceStatus } from '../throttle/throttle.js';
import type { Joined, Work } from './join.js';
import { noWork, type WorkerWork } from './worker-rows.js';

/** How a worker stands. */
export interface WorkerStatus {
  /** `waiting`: for a run to begin. */
  state: 'waiting' | 'working' | 'draining' | 'left';
  /** It has joined, and ledger and work queue are reached. */
  isReady: boolean;
  /** Whether it may send: without contact to the ledger it sends nothing. */
  hasLease: boolean;
  /** What of these is not so, in words. */
  lacks: string[];
  /** Records that it works on at this moment. */
  records: number;
  /** What it has done. */
  work: WorkerWork;
  /** undefined while it waits. */
  pace: PaceStatus | undefined;
}

export function workerStatus({ state, queue }: Joined, work: Work | undefined, isDraining: boolean): WorkerStatus {
  const isOpen = work?.fence.isOpen() ?? true;
  const lacks = [
    [work !== undefined, 'a run to join'],
    [!isDraining, 'it drains'],
    [isOpen, 'it had no contact to the ledger for too long'],
    [state.isReachable(), 'the ledger is out of reach'],
    [queue.isReachable(), 'the engine of the work queue is out of reach'],
  ].flatMap(([isSo, what]) => (isSo === true ? [] : [String(what)]));
  return {
    state: work === undefined ? 'waiting' : isDraining ? 'draining' : 'working',
    isReady: lacks.length === 0,
    hasLease: isOpen,
    lacks,
    records: work?.records() ?? 0,
    work: work?.done() ?? noWork(),
    pace: work?.throttle.status(),
  };
}

export function outsideStatus(state: 'waiting' | 'draining' | 'left', work: WorkerWork = noWork()): WorkerStatus {
  const lacks = [state === 'left' ? 'it has left' : 'a run to join'];
  return { state, isReady: false, hasLease: false, lacks, records: 0, work, pace: undefined };
}
