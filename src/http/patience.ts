/**
 * One call's dealings with the cooldown that all calls of a client share: the pause that its own 429 begins, the waits
 * while another's lasts, and the end of patience.
 */
import type { Cooldown, CooldownScope, Probe } from './cooldown.js';
import type { Deadline } from './deadline.js';
import { backoffMs, retryAfterMs } from './delay.js';
import type { WireAnswer } from './wire.js';

/** A wait that would exceed the limits of the call. */
export interface HeldBack {
  /** The method that got the 429. */
  refusedOperation: string;
  /** Milliseconds until the cooldown ends. */
  retryAfterMs: number;
}

export interface Patience {
  /**
   * After a 429 of this operation: holds back the calls of its scope. Returns for how many milliseconds. `isShared` is false
   * where the other calls continue: a caller with `maxThrottleWaitMs: 0` limits its `process` calls itself, as a run does.
   */
  beginCooldown(refusal: WireAnswer, operation: string): { delayMs: number; isShared: boolean };
  /** Whether the call may wait so much longer. */
  covers(waitMs: number): boolean;
  /**
   * Waits while the client cools down, until the call ends at the latest. Gives the probe as which the call may be sent,
   * where the cooldown still lasts then. A wait beyond patience or deadline is not begun: then what holds the call back
   * is returned. A pause that no 429 began is no matter of patience.
   */
  passCooldown(): Promise<{ probe: Probe } | HeldBack | undefined>;
}

export function createPatience(
  {
    cooldown,
    retryBaseMs,
    maxThrottleWaitMs,
    retryAfterBoundMs,
  }: { cooldown: Cooldown; retryBaseMs: number; maxThrottleWaitMs: number; retryAfterBoundMs: number },
  scope: CooldownScope,
  deadline: Deadline,
): Patience {
  let refusals = 0;
  let waitedMs = 0;
  const covers = (waitMs: number) => waitedMs + waitMs <= maxThrottleWaitMs && waitMs < deadline.remainingMs();
  return {
    covers,
    beginCooldown(refusal, operation) {
      const asked = retryAfterMs(refusal.headers['retry-after'], retryAfterBoundMs) ?? 0;
      // What the server asks for is kept to the letter; only less than a second could make us come back in a loop, so
      // then we wait as long as we would by ourselves: growing from at least 1 ms, also where retryBaseMs is 0.
      const own = Math.max(1, backoffMs(Math.max(1, retryBaseMs), refusals++));
      const delayMs = asked >= 1000 ? asked : Math.max(asked, own);
      const isShared = scope === 'all' || asked > 0 || maxThrottleWaitMs > 0;
      if (isShared) cooldown.hold(scope, delayMs, operation);
      return { delayMs, isShared };
    },
    async passCooldown() {
      for (;;) {
        const held = cooldown.remaining(scope);
        if (held === undefined) return undefined;
        if (held.probeInMs <= 0) return { probe: cooldown.beginProbe(scope) };
        const { waitMs, refusedOperation } = held;
        if (refusedOperation !== undefined && !covers(waitMs)) {
          return { refusedOperation, retryAfterMs: Math.ceil(waitMs) };
        }
        const begun = performance.now();
        await cooldown.sleep(Math.ceil(held.probeInMs), deadline.cancellation);
        if (deadline.cancellation.isCancelled) return undefined;
        // Woken early where a probe was answered.
        if (refusedOperation !== undefined) waitedMs += Math.min(held.probeInMs, performance.now() - begun);
      }
    },
  };
}
