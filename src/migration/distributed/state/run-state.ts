/**
 * Exports `RunState`, the shared state of all workers of a distributed run: plain JSON in one row of the ledger, and the pure
 * functions that change it. Each worker applies its own report while it has the row locked, so no leader is needed.
 */
import type { CooldownScope } from '../../../http/limits/cooldown.js';
import type { NotAccepted } from '../../record/events/record-event.js';
import type { DryRunOption } from '../../record/preconditions/dry-run.js';
import type { CompactEvent } from '../../throttle/compact-event.js';
import { HaltMonitor, type HaltState } from '../../throttle/halt-monitor.js';
import type { HaltRules } from '../../throttle/halt-rules.js';
import { type LimitState, nextLimit, withBounds } from '../../throttle/limits/adaptive-limit.js';
import type { ThrottleSettings } from '../../throttle/settings.js';
import type { WorkerWork } from '../ledger/worker-rows.js';

/** Settings of the run that all workers apply. No secrets. */
export interface RunSettings {
  /** Address of the service. A worker for another address cannot join. */
  address: string;
  team: string;
  validateRemotely: boolean;
  dryRun: DryRunOption;
  setAside: boolean;
  resendAfter500: boolean;
  force_add_to_current_statement: boolean;
  check_previously_added: boolean;
  addToExisting: boolean | 'all';
  transactionsAtOnce: number;
  statementsAtOnce: number;
  notesAtOnce: number;
  /** The profile as JSON; null for none. */
  profile: unknown;
  /** `TimeWindow.text`; null without a time window. */
  window: string | null;
  halt: Omit<HaltRules, 'fail'> & { fail: number | null };
}

export interface RunState {
  /** `over`: the run has finished, and workers leave. */
  phase: 'open' | 'over';
  settings: RunSettings;
  /** Whether all records of the input are registered. */
  isWholeInputKnown: boolean;
  /** The reason, while the run is paused. */
  paused: string | null;
  /** Set if no call may start until the run is begun again. */
  ended: { state: 'draining' | 'halted'; reason: string | null; notAccepted: NotAccepted | null } | null;
  /** Adaptive limit of simultaneous `process` and dry-run calls of all workers. */
  limit: LimitState;
  /** Limit of requests per second of all workers; 0 for none. */
  rps: number;
  /** Time before which no call of this scope starts, in milliseconds since 1970. */
  heldUntil: Readonly<Record<CooldownScope, number>>;
  halt: HaltState | null;
  /** Number of failed calls since the last end of a record. */
  failedInRow: number;
  workers: Readonly<Record<string, WorkerState>>;
  /** The worker that imports the first account; null when the service has accepted the team. */
  firstAccount: { worker: string | null } | null;
}

/** The last report of one worker. */
export interface WorkerState {
  /** Milliseconds since 1970. */
  seenAt: number;
  /** Number of `process` and dry-run calls in flight. */
  processing: number;
  /** Number of accounts that it can process at the same time; 0 while it has none. */
  capacity: number;
  /** Number of records that it works on. */
  records: number;
  /** Counts of its work in this session. */
  work: WorkerWork;
  /** How often each of its events has occurred, by its JSON. */
  counts: Readonly<Record<string, number>>;
}

export interface WorkerReport extends Omit<WorkerState, 'seenAt'> {
  worker: string;
  /** Highest number of `process` and dry-run calls in flight since the previous report. */
  mostProcessing: number;
  /** Usable answers to such calls, and the latencies of those that created an account. */
  answers: number;
  latenciesMs: number[];
  /** Such calls without a usable answer: how many milliseconds before this report they were sent, and the cause. */
  failures: [agoMs: number, cause: string][];
  /** How long calls wait after a 429, by scope. */
  heldMs: Readonly<Record<CooldownScope, number>>;
  /** The events since the previous report, in order. */
  events: CompactEvent[];
}

/** A worker without a report for so long is considered dead. */
const GONE_MS = 5000;
const FORGOTTEN_MS = 60_000;
/** The limit counts as reached at this share, because workers report at different times. */
const FULL = 0.85;
/** Code of a failure of a single record: the database refused one of its values. */
export const VALUE_REFUSED = 'value_refused';

/** Returns the state after a report. `now`: milliseconds since 1970. */
export function afterReport(state: RunState, report: WorkerReport, now: number): RunState {
  const { worker, processing, capacity, records, work, counts, heldMs } = report;
  const known = Object.entries(state.workers).filter(([, { seenAt }]) => now - seenAt < FORGOTTEN_MS);
  const own = { seenAt: now, processing, capacity, records, work, counts };
  const workers = { ...Object.fromEntries(known), [worker]: own };
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
  return afterEvents({ ...state, workers, limit, heldUntil }, report.events, now);
}

