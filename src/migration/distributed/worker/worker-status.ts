/** Exports `statusOf` and `outsideStatus`: the state of a process of a distributed run, for health, metrics and the status lines. */
import type { ThrottleStatus } from '../../throttle/throttle.js';
import type { Joined } from '../join.js';
import { noWork, type WorkerWork } from '../ledger/worker-rows.js';
import type { Work } from './record-worker.js';

/** The state of a worker. */
export interface WorkerStatus {
  /** `waiting`: no run has begun. */
  state: 'waiting' | 'working' | 'draining' | 'left';
  /** Whether it has joined, and the ledger is available. */
  isReady: boolean;
  /** Whether it may send: without contact to the ledger it sends nothing. */
  hasLease: boolean;
  /** Which of these conditions are not met, in words. */
  lacks: string[];
  /** Number of records that it works on now. */
  records: number;
  /** Counts of its work. */
  work: WorkerWork;
  /** State of its throttle; undefined while it waits. */
  pace: ThrottleStatus | undefined;
}

export function statusOf({ state }: Joined, work: Work | undefined, isDraining: boolean): WorkerStatus {
  const hasLease = work?.fence.isOpen() ?? true;
  const lacks: string[] = [];
  if (work === undefined) lacks.push('a run to join');
  if (isDraining) lacks.push('it drains');
  if (!hasLease) lacks.push('it had no contact to the ledger for too long');
  if (!state.isReachable()) lacks.push('the ledger is out of reach');
  return {
    state: work === undefined ? 'waiting' : isDraining ? 'draining' : 'working',
    ...{ isReady: lacks.length === 0, hasLease, lacks, records: work?.records() ?? 0 },
    ...{ work: work?.done() ?? noWork(), pace: work?.throttle.status() },
  };
}

export function outsideStatus(state: 'waiting' | 'draining' | 'left', work: WorkerWork = noWork()): WorkerStatus {
  const lacks = [state === 'left' ? 'it has left' : 'a run to join'];
  return { state, isReady: false, hasLease: false, lacks, records: 0, work, pace: undefined };
}
