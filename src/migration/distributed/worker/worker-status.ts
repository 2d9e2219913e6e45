/** Exports `statusOf`: the state of a process of a distributed run, for health, metrics and the status lines. */
import type { ThrottleStatus } from '../../throttle/throttle.js';
import { noWork, sum, type WorkerWork } from '../ledger/worker-rows.js';
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

interface Stage {
  isDraining: boolean;
  hasLeft: boolean;
  /** What it has done in earlier runs. */
  before?: WorkerWork;
}

/** Returns the status. `work`: undefined while it takes part in no run. */
export function statusOf(work: Work | undefined, { isDraining, hasLeft, before = noWork() }: Stage): WorkerStatus {
  const there = hasLeft ? undefined : work;
  const hasLease = there?.fence.isOpen() === true;
  const lacks: string[] = [];
  if (there === undefined) lacks.push(hasLeft ? 'it has left' : 'a run to join');
  else {
    if (isDraining) lacks.push('it drains');
    if (!hasLease) lacks.push('it had no contact to the ledger for too long');
    if (!there.isReachable()) lacks.push('the ledger is out of reach');
  }
  return {
    state: hasLeft ? 'left' : isDraining ? 'draining' : work === undefined ? 'waiting' : 'working',
    ...{ isReady: lacks.length === 0, hasLease, lacks, records: there?.records() ?? 0 },
    ...{ work: sum(before, work?.done() ?? noWork()), pace: there?.throttle.status() },
  };
}
