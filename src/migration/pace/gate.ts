/**
 * One gate for all workers of a run. A call waits for its turn while the gate is paused, outside the time window, at the
 * concurrency or above the rate, or while a refusal is waited out; it is held back once the gate has ended. A call that was
 * refused (429) gives its place back and waits here, so that no more come again than may.
 */
import type { ConcurrencyLimitError } from '../../errors/concurrency-limit-error.js';
import { isConcurrencyLimitError } from '../../errors/guards.js';
import { later } from '../later.js';
import type { Step } from '../ledger/ledger.js';
import { HeldBackError } from '../run-record.js';
import type { PaceClock } from './clock.js';
import type { ProcessLimit } from './process-limit.js';
import { createRateCap } from './rate-cap.js';
import { createOpenings, type TimeWindow } from './window.js';

export interface GateOptions {
  /** Calls under way at once, of all steps; 0 for none. */
  concurrency: number;
  /** 0 for no cap. */
  rps: number;
  window: TimeWindow | undefined;
  clock: PaceClock;
  /** Of calls that process or try an account. */
  limit: Pick<ProcessLimit, 'limit' | 'started'>;
}

/** Why no call leaves any more. */
interface GateEnd {
  state: 'draining' | 'halted';
  reason: string | undefined;
}

export interface Gate {
  inTurn<T>(step: Step, call: () => Promise<T>): Promise<T>;
  /** A request was answered: those beyond the calls that left count against the cap too. */
  answered(now: number): void;
  /** Lets go whoever may leave now: something has changed. */
  letGo(): void;
  pause(reason: string): void;
  resume(): void;
  /** Nothing leaves for so long; never shortens a longer wait. */
  hold(ms: number): void;
  set(settings: { concurrency?: number | undefined; rps?: number | undefined }): void;
  setWindow(window: TimeWindow | undefined): void;
  /** The first halt stays. */
  end(state: GateEnd['state'], reason?: string): void;
  /** Lets calls come again. */
  reopen(): void;
  readonly ended: GateEnd | undefined;
  status(): GateStatus;
}

interface GateStatus {
  state: 'running' | 'paused' | 'waiting' | 'draining' | 'halted';
  reason: string | undefined;
  until: Date | undefined;
  concurrency: { underWay: number; most: number };
  processing: number;
  waiting: number;
  /** How long no call leaves because the service refused some. */
  heldMs: number;
  rps: number;
}

interface Waiting {
  isProcessing: boolean;
  leave: () => Promise<void>;
  holdBack: () => void;
}

/** Where the service does not say how long to wait: doubled with each time that nothing but refusals came back. */
const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 30_000;

/** A dry run counts against the service's limit, by default (U29). */
const PROCESSING: ReadonlySet<Step> = new Set(['process', 'dryRun']);

export function createGate({ concurrency: initial, rps, window, clock, limit }: GateOptions): Gate {
  const cap = createRateCap(rps);
  let concurrency = initial;
  let waiting: Waiting[] = [];
  const underWay = { all: 0, processing: 0 };
  /** Answers beyond the calls that left: what a call sends again, or in several requests, counts against the cap too. */
  let surplus = 0;
  let paused: { reason: string } | undefined;
  let ended: GateEnd | undefined;
  let held = { since: 0, until: 0 };
  /** Waits in a row after which every call was refused. */
  let vainWaits = 0;
  let stopTimer = (): void => {};
  let untilOpen = createOpenings(window);

  // A machine's clock may be set back.
  const heldMs = (now: number): number => (now < held.since ? 0 : Math.max(0, held.until - now));

  const next = (): number =>
    underWay.all >= concurrency
      ? -1
      : waiting.findIndex(({ isProcessing }) => !isProcessing || underWay.processing < limit.limit);

  const hold = (ms: number): void => {
    const now = clock.now();
    if (ms > heldMs(now)) held = { since: now, until: now + ms };
  };

  /** What is refused while a wait lasts left before it began; what was not sent met a wait of the client's own. */
  const waitOut = ({ attempts, retryAfterMs = 0 }: ConcurrencyLimitError): void => {
    if (attempts > 0 && heldMs(clock.now()) === 0) vainWaits++;
    hold(Math.max(retryAfterMs, Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.max(0, vainWaits - 1))));
  };

  /** Lets go whoever may leave, and comes back when time alone will let go another. */
  const letGo = (): void => {
    stopTimer();
    while (paused === undefined && ended === undefined) {
      const index = next();
      if (index < 0) return;
      const now = clock.now();
      const waitMs = Math.max(untilOpen(now), cap.waitMs(now), heldMs(now));
      if (waitMs > 0) {
        stopTimer = clock.after(waitMs, letGo);
        return;
      }
      const [first] = waiting.splice(index, 1);
      cap.take(now);
      surplus--;
      void first?.leave();
    }
  };

  return {
    inTurn(step, call) {
      const isProcessing = PROCESSING.has(step);
      return new Promise((resolve, reject) => {
        let refusal: ConcurrencyLimitError | undefined;
        const holdBack = () =>
          reject(refusal ?? new HeldBackError(`migration: no call leaves any more (${ended?.state}).`));
        if (ended !== undefined) return holdBack();
        const leave = async () => {
          underWay.all++;
          if (isProcessing) limit.started(++underWay.processing);
          let settle: () => void;
          try {
            const result = await call();
            refusal = undefined;
            vainWaits = 0;
            settle = () => resolve(result);
          } catch (error) {
            refusal = isConcurrencyLimitError(error) ? error : undefined;
            if (refusal !== undefined) waitOut(refusal);
            settle = () => reject(error);
          }
          underWay.all--;
          if (isProcessing) underWay.processing--;
          if (refusal !== undefined && ended === undefined) {
            waiting.unshift(turn);
            return letGo();
          }
          // First of all the next call leaves.
          letGo();
          later(settle);
        };
        const turn = { isProcessing, leave, holdBack };
        waiting.push(turn);
        letGo();
      });
    },
    answered(now) {
      if (++surplus <= 0) return;
      cap.take(now);
      surplus = 0;
    },
    letGo,
    pause(reason) {
      paused = { reason };
      stopTimer();
    },
    resume() {
      paused = undefined;
      letGo();
    },
    hold,
    set(next) {
      concurrency = next.concurrency ?? concurrency;
      if (next.rps !== undefined) cap.set(next.rps);
      letGo();
    },
    setWindow(next) {
      untilOpen = createOpenings(next);
      letGo();
    },
    end(state, reason) {
      if (ended?.state === 'halted' || ended?.state === state) return;
      ended = { state, reason };
      stopTimer();
      const everybody = waiting;
      waiting = [];
      for (const { holdBack } of everybody) holdBack();
    },
    reopen() {
      ended = undefined;
    },
    get ended() {
      return ended;
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
        heldMs: heldMs(now),
        rps: cap.perSecond,
      };
    },
  };
}
