/** Waiting: how long, and in a way that a signal can end at once. */

/** Node fires longer timers at once. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

const MAX_BACKOFF_MS = 30_000;

/** Full jitter: anything between nothing and base * 2^retry, capped at 30 s, so that callers do not come back together. */
export function backoffMs(baseMs: number, retry: number): number {
  return Math.round(Math.random() * Math.min(MAX_BACKOFF_MS, baseMs * 2 ** retry));
}

/** Resolves after the time, or as soon as the signal aborts; leaves neither timer nor listener behind. */
export function sleep(ms: number, signal: AbortSignal): Promise<void> {
  if (ms <= 0 || signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, Math.min(ms, MAX_TIMER_MS));
    signal.addEventListener('abort', end, { once: true });
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
