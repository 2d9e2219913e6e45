/**
 * Exports `WorkerThrottle`, the throttle of one process of a distributed run. It starts calls according to the shared state; pause,
 * resume, set, drain and halt apply to the whole run. This process has a share of the adaptive limit and of the rate, its own
 * concurrency, the time window and the waits after a 429.
 */
import type { DataImportClient } from '../../../client.js';
import { type CooldownScope, PROBE_AFTER_MS } from '../../../http/limits/cooldown.js';
import type { LedgerRecord } from '../../ledger/ledger.js';
import type { RecordEvent } from '../../record/events/record-event.js';
import { CallQueue, type CallQueueOptions } from '../../throttle/call-queue.js';
import type { ThrottleClock } from '../../throttle/clock.js';
import { type CompactEvent, compactEventsOf } from '../../throttle/compact-event.js';
import { windowOf } from '../../throttle/limits/time-window.js';
import { failureOfStatus, isProcessing, isUnusableProcess } from '../../throttle/processing.js';
import type { Sample } from '../../throttle/samples.js';
import { checkSettings, type ThrottleSettings } from '../../throttle/settings.js';
import { statusOf, type Throttle, type ThrottleStatus } from '../../throttle/throttle.js';
import { Throughput } from '../../throttle/throughput.js';
import type { WorkerWork } from '../ledger/worker-rows.js';
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

export interface WorkerThrottleOptions {
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

export class WorkerThrottle implements Throttle {
  readonly #options: WorkerThrottleOptions;
  readonly #queue: CallQueue;
  readonly #tally = new ReportTally();
  readonly #others: ReturnType<typeof otherWorkers>;
  readonly #throughput: Throughput;
  readonly #listeners = new Set<(event: CompactEvent) => void>();
  #concurrency: number;
  /** The last settings of the call queue. */
  #applied: { window: string | null; rps: number } = { window: null, rps: 0 };
  readonly #heldUntil: Record<CooldownScope, number> = { all: 0, process: 0 };
  #hasLeft = false;
  #isClosed = false;
  /** Highest number of `process` and dry-run calls in flight since the last report. */
  #mostProcessing = 0;
  /** Refusals by 429 that are not in the shared limit yet: their slots stay empty until then. */
  #refused = 0;
  #reporting: Promise<void> = Promise.resolve();
  #stopTimer = (): void => {};
  readonly #stops: (() => void)[];

