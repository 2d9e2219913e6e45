/** After one refusal (429) all calls of a client wait, so that its siblings do not run into the same limit. */
import type { WireAnswer } from './wire.js';

export interface Cooldown {
  /** Milliseconds until calls may go on. */
  remainingMs(): number;
  /** The refusal that began it; undefined where somebody else asked for it. */
  readonly refusal: WireAnswer | undefined;
  /** Nobody starts before this time has passed. Never shortens a longer wait. */
  hold(ms: number, refusal?: WireAnswer): void;
}

export function createCooldown(): Cooldown {
  let until = 0;
  let refusal: WireAnswer | undefined;
  return {
    // No clock is read where nothing was ever refused.
    remainingMs: () => (until === 0 ? 0 : Math.max(0, until - performance.now())),
    get refusal() {
      return refusal;
    },
    hold(ms, answer) {
      const end = performance.now() + ms;
      if (end <= until) return;
      until = end;
      refusal = answer;
    },
  };
}
