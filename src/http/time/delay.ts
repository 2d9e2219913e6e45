/** Exports waits and timeouts: delays before retries, a sleep that can be cancelled, and timeouts for answers. */
import type { Cancellation } from './cancellation.js';

/** Longest delay of a timer: Node.js fires longer ones at once. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

const MAX_BACKOFF_MS = 30_000;

/** Returns a random wait from 0 to base * 2^retry, at most 30 s (full jitter), so that callers do not retry at the same time. */
export function backoffMs(baseMs: number, retry: number): number {
  return Math.round(Math.random() * Math.min(MAX_BACKOFF_MS, baseMs * 2 ** retry));
}

/**
 * Resolves after the time, or earlier if `wait` is cancelled. While it sleeps, `sleepers` contains a function that ends the
 * sleep.
 */
export function sleep(ms: number, wait: Cancellation, sleepers?: Set<() => void>): Promise<void> {
  if (ms <= 0 || wait.isCancelled) return Promise.resolve();
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      sleepers?.delete(end);
      wait.offCancel(end);
      resolve();
    };
    const timer = setTimeout(end, Math.min(ms, MAX_TIMER_MS));
    sleepers?.add(end);
    wait.onCancel(end);
  });
}

/** Longest plausible wait: a larger number is probably a Unix time or a number of milliseconds. */
const LONGEST_PLAUSIBLE_MS = 7 * 24 * 60 * 60 * 1000;

/**
 * Returns `Retry-After`, seconds or an HTTP date, in milliseconds; undefined if it is absent or has another form, such as a negative
 * number. For a wait of more than seven days it returns `boundMs`, or undefined if that is 0.
 */
export function retryAfterMs(header: string | undefined, boundMs: number): number | undefined {
  const value = header?.trim() ?? '';
  const isNumber = /^\d+(\.\d+)?$/.test(value);
  // HTTP dates begin with the name of a day. Date.parse also accepts other texts.
  const isDate = /^[A-Za-z]{3,9},? /.test(value) && !Number.isNaN(Date.parse(value));
  if (!isNumber && !isDate) return undefined;
  const askedMs = isNumber ? Math.ceil(Number(value) * 1000) : Math.max(0, Date.parse(value) - Date.now());
  if (askedMs <= LONGEST_PLAUSIBLE_MS) return askedMs;
  return boundMs > 0 ? boundMs : undefined;
}

/** A timer that fires this much too late was delayed by the process itself. */
const DELAYED_MS = 1000;
/** Time to read the answers that arrived while the process was stopped. */
const READING_MS = 1000;

/**
 * A timeout for answers. After a process was stopped (SIGSTOP, a suspended virtual machine, a long garbage collection), its
 * timers fire before it reads the answers that have arrived meanwhile, and each would be reported as lost.
 *
 * Calls `onTimeout` after `ms`, and `READING_MS` later if the process was stopped; never after a time that no timer can have, such as
 * Infinity. Returns a function that cancels it.
 */
export function startTimeout(ms: number, onTimeout: () => void): () => void {
  if (ms > MAX_TIMER_MS) return () => {};
  const startedAt = performance.now();
  let timer = setTimeout(() => {
    if (performance.now() - startedAt < ms + DELAYED_MS) return onTimeout();
    timer = setTimeout(onTimeout, READING_MS);
  }, ms);
  return () => clearTimeout(timer);
}
