/**
 * Exports `createProcessSlots`: the limit on concurrent process calls, and a hold on them, with which a test makes calls
 * overlap (E6, spec: Limits).
 */

/** A hold on process calls: each one that arrives waits, and counts against the limit. */
export interface ProcessingHold {
  /** Resolves as soon as `count` calls (default 1) are waiting. */
  waiting(count?: number): Promise<void>;
  /** Ends the hold; the waiting calls continue. */
  release(): void;
}

interface Hold {
  waiting: number;
  watchers: { count: number; resolve: () => void }[];
  released: Promise<void>;
}

export function createProcessSlots() {
  const holds = new Set<Hold>();
  let running = 0;
  let waiting = 0;

  async function waitForRelease(): Promise<void> {
    waiting++;
    for (const hold of holds) {
      hold.waiting++;
      for (const watcher of hold.watchers) if (hold.waiting >= watcher.count) watcher.resolve();
      await hold.released;
    }
    waiting--;
  }

  return {
    /** Runs the task as one process call. Resolves with undefined, without running it, if the limit is reached. */
    async run<Result>(limit: number | null, task: () => Promise<Result>): Promise<Result | undefined> {
      if (limit !== null && running >= limit) return undefined;
      running++;
      try {
        await waitForRelease();
        return await task();
      } finally {
        running--;
      }
    },
    hold(): ProcessingHold {
      let end = (): void => {};
      const released = new Promise<void>((resolve) => {
        end = resolve;
      });
      const hold: Hold = { waiting: 0, watchers: [], released };
      holds.add(hold);
      return {
        waiting: (count = 1) =>
          new Promise((resolve) => {
            if (hold.waiting >= count) resolve();
            else hold.watchers.push({ count, resolve });
          }),
        release() {
          holds.delete(hold);
          end();
        },
      };
    },
    /** Returns whether there is a hold, and how many calls wait for its end. */
    status: () => ({ held: holds.size > 0, waiting }),
  };
}

export type ProcessSlots = ReturnType<typeof createProcessSlots>;
