/**
 * `RunState`: what all workers of a distributed run share, as plain JSON in one row of its ledger, and the pure
 * functions that change it. Each worker applies its own report while it has the row locked, so no leader is needed.
 */
import type { CooldownScope } from '../../../http/limits/cooldown.js';
import type { Outcome, Step } from '../../ledger/ledger.js';
import type { NotAccepted } from '../../record/events/record-event.js';
import type { DryRunOption } from '../../record/preconditions/dry-run.js';
import type { CompactEvent, FailedCall } from '../../throttle/compact-event.js';
import { HaltMonitor, type HaltState } from '../../throttle/halt-monitor.js';
import type { HaltRules } from '../../throttle/halt-rules.js';
import { type LimitState, nextLimit, withBounds } from '../../throttle/limits/adaptive-limit.js';
import type { ThrottleSettings } from '../../throttle/settings.js';

/** How the run works; a worker must know it to work in the same way. No secrets. */
export interface RunSettings {
  /** Address of the service: a worker for another one does not join. */
  address: string;
  team: string;
  validateRemotely: boolean;
  dryRun: DryRunOption;
  setAside: boolean;
  resendAfter500: boolean;
  forceAddToCurrentStatement: boolean;
  checkPreviouslyAdded: boolean;
  addToExisting: boolean | 'all';
  transactionsAtOnce: number;
  statementsAtOnce: number;
  notesAtOnce: number;
  /** As JSON; null for none. */
  profile: unknown;
  /** `TimeWindow.text`; null for always. */
  window: string | null;
  /** Engine of the work queue: a worker with another one does not join. */
  queue: 'postgres' | 'redis';
  halt: { fail: number | null; min: number; same: number; failed: number };
}

export interface RunState {
  /** `over`: the run has finished, and workers leave. */
  phase: 'open' | 'over';
  settings: RunSettings;
  /** The reason, while the run is paused. */
  paused: string | null;
  /** No call starts any more until the run is begun again. */
  ended: { state: 'draining' | 'halted'; reason: string | null; notAccepted: NotAccepted | null } | null;
  /** Of calls that process or try an account, of all workers together. */
  limit: LimitState;
  /** Requests a second of all workers together; 0 for no cap. */
  rps: number;
  /** No call of this scope starts before: milliseconds since 1970. */
  heldUntil: Readonly<Record<CooldownScope, number>>;
  halt: HaltState | null;
  /** Calls that failed since a record ended. */
  failedInRow: number;
  workers: Readonly<Record<string, WorkerState>>;
  /** Until the service has accepted the team: the worker that advances the first account. Else null. */
  firstAccount: { worker: string | null } | null;
  /** For the size of the backlog: records that had ended at that time, and how many a second. */
  pace: { at: number; ended: number; perSecond: number };
}

/** What one worker has told. */
export interface WorkerState {
  /** Milliseconds since 1970. */
  seenAt: number;
  /** Calls that process or try an account, in flight. */
  processing: number;
  /** How many accounts it could process at the same time; 0 while it takes none. */
  capacity: number;
  /** Records that it works on. */
  records: number;
  totals: WorkerTotals;
}

/** What a worker has done in this session. */
export interface WorkerTotals {
  ended: Partial<Record<Outcome, number>>;
  /** Of rejected records, how many had each code; the first hundred codes. */
  codes: [code: string, count: number][];
  passed: Partial<Record<Step, number>>;
  requests: number;
  throttled: number;
  failed: number;
  lastFailure: FailedCall | null;
}

export interface WorkerReport {
  worker: string;
  /** The most calls that process or try an account, in flight since the report before. */
  mostProcessing: number;
  processing: number;
  capacity: number;
  records: number;
  /** Answers to such calls: usable ones, and the latencies of those that created an account. */
  answers: number;
  latenciesMs: number[];
  /** Of those without a usable answer: how many milliseconds before this report they were sent, and why. */
  failures: [agoMs: number, cause: string][];
  /** How long calls wait because the service said so. */
  heldMs: Readonly<Record<CooldownScope, number>>;
  /** In the order in which they happened. */
  events: CompactEvent[];
  totals: WorkerTotals;
}

/** A worker that has not reported for so long takes part in nothing. */
const GONE_MS = 5000;
const FORGOTTEN_MS = 60_000;
/** Of the limit, so much counts as used up: workers report at different moments. */
const FULL = 0.85;
/** Code of a failure that concerns only one record: the database refused a value of it. */
export const VALUE_REFUSED = 'value_refused';

/** The state after a report, at `now` milliseconds since 1970. */
export function afterReport(state: RunState, report: WorkerReport, now: number): RunState {
  const { worker, processing, capacity, records, totals, heldMs } = report;
  const known = Object.entries(state.workers).filter(([, { seenAt }]) => now - seenAt < FORGOTTEN_MS);
  const workers = { ...Object.fromEntries(known), [worker]: { seenAt: now, processing, capacity, records, totals } };
  const others = liveWorkers({ workers }, now).filter(([id]) => id !== worker);
  const inFlight = others.reduce((sum, [, { processing }]) => sum + processing, report.mostProcessing);
  const usable = Array.from({ length: report.answers }, (_, index) => ({ latencyMs: report.latenciesMs[index] }));
  const failed = report.failures.map(([agoMs, failure]) => ({ failure, sentAt: now - agoMs }));
  const limit = nextLimit(state.limit, {
    ...{ at: now, isFull: inFlight >= FULL * state.limit.limit },
    answers: [...usable, ...failed],
  });
  const heldUntil = {
    all: Math.max(state.heldUntil.all, heldMs.all > 0 ? now + heldMs.all : 0),
    process: Math.max(state.heldUntil.process, heldMs.process > 0 ? now + heldMs.process : 0),
  };
  return afterEvents({ ...state, workers, limit, heldUntil }, report.events);
}

