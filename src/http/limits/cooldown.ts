/**
 * `createCooldown`: after a 429 other calls of the client wait too, so that they do not exceed the same limit. The service
 * limits how many accounts are processed at once (spec: Limits). So after a 429 of `accounts.process` only `accounts.process` and
 * `accounts.dryRun` wait; after a 429 of any other operation all calls wait.
 * `CallCooldown` is the part of one call.
 */
import type { Cancellation } from '../time/cancellation.js';
import type { Deadline } from '../time/deadline.js';
import { backoffMs, retryAfterMs, sleep } from '../time/delay.js';
import type { WireAnswer } from '../transport/wire.js';

/** `process`: `accounts.process` and `accounts.dryRun`. `all`: every operation, these two included. */
export type CooldownScope = 'process' | 'all';

/** After this time without a request, one call is sent as a probe. Its answer decides: the limit may have been lifted. */
export const PROBE_AFTER_MS = 60 * 60 * 1000;

/** A call that is sent during a cooldown. */
export interface Probe {
  /** Call it when the service has answered: ends the cooldown. A 429 then begins another one. */
  answered(): void;
  /** Call it when the call has ended: without an answer, the cooldown continues and the next call becomes the probe. */
  end(): void;
}

interface Hold {
  until: number;
  probeAt: number;
  isProbing: boolean;
  refusedOperation: string | undefined;
}

const NONE: Hold[] = [];

export function createCooldown() {
  const ofProcess: Hold = { until: 0, probeAt: 0, isProbing: false, refusedOperation: undefined };
  const ofAll: Hold = { ...ofProcess };
  const sleepers = new Set<() => void>();

  /** Returns the holds that have not ended. Reads no clock if there never was one. */
  const holdsOf = (scope: CooldownScope): Hold[] => {
    if (ofAll.until === 0 && ofProcess.until === 0) return NONE;
    const now = performance.now();
    return (scope === 'process' ? [ofAll, ofProcess] : [ofAll]).filter(({ until }) => until > now);
  };

  return {
    /** Returns whether a call with this scope has to wait. */
    isHolding: (scope: CooldownScope) => holdsOf(scope).length > 0,
    /**
     * Returns the wait; undefined for none. `waitMs`: until the cooldown ends. `probeInMs`: until it ends or the call may be sent as a probe; 0
     * or less: now. `refusedOperation`: the method that was answered 429; undefined if `client.pause` was called.
     */
    remaining(scope: CooldownScope) {
      const holds = holdsOf(scope);
      const [first] = holds;
      if (first === undefined) return undefined;
      const { until, refusedOperation } = holds.reduce((one, other) => (other.until > one.until ? other : one), first);
      const mayLeaveAt = Math.max(...holds.map((hold) => (hold.isProbing ? hold.until : hold.probeAt)));
      const now = performance.now();
      return { waitMs: until - now, probeInMs: mayLeaveAt - now, refusedOperation };
    },
    /** Makes the caller the probe. No other call becomes one until it ends. */
    beginProbe(scope: CooldownScope): Probe {
      const probed = holdsOf(scope);
      for (const hold of probed) hold.isProbing = true;
      const end = () => {
        for (const hold of probed.splice(0)) hold.isProbing = false;
      };
      return {
        answered() {
          for (const hold of probed) hold.until = 0;
          end();
          for (const wake of sleepers) wake();
        },
        end,
      };
    },
    /** Resolves after the time, or earlier if the wait is cancelled or a probe gets an answer. */
    sleep: (ms: number, wait: Cancellation) => sleep(ms, wait, sleepers),
    /** Lets calls wait for this time. Does not shorten a longer cooldown. */
    hold(scope: CooldownScope, ms: number, refusedOperation?: string): void {
      const hold = scope === 'process' ? ofProcess : ofAll;
      const now = performance.now();
      if (now + ms <= hold.until) return;
      hold.until = now + ms;
      // A pause of `client.pause` has no probe.
      hold.probeAt = refusedOperation === undefined ? hold.until : Math.min(hold.until, now + PROBE_AFTER_MS);
      hold.refusedOperation = refusedOperation;
    },
    /** Ends it for all calls. */
    end(): void {
      ofAll.until = ofProcess.until = 0;
      for (const wake of sleepers) wake();
    },
  };
}

