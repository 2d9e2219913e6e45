/** The pace's time and timers. Tests put their own in its place; nothing else in this folder asks the machine. */
import { MAX_TIMER_MS } from '../../http/time/delay.js';

/** Time and timers of a pace. Tests give their own. */
export interface ThrottleClock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Calls back after the time, or earlier where that is longer than a timer lasts. The returned function ends it. */
  after(ms: number, call: () => void): () => void;
}

export const machineClock: ThrottleClock = {
  now: () => Date.now(),
  after(ms, call) {
    // Node fires longer timers at once.
    const timer = setTimeout(call, Math.min(Math.ceil(ms), MAX_TIMER_MS));
    return () => clearTimeout(timer);
  },
};