/** Workers that have reported lately. */
export function liveWorkers({ workers }: Pick<RunState, 'workers'>, now: number): [id: string, WorkerState][] {
  return Object.entries(workers).filter(([, { seenAt }]) => now - seenAt < GONE_MS);
}

/** What does not divide equally goes round among the workers, so long each. */
const TURN_MS = 1000;

/**
 * How many slots of `process` a worker may hold: an equal part of the limit, and of what others cannot use. Without it a worker
 * that has all slots takes each one again at the moment at which it gives it back. A part is rounded up where the others leave
 * something in any case, because the queue has the limit itself; else what does not divide equally goes round.
 */
export function slotsOf(state: Pick<RunState, 'limit' | 'workers'>, worker: string, now: number): number {
  let rest = state.limit.limit;
  const asking = liveWorkers(state, now)
    .map(([id, { capacity }]) => ({ id, capacity }))
    .filter(({ capacity }) => capacity > 0)
    .sort((one, other) => one.capacity - other.capacity || (one.id < other.id ? -1 : 1));
  for (const [index, { id, capacity }] of asking.entries()) {
    const left = asking.length - index;
    const equal = Math.floor(rest / left);
    if (capacity > equal) {
      const extras = rest % left;
      const place = asking.findIndex((one) => one.id === worker) - index;
      if (place < 0) return 0;
      if ((equal + 1) * (left - 1) < rest) return extras === 0 ? equal : equal + 1;
      const turn = Math.floor(now / TURN_MS) * extras;
      return equal + ((place + turn) % left < extras ? 1 : 0);
    }
    if (id === worker) return capacity;
    rest -= capacity;
  }
  return 0;
}

/** With what the events say of the halt rules. */
function afterEvents(state: RunState, events: readonly CompactEvent[]): RunState {
  // Calls that were held back or aborted are no evidence.
  if (events.length === 0 || state.ended !== null) return state;
  const monitor = new HaltMonitor(haltRulesOf(state.settings), state.halt ?? undefined);
  let { failedInRow } = state;
  for (const event of events) {
    if (event.type === 'ended') failedInRow = 0;
    if (event.type === 'failed') failedInRow++;
    if (event.type === 'failed' && event.code === VALUE_REFUSED) continue;
    const reason = monitor.onCompactEvent(event);
    if (reason === undefined) continue;
    const notAccepted = (event.type === 'failed' && event.notAccepted) || null;
    return halted(reason, notAccepted)({ ...state, failedInRow, halt: monitor.state() });
  }
  return { ...state, failedInRow, halt: monitor.state() };
}

/** Why one event halts the run by itself: no call starts here from this moment, before the others know. */
export function haltedAtOnceBy(event: CompactEvent, state: RunState | undefined): string | undefined {
  const isOfAll = (event.type === 'failed' && event.notAccepted !== undefined) || event.type === 'otherAccount';
  if (state === undefined || !isOfAll) return undefined;
  return new HaltMonitor(haltRulesOf(state.settings)).onCompactEvent(event);
}

/** The cause that the run stores for such an event. */
export function notAcceptedBy(event: CompactEvent): 'token' | 'supplier' | null {
  const of = event.type === 'failed' ? event.notAccepted : undefined;
  return of === 'token' || of === 'supplier' ? of : null;
}

function haltRulesOf({ halt }: Pick<RunSettings, 'halt'>): HaltRules {
  return { ...halt, fail: halt.fail ?? undefined };
}

export type StateChange = (state: RunState) => RunState;

export function paused(reason: string | null): StateChange {
  return (state) => ({ ...state, paused: reason });
}

export const draining: StateChange = (state) =>
  state.ended === null ? { ...state, ended: { state: 'draining', reason: null, notAccepted: null } } : state;

/** The first reason stays. */
export function halted(reason: string, notAccepted: NotAccepted | null): StateChange {
  return (state) =>
    state.ended?.state === 'halted' ? state : { ...state, ended: { state: 'halted', reason, notAccepted } };
}

export function withSettings({ processConcurrency: most, rps }: ThrottleSettings): StateChange {
  return (state) => ({
    ...state,
    limit:
      most === undefined ? state.limit : withBounds(state.limit, { least: Math.min(state.limit.least, most), most }),
    rps: rps ?? state.rps,
  });
}

/** The rate at which records end, for the size of the backlog. */
export function withRate(state: RunState, now: number): RunState {
  const ended = Object.values(state.workers).reduce((sum, { totals }) => sum + endedIn(totals), 0);
  const seconds = (now - state.pace.at) / 1000;
  if (seconds < 1) return state;
  return { ...state, pace: { at: now, ended, perSecond: Math.max(0, ended - state.pace.ended) / seconds } };
}

export function endedIn({ ended }: Pick<WorkerTotals, 'ended'>): number {
  return Object.values(ended).reduce((sum, count) => sum + count, 0);
}

export function newWorker(): WorkerState {
  return { seenAt: 0, processing: 0, capacity: 0, records: 0, totals: noTotals() };
}

export function noTotals(): WorkerTotals {
  return { ended: {}, codes: [], passed: {}, requests: 0, throttled: 0, failed: 0, lastFailure: null };
}
