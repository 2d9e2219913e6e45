/**
 * Exports `Pace`, the state of a throttle as plain JSON, and the pure functions that change it. A run on one machine has it in memory, a
 * distributed run in one row of its ledger.
 */
import type { NotAccepted } from '../record/events/record-event.js';
import type { CompactEvent } from './compact-event.js';
import { HaltMonitor, type HaltRules, type HaltState } from './halt-rules.js';
import { type LimitState, withBounds } from './limits/adaptive-limit.js';
import type { ThrottleSettings } from './settings.js';

export interface Pace {
  /** `window`: `TimeWindow.text`; null without a time window. */
  readonly settings: { readonly window: string | null; readonly halt: HaltRules };
  /** The reason, while the run is paused. */
  readonly paused: string | null;
  /** Set if no call may start until the run is begun again. */
  readonly ended: { state: 'draining' | 'halted'; reason: string | null; notAccepted: NotAccepted | null } | null;
  /** Adaptive limit of simultaneous `process` and dry-run calls. */
  readonly limit: LimitState;
  /** Limit of requests per second; 0 for none. */
  readonly rps: number;
  readonly halt: HaltState | null;
}

/** `now`: milliseconds since 1970. */
export type PaceChange = <State extends Pace>(state: State, now: number) => State;

/** null: it continues. */
export function paused(reason: string | null): PaceChange {
  return (state) => ({ ...state, paused: reason });
}

/** Returns the change after which no call starts. `reason`: why the run ends itself; undefined if a person ends it. */
export function draining(reason?: string): PaceChange {
  return (state) =>
    state.ended === null
      ? { ...state, ended: { state: 'draining', reason: reason ?? null, notAccepted: null } }
      : state;
}

/** Returns the change that halts the run. If it is already halted, the first reason remains. */
export function halted(reason: string, notAccepted: NotAccepted | null = null): PaceChange {
  return (state) =>
    state.ended?.state === 'halted' ? state : { ...state, ended: { state: 'halted', reason, notAccepted } };
}

export function withSettings({ process, rps }: ThrottleSettings): PaceChange {
  return (state) => ({
    ...state,
    limit: process === undefined ? state.limit : withBounds(state.limit, process),
    rps: rps ?? state.rps,
  });
}

/** Returns the change after which the halt rules have counted the events. */
export function counted(events: readonly CompactEvent[]): PaceChange {
  return (state, now) => {
    // After the end of the run, failures of delayed or aborted calls are no evidence.
    if (events.length === 0 || state.ended !== null) return state;
    const monitor = new HaltMonitor(state.settings.halt, state.halt ?? undefined);
    for (const event of events) {
      const reason = monitor.onCompactEvent(event, now);
      if (reason === undefined) continue;
      const notAccepted = event.type === 'failed' ? event.notAccepted : undefined;
      return halted(reason, notAccepted ?? null)({ ...state, halt: monitor.state() }, now);
    }
    return { ...state, halt: monitor.state() };
  };
}
