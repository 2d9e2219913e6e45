/**
 * `createWorkerThrottle`: when calls of one process of a distributed run start, by the shared state. Pause, resume, set, drain
 * and halt act on the whole run. The adaptive limit is the concurrency of the queue `process`; this process adds its own
 * concurrency, its share of the rate, the time window and the waits after a 429.
 */
import type { DataImportClient } from '../../client.js';
import { PROBE_AFTER_MS } from '../../http/cooldown.js';
import { limitInWords } from '../throttle/adaptive-limit.js';
import { createGate } from '../throttle/call-queue.js';
import type { PaceClock } from '../throttle/clock.js';
import { type CompactEvent, endedAs, signsOf } from '../throttle/compact-event.js';
import { createBreaker } from '../throttle/halt-rules.js';
import { isProcessing, isUnusableProcess, troubleOf } from '../throttle/processing.js';
import { createRate } from '../throttle/rate.js';
import { createSeries } from '../throttle/samples.js';
import { checkSettings } from '../throttle/settings.js';
import { type Pace, whyOf } from '../throttle/throttle.js';
import { windowOf } from '../throttle/time-window.js';
import type { Fence } from './fence.js';
import {
  draining,
  endedIn,
  halted,
  haltRulesOf,
  liveWorkers,
  noTotals,
  paused,
  type RunState,
  type StateChange,
  VALUE_REFUSED,
  type WorkerReport,
  type WorkerTotals,
  withSettings,
} from './run-state.js';
import type { SharedState } from './shared-state.js';

export interface WorkerThrottleOptions {
  state: SharedState;
  workerId: string;
  client: Pick<DataImportClient, 'observe' | 'coolDown'>;
  /** Calls in flight at this process, of all steps. */
  concurrency: number;
  clock: PaceClock;
  fence: Fence;
  /** Records that this process works on. */
  records: () => number;
  /** Whether this process takes accounts from the work queue. */
  canProcess: () => boolean;
  /** Whether rates are those of the whole run: of the process that shows it. */
  isCoordinator: boolean;
  onNote: (note: string) => void;
}

export interface WorkerThrottle extends Pace {
  /** Told what other workers have reported. Returns the function that ends that. */
  onOthers(listener: (event: CompactEvent) => void): () => void;
  /** Counts a record that could not be loaded or written, since the database refused a value of it. */
  valueRefused(supplier: string): void;
  /** Reports now; resolves when the state is stored, and when it cannot be. */
  reportNow(): Promise<void>;
  /** No call of this process starts any more; the run goes on. */
  leave(): void;
  readonly totals: WorkerTotals;
  close(): Promise<void>;
}

const REPORT_EVERY_MS = 200;
const TRY_AGAIN_MS = 1000;
const MOST_NUMBERS = 50;
/** Of one record, and of one code: what a service answers may be anything. */
const MOST_CODES = 100;
const MOST_CHARACTERS = 100;

