/** Exports `ThrottleClock`, the time and timers of the throttle. Tests replace it; no other file of this folder reads the clock. */
import { MAX_TIMER_MS } from '../../http/time/delay.js';

/** Time and timers of a throttle. */
export interface ThrottleClock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Calls `call` after the time, or after the longest time of a timer. Returns a function that cancels it. */
  after(ms: number, call: () => void): () => void;
}

export const machineClock: ThrottleClock = {
  now: () => Date.now(),
  after(ms, call) {
    // Node.js fires longer timers at once.
    const timer = setTimeout(call, Math.min(Math.ceil(ms), MAX_TIMER_MS));
    return () => clearTimeout(timer);
  },
};
