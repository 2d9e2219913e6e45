/** How a member of a fleet stands, for whoever looks after it. */
import type { PaceStatus } from '../pace/pace.js';
import type { Joined } from './join.js';
import type { WorkerStatus } from './worker.js';

/** What it has under way: undefined before its run has begun. */
export interface Part {
  records: () => number;
  pace: () => PaceStatus;
}

export function memberStatus(
  { ledger: { lease }, board, doorbell }: Joined,
  { part, isDraining }: { part: Part | undefined; isDraining: boolean },
): WorkerStatus {
  const lacks = [
    [part !== undefined, 'a run to join'],
    [!isDraining, 'it drains'],
    [lease.isValid(lease.generation), 'its lease is over'],
    [board.isConnected(), 'the board is out of reach'],
    [doorbell.isReachable(), 'the engine of the doorbell is out of reach'],
  ].flatMap(([isSo, what]) => (isSo === true ? [] : [String(what)]));
  return {
    state: part === undefined ? 'waiting' : isDraining ? 'draining' : 'working',
    isReady: lacks.length === 0,
    hasLease: lease.isValid(lease.generation),
    lacks,
    records: part?.records() ?? 0,
    work: { ...lease.work },
    pace: part?.pace(),
  };
}

export function outsideStatus(state: 'waiting' | 'draining' | 'left', work: WorkerStatus['work']): WorkerStatus {
  const lacks = [state === 'left' ? 'it has left' : 'a run to join'];
  return { state, isReady: false, hasLease: false, lacks, records: 0, work, pace: undefined };
}
