/**
 * How many process calls run at the same time, and a way to keep them running, so that a test can be sure that two
 * overlap (E6, document: Limits).
 */

/** While it lasts, every process call that arrives stays in processing: it counts against the limit and waits. */
export interface ProcessingHold {
  /** Resolves as soon as `count` calls (default 1) are waiting. */
  waiting(count?: number): Promise<void>;
  /** Lets the waiting calls go on, and ends the hold. */
  release(): void;
}

export interface ProcessSlots {
  hold(): ProcessingHold;
  /** Runs the task as one process call, or returns undefined where that would be more than the limit. */
  run<Result>(limit: number | null, task: () => Promise<Result>): Promise<Result | undefined>;
  /** Whether a hold lasts, and how many calls wait for its end. */
  status(): { held: boolean; waiting: number };
}

interface Hold {
  waiting: number;
  watchers: { count: number; resolve: () => void }[];
  released: Promise<void>;
}

export function createProcessSlots(): ProcessSlots {
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
    async run(limit, task) {
      if (limit !== null && running >= limit) return undefined;
      running++;
      try {
        await waitForRelease();
        return await task();
      } finally {
        running--;
      }
    },
    hold() {
      let letGo = (): void => {};
      const released = new Promise<void>((resolve) => {
        letGo = resolve;
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
          letGo();
        },
      };
    },
    status: () => ({ held: holds.size > 0, waiting }),
  };
}
