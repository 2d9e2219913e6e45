/** When a state is saved: soon after a change, never twice at once, and rarely enough for a big one. */

export interface Keeper {
  /** Something may have changed. */
  touch(): void;
  /** Saves what is not saved yet, and ends. Rejects where that fails. */
  close(): Promise<void>;
}

/** A change waits this long for others. */
const SOON_MS = 250;
/** Saving takes at most this share of the time. */
const LARGEST_SHARE = 0.05;
/** A full disk does not empty itself at once. */
const AFTER_FAILURE_MS = 5000;

/** `save` is told of a failure by `onError` until the last one, which `close` rejects with. */
export function createKeeper(save: () => Promise<void>, onError: (error: unknown) => void): Keeper {
  let isDue = false;
  let timer: NodeJS.Timeout | undefined;
  let saving: Promise<void> = Promise.resolve();
  let pauseMs = SOON_MS;

  async function saveNow(): Promise<void> {
    isDue = false;
    const started = performance.now();
    try {
      await save();
      pauseMs = Math.max(SOON_MS, (performance.now() - started) / LARGEST_SHARE);
    } catch (error) {
      isDue = true;
      pauseMs = AFTER_FAILURE_MS;
      throw error;
    }
  }

  function plan(): void {
    timer ??= setTimeout(() => {
      saving = saveNow()
        .catch(onError)
        .finally(() => {
          timer = undefined;
          if (isDue) plan();
        });
    }, pauseMs);
  }

  return {
    touch() {
      isDue = true;
      plan();
    },
    async close() {
      clearTimeout(timer);
      await saving;
      clearTimeout(timer);
      if (isDue) await saveNow();
    },
  };
}
