/**
 * When calls leave: one gate for all workers of a run. A call waits for its turn while the run is paused, outside its
 * time window, at its concurrency or above its rate; it is held back for good once the run drains or is halted. It
 * resends nothing: that is the client's.
 */
import type { LedgerRecord, Step } from '../ledger/ledger.js';
import { HeldBackError } from '../run-record.js';
import type { RecordEvent } from '../step.js';
import { createBreaker, DEFAULT_HALT } from './breaker.js';
import { machineClock } from './clock.js';
import { isEnd } from './ends.js';
import { createProcessLimit, type LimitBounds } from './process-limit.js';
import { createRate } from './rate.js';
import { createRateCap } from './rate-cap.js';
import { createSeries, type Sample } from './samples.js';
import { checkSettings, type PaceOptions, type PaceSettings, paceSettings } from './settings.js';
import { createOpenings } from './window.js';

/** How a run stands at this moment. */
export interface PaceStatus {
  /** `waiting`: for its time window. */
  state: 'running' | 'paused' | 'waiting' | 'draining' | 'halted';
  /** Why it is paused or halted. */
  reason: string | undefined;
  /** When the window opens; undefined where it does not wait for that. */
  until: Date | undefined;
  /** Calls of all steps: under way, and how many may be. */
  concurrency: { underWay: number; most: number };
  /** Calls that process or try an account: under way, how many may be now, the bounds, and why it is that many. */
  process: LimitBounds & { underWay: number; limit: number; why: string };
  /** Calls that wait for their turn. */
  waiting: number;
  /** Requests a second that may leave; 0 for no cap. */
  rps: number;
  /** Records that ended, and requests that were answered, a second over the last ten. */
  rate: { records: number; requests: number };
}

/** When calls leave, and a hand on it: pause, resume, set, drain, halt. */
export interface Pace {
  /** `RecordRun.inTurn`: rejects with `HeldBackError` once no call leaves any more. */
  inTurn<T>(step: Step, call: () => Promise<T>): Promise<T>;
  /** `BookRun.mayBegin`. */
  mayBegin(): boolean;
  /** `RecordRun.onEvent`. */
  observe(record: LedgerRecord, event: RecordEvent): void;
  /** Told of every HTTP answer, by `client.observe({ onResponse })`. */
  answered(answer: { operation: string; status: number | undefined; latencyMs: number }): void;
  /** No call leaves until `resume`; those under way end. */
  pause(reason: string): void;
  /** Lets calls leave again. */
  resume(): void;
  /** Throws a `RangeError` that names what is wrong, and then changes nothing. */
  set(settings: PaceSettings): void;
  /** No call leaves any more; those under way end. */
  drain(): void;
  /** The same, for a reason that is shown. The first one stays. */
  halt(reason: string): void;
  /** How it stands now. */
  status(): PaceStatus;
  /** How the run went over time, at most 1,000 points. */
  samples(): readonly Sample[];
}

interface Waiting {
  isProcessing: boolean;
  leave: () => Promise<void>;
  holdBack: () => void;
}

/** A dry run counts against the service's limit, by default (U29). */
const PROCESSING: ReadonlySet<Step> = new Set(['process', 'dryRun']);
const PROCESSING_OPERATIONS: ReadonlySet<string> = new Set(['accounts.process', 'accounts.dryRun']);

