/** The pace's time and timers. Tests put their own in its place; nothing else in this folder asks the machine. */
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
