/**
 * One call's dealings with the cooldown that all calls of a client share: the pause that its own 429 begins, the waits
 * while another's lasts, and the end of patience.
 */
import type { Cooldown } from './cooldown.js';
import type { Deadline } from './deadline.js';
import { backoffMs, retryAfterMs, sleep } from './delay.js';
import type { WireAnswer } from './wire.js';

export interface Patience {
  /** After a 429: lets all calls of the client wait. Returns for how long, in milliseconds. */
  beginCooldown(refusal: WireAnswer): number;
  /** Whether the call may wait so much longer. */
  covers(waitMs: number): boolean;
  /**
   * Waits while the client cools down, until the call ends at the latest. A wait beyond patience or deadline is not
   * begun: then the refusal that began it is returned, with the wait that it still asks for. One that no refusal began
   * is no matter of patience.
   */
  passCooldown(): Promise<{ refusal: WireAnswer; waitMs: number } | undefined>;
}

export function createPatience(
  {
    cooldown,
    retryBaseMs,
    throttlePatienceMs,
  }: { cooldown: Cooldown; retryBaseMs: number; throttlePatienceMs: number },
  deadline: Deadline,
): Patience {
  let refusals = 0;
  let waitedMs = 0;
  const covers = (waitMs: number) => waitedMs + waitMs <= throttlePatienceMs && waitMs < deadline.remainingMs();
  return {
    covers,
    beginCooldown(refusal) {
      const asked = retryAfterMs(refusal.headers['retry-after']) ?? 0;
      // What the server asks for is kept to the letter; only less than a second could make us come back in a loop, so
      // then we wait as long as we would by ourselves: growing from at least 1 ms, also where retryBaseMs is 0.
      const own = Math.max(1, backoffMs(Math.max(1, retryBaseMs), refusals++));
      const delayMs = asked >= 1000 ? asked : Math.max(asked, own);
      cooldown.hold(delayMs, refusal);
      return delayMs;
    },
    async passCooldown() {
      for (let waitMs = cooldown.remainingMs(); waitMs > 0; waitMs = cooldown.remainingMs()) {
        const { refusal } = cooldown;
        if (refusal !== undefined) {
          if (!covers(waitMs)) return { refusal, waitMs: Math.ceil(waitMs) };
          waitedMs += waitMs;
        }
        await sleep(Math.ceil(waitMs), deadline.wait);
        if (deadline.wait.ended) return undefined;
      }
      return undefined;
    },
  };
}
