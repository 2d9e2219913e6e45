/**
 * Repeats a task that failed because the database was briefly unavailable or read-only: a restart, a failover, a network failure.
 */
import { hasCollided, isLost, isReadOnly } from './database-error.js';

const FIRST_WAIT_MS = 100;
const LONGEST_WAIT_MS = 2000;

/** Maximum number of repetitions after conflicting transactions. */
const MOST_COLLISIONS = 10;

/** `isAgain`: a previous attempt may have taken effect. Rejects with the last error. */
export async function retryConnection<T>(patienceMs: number, task: (isAgain: boolean) => Promise<T>): Promise<T> {
  let [waitedMs, waitMs, collisions] = [0, FIRST_WAIT_MS, 0];
  for (let isAgain = false; ; isAgain = true) {
    try {
      return await task(isAgain);
    } catch (error) {
      if (hasCollided(error) && collisions < MOST_COLLISIONS) collisions++;
      else if (!(isLost(error) || isReadOnly(error)) || waitedMs >= patienceMs) throw error;
      await new Promise((resolve) => setTimeout(resolve, waitMs));
      waitedMs += waitMs;
      waitMs = Math.min(2 * waitMs, LONGEST_WAIT_MS);
    }
  }
}