  constructor(options: WorkerThrottleOptions) {
    const { state, client, clock, concurrency, workerId } = options;
    this.#options = options;
    this.#concurrency = concurrency;
    this.#others = otherWorkers(workerId);
    this.#throughput = new Throughput(clock, () => this.#now().limit.limit);
    const limit = this.#queueLimit();
    this.#queue = new CallQueue({ concurrency, rps: 0, window: undefined, clock, limit });
    this.#stops = [
      state.onChange((changed) => this.#apply(changed)),
      client.on({ onCooldown: ({ delayMs, scope }) => this.#onCooldown(delayMs, scope) }),
    ];
    const current = this.#now();
    // The ledger's counts include the work before this session.
    this.#others(current);
    this.#apply(current);
    this.#stopTimer = clock.after(REPORT_EVERY_MS, () => this.#reportRepeatedly());
  }

  // A run takes these as functions.
  readonly schedule: Throttle['schedule'] = (step, call) => this.#queue.schedule(step, call);
  readonly sleep: Throttle['sleep'] = (ms) => this.#queue.sleep(ms);
  readonly isAccepting: Throttle['isAccepting'] = () => this.#queue.ended === undefined;
  readonly onEvent: Throttle['onEvent'] = (record, event) => this.#onEvent(record, event);

  /** Counts of this process. */
  get work(): WorkerWork {
    return this.#tally.work;
  }

  #onEvent(record: LedgerRecord, event: RecordEvent): void {
    if (isUnusableProcess(event)) {
      this.#tally.answered();
      this.#tally.failed('not understood', this.#options.clock.now());
    }
    for (const one of compactEventsOf(record, event)) {
      this.#tally.count(one);
      if (one.type === 'ended') this.#throughput.recordEnded();
      const reason = this.isAccepting() ? haltedAtOnceBy(one, this.#now()) : undefined;
      if (reason === undefined) this.#tally.report(one);
      else this.#changeRun(halted(reason, notAcceptedBy(one)));
    }
  }

  /** Counts a record that could not be loaded or written because the database refused one of its values. */
  valueRefused(supplier: string): void {
    const failed: CompactEvent = { type: 'failed', call: 'check', supplier, code: VALUE_REFUSED };
    this.#tally.count(failed);
    this.#tally.report(failed);
  }

  onResponse({ operation, status, latencyMs }: Parameters<Throttle['onResponse']>[0]): void {
    const now = this.#options.clock.now();
    this.#queue.countResponse(now);
    this.work.requests++;
    if (status === 429) this.work.throttled++;
    this.#throughput.answered(status);
    if (!isProcessing(operation)) return;
    const cause = failureOfStatus(status);
    if (status === 429) {
      this.#refused++;
      void this.reportNow();
    }
    if (cause !== undefined) this.#tally.failed(cause, now - latencyMs);
    else this.#tally.answered(status === 201 ? latencyMs : undefined);
  }

  pause(reason: string): void {
    this.#changeRun(paused(reason));
  }

  resume(): void {
    this.#changeRun(paused(null));
  }

  set(settings: ThrottleSettings): void {
    checkSettings(settings);
    this.#concurrency = settings.concurrency ?? this.#concurrency;
    this.#queue.set({ concurrency: this.#concurrency });
    if (settings.process !== undefined || settings.rps !== undefined) {
      this.#changeRun(withSettings(settings));
    }
  }

  /** `reason`: why the run ends itself; undefined if a person ends it. */
  drain(reason?: string): void {
    this.#changeRun(draining(reason));
  }

  halt(reason: string): void {
    this.#changeRun(halted(reason, null));
  }

  status(): ThrottleStatus {
    const { limit, ended, halt, rps } = this.#now();
    const outage = halt?.outage ?? null;
    const status = statusOf(this.#queue, limit, {
      ...{ outage, now: this.#options.state.now(), rate: this.#throughput.rate() },
    });
    const concurrency = { ...status.concurrency, most: this.#concurrency };
    return { ...status, ...(ended && { state: ended.state, reason: ended.reason ?? undefined }), concurrency, rps };
  }

  samples(): readonly Sample[] {
    return this.#throughput.samples();
  }

  /** Calls the listener with each event that other workers report. Returns the function that removes it. */
  onOthers(listener: (event: CompactEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Sends a report. Resolves when the state is stored, or cannot be stored. */
  reportNow(): Promise<void> {
    // Events since the start of a running report need another one.
    this.#reporting = this.#reporting.then(() => this.#report());
    return this.#reporting;
  }

  /** Stops the calls of this process. The run continues. */
  leave(): void {
    this.#hasLeft = true;
    this.#queue.end('draining');
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#stopTimer();
    await this.reportNow();
    for (const stop of this.#stops) stop();
  }

  #now(): RunState {
    return begun(this.#options.state.current());
  }

  #queueLimit(): CallQueueOptions['limit'] {
    const { state, workerId } = this.#options;
    const slots = () => slotsOf(this.#now(), workerId, state.now()) - this.#refused;
    const isLeast = () => this.#now().limit.limit <= this.#now().limit.least;
    return {
      get limit() {
        return slots();
      },
      get isLeast() {
        return isLeast();
      },
      started: (inFlight) => {
        this.#mostProcessing = Math.max(this.#mostProcessing, inFlight);
      },
    };
  }

  #onCooldown(delayMs: number, scope: CooldownScope): void {
    this.#queue.pauseFor(delayMs, scope);
    this.#tally.held(delayMs, scope);
    void this.reportNow();
  }

  /** Applies a change of the shared state to this process. */
  #apply(now: RunState): void {
    const { window } = now.settings;
    if (window !== this.#applied.window) this.#queue.setWindow(window === null ? undefined : windowOf(window));
    if (now.ended !== null) this.#queue.end(now.ended.state, now.ended.reason ?? undefined);
    else if (!this.isAccepting() && !this.#hasLeft) this.#queue.reopen();
    if (now.paused !== null) this.#queue.pause(now.paused);
    else this.#queue.resume();
    for (const scope of ['all', 'process'] as const) this.#holdUntil(now.heldUntil[scope], scope);
    const { state } = this.#options;
    const outage = now.halt?.outage;
    this.#queue.setOutage(outage ? outage.heldUntil - state.now() : undefined);
    const rps = now.rps / Math.max(1, liveWorkers(now, state.now()).length);
    this.#queue.set({ concurrency: this.#concurrency, rps: rps === this.#applied.rps ? undefined : rps });
    this.#applied = { window, rps };
    this.#tellOfOthers(now);
  }

  #holdUntil(until: number, scope: CooldownScope): void {
    const { state, client } = this.#options;
    const leftMs = until - state.now();
    if (leftMs <= 0 || until <= this.#heldUntil[scope]) return;
    this.#heldUntil[scope] = until;
    this.#queue.pauseFor(leftMs, scope);
    // The client sends no request during this wait; after an hour the queue starts a probe.
    client.pause(Math.min(leftMs, PROBE_AFTER_MS), scope);
  }

  #tellOfOthers(now: RunState): void {
    const { isCoordinator } = this.#options;
    const { events, requests } = this.#others(now);
    if (isCoordinator) this.#throughput.answeredToOthers(requests);
    for (const event of events) {
      if (isCoordinator && event.type === 'ended') this.#throughput.recordEnded();
      for (const listener of this.#listeners) listener(event);
    }
  }

  async #report(): Promise<void> {
    const { state, clock, workerId, records, fence } = this.#options;
    const { failures, ...taken } = this.#tally.take();
    const now = clock.now();
    const { processing } = this.#queue.status();
    const mostProcessing = Math.max(this.#mostProcessing, processing);
    this.#mostProcessing = processing;
    const capacity = this.isAccepting() && fence.isOpen() ? Math.min(this.#concurrency, records()) : 0;
    const refused = this.#refused;
    const answered = fence.contact();
    try {
      await state.report({
        ...{ worker: workerId, mostProcessing, processing, capacity },
        ...{ ...taken, records: records(), work: { ...this.work }, counts: { ...this.#tally.counts } },
        failures: failures.map(({ sentAt, cause }) => [Math.max(0, Math.round(now - sentAt)), cause]),
      });
      answered();
      this.#refused -= refused;
      this.#queue.dispatch();
    } catch {
      this.#tally.putBack({ ...taken, failures });
    }
  }

  #reportRepeatedly(): void {
    void this.reportNow().then(() => {
      if (!this.#isClosed) this.#stopTimer = this.#options.clock.after(REPORT_EVERY_MS, () => this.#reportRepeatedly());
    });
  }

  /** Changes the run for all workers. Takes effect in this process at once. */
  #changeRun(change: StateChange): void {
    this.#options.state.apply(change);
    void this.reportNow();
  }
}
