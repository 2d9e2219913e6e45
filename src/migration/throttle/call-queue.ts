/**
 * One gate for all workers of a run. A call waits for its turn while the gate is paused, outside the time window, at the
 * concurrency or above the rate, or while a refusal is waited out; it is held back once the gate has ended. A call that was
 * refused (429) gives its place back and waits here, so that no more come again than may. A 429 of a call that processes
 * or tries an account holds back such calls only; one of another call holds back all.
 */

import type { RateLimitError } from '../../errors/api-errors.js';
import { isRateLimitError, isThrottledError } from '../../errors/guards.js';
import type { ThrottledError } from '../../errors/no-answer-errors.js';
import type { CooldownScope } from '../../http/cooldown.js';
import type { Step } from '../ledger/ledger.js';
import { CallNotAdmittedError } from '../record/record-context.js';
import { defer } from '../shared/defer.js';
import type { ThrottleClock } from './clock.js';
import { createPause, type Pause } from './pause.js';
import { isProcessingStep, pauseScopeOf } from './processing.js';
import { createWindowClock, type TimeWindow } from './time-window.js';
import { createTokenBucket } from './token-bucket.js';

export interface CallQueueOptions {
  /** Calls in flight, of all steps; 0 when idle. */
  concurrency: number;
  /** 0 for no cap. */
  rps: number;
  window: TimeWindow | undefined;
  clock: ThrottleClock;
  /** Of calls that process or try an account. */
  limit: QueueLimit;
  /**
   * Whether a refused call that processes or tries an account rejects at once: in a distributed run it gives its slot back.
   * @default false: it waits here, and is sent again
   */
  givesBackRefused?: boolean;
}

/** The adaptive limit as the gate sees it. */
interface QueueLimit {
  /** Calls that may be in flight now. */
  readonly limit: number;
  /** Whether the limit cannot become lower. */
  readonly isLeast: boolean;
  /** Called when a call starts, with the number of calls in flight. */
  started(inFlight: number): void;
}

/** Why no call leaves any more. */
interface QueueEnd {
  state: 'draining' | 'halted';
  reason: string | undefined;
}

export interface CallQueue {
  schedule<T>(step: Step, call: () => Promise<T>): Promise<T>;
  /** A request was answered: those beyond the calls that left count against the cap too. */
  countResponse(now: number): void;
  /** Starts every call that may start now. Call it after each change. */
  dispatch(): void;
  pause(reason: string): void;
  resume(): void;
  /** No call of this scope leaves for so long; never shortens a longer wait. */
  pauseFor(ms: number, scope: CooldownScope): void;
  set(settings: { concurrency?: number | undefined; rps?: number | undefined }): void;
  setWindow(window: TimeWindow | undefined): void;
  /** Resolves after `ms` milliseconds, or once no more calls may start. */
  sleep(ms: number): Promise<void>;
  /** The first halt stays. */
  end(state: QueueEnd['state'], reason?: string): void;
  /** Lets calls come again. */
  reopen(): void;
  readonly ended: QueueEnd | undefined;
  /** Calls in flight that process or dry-run an account. */
  readonly processing: number;
  status(): CallQueueStatus;
}

interface CallQueueStatus {
  state: 'running' | 'paused' | 'waiting' | 'draining' | 'halted';
  reason: string | undefined;
  until: Date | undefined;
  concurrency: { underWay: number; most: number };
  processing: number;
  waiting: number;
  /** How long no call leaves, or none that processes or tries an account, because the service refused some. */
  heldMs: Readonly<Record<CooldownScope, number>>;
  rps: number;
}

type Refusal = RateLimitError | ThrottledError;

/** A call that the client did not send counts as refused where the other call was. */
function scopeOfRefusal(refusal: Refusal): CooldownScope {
  return pauseScopeOf(isThrottledError(refusal) ? refusal.refusedOperation : (refusal.operation ?? ''));
}

interface Waiting {
  isProcessing: boolean;
  leave: () => Promise<void>;
  holdBack: () => void;
}

