/**
 * `throttleOf` returns the throttle of a run: it decides when calls start, adapts the concurrency of calls that process
 * to the answers of the service, and halts the run by its halt rules. It sends nothing again: that is the client's part.
 * `createThrottle` returns that of a run on one machine.
 */
import type { CooldownScope } from '../../http/limits/cooldown.js';
import type { LedgerRecord, Step } from '../ledger/ledger.js';
import type { RecordEvent } from '../record/events/record-event.js';
import { CallQueue, type CallQueueOptions } from './call-queue.js';
import { machineClock } from './clock.js';
import { type CompactEvent, compactEventsOf } from './compact-event.js';
import { DEFAULT_HALT } from './halt-rules.js';
import { firstLimit, type LimitBounds, limitInWords, nextLimit, type ProcessAnswer } from './limits/adaptive-limit.js';
import { windowOf } from './limits/time-window.js';
import { counted, draining, halted, type Pace, paused, withSettings } from './pace.js';
import { failureOfStatus, isProcessing, isUnusableProcess } from './processing.js';
import type { Sample } from './samples.js';
import { checkSettings, type ThrottleOptions, type ThrottleSettings, throttleSettings } from './settings.js';
import { Throughput } from './throughput.js';

/** The current state of a throttle. */
export interface ThrottleStatus {
  /** `waiting`: outside the time window. */
  state: 'running' | 'paused' | 'waiting' | 'draining' | 'halted';
  /** Why it is paused or halted; the window with its time zone while it waits. */
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
  /** Ends the run: no more calls start, and the input is read no further. Calls in flight finish. `reason`: why the run ends itself. */
  drain(reason?: string): void;
  /** As `drain`, with a reason for the user. A second halt does not replace the first. */
  halt(reason: string): void;
  /** Returns the current state. */
  status(): ThrottleStatus;
  /** Returns the run over time, as at most 1,000 points. */
  samples(): readonly Sample[];
}

/** Where the state of a throttle is: in memory, or in the row that the processes of a distributed run share. */
export interface PaceStore<State extends Pace> {
  /** Returns the state, with all changes of this process. */
  current(): State;
  /** The clock of the state. */
  now(): number;
  /** Changes the state. Takes effect in this process at once. `isUrgent`: the other processes should know it at once, too. */
  change(change: (state: State, now: number) => State, isUrgent: boolean): void;
  /** Returns how many calls that process or dry-run an account this process may have in flight. */
  slots(): number;
  /** Returns how many requests per second this process may send; 0 for no limit. */
  rps(): number;
  /** Returns how many calls that process or dry-run an account the other processes have in flight; undefined if there is no other. */
  elsewhere(state: State, now: number): number | undefined;
  /** Returns the change by which the state counts these events. */
  counted(events: readonly CompactEvent[]): (state: State, now: number) => State;
}

/** Returns the throttle of a run on one machine. Throws a `RangeError` that names an invalid option. */
export function createThrottle(options: ThrottleOptions = {}): Throttle {
  const { window, halt = DEFAULT_HALT, clock = machineClock } = options;
  const { concurrency, rps, start, bounds } = throttleSettings(options);
  let pace: Pace = {
    settings: { window: window?.text ?? null, halt },
    ...{ paused: null, ended: null, limit: firstLimit(start, bounds), rps, halt: null },
  };
  const store: PaceStore<Pace> = {
    current: () => pace,
    now: clock.now,
    change(change) {
      pace = change(pace, clock.now());
    },
    slots: () => pace.limit.limit,
    rps: () => pace.rps,
    elsewhere: () => undefined,
    counted,
  };
  return throttleOf(store, { concurrency, window, clock }).throttle;
}

/** With several processes the limit counts as reached at this share, because they report at different times. */
const FULL = 0.85;

