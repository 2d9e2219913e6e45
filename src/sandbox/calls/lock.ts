/** One at a time for each key: what is asked for while another holds the key waits for its turn, in order. */
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
 * Stands between a rule's look at the state and the commit. Whatever takes its time takes it here: a test puts a
 * scheduler in its place, and the lock must make the two one step all the same.
 */
export const takeTime = (): Promise<void> => Promise.resolve();
