/** Waiting for a place among the requests under way. */
import type { LimitFunction } from 'p-limit';
import type { Wait } from './wait.js';

/** Runs the task when a place is free. While it waits for one, the wait may be ended; once it runs, it ends itself. */
export function inTurn<T>(limit: LimitFunction, wait: Wait, task: () => Promise<T>): Promise<T> {
  const start = () => (wait.ended ? Promise.reject(wait.reason) : task());
  if (limit.activeCount < limit.concurrency) return limit(start);
  return new Promise((resolve, reject) => {
    wait.begin(reject);
    limit(() => {
      wait.finish(reject);
      return start();
    }).then(resolve, reject);
  });
}