/** Returns a throttle with its state in a store. `apply`: call it when others have changed the state. */
export function throttleOf<State extends Pace>(
  store: PaceStore<State>,
  { concurrency, window, clock }: Pick<CallQueueOptions, 'concurrency' | 'window' | 'clock'>,
) {
  const limit: CallQueueOptions['limit'] = {
    get limit() {
      return store.slots();
    },
    get isLeast() {
      const state = store.current().limit;
      return state.limit <= state.least;
    },
  };
  const throughput = new Throughput(clock, () => store.current().limit.limit);
  let applied = { window: window?.text ?? null, paused: null as string | null, limit: store.current().limit };
  let [slots, rps] = [store.slots(), store.rps()];
  const queue = new CallQueue({ concurrency, rps, window, clock, limit });
  let hasLeft = false;

  /** Applies the state to the calls of this process. */
  function apply(): void {
    const { settings, paused: isPaused, ended, limit: state, halt } = store.current();
    const before = applied;
    applied = { window: settings.window, paused: isPaused, limit: state };
    if (settings.window !== before.window) {
      queue.setWindow(settings.window === null ? undefined : windowOf(settings.window));
    }
    if (ended !== null) queue.end(ended.state, ended.reason ?? undefined);
    else if (queue.ended !== undefined && !hasLeft) queue.reopen();
    if (isPaused !== null) queue.pause(isPaused);
    else if (before.paused !== null) queue.resume();
    queue.setOutage(halt?.outage ? halt.outage.heldUntil - store.now() : undefined);
    const [slotsBefore, rpsBefore] = [slots, rps];
    rps = store.rps();
    if (rps !== rpsBefore) queue.set({ rps });
    // The slots of a process depend on the limit, and on the others, whose reports come with another object.
    if (state === before.limit) return;
    slots = store.slots();
    if (slots > slotsBefore) queue.dispatch();
  }

  function change(by: (state: State, now: number) => State, isUrgent = false): void {
    store.change(by, isUrgent);
    apply();
  }

  function answered(answer: ProcessAnswer): void {
    // An answer to a call that the caller made itself says nothing about the calls of the run.
    const inFlight = queue.processing === 0 ? undefined : queue.processing;
    const after = (state: State, at: number): State => {
      const elsewhere = store.elsewhere(state, at);
      const isAlone = elsewhere === undefined;
      const isFull = (inFlight ?? 0) + (elsewhere ?? 0) >= (isAlone ? 1 : FULL) * state.limit.limit;
      const answers = [{ ...answer, inFlight: isAlone ? inFlight : undefined }];
      return { ...state, limit: nextLimit(state.limit, { at, isFull, answers }) };
    };
    change(after);
  }

  const throttle: Throttle = {
    schedule: (step, call) => queue.schedule(step, call),
    sleep: (ms) => queue.sleep(ms),
    isAccepting: () => queue.ended === undefined,
    onEvent(record, event) {
      const events = compactEventsOf(record, event);
      if (events.some(({ type }) => type === 'ended')) throughput.recordEnded();
      if (isUnusableProcess(event)) answered({ failure: 'not understood' });
      change(store.counted(events));
    },
    onResponse({ operation, status, latencyMs }) {
      queue.countResponse(clock.now());
      if (isProcessing(operation)) {
        const createdMs = status === 201 ? latencyMs : undefined;
        answered({ failure: failureOfStatus(status), latencyMs: createdMs, sentAt: store.now() - latencyMs });
      }
      throughput.answered(status);
    },
    pause: (reason) => change(paused(reason), true),
    resume: () => change(paused(null), true),
    set(settings) {
      checkSettings(settings);
      change(withSettings(settings), true);
      queue.set({ concurrency: settings.concurrency });
    },
    drain: (reason) => change(draining(reason), true),
    halt: (reason) => change(halted(reason), true),
    status() {
      const { limit: state, halt, rps: ofAll } = store.current();
      const outage = halt?.outage ?? null;
      const { processing: underWay, heldMs, ...status } = queue.status();
      const failingMs = outage === null ? 0 : store.now() - outage.since;
      const { limit: now, least, most } = state;
      return {
        ...{ ...status, rps: ofAll, rate: throughput.rate() },
        ...(status.state === 'waiting' && { reason: applied.window ?? undefined }),
        failingSince: outage === null ? undefined : new Date(outage.since),
        process: { underWay, limit: now, least, most, why: explainLimit(limitInWords(state), heldMs, failingMs) },
      };
    },
    samples: () => throughput.samples(),
  };
  return {
    ...{ throttle, queue, throughput, apply },
    /** Stops the calls of this process. The run continues. */
    leave(): void {
      hasLeft = true;
      queue.end('draining');
    },
  };
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
