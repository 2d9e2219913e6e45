/**
 * Exports `workerThrottle`, the throttle of one process of a distributed run. It starts calls according to the shared state; pause,
 * resume, set, drain and halt apply to the whole run. This process has a share of the adaptive limit and of the rate, its own
 * concurrency, the time window and the waits after a 429.
 */
import type { DataImportClient } from '../../../client.js';
import { type CooldownScope, PROBE_AFTER_MS } from '../../../http/limits/cooldown.js';
import { CallQueue } from '../../throttle/call-queue.js';
import type { ThrottleClock } from '../../throttle/clock.js';
import { type CompactEvent, compactEventsOf } from '../../throttle/compact-event.js';
import { windowOf } from '../../throttle/limits/time-window.js';
import { failureOfStatus, isProcessing, isUnusableProcess } from '../../throttle/processing.js';
import { checkSettings } from '../../throttle/settings.js';
import { statusOf, type Throttle } from '../../throttle/throttle.js';
import { Throughput } from '../../throttle/throughput.js';
import {
  draining,
  halted,
  haltedAtOnceBy,
  liveWorkers,
  notAcceptedBy,
  paused,
  type RunState,
  type StateChange,
  slotsOf,
  VALUE_REFUSED,
  withSettings,
} from '../state/run-state.js';
import { begun, type SharedState } from '../state/shared-state.js';
import { otherWorkers, ReportTally } from '../state/worker-report.js';
import type { Fence } from './fence.js';

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

/** A throttle that reports to the shared state. */
export type WorkerThrottle = ReturnType<typeof workerThrottle>;

