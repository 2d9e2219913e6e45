/**
 * Exports `createTokenBucket` (`--rps`), which spaces call starts evenly. A small delay is caught up, so that inexact timers do not
 * lower the rate. A longer idle time does not lead to a burst.
 */

/** A start that is late by at most this time does not delay the next ones. */
const CATCH_UP_MS = 50;

export type TokenBucket = ReturnType<typeof createTokenBucket>;

/** Returns a token bucket. `initial`: starts per second; 0 for no limit. */
export function createTokenBucket(initial: number) {
  let perSecond = initial;
  /** Time of the next start. */
  let due = Number.NEGATIVE_INFINITY;
  let seenAt = Number.NEGATIVE_INFINITY;
  /** If the clock was set back, moves the next start by the same time. */
  const see = (now: number): void => {
    if (now < seenAt) due -= seenAt - now;
    seenAt = now;
  };
  return {
    /** Returns the milliseconds until the next start; 0 for now. */
    waitMs(now: number): number {
      see(now);
      return perSecond === 0 ? 0 : Math.max(0, due - now);
    },
    /** Call it for each started request. */
    take(now: number): void {
      see(now);
      if (perSecond !== 0) due = (now - due > CATCH_UP_MS ? now : due) + 1000 / perSecond;
    },
    set(next: number): void {
      perSecond = next;
      due = Number.NEGATIVE_INFINITY;
    },
    get perSecond() {
      return perSecond;
    },
  };
}
