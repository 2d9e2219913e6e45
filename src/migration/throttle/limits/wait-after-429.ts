/**
 * Exports `createPause`: how long calls wait after a 429. It is the time that the service asks for; otherwise it doubles after each
 * wait that was followed by refusals only. During a wait of more than an hour, one call per hour is sent as a probe.
 */
import { PROBE_AFTER_MS } from '../../../http/limits/cooldown.js';

/** First wait, if the service does not state a time. */
const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 30_000;
/** Wait after a probe that the client did not send. */
const PROBE_AGAIN_MS = 1000;

export type Pause = ReturnType<typeof createPause>;

export function createPause() {
  let [since, until, probeAt] = [0, 0, 0];
  let isProbing = false;
  /** Number of waits in a row that were followed by refusals only. */
  let vainWaits = 0;

  // The clock of the machine may be set back.
  const leftMs = (now: number): number => (now < since ? 0 : Math.max(0, until - now));
  const extend = (ms: number, now: number): void => {
    if (ms > leftMs(now)) [since, until, probeAt] = [now, now + ms, now + PROBE_AFTER_MS];
  };

  return {
    /** Returns the milliseconds until the wait ends. */
    leftMs,
    /** Returns the milliseconds until a call may start, during the wait as a probe. */
    waitMs: (now: number) => (isProbing ? leftMs(now) : Math.min(leftMs(now), Math.max(0, probeAt - now))),
    /** Waits for at least this time. Does not shorten a longer wait. */
    extend,
    /** Call it when a call starts. Returns whether it is the probe: no other call starts until `endProbe`. */
    startCall(now: number): boolean {
      const isProbe = leftMs(now) > 0;
      if (isProbe) isProbing = true;
      return isProbe;
    },
    /** Call it after the probe. An answer ends the wait; without one the next call becomes the probe. */
    endProbe(isAnswered: boolean): void {
      isProbing = false;
      if (isAnswered) until = 0;
    },
    /** Call it after a 429. `attempts` 0: the client did not send the call, because another one got a 429. */
    refused(
      { attempts, retryAfterMs = 0 }: { attempts: number; retryAfterMs?: number | undefined },
      now: number,
    ): void {
      const isHeld = leftMs(now) > 0;
      const formerProbeAt = probeAt;
      // A call that gets a 429 during a wait was sent before the wait.
      if (attempts > 0 && !isHeld) vainWaits++;
      extend(Math.max(retryAfterMs, Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.max(0, vainWaits - 1))), now);
      // No request was sent, so the next probe does not wait for another hour.
      if (attempts === 0 && isHeld) probeAt = Math.max(formerProbeAt, now + PROBE_AGAIN_MS);
    },
    /** Call it after a call without a 429. */
    passed(): void {
      vainWaits = 0;
    },
  };
}
