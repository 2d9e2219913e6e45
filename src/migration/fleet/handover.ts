/**
 * With fewer calls than members, a call goes from one to the next by turns. Whoever gets it waits until the one before
 * will have done with it: else both are at the service, one too many, and it is a refusal that holds up the whole fleet.
 */
import type { PaceClock } from '../pace/clock.js';

/** Before anything was answered here. */
const USUAL_MS = 1000;
/** Of the calls that went well, so many are done after the time that is waited. */
const SHARE_DONE = 0.9;
const LAST = 50;

export interface Handover {
  /** How long a call took that went well. */
  took(latencyMs: number): void;
  /** What may be used now of a share, at this turn. `onOver` is called when it is more. */
  usable(share: number, turn: number): number;
  close(): void;
}

export function createHandover(clock: PaceClock, onOver: () => void): Handover {
  const latencies: number[] = [];
  let known: { turn: number; share: number } | undefined;
  let isWaiting = false;
  let stopTimer = (): void => {};

  const waitMs = (): number => {
    const sorted = latencies.toSorted((one, other) => one - other);
    return sorted[Math.floor(sorted.length * SHARE_DONE)] ?? USUAL_MS;
  };

  return {
    took(latencyMs) {
      latencies.push(latencyMs);
      if (latencies.length > LAST) latencies.shift();
    },
    usable(share, turn) {
      const hasMore = known !== undefined && turn !== known.turn && share > known.share;
      const before = known?.share ?? share;
      if (hasMore) {
        isWaiting = true;
        stopTimer();
        stopTimer = clock.after(waitMs(), () => {
          isWaiting = false;
          onOver();
        });
      }
      known = { turn, share: isWaiting ? Math.min(before, share) : share };
      return known.share;
    },
    close: () => stopTimer(),
  };
}
