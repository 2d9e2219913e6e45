/** Waiting: how long, and in a way that can be ended at once. */
import type { Wait } from './wait.js';

/** Node fires longer timers at once. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

const MAX_BACKOFF_MS = 30_000;

/** Full jitter: anything between nothing and base * 2^retry, capped at 30 s, so that callers do not come back together. */
export function backoffMs(baseMs: number, retry: number): number {
  return Math.round(Math.random() * Math.min(MAX_BACKOFF_MS, baseMs * 2 ** retry));
}

/** Resolves after the time, or as soon as the wait is ended; leaves no timer behind. */
export function sleep(ms: number, wait: Wait): Promise<void> {
  if (ms <= 0 || wait.ended) return Promise.resolve();
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      wait.finish(end);
      resolve();
    };
    const timer = setTimeout(end, Math.min(ms, MAX_TIMER_MS));
    wait.begin(end);
  });
}

/** `Retry-After` in milliseconds: seconds or an HTTP date; undefined where absent or neither. */
export function retryAfterMs(header: string | undefined): number | undefined {
  if (header === undefined) return undefined;
  const value = header.trim();
  if (/^\d+(\.\d+)?$/.test(value)) return Math.ceil(Number(value) * 1000);
  // HTTP dates begin with the name of a day; Date.parse alone would take much else.
  const date = /^[A-Za-z]{3,9},? /.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now());
}
