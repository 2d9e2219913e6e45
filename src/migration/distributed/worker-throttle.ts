/**
 * `createWorkerThrottle`: when calls of one process of a distributed run start, by the shared state. Pause, resume, set, drain
 * and halt act on the whole run. The adaptive limit is the concurrency of the queue `process`; this process adds its own
 * concurrency, its share of the rate, the time window and the waits after a 429.
 */
import type { DataImportClient } from '../../client.js';
import { PROBE_AFTER_MS } from '../../http/cooldown.js';
import { limitInWords } from '../throttle/adaptive-limit.js';
import { createCallQueue } from '../throttle/call-queue.js';
import type { ThrottleClock } from '../throttle/clock.js';
import { type CompactEvent, compactEventsOf } from '../throttle/compact-event.js';
import { createHaltMonitor } from '../throttle/halt-rules.js';
import { failureOfStatus, isProcessing, isUnusableProcess } from '../throttle/processing.js';
import { createRate } from '../throttle/rate.js';
import { createSeries } from '../throttle/samples.js';
import { checkSettings } from '../throttle/settings.js';
import { explainLimit, type Throttle } from '../throttle/throttle.js';
import { windowOf } from '../throttle/time-window.js';
import type { Fence } from './fence.js';
import {
  draining,
  halted,
  haltRulesOf,
  liveWorkers,
  paused,
  type RunState,
  type StateChange,
  VALUE_REFUSED,
  type WorkerTotals,
  withSettings,
} from './run-state.js';
import type { SharedState } from './shared-state.js';
import { createOthers, ReportTally } from './worker-report.js';

export interface WorkerThrottleOptions {
  state: SharedState;
  workerId: string;
  client: Pick<DataImportClient, 'on' | 'pause'>;
  /** Calls in flight at this process, of all steps. */
  concurrency: number;
  clock: ThrottleClock;
  fence: Fence;
  /** Records that this process works on. */
  records: () => number;
  /** Whether this process takes accounts from the work queue. */
  canProcess: () => boolean;
  /** Whether rates are those of the whole run: of the process that shows it. */
  isCoordinator: boolean;
  onNote: (note: string) => void;
}

export interface WorkerThrottle extends Throttle {
  /** Calls the listener with what other workers have reported. Returns the function that ends that. */
  onOthers(listener: (event: CompactEvent) => void): () => void;
  /** Counts a record that could not be loaded or written, since the database refused a value of it. */
  valueRefused(supplier: string): void;
  /** Reports now; resolves when the state is stored, and when it cannot be. */
  reportNow(): Promise<void>;
  /** Starts no more calls of this process; the run continues. */
  leave(): void;
  readonly totals: WorkerTotals;
  close(): Promise<void>;
}

const REPORT_EVERY_MS = 200;
const TRY_AGAIN_MS = 1000;