export function workerThrottle(options: WorkerThrottleOptions) {
  const { state, workerId, client, clock, fence, records, isCoordinator } = options;
  const tally = new ReportTally();
  const { work } = tally;
  const others = otherWorkers(workerId);
  const listeners = new Set<(event: CompactEvent) => void>();
  const now = () => begun(state.current());
  const throughput = new Throughput(clock, () => now().limit.limit);
  let { concurrency } = options;
  /** The last settings of the call queue. */
  let applied: { window: string | null; rps: number } = { window: null, rps: 0 };
  const heldUntil: Record<CooldownScope, number> = { all: 0, process: 0 };
  let hasLeft = false;
  let isClosed = false;
  /** Highest number of `process` and dry-run calls in flight since the last report. */
  let mostProcessing = 0;
  /** Refusals by 429 that are not in the shared limit yet: their slots stay empty until then. */
  let refused = 0;
  let reporting: Promise<void> = Promise.resolve();
  let stopTimer = (): void => {};
  const limit = {
    get limit() {
      return slotsOf(now(), workerId, state.now()) - refused;
    },
    get isLeast() {
      return now().limit.limit <= now().limit.least;
    },
    started(inFlight: number) {
      mostProcessing = Math.max(mostProcessing, inFlight);
    },
  };
  const queue = new CallQueue({ concurrency, rps: 0, window: undefined, clock, limit });
  const isAccepting = () => queue.ended === undefined;

  function onCooldown(delayMs: number, scope: CooldownScope): void {
    queue.pauseFor(delayMs, scope);
    tally.held(delayMs, scope);
    void reportNow();
  }

  /** Applies a change of the shared state to this process. */
  function apply(changed: RunState): void {
    const { window } = changed.settings;
    if (window !== applied.window) queue.setWindow(window === null ? undefined : windowOf(window));
    if (changed.ended !== null) queue.end(changed.ended.state, changed.ended.reason ?? undefined);
    else if (!isAccepting() && !hasLeft) queue.reopen();
    if (changed.paused !== null) queue.pause(changed.paused);
    else queue.resume();
    for (const scope of ['all', 'process'] as const) holdUntil(changed.heldUntil[scope], scope);
    const outage = changed.halt?.outage;
    queue.setOutage(outage ? outage.heldUntil - state.now() : undefined);
    const rps = changed.rps / Math.max(1, liveWorkers(changed, state.now()).length);
    queue.set({ concurrency, rps: rps === applied.rps ? undefined : rps });
    applied = { window, rps };
    tellOfOthers(changed);
  }

  function holdUntil(until: number, scope: CooldownScope): void {
    const leftMs = until - state.now();
    if (leftMs <= 0 || until <= heldUntil[scope]) return;
    heldUntil[scope] = until;
    queue.pauseFor(leftMs, scope);
    // The client sends no request during this wait; after an hour the queue starts a probe.
    client.pause(Math.min(leftMs, PROBE_AFTER_MS), scope);
  }

  function tellOfOthers(changed: RunState): void {
    const { events, requests } = others(changed);
    if (isCoordinator) throughput.answeredToOthers(requests);
    for (const event of events) {
      if (isCoordinator && event.type === 'ended') throughput.recordEnded();
      for (const listener of listeners) listener(event);
    }
  }

  /** Sends a report. Resolves when the state is stored, or cannot be stored. */
  function reportNow(): Promise<void> {
    // Events since the start of a running report need another one.
    reporting = reporting.then(report);
    return reporting;
  }

  async function report(): Promise<void> {
    const { failures, ...taken } = tally.take();
    const at = clock.now();
    const { processing } = queue.status();
    const most = Math.max(mostProcessing, processing);
    mostProcessing = processing;
    const capacity = isAccepting() && fence.isOpen() ? Math.min(concurrency, records()) : 0;
    const reported = refused;
    const answered = fence.contact();
    try {
      await state.report({
        ...{ ...taken, worker: workerId, mostProcessing: most, processing, capacity },
        ...{ records: records(), work: { ...work }, counts: { ...tally.counts } },
        failures: failures.map(({ sentAt, cause }) => [Math.max(0, Math.round(at - sentAt)), cause]),
      });
      answered();
      refused -= reported;
      queue.dispatch();
    } catch {
      tally.putBack({ ...taken, failures });
    }
  }

  function reportRepeatedly(): void {
    void reportNow().then(() => {
      if (!isClosed) stopTimer = clock.after(REPORT_EVERY_MS, reportRepeatedly);
    });
  }

  /** Changes the run for all workers. Takes effect in this process at once. */
  function changeRun(change: StateChange): void {
    state.apply(change);
    void reportNow();
  }

  const stops = [state.onChange(apply), client.on({ onCooldown: ({ delayMs, scope }) => onCooldown(delayMs, scope) })];
  // The ledger's counts include the work before this session.
  others(now());
  apply(now());
  stopTimer = clock.after(REPORT_EVERY_MS, reportRepeatedly);

  const throttle: Throttle = {
    schedule: (step, call) => queue.schedule(step, call),
    sleep: (ms) => queue.sleep(ms),
    isAccepting,
    onEvent(record, event) {
      if (isUnusableProcess(event)) {
        tally.answered();
        tally.failed('not understood', clock.now());
      }
      for (const one of compactEventsOf(record, event)) {
        tally.count(one);
        if (one.type === 'ended') throughput.recordEnded();
        const reason = isAccepting() ? haltedAtOnceBy(one, now()) : undefined;
        if (reason === undefined) tally.report(one);
        else changeRun(halted(reason, notAcceptedBy(one)));
      }
    },
    onResponse({ operation, status, latencyMs }) {
      const at = clock.now();
      queue.countResponse(at);
      work.requests++;
      if (status === 429) work.throttled++;
      throughput.answered(status);
      if (!isProcessing(operation)) return;
      if (status === 429) {
        refused++;
        void reportNow();
      }
      const cause = failureOfStatus(status);
      if (cause !== undefined) tally.failed(cause, at - latencyMs);
      else tally.answered(status === 201 ? latencyMs : undefined);
    },
    pause: (reason) => changeRun(paused(reason)),
    resume: () => changeRun(paused(null)),
    set(settings) {
      checkSettings(settings);
      concurrency = settings.concurrency ?? concurrency;
      queue.set({ concurrency });
      if (settings.process !== undefined || settings.rps !== undefined) changeRun(withSettings(settings));
    },
    drain: () => changeRun(draining()),
    halt: (reason) => changeRun(halted(reason, null)),
    status() {
      const { limit: ofAll, ended, halt, rps } = now();
      const outage = halt?.outage ?? null;
      const status = statusOf(queue, ofAll, { outage, now: state.now(), rate: throughput.rate() });
      const ofRun = ended && { state: ended.state, reason: ended.reason ?? undefined };
      return { ...status, ...ofRun, concurrency: { ...status.concurrency, most: concurrency }, rps };
    },
    samples: () => throughput.samples(),
  };
  return {
    ...throttle,
    /** As `drain` of a person. `reason`: why the run ends itself. */
    drain: (reason?: string) => changeRun(draining(reason)),
    /** Counts of this process. */
    work,
    /** Counts a record that could not be loaded or written because the database refused one of its values. */
    valueRefused(supplier: string): void {
      const failed: CompactEvent = { type: 'failed', call: 'check', supplier, code: VALUE_REFUSED };
      tally.count(failed);
      tally.report(failed);
    },
    /** Calls the listener with each event that other workers report. Returns the function that removes it. */
    onOthers(listener: (event: CompactEvent) => void): () => void {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    reportNow,
    /** Stops the calls of this process. The run continues. */
    leave(): void {
      hasLeft = true;
      queue.end('draining');
    },
    async close(): Promise<void> {
      isClosed = true;
      stopTimer();
      await reportNow();
      for (const stop of stops) stop();
    },
  };
}
