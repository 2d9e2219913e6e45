/**
 * When calls leave: the gate of a run, the limit of processing that feels its way, and the breaker that halts it. It
 * resends nothing: that is the client's.
 */
import type { CooldownScope } from '../../http/cooldown.js';
import type { LedgerRecord, Step } from '../ledger/ledger.js';
import type { RecordEvent } from '../record/events/record-event.js';
import {
  firstLimit,
  type LimitBounds,
  limitInWords,
  nextLimit,
  type ProcessAnswer,
  withBounds,
} from './adaptive-limit.js';
import { createCallQueue } from './call-queue.js';
import { machineClock } from './clock.js';
import { isEnd } from './ends.js';
import { createHaltMonitor, DEFAULT_HALT } from './halt-rules.js';
import { failureOfStatus, isProcessing, isUnusableProcess } from './processing.js';
import { createRate } from './rate.js';
import { createSeries, type Sample } from './samples.js';
import { checkSettings, type ThrottleOptions, type ThrottleSettings, throttleSettings } from './settings.js';

/** How a run stands at this moment. */
export interface ThrottleStatus {
  /** `waiting`: for its time window. */
  state: 'running' | 'paused' | 'waiting' | 'draining' | 'halted';
  /** Why it is paused or halted. */
  reason: string | undefined;
  /** When the window opens; undefined where it does not wait for that. */
  until: Date | undefined;
  /** Calls of all steps: in flight, and the limit. */
  concurrency: { underWay: number; most: number };
  /** Calls that process or dry-run an account: in flight, the current limit, its bounds and its reason. */
  process: LimitBounds & { underWay: number; limit: number; why: string };
  /** Calls that wait for their turn. */
  waiting: number;
  /** Requests a second that may leave; 0 for no cap. */
  rps: number;
  /** Records that ended, and requests that were answered, a second over the last ten. */
  rate: { records: number; requests: number };
}

/** When calls leave, and a hand on it: pause, resume, set, drain, halt. */
export interface Throttle {
  /** `RecordContext.inTurn`: rejects with `CallNotAdmittedError` once no call leaves any more. */
  schedule<T>(step: Step, call: () => Promise<T>): Promise<T>;
  /** `RunContext.sleep`. */
  sleep(ms: number): Promise<void>;
  /** `RunContext.mayBegin`. */
  isAccepting(): boolean;
  /** `RecordContext.onEvent`. */
  onEvent(record: LedgerRecord, event: RecordEvent): void;
  /** Called with every HTTP answer, from `client.on({ onResponse })`. */
  onResponse(answer: { operation: string; status: number | undefined; latencyMs: number }): void;
  /** Starts no more calls until `resume`; calls in flight finish. */
  pause(reason: string): void;
  /** Lets calls leave again. */
  resume(): void;
  /** Throws a `RangeError` that names what is wrong, and then changes nothing. */
  set(settings: ThrottleSettings): void;
  /** Starts no more calls; calls in flight finish. */
  drain(): void;
  /** The same, for a reason that is shown. The first one stays. */
  halt(reason: string): void;
  /** How it stands now. */
  status(): ThrottleStatus;
  /** How the run went over time, at most 1,000 points. */
  samples(): readonly Sample[];
}

export function createThrottle(options: ThrottleOptions = {}): Throttle {
  const { window, halt = DEFAULT_HALT, clock = machineClock } = options;
  const { concurrency, rps, start, bounds } = throttleSettings(options);
  let limit = firstLimit(start, bounds);
  let isFull = false;
  const gate = createCallQueue({
    ...{ concurrency, rps, window, clock },
    limit: {
      get limit() {
        return limit.limit;
      },
      get isLeast() {
        return limit.limit <= limit.least;
      },
      started(inFlight) {
        if (inFlight >= limit.limit) isFull = true;
      },
    },
  });
  const processAnswered = (answer: ProcessAnswer, at: number): void => {
    limit = nextLimit(limit, { at, isFull, answers: [answer] });
    isFull = false;
  };
  const breaker = createHaltMonitor(halt);
  const startedAt = clock.now();
  const series = createSeries(startedAt);
  const records = createRate(startedAt);
  const requests = createRate(startedAt);

  return {
    schedule: gate.schedule,
    sleep: gate.sleep,
    isAccepting: () => gate.ended === undefined,
    onEvent(record, event) {
      if (isEnd(record, event)) {
        const now = clock.now();
        records.add(now);
        series.add(now, { ended: 1 }, limit.limit);
      }
      // What was held back or broken off says nothing.
      if (gate.ended !== undefined) return;
      if (isUnusableProcess(event)) processAnswered({ failure: 'not understood' }, clock.now());
      const reason = breaker.onEvent(record, event);
      if (reason !== undefined) gate.end('halted', reason);
    },
    onResponse({ operation, status, latencyMs }) {
      const now = clock.now();
      requests.add(now);
      gate.countResponse(now);
      if (isProcessing(operation)) {
        const before = limit.limit;
        const createdMs = status === 201 ? latencyMs : undefined;
        // An answer to a call that the caller made itself says nothing about the calls of the run.
        const inFlight = gate.processing === 0 ? undefined : gate.processing;
        processAnswered(
          { failure: failureOfStatus(status), latencyMs: createdMs, sentAt: now - latencyMs, inFlight },
          now,
        );
        if (limit.limit > before) gate.dispatch();
      }
      series.add(now, { throttled: status === 429 ? 1 : 0 }, limit.limit);
    },
    pause: gate.pause,
    resume: gate.resume,
    set(next) {
      checkSettings(next);
      const { concurrency, processConcurrency: most, rps } = next;
      if (most !== undefined) limit = withBounds(limit, { least: Math.min(limit.least, most), most });
      gate.set({ concurrency, rps });
    },
    drain: () => gate.end('draining'),
    halt: (reason) => gate.end('halted', reason),
    status() {
      const now = clock.now();
      const { processing: underWay, heldMs, ...status } = gate.status();
      return {
        ...status,
        process: {
          ...{ underWay, limit: limit.limit, least: limit.least, most: limit.most },
          why: explainLimit(limitInWords(limit), heldMs),
        },
        rate: { records: records.perSecond(now), requests: requests.perSecond(now) },
      };
    },
    samples: () => series.samples(),
  };
}

/** A wait of less than a second is not shown. */
export function explainLimit(why: string, heldMs: Readonly<Record<CooldownScope, number>>): string {
  const scope = heldMs.process > heldMs.all ? 'process' : 'all';
  if (heldMs[scope] < 1000) return why;
  const calls = scope === 'process' ? 'process call' : 'call';
  return `${why}; throttled (429), no ${calls} leaves for ${Math.ceil(heldMs[scope] / 1000)} s`;
}
