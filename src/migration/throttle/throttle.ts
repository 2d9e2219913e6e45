/**
 * `createThrottle` returns the throttle of a run: it decides when calls start, adapts the concurrency of calls that process
 * to the answers of the service, and halts the run by its halt rules. It sends nothing again: that is the client's part.
 */
import type { CooldownScope } from '../../http/limits/cooldown.js';
import type { LedgerRecord, Step } from '../ledger/ledger.js';
import type { RecordEvent } from '../record/events/record-event.js';
import { endsRecord } from '../record/events/record-state.js';
import { CallQueue, type CallQueueOptions } from './call-queue.js';
import { machineClock } from './clock.js';
import { HaltMonitor, type Outage } from './halt-monitor.js';
import { DEFAULT_HALT } from './halt-rules.js';
import {
  firstLimit,
  type LimitBounds,
  type LimitState,
  limitInWords,
  nextLimit,
  type ProcessAnswer,
  withBounds,
} from './limits/adaptive-limit.js';
import { failureOfStatus, isProcessing, isUnusableProcess } from './processing.js';
import type { Sample } from './samples.js';
import { checkSettings, type ThrottleOptions, type ThrottleSettings, throttleSettings } from './settings.js';
import { Throughput } from './throughput.js';

/** The current state of a throttle. */
export interface ThrottleStatus {
  /** `waiting`: outside the time window. */
  state: 'running' | 'paused' | 'waiting' | 'draining' | 'halted';
  /** Why it is paused or halted. */
  reason: string | undefined;
  /** When the time window opens; undefined if the throttle does not wait for it. */
  until: Date | undefined;
  /** Calls of all steps in flight, and their maximum. */
  concurrency: { underWay: number; most: number };
  /** `process` and dry-run calls in flight, the current limit, its bounds and its reason. */
  process: LimitBounds & { underWay: number; limit: number; why: string };
  /** Since when every call, or every call of one kind, has failed: one call at a time is sent. undefined while the service answers. */
  failingSince: Date | undefined;
  /** Number of waiting calls. */
  waiting: number;
  /** Maximum number of requests per second; 0 for no limit. */
  rps: number;
  /** Ended records and answered requests per second, as the mean of the last ten seconds. */
  rate: { records: number; requests: number };
}

/** Decides when calls start, and lets a person control that: pause, resume, set, drain, halt. */
export interface Throttle {
  /** `RecordContext.schedule`: rejects with `CallNotAdmittedError` once no call starts any more. */
  schedule<T>(step: Step, call: () => Promise<T>): Promise<T>;
  /** For `RunContext.sleep`: resolves after the time, or once no more calls start. */
  sleep(ms: number): Promise<void>;
  /** `RunContext.isAccepting`. */
  isAccepting(): boolean;
  /** For `RecordContext.onEvent`: counts the event for the halt rules and the rates. */
  onEvent(record: LedgerRecord, event: RecordEvent): void;
  /** Called with every HTTP answer, from `client.on({ onResponse })`. */
  onResponse(answer: { operation: string; status: number | undefined; latencyMs: number }): void;
  /** Starts no more calls until `resume`. Calls in flight finish. */
  pause(reason: string): void;
  /** Starts calls again after `pause`. */
  resume(): void;
  /** Changes settings. Throws a `RangeError` that names an invalid one, without changing any. */
  set(settings: ThrottleSettings): void;
  /** Ends the run: no more calls start. Calls in flight finish. */
  drain(): void;
  /** As `drain`, with a reason for the user. A second halt does not replace the first. */
  halt(reason: string): void;
  /** Returns the current state. */
  status(): ThrottleStatus;
  /** Returns the run over time, as at most 1,000 points. */
  samples(): readonly Sample[];
}