export type Cooldown = ReturnType<typeof createCooldown>;

/** A wait that would exceed the limits of the call. */
export interface HeldBack {
  /** The method that got the 429. */
  refusedOperation: string;
  /** Milliseconds until the cooldown ends. */
  retryAfterMs: number;
}

interface CallCooldownOptions {
  cooldown: Cooldown;
  retryBaseMs: number;
  maxThrottleWaitMs: number;
  retryAfterBoundMs: number;
}

/** The cooldown of one call: it begins one after its own 429, and waits during those of other calls. */
export class CallCooldown {
  readonly #options: CallCooldownOptions;
  readonly #scope: CooldownScope;
  readonly #deadline: Deadline;
  #refusals = 0;
  #waitedMs = 0;

  constructor(options: CallCooldownOptions, scope: CooldownScope, deadline: Deadline) {
    this.#options = options;
    this.#scope = scope;
    this.#deadline = deadline;
  }

  /**
   * Begins a cooldown after a 429 of this operation. Returns its length in milliseconds. `isShared` is false if other calls continue:
   * a caller with `maxThrottleWaitMs: 0` limits its `process` calls itself, as a run does.
   */
  begin(refusal: WireAnswer, operation: string): { delayMs: number; isShared: boolean } {
    const { cooldown, retryBaseMs, maxThrottleWaitMs, retryAfterBoundMs } = this.#options;
    const asked = retryAfterMs(refusal.headers['retry-after'], retryAfterBoundMs) ?? 0;
    // The time that the server asks for is kept exactly. Less than a second could make the call return in a loop: then it
    // waits as long as without a Retry-After, growing from at least 1 ms, also if retryBaseMs is 0.
    const own = Math.max(1, backoffMs(Math.max(1, retryBaseMs), this.#refusals++));
    const delayMs = asked >= 1000 ? asked : Math.max(asked, own);
    const isShared = this.#scope === 'all' || asked > 0 || maxThrottleWaitMs > 0;
    if (isShared) cooldown.hold(this.#scope, delayMs, operation);
    return { delayMs, isShared };
  }

  /** Returns whether the call may wait for this additional time. */
  covers(waitMs: number): boolean {
    const isWithinLimit = this.#waitedMs + waitMs <= this.#options.maxThrottleWaitMs;
    return isWithinLimit && waitMs < this.#deadline.remainingMs();
  }

  /**
   * Waits while the client cools down, until the call ends at the latest. Returns the probe as which the call may be sent,
   * if the cooldown still lasts then. A wait beyond `maxThrottleWaitMs` or the deadline is not begun: then it returns what
   * holds the call back. A pause that no 429 began does not count.
   */
  async pass(): Promise<{ probe: Probe } | HeldBack | undefined> {
    const { cooldown } = this.#options;
    const { cancellation } = this.#deadline;
    for (;;) {
      const held = cooldown.remaining(this.#scope);
      if (held === undefined) return undefined;
      if (held.probeInMs <= 0) return { probe: cooldown.beginProbe(this.#scope) };
      const { waitMs, refusedOperation } = held;
      if (refusedOperation !== undefined && !this.covers(waitMs)) {
        return { refusedOperation, retryAfterMs: Math.ceil(waitMs) };
      }
      const begun = performance.now();
      await cooldown.sleep(Math.ceil(held.probeInMs), cancellation);
      if (cancellation.isCancelled) return undefined;
      // Woken early if a probe was answered.
      if (refusedOperation !== undefined) this.#waitedMs += Math.min(held.probeInMs, performance.now() - begun);
    }
  }
}
