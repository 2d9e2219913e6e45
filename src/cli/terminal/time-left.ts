/** Exports `remainingMs`, the estimate of the time left in a run, and `doneOf`. */
import type { Outcome } from '../../migration/ledger/ledger.js';

/** How far a run is. */
export interface Progress {
  /** Since the start of the session. */
  elapsedMs: number;
  /** The part of it that was paused or outside the time window. */
  waitedMs: number;
  /** Records of the input; undefined until they are counted. */
  total: number | undefined;
  /** Records that were done before this session. */
  endedBefore: number;
  ended: Readonly<Record<Outcome, number>>;
  /** Records done per second, recently. */
  rate: number;
  /** Why no call starts now, and until when; undefined if calls start. */
  standstill: string | undefined;
}

/** Records with an outcome. */
export function doneOf({ ended }: Pick<Progress, 'ended'>): number {
  return Object.values(ended).reduce((sum, count) => sum + count, 0);
}

/** No estimate before this: the first seconds are slow, and a few records say little. */
const FIRST_MS = 30_000;
const FIRST_SHARE = 0.01;
/** Factor that widens the range of the estimate. */
const SLACK = 1.1;

/** The time left, as a range between the mean rate of the session and the recent rate; undefined if it is too early. */
export function remainingMs(status: Progress): { from: number; to: number } | undefined {
  const { elapsedMs, waitedMs, total, endedBefore, rate, standstill } = status;
  if (total === undefined || standstill !== undefined) return undefined;
  const ended = doneOf(status);
  const [work, done, active] = [total - endedBefore, ended - endedBefore, elapsedMs - waitedMs];
  if (active < FIRST_MS || done < work * FIRST_SHARE || done <= 0 || rate <= 0) return undefined;
  const rates = [done / active, rate / 1000];
  const left = Math.max(0, total - ended);
  return { from: left / Math.max(...rates) / SLACK, to: (left / Math.min(...rates)) * SLACK };
}