/** Returns the throttle of a run on one machine. Throws a `RangeError` that names an invalid option. */
export function createThrottle(options: ThrottleOptions = {}): Throttle {
  const { window, halt = DEFAULT_HALT, clock = machineClock } = options;
  const { concurrency, rps, start, bounds } = throttleSettings(options);
  let limit = firstLimit(start, bounds);
  /** Whether as many calls as the limit were in flight since the last answer. */
  let isFull = false;
  const ofQueue: CallQueueOptions['limit'] = {
    get limit() {
      return limit.limit;
    },
    get isLeast() {
      return limit.limit <= limit.least;
    },
    started: (inFlight) => {
      if (inFlight >= limit.limit) isFull = true;
    },
  };
  const queue = new CallQueue({ concurrency, rps, window, clock, limit: ofQueue });
  const haltMonitor = new HaltMonitor(halt);
  const throughput = new Throughput(clock, () => limit.limit);
  const processAnswered = (answer: ProcessAnswer, at: number): void => {
    limit = nextLimit(limit, { at, isFull, answers: [answer] });
    isFull = false;
  };
  return {
    schedule: (step, call) => queue.schedule(step, call),
    sleep: (ms) => queue.sleep(ms),
    isAccepting: () => queue.ended === undefined,
    onEvent(record, event) {
      if (endsRecord(record, event)) throughput.recordEnded();
      // A call that was held back or aborted is no evidence.
      if (queue.ended !== undefined) return;
      const now = clock.now();
      if (isUnusableProcess(event)) processAnswered({ failure: 'not understood' }, now);
      const reason = haltMonitor.onEvent(record, event, now);
      const { outage } = haltMonitor;
      queue.setOutage(outage === null ? undefined : outage.heldUntil - now);
      if (reason !== undefined) queue.end('halted', reason);
    },
    onResponse({ operation, status, latencyMs }) {
      const now = clock.now();
      queue.countResponse(now);
      if (isProcessing(operation)) {
        const before = limit.limit;
        const createdMs = status === 201 ? latencyMs : undefined;
        // An answer to a call that the caller made itself says nothing about the calls of the run.
        const inFlight = queue.processing === 0 ? undefined : queue.processing;
        const failure = failureOfStatus(status);
        processAnswered({ failure, latencyMs: createdMs, sentAt: now - latencyMs, inFlight }, now);
        if (limit.limit > before) queue.dispatch();
      }
      throughput.answered(status);
    },
    pause: (reason) => queue.pause(reason),
    resume: () => queue.resume(),
    set(settings) {
      checkSettings(settings);
      if (settings.process !== undefined) limit = withBounds(limit, settings.process);
      queue.set(settings);
    },
    drain: () => queue.end('draining'),
    halt: (reason) => queue.end('halted', reason),
    status() {
      const { outage } = haltMonitor;
      return statusOf(queue, limit, { outage, now: clock.now(), rate: throughput.rate() });
    },
    samples: () => throughput.samples(),
  };
}

/** Returns the status of a throttle with this queue. `now`: by the clock of the outage. */
export function statusOf(
  queue: CallQueue,
  state: LimitState,
  { outage, now, rate }: { outage: Outage | null; now: number; rate: ThrottleStatus['rate'] },
): ThrottleStatus {
  const { processing: underWay, heldMs, ...status } = queue.status();
  const { limit, least, most } = state;
  const why = explainLimit(limitInWords(state), heldMs, outage === null ? 0 : now - outage.since);
  const failingSince = outage === null ? undefined : new Date(outage.since);
  return { ...status, failingSince, process: { underWay, limit, least, most, why }, rate };
}

/** Returns the reason for the limit, with the outage, or with the pause after a 429, if it lasts at least a second. */
function explainLimit(why: string, heldMs: Readonly<Record<CooldownScope, number>>, failingMs: number): string {
  if (failingMs >= 1000) {
    return `${why}; calls have failed for ${Math.floor(failingMs / 1000)} s: one at a time until one succeeds`;
  }
  const scope = heldMs.process > heldMs.all ? 'process' : 'all';
  if (heldMs[scope] < 1000) return why;
  const calls = scope === 'process' ? 'process call' : 'call';
  return `${why}; throttled (429), no ${calls} starts for ${Math.ceil(heldMs[scope] / 1000)} s`;
}
