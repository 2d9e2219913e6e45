/** Waiting for a place among the requests under way. */
import type { LimitFunction } from 'p-limit';

/** Runs the task when a place is free. While it waits for one, the signal ends it; once it runs, it ends itself. */
export function inTurn<T>(limit: LimitFunction, signal: AbortSignal, task: () => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const leave = () => reject(signal.reason);
    signal.addEventListener('abort', leave, { once: true });
    limit(() => {
      signal.removeEventListener('abort', leave);
      return signal.aborted ? Promise.reject(signal.reason) : task();
    }).then(resolve, reject);
  });
}
