/**
 * `--rps`: spaces call starts evenly. A small delay is caught up, so that inexact timers do not lower the rate; a
 * longer idle time does not lead to a burst.
 */

/** A start that is late by no more does not delay those after it. */
const CATCH_UP_MS = 50;

export interface TokenBucket {
  /** Milliseconds until the next start may leave; 0 for now. */
  waitMs(now: number): number;
  /** A request left. */
  take(now: number): void;
  set(perSecond: number): void;
  readonly perSecond: number;
}

/** 0 for no cap. */
export function createTokenBucket(initial: number): TokenBucket {
  let perSecond = initial;
  /** When the next start is due. */
  let due = Number.NEGATIVE_INFINITY;
  let seenAt = Number.NEGATIVE_INFINITY;
  /** A machine's clock may be set back: what was due by the former time goes with it. */
  const see = (now: number): void => {
    if (now < seenAt) due -= seenAt - now;
    seenAt = now;
  };
  return {
    waitMs(now) {
      see(now);
      return perSecond === 0 ? 0 : Math.max(0, due - now);
    },
    take(now) {
      see(now);
      if (perSecond !== 0) due = (now - due > CATCH_UP_MS ? now : due) + 1000 / perSecond;
    },
    set(next) {
      perSecond = next;
      due = Number.NEGATIVE_INFINITY;
    },
    get perSecond() {
      return perSecond;
    },
  };
}
