/** Exports `createLock`: runs the tasks of one key one after another, in the order of the calls. */
export type Lock = <Result>(key: string, task: () => Promise<Result>) => Promise<Result>;

export function createLock(): Lock {
  const tails = new Map<string, Promise<unknown>>();
  return async (key, task) => {
    const turn = (tails.get(key) ?? Promise.resolve()).then(task, task);
    tails.set(key, turn);
    try {
      return await turn;
    } finally {
      if (tails.get(key) === turn) tails.delete(key);
    }
  };
}

/**
 * Awaited between a rule's read of the state and the commit. Tests replace it by a scheduler, to show that the lock makes
 * the two steps atomic.
 */
export const takeTime = (): Promise<void> => Promise.resolve();