export function createCallQueue(options: CallQueueOptions): CallQueue {
  const { concurrency: initial, rps, window, clock, limit, givesBackRefused = false } = options;
  const cap = createTokenBucket(rps);
  let concurrency = initial;
  let waiting: Waiting[] = [];
  const underWay = { all: 0, processing: 0 };
  /** Answers beyond the calls that left: what a call sends again, or in several requests, counts against the cap too. */
  let surplus = 0;
  let paused: { reason: string } | undefined;
  let ended: QueueEnd | undefined;
  const holds: Readonly<Record<CooldownScope, Pause>> = { all: createPause(), process: createPause() };
  let stopTimer = (): void => {};
  let untilOpen = createWindowClock(window);
  const sleepers = new Set<() => void>();

  const holdsOfAll = [holds.all];
  const holdsOfProcess = [holds.all, holds.process];

  /**
   * The service refuses accounts beyond those that it processes at the same time, so a refused call is sent again after another one
   * has ended, in the slots that the lowered limit leaves. Calls wait where the service says for how long, where the limit cannot
   * become lower, and where another operation was refused.
   */
  const holdBackAfter = (refusal: Refusal): void => {
    const scope = scopeOfRefusal(refusal);
    const isByLimit = scope === 'process' && !limit.isLeast && refusal.attempts > 0 && !refusal.retryAfterMs;
    if (!isByLimit) holds[scope].refused(refusal, clock.now());
  };

  /** Starts every call that may start, and sets a timer if a later call waits only for the time. */
  const dispatch = (): void => {
    stopTimer();
    while (paused === undefined && ended === undefined && underWay.all < concurrency) {
      const now = clock.now();
      const processMs = underWay.processing < limit.limit ? holds.process.waitMs(now) : Number.POSITIVE_INFINITY;
      const first = waiting.find(({ isProcessing }) => !isProcessing || processMs === 0);
      if (first === undefined && (waiting.length === 0 || processMs === Number.POSITIVE_INFINITY)) return;
      const heldMs = Math.max(holds.all.waitMs(now), first === undefined ? processMs : 0);
      const waitMs = Math.max(untilOpen(now), cap.waitMs(now), heldMs);
      if (first === undefined || waitMs > 0) {
        stopTimer = clock.after(waitMs, dispatch);
        return;
      }
      waiting.splice(waiting.indexOf(first), 1);
      cap.take(now);
      surplus--;
      void first.leave();
    }
  };

  return {
    schedule(step, call) {
      const isProcessing = isProcessingStep(step);
      return new Promise((resolve, reject) => {
        let refusal: Refusal | undefined;
        const holdBack = () =>
          reject(refusal ?? new CallNotAdmittedError(`migration: no call leaves any more (${ended?.state}).`));
        if (ended !== undefined) return holdBack();
        const leave = async () => {
          underWay.all++;
          if (isProcessing) limit.started(++underWay.processing);
          const holdsOfCall = isProcessing ? holdsOfProcess : holdsOfAll;
          const probed = holdsOfCall.filter((hold) => hold.startCall(clock.now()));
          let settle: () => void;
          try {
            const result = await call();
            refusal = undefined;
            for (const hold of probed) hold.endProbe(true);
            for (const hold of holdsOfCall) hold.passed();
            settle = () => resolve(result);
          } catch (error) {
            refusal = isRateLimitError(error) ? error : undefined;
            for (const hold of probed) hold.endProbe(refusal !== undefined && refusal.attempts > 0);
            if (refusal !== undefined) holdBackAfter(refusal);
            settle = () => reject(error);
          }
          underWay.all--;
          if (isProcessing) underWay.processing--;
          const isGivenBack = givesBackRefused && isProcessing;
          if (refusal !== undefined && ended === undefined && !isGivenBack) {
            waiting.unshift(turn);
            return dispatch();
          }
          // First of all the next call leaves.
          dispatch();
          defer(settle);
        };
        const turn = { isProcessing, leave, holdBack };
        waiting.push(turn);
        dispatch();
      });
    },
    countResponse(now) {
      if (++surplus <= 0) return;
      cap.take(now);
      surplus = 0;
    },
    dispatch,
    pause(reason) {
      paused = { reason };
      stopTimer();
    },
    resume() {
      paused = undefined;
      dispatch();
    },
    pauseFor: (ms, scope) => holds[scope].extend(ms, clock.now()),
    set(next) {
      concurrency = next.concurrency ?? concurrency;
      if (next.rps !== undefined) cap.set(next.rps);
      dispatch();
    },
    setWindow(next) {
      untilOpen = createWindowClock(next);
      dispatch();
    },
    sleep(ms) {
      if (ended !== undefined) return Promise.resolve();
      return new Promise((resolve) => {
        const wake = () => {
          stop();
          sleepers.delete(wake);
          resolve();
        };
        const stop = clock.after(ms, wake);
        sleepers.add(wake);
      });
    },
    end(state, reason) {
      if (ended?.state === 'halted' || ended?.state === state) return;
      ended = { state, reason };
      stopTimer();
      const everybody = waiting;
      waiting = [];
      for (const { holdBack } of everybody) holdBack();
      for (const wake of sleepers) wake();
    },
    reopen() {
      ended = undefined;
    },
    get ended() {
      return ended;
    },
    get processing() {
      return underWay.processing;
    },
    status() {
      const now = clock.now();
      const opensInMs = untilOpen(now);
      const isWaiting = opensInMs > 0 && paused === undefined && ended === undefined;
      return {
        state: ended?.state ?? (paused ? 'paused' : isWaiting ? 'waiting' : 'running'),
        reason: ended === undefined ? paused?.reason : ended.reason,
        until: isWaiting ? new Date(now + opensInMs) : undefined,
        concurrency: { underWay: underWay.all, most: concurrency },
        processing: underWay.processing,
        waiting: waiting.length,
        heldMs: { all: holds.all.leftMs(now), process: holds.process.leftMs(now) },
        rps: cap.perSecond,
      };
    },
  };
}
