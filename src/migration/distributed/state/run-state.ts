/**
 * Exports `RunState`, the shared state of all workers of a distributed run: plain JSON in one row of the ledger, and the pure
 * functions that change it. Each worker applies its own report while it has the row locked, so no leader is needed.
 */

import type { CooldownScope } from '../../../http/limits/cooldown.js';
import type { DryRunOption } from '../../record/preconditions/dry-run.js';
import type { CallSettings } from '../../record/steps/call-settings.js';
import type { CompactEvent } from '../../throttle/compact-event.js';
import type { HaltRules } from '../../throttle/halt-rules.js';
import { counted, type Pace } from '../../throttle/pace.js';
import { GONE_MS } from '../dead-worker.js';
import type { WorkerWork } from '../ledger/worker-rows.js';

/** Settings of the run that all workers apply. No secrets. */
export interface RunSettings extends Omit<CallSettings, 'client' | 'profile' | 'signal'> {
  /** Address of the service. A worker for another address cannot join. */
  address: string;
  dryRun: DryRunOption;
  /** The profile as JSON; null for none. */
  profile: unknown;
  /** `TimeWindow.text`; null without a time window. */
  window: string | null;
  halt: HaltRules;
}

/** `limit`, `rps` and `halt` are those of all workers together. */
export interface RunState extends Pace {
  /** `over`: the run has finished, and workers leave. */
  phase: 'open' | 'over';
  settings: RunSettings;
  /** Whether all records of the input are registered. */
  isWholeInputKnown: boolean;
  /** Time before which no call of this scope starts, in milliseconds since 1970. */
  heldUntil: Readonly<Record<CooldownScope, number>>;
  /** Number of failed calls since the last end of a record. */
  failedInRow: number;
  workers: Readonly<Record<string, WorkerState>>;
  /** Whether the service has accepted the team. Until then the coordinator registers one account at a time. */
  isTeamAccepted: boolean;
}

/** What a worker reports. */
export interface WorkerReport {
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

/** The last report of one worker. */
export interface WorkerState extends WorkerReport {
  /** Milliseconds since 1970. */
  seenAt: number;
}

/** Changes the state. `now`: milliseconds since 1970. */
export type StateChange = (state: RunState, now: number) => RunState;

const FORGOTTEN_MS = 60_000;
/** Code of a failure of a single record: the database refused one of its values. */
export const VALUE_REFUSED = 'value_refused';

/** Returns the change by which a worker reports. */
export function reported(worker: string, report: WorkerReport): StateChange {
  return (state, now) => {
    const known = Object.entries(state.workers).filter(([, { seenAt }]) => now - seenAt < FORGOTTEN_MS);
    return { ...state, workers: { ...Object.fromEntries(known), [worker]: { seenAt: now, ...report } } };
  };
}

/** Returns the change after which no call of this scope starts before this time. Does not shorten a longer wait. */
export function held(until: number, scope: CooldownScope): StateChange {
  return (state) => ({
    ...state,
    heldUntil: { ...state.heldUntil, [scope]: Math.max(state.heldUntil[scope], until) },
  });
}

/** Returns the change by which the run counts events of a worker. */
export function countedInRun(events: readonly CompactEvent[]): StateChange {
  return (state, now) => {
    if (events.length === 0 || state.ended !== null) return state;
    let { failedInRow } = state;
    for (const { type } of events) {
      if (type === 'ended') failedInRow = 0;
      if (type === 'failed') failedInRow++;
    }
    const ofRun = events.filter((event) => event.type !== 'failed' || event.code !== VALUE_REFUSED);
    return counted(ofRun)({ ...state, failedInRow }, now);
  };
}

/** Returns how many `process` and dry-run calls the other workers have in flight; undefined if there is no other. */
export function inFlightElsewhere(state: Pick<RunState, 'workers'>, worker: string, now: number): number | undefined {
  const others = liveWorkers(state, now).filter(([id]) => id !== worker);
  return others.length === 0 ? undefined : others.reduce((sum, [, { processing }]) => sum + processing, 0);
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
export function slotsOf(state: RunState, worker: string, now: number): number {
  const { limit } = state.limit;
  const share = shareOf(limit, liveWorkers(state, now), worker, now);
  return Math.max(0, Math.min(share, limit - (inFlightElsewhere(state, worker, now) ?? 0)));
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