export function createPace(options: PaceOptions = {}): Pace {
  const { window, halt = DEFAULT_HALT, clock = machineClock } = options;
  const settings = paceSettings(options);
  let { concurrency } = settings;
  const limit = createProcessLimit(settings.start, settings.bounds);
  const cap = createRateCap(settings.rps);
  const breaker = createBreaker(halt);
  const startedAt = clock.now();
  const series = createSeries(startedAt);
  const records = createRate(startedAt);
  const requests = createRate(startedAt);

  let waiting: Waiting[] = [];
  const underWay = { all: 0, processing: 0 };
  /** Answers beyond the calls that left: what a call sends again, or in several requests, counts against the cap too. */
  let surplus = 0;
  let paused: { reason: string } | undefined;
  let ended: { state: 'draining' | 'halted'; reason: string | undefined } | undefined;
  let stopTimer = (): void => {};
  const untilOpen = createOpenings(window);

  const next = (): number =>
    underWay.all >= concurrency
      ? -1
      : waiting.findIndex(({ isProcessing }) => !isProcessing || underWay.processing < limit.limit);

  /** Lets go whoever may leave, and comes back when time alone will let go another. */
  const letGo = (): void => {
    stopTimer();
    while (paused === undefined && ended === undefined) {
      const index = next();
      if (index < 0) return;
      const now = clock.now();
      const waitMs = Math.max(untilOpen(now), cap.waitMs(now));
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

  const end = (state: 'draining' | 'halted', reason?: string): void => {
    if (ended?.state === 'halted' || ended?.state === state) return;
    ended = { state, reason };
    stopTimer();
    const held = waiting;
    waiting = [];
    for (const { holdBack } of held) holdBack();
  };

  return {
    inTurn(step, call) {
      const isProcessing = PROCESSING.has(step);
      return new Promise((resolve, reject) => {
        const holdBack = () => reject(new HeldBackError(`migration: no call leaves any more (${ended?.state}).`));
        if (ended !== undefined) return holdBack();
        const leave = async () => {
          underWay.all++;
          if (isProcessing) limit.started(++underWay.processing);
          try {
            resolve(await call());
          } catch (error) {
            reject(error);
          } finally {
            underWay.all--;
            if (isProcessing) underWay.processing--;
            letGo();
          }
        };
        waiting.push({ isProcessing, leave, holdBack });
        letGo();
      });
    },
    mayBegin: () => ended === undefined,
    observe(record, event) {
      if (isEnd(record, event)) {
        const now = clock.now();
        records.add(now);
        series.add(now, { ended: 1 }, limit.limit);
      }
      // What was held back or broken off says nothing.
      if (ended !== undefined) return;
      const reason = breaker.observe(record, event);
      if (reason !== undefined) end('halted', reason);
    },
    answered({ operation, status, latencyMs }) {
      const now = clock.now();
      requests.add(now);
      if (++surplus > 0) {
        cap.take(now);
        surplus = 0;
      }
      const throttled = status === 429;
      if (PROCESSING_OPERATIONS.has(operation)) {
        const before = limit.limit;
        limit.answered({ throttled, latencyMs: status === 201 ? latencyMs : undefined, leftAt: now - latencyMs }, now);
        if (limit.limit > before) letGo();
      }
      series.add(now, { throttled: throttled ? 1 : 0 }, limit.limit);
    },
    pause(reason) {
      paused = { reason };
      stopTimer();
    },
    resume() {
      paused = undefined;
      letGo();
    },
    set(next) {
      checkSettings(next);
      const { processConcurrency: most, rps } = next;
      concurrency = next.concurrency ?? concurrency;
      if (most !== undefined) limit.bound({ least: Math.min(limit.bounds.least, most), most });
      if (rps !== undefined) cap.set(rps);
      letGo();
    },
    drain: () => end('draining'),
    halt: (reason) => end('halted', reason),
    status() {
      const now = clock.now();
      const opensInMs = untilOpen(now);
      const isWaiting = opensInMs > 0 && paused === undefined && ended === undefined;
      return {
        state: ended?.state ?? (paused ? 'paused' : isWaiting ? 'waiting' : 'running'),
        reason: ended === undefined ? paused?.reason : ended.reason,
        until: isWaiting ? new Date(now + opensInMs) : undefined,
        concurrency: { underWay: underWay.all, most: concurrency },
        process: { underWay: underWay.processing, limit: limit.limit, ...limit.bounds, why: limit.why },
        waiting: waiting.length,
        rps: cap.perSecond,
        rate: { records: records.perSecond(now), requests: requests.perSecond(now) },
      };
    },
    samples: () => series.samples(),
  };
}
