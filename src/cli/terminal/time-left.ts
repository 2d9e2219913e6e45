/** Exports `remainingMs`, the estimate of the time left in a run. */
import { doneOf, type RunStatus } from './progress.js';

/** How far a run is. */
type HowFar = Pick<RunStatus, 'elapsedMs' | 'waitedMs' | 'total' | 'endedBefore' | 'ended' | 'rate' | 'standstill'>;

/** No estimate before this: the first seconds are slow, and a few records say little. */
const FIRST_MS = 30_000;
const FIRST_SHARE = 0.01;
/** Factor that widens the range of the estimate. */
const SLACK = 1.1;

/** The time left, as a range between the mean rate of the session and the recent rate; undefined if it is too early. */
export function remainingMs(status: HowFar): { from: number; to: number } | undefined {
  const { elapsedMs, waitedMs, total, endedBefore, rate, standstill } = status;
  if (total === undefined || standstill !== undefined) return undefined;
  const ended = doneOf(status);
  const [work, done, active] = [total - endedBefore, ended - endedBefore, elapsedMs - waitedMs];
  if (active < FIRST_MS || done < work * FIRST_SHARE || done <= 0 || rate <= 0) return undefined;
  const rates = [done / active, rate / 1000];
  const left = Math.max(0, total - ended);
  return { from: left / Math.max(...rates) / SLACK, to: (left / Math.min(...rates)) * SLACK };
}
