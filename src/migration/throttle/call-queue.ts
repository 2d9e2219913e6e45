/**
 * `CallQueue` decides when each call of a run starts. A call waits while the queue is paused, outside the time window, at the
 * concurrency or above the rate, and during the wait after a 429. It is rejected once the queue has ended. A call that was
 * answered with 429 gives its slot back and waits here again. The wait after a 429 holds up all calls; that of a call which
 * processes or dry-runs an account holds up only such calls.
 */
import { RateLimitError } from '../../errors/api-errors.js';
import type { CooldownScope } from '../../http/limits/cooldown.js';
import type { Step } from '../ledger/ledger.js';
import { CallNotAdmittedError } from '../record/record-context.js';
import { defer } from '../shared/defer.js';
import type { ThrottleClock } from './clock.js';
import { createWindowClock, type TimeWindow } from './limits/time-window.js';
import { createTokenBucket, type TokenBucket } from './limits/token-bucket.js';
import { createPause, type Pause } from './limits/wait-after-429.js';
import { isProcessingStep, pauseScopeOf } from './processing.js';

export interface CallQueueOptions {
  /** Maximum number of calls in flight, of all steps. */
  concurrency: number;
  /** Maximum number of requests per second; 0 for no limit. */
  rps: number;
  window: TimeWindow | undefined;
  clock: ThrottleClock;
  /** Limit of calls that process or dry-run an account. */
  limit: QueueLimit;
}

/** The adaptive limit as the queue sees it. */
interface QueueLimit {
  /** Current maximum of calls in flight. */
  readonly limit: number;
  /** Whether the limit cannot become lower. */
  readonly isLeast: boolean;
}

/** Why no call starts any more. */
interface QueueEnd {
  state: 'draining' | 'halted';
  reason: string | undefined;
}

/** A scheduled call that has not settled. */
interface ScheduledCall {
  isProcessing: boolean;
  call: () => Promise<unknown>;
  resolve: (result: never) => void;
  reject: (error: unknown) => void;
  /** The last 429 of the call. */
  refusal: RateLimitError | undefined;
}

/** During an outage: time in which the result of a call becomes known, before the next one starts. */
const RESULT_MS = 250;

export class CallQueue {
  readonly #clock: ThrottleClock;
  readonly #limit: QueueLimit;
  readonly #bucket: TokenBucket;
  #concurrency: number;
  #untilOpen: (now: number) => number;
  #waiting: ScheduledCall[] = [];
  readonly #inFlight = { all: 0, processing: 0 };
  /** Answers beyond the calls that started: the requests of retries, and of calls with several, count against the rate too. */
  #surplus = 0;
  #paused: { reason: string } | undefined;
  #ended: QueueEnd | undefined;
  /** During an outage: when the next call may start. */
  #outage: { heldUntil: number } | undefined;
  readonly #pauses: Readonly<Record<CooldownScope, Pause>> = { all: createPause(), process: createPause() };
  readonly #pausesOfAll = [this.#pauses.all];
  readonly #pausesOfProcess = [this.#pauses.all, this.#pauses.process];
  #stopTimer = (): void => {};
  readonly #sleepers = new Set<() => void>();

  constructor({ concurrency, rps, window, clock, limit }: CallQueueOptions) {
    this.#clock = clock;
    this.#limit = limit;
    this.#bucket = createTokenBucket(rps);
    this.#concurrency = concurrency;
    this.#untilOpen = createWindowClock(window);
  }

  /** Set once no more calls start. */
  get ended(): QueueEnd | undefined {
    return this.#ended;
  }

  /** Calls in flight that process or dry-run an account. */
  get processing(): number {
    return this.#inFlight.processing;
  }