export function createWorkerThrottle(options: WorkerThrottleOptions): WorkerThrottle {
  const { state, workerId, client, clock, fence, records, canProcess, isCoordinator, onNote } = options;
  let { concurrency } = options;
  const startedAt = clock.now();
  const series = createSeries(startedAt);
  const endedRate = createRate(startedAt);
  const requestRate = createRate(startedAt);
  const listeners = new Set<(event: CompactEvent) => void>();
  const totals = noTotals();
  const others = watchOthers(workerId);
  let gathered = emptyReport();
  let held = { all: 0, process: 0 };
  let applied = { window: null as string | null, rps: 0 };
  let [hasLeft, isClosed] = [false, false];
  let stopTimer = (): void => {};
  let reporting: Promise<void> | undefined;
  let mostProcessing = 0;

  const gate = createGate({
    ...{ concurrency, rps: 0, window: undefined, clock, givesBackRefused: true },
    limit: {
      get limit() {
        return state.current()?.limit.limit ?? 0;
      },
      started(inFlight) {
        mostProcessing = Math.max(mostProcessing, inFlight);
      },
    },
  });

  const obey = (now: RunState): void => {
    const { window } = now.settings;
    if (window !== applied.window) gate.setWindow(window === null ? undefined : windowOf(window));
    const rps = now.rps / Math.max(1, liveWorkers(now, state.now()).length);
    if (now.ended !== null) gate.end(now.ended.state, now.ended.reason ?? undefined);
    else if (gate.ended !== undefined && !hasLeft) gate.reopen();
    if (now.paused !== null) gate.pause(now.paused);
    else gate.resume();
    for (const scope of ['all', 'process'] as const) {
      const leftMs = now.heldUntil[scope] - state.now();
      if (leftMs <= 0 || now.heldUntil[scope] <= held[scope]) continue;
      held = { ...held, [scope]: now.heldUntil[scope] };
      gate.hold(leftMs, scope);
      // The client lets no call through before the end of such a wait, and the gate does after an hour.
      client.coolDown(Math.min(leftMs, PROBE_AFTER_MS), scope);
    }
    gate.set({ concurrency, rps: rps === applied.rps ? undefined : rps });
    applied = { window, rps };
    for (const event of others.since(now)) {
      if (isCoordinator && event[0] === 'ended') {
        endedRate.add(clock.now());
        series.add(clock.now(), { ended: 1 }, now.limit.limit);
      }
      for (const listener of listeners) listener(event);
    }
    if (isCoordinator) requestRate.add(clock.now(), others.requests());
  };

  async function report(): Promise<void> {
    if (state.current() === undefined) return;
    const taken = gathered;
    const now = clock.now();
    gathered = emptyReport();
    const status = gate.status();
    const most = Math.max(mostProcessing, status.processing);
    mostProcessing = status.processing;
    const capacity = canProcess() && gate.ended === undefined && fence.isOpen() ? concurrency : 0;
    const sent: WorkerReport = {
      ...{ worker: workerId, mostProcessing: most, processing: status.processing, capacity, records: records() },
      ...{ answers: taken.answers, latenciesMs: taken.latenciesMs, events: taken.events, heldMs: taken.heldMs },
      failures: taken.failures.map(({ sentAt, cause }) => [Math.max(0, Math.round(now - sentAt)), cause]),
      totals: structuredClone(totals),
    };
    const answered = fence.contact();
    try {
      await state.report(sent);
      answered();
    } catch {
      // What was not stored goes with the next report: the halt rules and the limit must see it.
      gathered = joined(taken, gathered);
    }
  }
  const reportNow = (): Promise<void> => {
    // What happened since the last report began is told by another one.
    reporting = (reporting ?? Promise.resolve()).then(report);
    return reporting;
  };
  const reportAgain = (): void => {
    void reportNow().then(() => {
      if (!isClosed) stopTimer = clock.after(REPORT_EVERY_MS, reportAgain);
    });
  };

  const steer = async (change: StateChange, isEnd = false): Promise<void> => {
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
  };

  const endings = [
    state.onChange(obey),
    client.observe({
      onCooldown({ delayMs, scope }) {
        gate.hold(delayMs, scope);
        gathered.heldMs = { ...gathered.heldMs, [scope]: Math.max(gathered.heldMs[scope], delayMs) };
        void reportNow();
      },
    }),
  ];
  const current = state.current();
  if (current !== undefined) {
    // What was done before this session is in the ledger's counts.
    others.since(current);
    others.requests();
    obey(current);
  }
  stopTimer = clock.after(REPORT_EVERY_MS, reportAgain);

  return {
    totals,
    inTurn: gate.inTurn,
    sleep: gate.sleep,
    mayBegin: () => gate.ended === undefined,
    observe(record, event) {
      if (isUnusableProcess(event)) {
        gathered.answers++;
        addFailure(gathered, { sentAt: clock.now(), cause: 'not understood' });
      }
      for (const sign of signsOf(record, event)) {
        addToTotals(totals, sign);
        const reason = gate.ended === undefined ? haltedAtOnceBy(sign, state.current()) : undefined;
        if (reason === undefined) addSign(gathered.events, sign);
        else {
          // Not reported: the state says it, and a report that comes late would halt the run when it goes on.
          const of = sign[0] === 'failed' ? sign[1] : '';
          void steer(halted(reason, of === 'token' || of === 'supplier' ? of : null), true);
        }
        if (sign[0] === 'ended') {
          endedRate.add(clock.now());
          series.add(clock.now(), { ended: 1 }, state.current()?.limit.limit ?? 0);
        }
      }
    },
    valueRefused(supplier) {
      const sign: CompactEvent = ['failed', '', VALUE_REFUSED, 'check', supplier, '', 0];
      addToTotals(totals, sign);
      addSign(gathered.events, sign);
    },
    answered({ operation, status, latencyMs }) {
      const now = clock.now();
      requestRate.add(now);
      gate.answered(now);
      totals.requests++;
      if (status === 429) totals.throttled++;
      series.add(now, { throttled: status === 429 ? 1 : 0 }, state.current()?.limit.limit ?? 0);
      if (!isProcessing(operation)) return;
      const cause = troubleOf(status);
      if (cause !== undefined) addFailure(gathered, { sentAt: now - latencyMs, cause });
      else gathered.answers++;
      if (status === 201 && gathered.latenciesMs.length < MOST_NUMBERS)
        gathered.latenciesMs.push(Math.round(latencyMs));
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
      const now = clock.now();
      const { processing, heldMs, ...status } = gate.status();
      const { limit, ended, rps = 0 } = state.current() ?? {};
      return {
        ...status,
        ...(ended && { state: ended.state, reason: ended.reason ?? undefined }),
        concurrency: { ...status.concurrency, most: concurrency },
        process: {
          ...{ underWay: processing, limit: limit?.limit ?? 0, least: limit?.least ?? 0, most: limit?.most ?? 0 },
          why: whyOf(limit === undefined ? 'no run was begun' : limitInWords(limit), heldMs),
        },
        rps,
        rate: { records: endedRate.perSecond(now), requests: requestRate.perSecond(now) },
      };
    },
    samples: () => series.samples(),
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

/** Why one sign halts the run by itself: no call starts here from this moment, before the others know. */
function haltedAtOnceBy(sign: CompactEvent, state: RunState | undefined): string | undefined {
  const isOfAll = (sign[0] === 'failed' && sign[1] !== '') || sign[0] === 'otherAccount';
  return state !== undefined && isOfAll ? createBreaker(haltRulesOf(state.settings)).hear(sign) : undefined;
}

interface Gathered {
  answers: number;
  latenciesMs: number[];
  failures: { sentAt: number; cause: string }[];
  heldMs: { all: number; process: number };
  events: CompactEvent[];
}

function emptyReport(): Gathered {
  return { answers: 0, latenciesMs: [], failures: [], heldMs: { all: 0, process: 0 }, events: [] };
}

function joined(before: Gathered, after: Gathered): Gathered {
  return {
    answers: before.answers + after.answers,
    latenciesMs: [...before.latenciesMs, ...after.latenciesMs].slice(-MOST_NUMBERS),
    failures: [...before.failures, ...after.failures].slice(-MOST_NUMBERS),
    heldMs: {
      all: Math.max(before.heldMs.all, after.heldMs.all),
      process: Math.max(before.heldMs.process, after.heldMs.process),
    },
    events: [...before.events, ...after.events],
  };
}

function addFailure({ failures }: Gathered, failure: Gathered['failures'][number]): void {
  if (failures.length < MOST_NUMBERS) failures.push(failure);
}

/** Of what says the same as before it, the number alone grows. */
function addSign(events: CompactEvent[], sign: CompactEvent): void {
  switch (sign[0]) {
    case 'answered': {
      const same = events.findLast(([is, call]) => is === 'failed' || (is === 'answered' && call === sign[1]));
      if (same?.[0] === 'answered') same[2] += sign[2];
      else events.push(['answered', sign[1], sign[2]]);
      return;
    }
    case 'passed':
      return;
    case 'ended':
      events.push(endedAs(sign[1], sign[2].slice(0, MOST_CODES).map(cut), sign[3]));
      return;
    case 'failed':
      events.push(['failed', sign[1], cut(sign[2]), sign[3], cut(sign[4]), cut(sign[5]), sign[6]]);
      return;
    case 'otherAccount':
      events.push(['otherAccount', sign[1], cut(sign[2]), cut(sign[3])]);
  }
}

function cut(text: string): string {
  return text.slice(0, MOST_CHARACTERS);
}

function addToTotals(totals: WorkerTotals, sign: CompactEvent): void {
  if (sign[0] === 'passed') totals.passed[sign[1]] = (totals.passed[sign[1]] ?? 0) + sign[2];
  if (sign[0] === 'failed') {
    totals.failed++;
    totals.lastFailure = ['failed', sign[1], cut(sign[2]), sign[3], cut(sign[4]), cut(sign[5]), sign[6]];
  }
  if (sign[0] !== 'ended') return;
  const [, end, codes] = sign;
  totals.ended[end] = (totals.ended[end] ?? 0) + 1;
  for (const code of end === 'rejected' ? codes.map(cut) : []) {
    const known = totals.codes.find(([name]) => name === code);
    if (known !== undefined) known[1]++;
    else if (totals.codes.length < MOST_CODES) totals.codes.push([code, 1]);
  }
}

/** Events of the other workers, from the difference of their totals; requests likewise. */
function watchOthers(me: string) {
  const seen = new Map<string, WorkerTotals>();
  let requests = 0;
  return {
    requests() {
      const counted = requests;
      requests = 0;
      return counted;
    },
    since({ workers }: Pick<RunState, 'workers'>): CompactEvent[] {
      const events: CompactEvent[] = [];
      for (const [id, { totals }] of Object.entries(workers)) {
        if (id === me) continue;
        const before = seen.get(id) ?? noTotals();
        seen.set(id, totals);
        requests += totals.requests - before.requests;
        events.push(...eventsBetween(before, totals));
      }
      return events;
    },
  };
}

function eventsBetween(before: WorkerTotals, after: WorkerTotals): CompactEvent[] {
  const events: CompactEvent[] = [];
  for (const [step, count] of Object.entries(after.passed) as [keyof WorkerTotals['passed'] & string, number][]) {
    const more = count - (before.passed[step] ?? 0);
    if (more > 0) events.push(['passed', step, more]);
  }
  if (after.failed > before.failed && after.lastFailure !== null) {
    for (let count = before.failed; count < after.failed; count++) events.push(after.lastFailure);
  }
  if (endedIn(after) === endedIn(before)) return events;
  const codes = after.codes.flatMap(([code, count]) => {
    const more = count - (before.codes.find(([name]) => name === code)?.[1] ?? 0);
    return Array.from({ length: Math.max(0, more) }, () => code);
  });
  for (const [end, count] of Object.entries(after.ended) as [keyof WorkerTotals['ended'] & string, number][]) {
    for (let more = count - (before.ended[end] ?? 0); more > 0; more--) {
      // Each with one of the codes; the last one has those that are left.
      const own = end === 'rejected' ? codes.splice(0, more === 1 ? codes.length : 1) : [];
      events.push(endedAs(end, [...new Set(own)]));
    }
  }
  return events;
}