export function createWorkerThrottle(options: WorkerThrottleOptions): WorkerThrottle {
  const { state, client, clock, isCoordinator, onNote } = options;
  const tally = new ReportTally();
  const others = createOthers(options.workerId);
  const listeners = new Set<(event: CompactEvent) => void>();
  const charts = createCharts(clock, () => state.current()?.limit.limit ?? 0);
  const heldUntil = { all: 0, process: 0 };
  let { concurrency } = options;
  let applied = { window: null as string | null, rps: 0 };
  let [hasLeft, isClosed, mostProcessing] = [false, false, 0];
  let stopTimer = (): void => {};
  let reporting = Promise.resolve();

  const gate = createCallQueue({
    ...{ concurrency, rps: 0, window: undefined, clock, givesBackRefused: true },
    limit: {
      get limit() {
        return state.current()?.limit.limit ?? 0;
      },
      get isLeast() {
        const shared = state.current()?.limit;
        return shared === undefined || shared.limit <= shared.least;
      },
      started(inFlight) {
        mostProcessing = Math.max(mostProcessing, inFlight);
      },
    },
  });

  function apply(now: RunState): void {
    const { window } = now.settings;
    if (window !== applied.window) gate.setWindow(window === null ? undefined : windowOf(window));
    if (now.ended !== null) gate.end(now.ended.state, now.ended.reason ?? undefined);
    else if (gate.ended !== undefined && !hasLeft) gate.reopen();
    if (now.paused !== null) gate.pause(now.paused);
    else gate.resume();
    for (const scope of ['all', 'process'] as const) {
      const leftMs = now.heldUntil[scope] - state.now();
      if (leftMs <= 0 || now.heldUntil[scope] <= heldUntil[scope]) continue;
      heldUntil[scope] = now.heldUntil[scope];
      gate.pauseFor(leftMs, scope);
      // The client lets no call through before the end of such a wait, and the gate does after an hour.
      client.pause(Math.min(leftMs, PROBE_AFTER_MS), scope);
    }
    const rps = now.rps / Math.max(1, liveWorkers(now, state.now()).length);
    gate.set({ concurrency, rps: rps === applied.rps ? undefined : rps });
    applied = { window, rps };
    const { events, requests } = others.since(now);
    if (isCoordinator) charts.answered(requests);
    for (const event of events) {
      if (isCoordinator && event[0] === 'ended') charts.ended();
      for (const listener of listeners) listener(event);
    }
  }

  async function report(): Promise<void> {
    if (state.current() === undefined) return;
    const { failures, ...taken } = tally.take();
    const now = clock.now();
    const { processing } = gate.status();
    const most = Math.max(mostProcessing, processing);
    mostProcessing = processing;
    const canProcess = options.canProcess() && gate.ended === undefined && options.fence.isOpen();
    const answered = options.fence.contact();
    try {
      await state.report({
        ...{ worker: options.workerId, mostProcessing: most, processing, capacity: canProcess ? concurrency : 0 },
        ...{ ...taken, records: options.records(), totals: structuredClone(tally.totals) },
        failures: failures.map(({ sentAt, cause }) => [Math.max(0, Math.round(now - sentAt)), cause]),
      });
      answered();
    } catch {
      tally.putBack({ ...taken, failures });
    }
  }
  function reportNow(): Promise<void> {
    // What happened since the last report began goes with another one.
    reporting = reporting.then(report);
    return reporting;
  }
  function reportAgain(): void {
    void reportNow().then(() => {
      if (!isClosed) stopTimer = clock.after(REPORT_EVERY_MS, reportAgain);
    });
  }

  /** Holds here at once. An end of the run is tried again until it is stored. */
  async function steer(change: StateChange, isEnd = false): Promise<void> {
    while (!isClosed) {
      try {
        await state.changeAtOnce(change);
        return;
      } catch (error) {
        onNote(`a change of the run cannot be stored: ${error instanceof Error ? error.message : ''}`);
        if (!isEnd) return;
        await new Promise<void>((resolve) => clock.after(TRY_AGAIN_MS, resolve));
      }
    }
  }

  const endings = [
    state.onChange(apply),
    client.on({
      onCooldown({ delayMs, scope }) {
        gate.pauseFor(delayMs, scope);
        tally.held(delayMs, scope);
        void reportNow();
      },
    }),
  ];
  const current = state.current();
  if (current !== undefined) {
    // The ledger's counts include the work before this session.
    others.since(current);
    apply(current);
  }
  stopTimer = clock.after(REPORT_EVERY_MS, reportAgain);

  return {
    totals: tally.totals,
    schedule: gate.schedule,
    sleep: gate.sleep,
    isAccepting: () => gate.ended === undefined,
    onEvent(record, event) {
      if (isUnusableProcess(event)) {
        tally.answered();
        tally.failed('not understood', clock.now());
      }
      for (const sign of compactEventsOf(record, event)) {
        tally.count(sign);
        if (sign[0] === 'ended') charts.ended();
        const reason = gate.ended === undefined ? haltedAtOnceBy(sign, state.current()) : undefined;
        if (reason === undefined) tally.report(sign);
        // Not reported: the shared state has it, and a late report would halt the run again when it resumes.
        else void steer(halted(reason, sign[1] === 'token' || sign[1] === 'supplier' ? sign[1] : null), true);
      }
    },
    valueRefused(supplier) {
      const sign: CompactEvent = ['failed', '', VALUE_REFUSED, 'check', supplier, '', 0];
      tally.count(sign);
      tally.report(sign);
    },
    onResponse({ operation, status, latencyMs }) {
      const now = clock.now();
      gate.countResponse(now);
      tally.totals.requests++;
      if (status === 429) tally.totals.throttled++;
      charts.answered(1, status === 429);
      if (!isProcessing(operation)) return;
      const cause = failureOfStatus(status);
      if (cause !== undefined) tally.failed(cause, now - latencyMs);
      else tally.answered(status === 201 ? latencyMs : undefined);
    },
    pause: (reason) => void steer(paused(reason)),
    resume: () => void steer(paused(null)),
    set(settings) {
      checkSettings(settings);
      concurrency = settings.concurrency ?? concurrency;
      gate.set({ concurrency });
      if (settings.processConcurrency !== undefined || settings.rps !== undefined) void steer(withSettings(settings));
    },
    drain: () => void steer(draining, true),
    halt: (reason) => void steer(halted(reason, null), true),
    status() {
      const { processing, heldMs, ...status } = gate.status();
      const { limit, ended, rps = 0 } = state.current() ?? {};
      return {
        ...status,
        ...(ended && { state: ended.state, reason: ended.reason ?? undefined }),
        concurrency: { ...status.concurrency, most: concurrency },
        process: {
          ...{ underWay: processing, limit: limit?.limit ?? 0, least: limit?.least ?? 0, most: limit?.most ?? 0 },
          why: explainLimit(limit === undefined ? 'no run was begun' : limitInWords(limit), heldMs),
        },
        rps,
        rate: charts.rate(),
      };
    },
    samples: charts.samples,
    onOthers(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    reportNow,
    leave() {
      hasLeft = true;
      gate.end('draining');
    },
    async close() {
      isClosed = true;
      stopTimer();
      await reportNow();
      for (const end of endings) end();
    },
  };
}

/** Rates now, and how they were over time. */
function createCharts(clock: ThrottleClock, limit: () => number) {
  const startedAt = clock.now();
  const series = createSeries(startedAt);
  const records = createRate(startedAt);
  const requests = createRate(startedAt);
  return {
    ended(): void {
      records.add(clock.now());
      series.add(clock.now(), { ended: 1 }, limit());
    },
    /** `isThrottled` is undefined for answers to other workers. */
    answered(count: number, isThrottled?: boolean): void {
      requests.add(clock.now(), count);
      if (isThrottled !== undefined) series.add(clock.now(), { throttled: isThrottled ? 1 : 0 }, limit());
    },
    rate: () => ({ records: records.perSecond(clock.now()), requests: requests.perSecond(clock.now()) }),
    samples: () => series.samples(),
  };
}

/** Why one event halts the run by itself: no call starts here from this moment, before the others know. */
function haltedAtOnceBy(event: CompactEvent, state: RunState | undefined): string | undefined {
  const isOfAll = (event[0] === 'failed' && event[1] !== '') || event[0] === 'otherAccount';
  return state !== undefined && isOfAll ? createHaltMonitor(haltRulesOf(state.settings)).hear(event) : undefined;
}
