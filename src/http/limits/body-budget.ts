/**
 * `createBodyBudget`: bounds the memory of all answers that a client reads at the same time. When they exceed it, only the oldest is read
 * on, so that each of them is read to its end some time; the others wait, and so do their senders.
 */

/** Bytes of all bodies together. The oldest may exceed them, up to `maxAnswerBytes`. */
const BUDGET = 32 * 1024 * 1024;
/** Smaller bodies do not count, so that no other call waits for a long list. */
export const SMALL = 256 * 1024;

/** The part of one body. */
export interface BodyShare {
  /** Sets how many bytes of the body are in memory. Returns a promise if its reader has to wait before it reads more. */
  keep(bytes: number): Promise<void> | undefined;
  /** Gives the memory back. A reader that waits continues. */
  release(): void;
}

/** Returns a function that returns the share of one more body. */
export function createBodyBudget(): () => BodyShare {
  let used = 0;
  /** The oldest first. */
  const shares = new Set<{ bytes: number; wake: (() => void) | undefined }>();
  const mayReadOn = (share: object) => used <= BUDGET || shares.values().next().value === share;

  return () => {
    const share = { bytes: 0, wake: undefined as (() => void) | undefined };
    let isReleased = false;
    const set = (bytes: number) => {
      const isLess = bytes < share.bytes;
      used += bytes - share.bytes;
      share.bytes = bytes;
      if (bytes === 0) shares.delete(share);
      else shares.add(share);
      if (isLess) for (const other of shares) if (mayReadOn(other)) other.wake?.();
    };
    return {
      keep(bytes) {
        if (isReleased) return undefined;
        set(bytes <= SMALL ? 0 : bytes);
        if (share.bytes === 0 || mayReadOn(share)) return undefined;
        return new Promise((resolve) => {
          share.wake = () => {
            share.wake = undefined;
            resolve();
          };
        });
      },
      release() {
        isReleased = true;
        set(0);
        share.wake?.();
      },
    };
  };
}
