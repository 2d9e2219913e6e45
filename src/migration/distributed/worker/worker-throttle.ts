/**
 * Exports `workerThrottle`, the throttle of one process of a distributed run. Its state is that of the whole run: pause, resume, set, drain
 * and halt apply to all processes. This process has a share of the adaptive limit and of the rate, and its own concurrency.
 */
import type { DataImportClient } from '../../../client.js';
import { type CooldownScope, PROBE_AFTER_MS } from '../../../http/limits/cooldown.js';
import type { Fence } from '../../record/preconditions/contact-with-ledger.js';
import type { ThrottleClock } from '../../throttle/clock.js';
import type { CompactEvent } from '../../throttle/compact-event.js';
import { isProcessing } from '../../throttle/processing.js';
import { type PaceStore, throttleOf } from '../../throttle/throttle.js';
import {
  countedInRun,
  held,
  inFlightElsewhere,
  liveWorkers,
  type RunState,
  reported,
  slotsOf,
  VALUE_REFUSED,
} from '../state/run-state.js';
import { begun, type SharedState } from '../state/shared-state.js';
import { cut, EventCounts, otherWorkers } from '../state/worker-report.js';

interface WorkerThrottleOptions {
  state: SharedState;
  workerId: string;
  client: Pick<DataImportClient, 'on' | 'pause'>;
  /** Limit of calls in flight in this process, of all steps. */
  concurrency: number;
  clock: ThrottleClock;
  fence: Fence;
  /** Returns the number of records that this process works on. */
  records: () => number;
  /** Whether the status has the rates of the whole run: the coordinator shows them. */
  isCoordinator: boolean;
}

const REPORT_EVERY_MS = 200;
/** Without a 429 that the other workers do not know yet. */
const NOT_HELD = { most: Number.POSITIVE_INFINITY, reports: 0 };

/** Returns a throttle that reports to the shared state. */
export function workerThrottle(options: WorkerThrottleOptions) {
  const { state, workerId, client, concurrency, clock, fence, records, isCoordinator } = options;
  const tally = new EventCounts();
  const others = otherWorkers(workerId);
  const listeners = new Set<(event: CompactEvent) => void>();
  const now = () => begun(state.current());
  const heldUntil: Record<CooldownScope, number> = { all: 0, process: 0 };
  /**
   * After a 429 this process has no more calls in flight than the service has accepted from it, until the others know the lower limit. Otherwise
   * it would send refused calls again at once, and each refusal would lower the limit of all.
   */
  let accepted = NOT_HELD;
  let isClosed = false;
  let reporting: Promise<void> = Promise.resolve();
  let stopTimer = (): void => {};
  const store: PaceStore<RunState> = {
    ...{ current: now, now: state.now },
    change(change, isUrgent) {
      state.apply(change);
      if (isUrgent) void reportNow();
    },
    slots: () => Math.min(slotsOf(now(), workerId, state.now()), accepted.most),
    rps: () => now().rps && now().rps / Math.max(1, liveWorkers(now(), state.now()).length),
    elsewhere: (of, at) => inFlightElsewhere(of, workerId, at),
    counted(events) {
      for (const event of events) tally.count(event);
      return countedInRun(events.map(cut));
    },
  };
  const { throttle, queue, throughput, apply, leave } = throttleOf(store, { concurrency, window: undefined, clock });

  /** Applies what others have changed. */
  function onChange(changed: RunState): void {
    for (const scope of ['all', 'process'] as const) holdUntil(changed.heldUntil[scope], scope);
    apply();
    const { events, requests } = others(changed);
    if (isCoordinator) throughput.answeredToOthers(requests);
    for (const event of events) {
      if (isCoordinator && event.type === 'ended') throughput.recordEnded();
      for (const listener of listeners) listener(event);
    }
  }

  function holdUntil(until: number, scope: CooldownScope): void {
    const leftMs = until - state.now();
    if (leftMs <= 0 || until <= heldUntil[scope]) return;
    heldUntil[scope] = until;
    queue.pauseFor(leftMs, scope);
    // The client sends no request during this wait; after an hour the queue starts a probe.
    client.pause(Math.min(leftMs, PROBE_AFTER_MS), scope);
  }

  function onCooldown(delayMs: number, scope: CooldownScope): void {
    queue.pauseFor(delayMs, scope);
    store.change(held(state.now() + delayMs, scope), true);
  }

  /** Sends a report. Resolves when the state is stored, or cannot be stored. */
  function reportNow(): Promise<void> {
    // Events since the start of a running report need another one.
    reporting = reporting.then(report);
    return reporting;
  }

  function report(): Promise<void> {
    const { processing, concurrency: ofCalls } = queue.status();
    const capacity = throttle.isAccepting() && fence.isOpen() ? Math.min(ofCalls.most, records()) : 0;
    const { work, counts } = tally;
    const report = { processing, capacity, records: records(), work: { ...work }, counts: { ...counts } };
    return state
      .store(reported(workerId, report), workerId)
      .then(fence.contact(), () => {})
      .then(afterReport);
  }

  function afterReport(): void {
    if (accepted.reports === 0 || --accepted.reports > 0) return;
    accepted = NOT_HELD;
    queue.dispatch();
  }

  function reportRepeatedly(): void {
    void reportNow().then(() => {
      if (!isClosed) stopTimer = clock.after(REPORT_EVERY_MS, reportRepeatedly);
    });
  }

  const stops = [
    state.onChange(onChange),
    client.on({ onCooldown: ({ delayMs, scope }) => onCooldown(delayMs, scope) }),
  ];
  // The ledger's counts include the work before this session.
  others(now());
  onChange(now());
  stopTimer = clock.after(REPORT_EVERY_MS, reportRepeatedly);

  return {
    ...throttle,
    onResponse(answer: Parameters<typeof throttle.onResponse>[0]): void {
      tally.work.requests++;
      if (answer.status === 429) {
        tally.work.throttled++;
        // With the next report it is stored, and with the second one the others have seen it.
        if (isProcessing(answer.operation))
          accepted = { most: Math.max(0, Math.min(accepted.most, queue.processing) - 1), reports: 2 };
      }
      throttle.onResponse(answer);
    },
    /** Counts of this process. */
    work: tally.work,
    /** Counts a record that could not be loaded or written because the database refused one of its values. */
    valueRefused(supplier: string): void {
      store.change(store.counted([{ type: 'failed', call: 'check', supplier, code: VALUE_REFUSED }]), false);
    },
    /** Calls the listener with each event that other workers report. Returns the function that removes it. */
    onOthers(listener: (event: CompactEvent) => void): () => void {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    reportNow,
    leave,
    async close(): Promise<void> {
      isClosed = true;
      stopTimer();
      await reportNow();
      for (const stop of stops) stop();
    },
  };
}