  /** Settles as the call does; rejects with `CallNotAdmittedError`, or with the last 429, if the queue ends before. */
  schedule<T>(step: Step, call: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const scheduled = { isProcessing: isProcessingStep(step), call, resolve, reject, refusal: undefined };
      if (this.#ended !== undefined) return this.#refuse(scheduled);
      this.#waiting.push(scheduled);
      this.dispatch();
    });
  }

  /** Starts every call that may start, and sets a timer if a later call waits only for the time. Call it after each change. */
  dispatch(): void {
    this.#stopTimer();
    while (this.#paused === undefined && this.#ended === undefined && this.#inFlight.all < this.#most()) {
      const now = this.#clock.now();
      const hasSlot = this.#inFlight.processing < this.#limit.limit;
      const processMs = hasSlot ? this.#pauses.process.waitMs(now) : Number.POSITIVE_INFINITY;
      const first = this.#waiting.find(({ isProcessing }) => !isProcessing || processMs === 0);
      if (first === undefined && (this.#waiting.length === 0 || processMs === Number.POSITIVE_INFINITY)) return;
      const pausedMs = Math.max(this.#pauses.all.waitMs(now), first === undefined ? processMs : 0);
      const outageMs = this.#outage === undefined ? 0 : this.#outage.heldUntil - now;
      const waitMs = Math.max(this.#untilOpen(now), this.#bucket.waitMs(now), pausedMs, outageMs);
      if (first === undefined || waitMs > 0) {
        this.#stopTimer = this.#clock.after(waitMs, () => this.dispatch());
        return;
      }
      this.#waiting.splice(this.#waiting.indexOf(first), 1);
      this.#bucket.take(now);
      this.#surplus--;
      void this.#start(first);
    }
  }

  /** Maximum number of calls in flight. */
  #most(): number {
    return this.#outage === undefined ? this.#concurrency : 1;
  }

  async #start(scheduled: ScheduledCall): Promise<void> {
    const { isProcessing } = scheduled;
    this.#inFlight.all++;
    if (isProcessing) this.#inFlight.processing++;
    const pauses = isProcessing ? this.#pausesOfProcess : this.#pausesOfAll;
    const probed = pauses.filter((pause) => pause.startCall(this.#clock.now()));
    let settle: () => void;
    try {
      const result = await scheduled.call();
      scheduled.refusal = undefined;
      for (const pause of probed) pause.endProbe(true);
      for (const pause of pauses) pause.passed();
      settle = () => scheduled.resolve(result as never);
    } catch (error) {
      const refusal = error instanceof RateLimitError ? error : undefined;
      scheduled.refusal = refusal;
      for (const pause of probed) pause.endProbe(refusal !== undefined && refusal.attempts > 0);
      if (refusal !== undefined) this.#pauseAfter(refusal);
      settle = () => scheduled.reject(error);
    }
    this.#inFlight.all--;
    if (isProcessing) this.#inFlight.processing--;
    if (this.#outage !== undefined) this.setOutage(RESULT_MS);
    const startsAgain = scheduled.refusal !== undefined && this.#ended === undefined;
    if (startsAgain) this.#waiting.unshift(scheduled);
    // The next call starts before the caller learns the result of this one.
    this.dispatch();
    if (!startsAgain) defer(settle);
  }

  /**
   * The service refuses accounts beyond those that it processes at the same time, so a refused call starts again after another one
   * has ended, in the slots that the lowered limit leaves. Calls wait if the service says for how long, if the limit cannot
   * become lower, and if another operation was refused.
   */
  #pauseAfter(refusal: RateLimitError): void {
    const scope = pauseScopeOf(refusal.refusedOperation);
    const isByLimit = scope === 'process' && !this.#limit.isLeast && refusal.attempts > 0 && !refusal.retryAfterMs;
    if (!isByLimit) this.#pauses[scope].refused(refusal, this.#clock.now());
  }

  #refuse({ refusal, reject }: ScheduledCall): void {
    reject(refusal ?? new CallNotAdmittedError(`migration: no call leaves any more (${this.#ended?.state}).`));
  }

  /** A request was answered. */
  countResponse(now: number): void {
    if (++this.#surplus <= 0) return;
    this.#bucket.take(now);
    this.#surplus = 0;
  }

  pause(reason: string): void {
    this.#paused = { reason };
    this.#stopTimer();
  }

  resume(): void {
    this.#paused = undefined;
    this.dispatch();
  }

  /** No call of this scope starts for so long; never shortens a longer wait. */
  pauseFor(ms: number, scope: CooldownScope): void {
    this.#pauses[scope].extend(ms, this.#clock.now());
  }

  /** During an outage one call at a time starts, the first one after `waitMs`. undefined: the outage is over. */
  setOutage(waitMs: number | undefined): void {
    const hasChanged = (waitMs === undefined) !== (this.#outage === undefined);
    if (waitMs === undefined) this.#outage = undefined;
    else this.#outage = { heldUntil: Math.max(this.#outage?.heldUntil ?? 0, this.#clock.now() + waitMs) };
    if (hasChanged) this.dispatch();
  }

  set({ concurrency, rps }: { concurrency?: number | undefined; rps?: number | undefined }): void {
    this.#concurrency = concurrency ?? this.#concurrency;
    if (rps !== undefined) this.#bucket.set(rps);
    this.dispatch();
  }

  setWindow(window: TimeWindow | undefined): void {
    this.#untilOpen = createWindowClock(window);
    this.dispatch();
  }

  /** Resolves after `ms` milliseconds, or once no more calls start. */
  sleep(ms: number): Promise<void> {
    if (this.#ended !== undefined) return Promise.resolve();
    return new Promise((resolve) => {
      const wake = () => {
        stop();
        this.#sleepers.delete(wake);
        resolve();
      };
      const stop = this.#clock.after(ms, wake);
      this.#sleepers.add(wake);
    });
  }

  /** Rejects all calls that wait. The first halt stays. */
  end(state: QueueEnd['state'], reason?: string): void {
    if (this.#ended?.state === 'halted' || this.#ended?.state === state) return;
    this.#ended = { state, reason };
    this.#stopTimer();
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const scheduled of waiting) this.#refuse(scheduled);
    for (const wake of this.#sleepers) wake();
  }

  /** Admits calls again. */
  reopen(): void {
    this.#ended = undefined;
  }

  status() {
    const now = this.#clock.now();
    const opensInMs = this.#untilOpen(now);
    const isWaiting = opensInMs > 0 && this.#paused === undefined && this.#ended === undefined;
    const running = isWaiting ? ('waiting' as const) : ('running' as const);
    return {
      state: this.#ended?.state ?? (this.#paused ? ('paused' as const) : running),
      reason: this.#ended === undefined ? this.#paused?.reason : this.#ended.reason,
      until: isWaiting ? new Date(now + opensInMs) : undefined,
      concurrency: { underWay: this.#inFlight.all, most: this.#concurrency },
      processing: this.#inFlight.processing,
      waiting: this.#waiting.length,
      /** How long no call starts, or none that processes or dry-runs an account, because the service answered 429. */
      heldMs: { all: this.#pauses.all.leftMs(now), process: this.#pauses.process.leftMs(now) },
      rps: this.#bucket.perSecond,
    };
  }
}
