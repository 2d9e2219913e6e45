/**
 * How long calls do not leave after a 429: as long as the service asks for, otherwise twice as long with each wait after
 * which nothing but refusals came back. A wait of more than an hour lets one call leave each hour, and its answer decides.
 */
import { PROBE_AFTER_MS } from '../../../http/limits/cooldown.js';

/** Where the service does not say how long to wait. */
const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 30_000;
/** After a probe that the client did not send. */
const PROBE_AGAIN_MS = 1000;

export interface Pause {
  /** Milliseconds until the wait ends. */
  leftMs(now: number): number;
  /** Milliseconds until a call may leave; while the wait lasts, as its probe. */
  waitMs(now: number): number;
  /** Never shortens a longer wait. */
  extend(ms: number, now: number): void;
  /** A call leaves. True where it is the probe: no other call leaves until `endProbe`. */
  startCall(now: number): boolean;
  /** An answer ends the wait; without one the next call is the probe. */
  endProbe(isAnswered: boolean): void;
  /** A call was refused for now. `attempts` 0: the client did not send it, because another call was refused. */
  refused(refusal: { attempts: number; retryAfterMs?: number | undefined }, now: number): void;
  /** A call was not refused. */
  passed(): void;
}

export function createPause(): Pause {
  let [since, until, probeAt] = [0, 0, 0];
  let isProbing = false;
  /** Waits in a row after which every call was refused. */
  let vainWaits = 0;

  // A machine's clock may be set back.
  const leftMs = (now: number): number => (now < since ? 0 : Math.max(0, until - now));
  const extend = (ms: number, now: number): void => {
    if (ms > leftMs(now)) [since, until, probeAt] = [now, now + ms, now + PROBE_AFTER_MS];
  };

  return {
    leftMs,
    waitMs: (now) => (isProbing ? leftMs(now) : Math.min(leftMs(now), Math.max(0, probeAt - now))),
    extend,
    startCall(now) {
      const isProbe = leftMs(now) > 0;
      if (isProbe) isProbing = true;
      return isProbe;
    },
    endProbe(isAnswered) {
      isProbing = false;
      if (isAnswered) until = 0;
    },
    refused({ attempts, retryAfterMs = 0 }, now) {
      const isHeld = leftMs(now) > 0;
      const formerProbeAt = probeAt;
      // A call that is refused while a wait lasts was sent before the wait began.
      if (attempts > 0 && !isHeld) vainWaits++;
      extend(Math.max(retryAfterMs, Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.max(0, vainWaits - 1))), now);
      // No request was made: the next probe is not put off by another hour.
      if (attempts === 0 && isHeld) probeAt = Math.max(formerProbeAt, now + PROBE_AGAIN_MS);
    },
    passed() {
      vainWaits = 0;
    },
  };
}
