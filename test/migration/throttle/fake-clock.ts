/** A clock that stands still until it is moved, and then goes from timer to timer. */
import type { ThrottleClock } from '../../../src/migration/throttle/clock.js';

export interface FakeClock extends ThrottleClock {
  /** Moves on, and lets everything happen that is due on the way, in its order. */
  advance(ms: number): Promise<void>;
  /** Timers that are set and neither fired nor ended. */
  timers(): number;
}

export function fakeClock(start = Date.parse('2026-01-15T09:00:00Z')): FakeClock {
  let now = start;
  let timers: { at: number; call: () => void }[] = [];
  /** Everything that follows from what has happened so far happens. */
  const settle = () => new Promise<void>((resolve) => setImmediate(resolve));
  return {
    now: () => now,
    after(ms, call) {
      const timer = { at: now + Math.max(0, ms), call };
      const index = timers.findLastIndex(({ at }) => at <= timer.at);
      timers.splice(index + 1, 0, timer);
      return () => {
        timers = timers.filter((other) => other !== timer);
      };
    },
    async advance(ms) {
      const end = now + ms;
      await settle();
      for (let [next] = timers; next !== undefined && next.at <= end; [next] = timers) {
        timers.shift();
        now = next.at;
        next.call();
        await settle();
      }
      now = end;
    },
    timers: () => timers.length,
  };
}