/** Returns whether workers may take part: the run has begun, and is neither drained, halted nor over. */
export function isOpen(state: RunState | undefined): state is RunState {
  return state?.phase === 'open' && state.ended === null;
}

/** Returns the workers that have reported recently. */
export function liveWorkers({ workers }: Pick<RunState, 'workers'>, now: number): [id: string, WorkerState][] {
  return Object.entries(workers).filter(([, { seenAt }]) => now - seenAt < GONE_MS);
}

/** With fewer slots than workers: how long a worker has a slot before the next worker gets it. A slot is unused while it moves. */
const TURN_MS = 3000;

/**
 * Returns how many calls of `process` a worker may have in flight: an equal share of the limit, plus a share of what others cannot use. With
 * fewer slots than workers, the slots rotate. A slot that another worker still uses is not free yet.
 */
export function slotsOf(state: Pick<RunState, 'limit' | 'workers'>, worker: string, now: number): number {
  const live = liveWorkers(state, now);
  const inUse = live.reduce((sum, [id, { processing }]) => sum + (id === worker ? 0 : processing), 0);
  return Math.max(0, Math.min(shareOf(state.limit.limit, live, worker, now), state.limit.limit - inUse));
}

function shareOf(limit: number, live: readonly [id: string, WorkerState][], worker: string, now: number): number {
  let rest = limit;
  const asking = live
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
      const turn = equal === 0 ? Math.floor(now / TURN_MS) * extras : 0;
      return equal + ((place + turn) % left < extras ? 1 : 0);
    }
    if (id === worker) return capacity;
    rest -= capacity;
  }
  return 0;
}

/** Returns the state after the halt rules have counted the events. */
function afterEvents(state: RunState, events: readonly CompactEvent[], now: number): RunState {
  // After the end of the run, failures of delayed or aborted calls are no evidence.
  if (events.length === 0 || state.ended !== null) return state;
  const monitor = new HaltMonitor(haltRulesOf(state.settings), state.halt ?? undefined);
  let { failedInRow } = state;
  for (const event of events) {
    if (event.type === 'ended') failedInRow = 0;
    if (event.type === 'failed') failedInRow++;
    if (event.type === 'failed' && event.code === VALUE_REFUSED) continue;
    const reason = monitor.onCompactEvent(event, now);
    if (reason === undefined) continue;
    return halted(reason, notAcceptedBy(event))({ ...state, failedInRow, halt: monitor.state() });
  }
  return { ...state, failedInRow, halt: monitor.state() };
}

/** Returns why this event halts the run; undefined if it does not. This process then starts no call, even before the others know. */
export function haltedAtOnceBy(event: CompactEvent, state: RunState): string | undefined {
  const isOfAll = (event.type === 'failed' && event.notAccepted !== undefined) || event.type === 'otherAnswer';
  if (!isOfAll) return undefined;
  return new HaltMonitor(haltRulesOf(state.settings)).onCompactEvent(event, 0);
}

/** Returns what the service did not accept, for the stored state. */
export function notAcceptedBy(event: CompactEvent): NotAccepted | null {
  return (event.type === 'failed' && event.notAccepted) || null;
}

function haltRulesOf({ halt }: Pick<RunSettings, 'halt'>): HaltRules {
  return { ...halt, fail: halt.fail ?? undefined };
}

export type StateChange = (state: RunState) => RunState;

export function paused(reason: string | null): StateChange {
  return (state) => ({ ...state, paused: reason });
}

/** Returns the change after which no call starts. `reason`: why the run ends itself; undefined if a person ends it. */
export function draining(reason?: string): StateChange {
  return (state) =>
    state.ended === null
      ? { ...state, ended: { state: 'draining', reason: reason ?? null, notAccepted: null } }
      : state;
}

/** Returns the change that halts the run. If it is already halted, the first reason remains. */
export function halted(reason: string, notAccepted: NotAccepted | null): StateChange {
  return (state) =>
    state.ended?.state === 'halted' ? state : { ...state, ended: { state: 'halted', reason, notAccepted } };
}

export function withSettings({ process, rps }: ThrottleSettings): StateChange {
  return (state) => ({
    ...state,
    limit: process === undefined ? state.limit : withBounds(state.limit, process),
    rps: rps ?? state.rps,
  });
}
