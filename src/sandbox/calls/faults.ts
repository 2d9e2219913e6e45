/** Exports `createFaults`, which changes the fault rules of a state, and `planFaults`, which decides what they do to one call. */
import type { Change } from '../state/changes.js';
import { type FaultRecord, type FaultRule, type FaultTarget, faultRecord } from '../state/fault-rules.js';
import type { Ids } from '../state/generated-ids.js';
import type { Store } from '../state/store.js';
import type { Outcome } from './call.js';

/** The fault rules of a sandbox: `sandbox.faults`. Rules are evaluated in their order. */
export interface Faults {
  /** Adds a rule after the others; returns its id. Throws a TypeError for an invalid rule. */
  add(rule: FaultRule): string;
  /** Removes a rule. Returns false if no rule has this id. */
  remove(id: string): boolean;
  /** Removes all rules. */
  clear(): void;
  /** Returns the rules in their order, with their counters. */
  list(): readonly Readonly<FaultRecord>[];
}

/** Returns the methods that change the fault rules of a state. */
export function createFaults(store: () => Store): Faults {
  return {
    add(rule) {
      const { state, commit } = store();
      const fault = faultRecord(rule, state.faults);
      commit([{ type: 'faultAdded', fault }]);
      return fault.id;
    },
    remove(id) {
      const { state, commit } = store();
      const isThere = state.faults.some((rule) => rule.id === id);
      if (isThere) commit([{ type: 'faultRemoved', id }]);
      return isThere;
    },
    clear: () => store().commit([{ type: 'faultsCleared' }]),
    list: () => store().state.faults,
  };
}

/** The properties of a call that fault rules match. */
export interface FaultCall {
  operation: FaultTarget;
  supplier: string | undefined;
  account: string | undefined;
}

/** The effects of fault rules on one call. */
export interface FaultPlan {
  /** Ids of the rules that fired. */
  ids: readonly string[];
  /** In ms. */
  waitBefore: number;
  /** In ms, between the checks of the call and its commit. */
  waitDuring: number;
  /** In ms. */
  waitAfter: number;
  before?: Outcome;
  /** The answer while the call continues. */
  during?: Outcome;
  after?: (answer: Outcome) => Outcome;
}

const NO_FAULTS: FaultPlan = { ids: [], waitBefore: 0, waitDuring: 0, waitAfter: 0 };
const WAITS = { before: 'waitBefore', during: 'waitDuring', afterCommit: 'waitAfter' } as const;

/** Returns the effects on a call, and counts it in every rule that it matches. Waits add up; of several answers, the first rule's applies. */
export function planFaults({ state, commit }: Store, call: FaultCall, ids: Ids): FaultPlan {
  if (state.faults.length === 0) return NO_FAULTS;
  const met = state.faults.filter((rule) => matches(rule, call));
  if (met.length === 0) return NO_FAULTS;
  const counted = met.map((rule) => countCall(rule, call, ids));
  commit(counted.map(({ change }) => change));
  const fired = met.filter((_, index) => counted[index]?.fires);
  if (fired.length === 0) return NO_FAULTS;
  const plan: FaultPlan = { ...NO_FAULTS, ids: fired.map(({ id }) => id) };
  for (const { effect, phase = 'before' } of fired) {
    if (typeof effect === 'object' && 'latencyMs' in effect) {
      plan[WAITS[phase]] += effect.latencyMs;
    } else if (phase !== 'afterCommit') plan[phase] ??= answerOf(effect, TRUNCATED_ANSWER);
    else plan.after ??= (answer) => answerOf(effect, answer);
  }
  return plan;
}

const TRUNCATED_ANSWER: Outcome = { status: 200, body: { detail: 'This answer ends half way.' } };

function answerOf(effect: Exclude<FaultRule['effect'], { latencyMs: number }>, answer: Outcome): Outcome {
  if (typeof effect === 'string') return { ...answer, onTheWay: effect };
  const { status, body, headers } = effect;
  return { status, body, ...(headers && { headers }) };
}

function matches({ match = {} }: FaultRule, call: FaultCall): boolean {
  const { operation, supplier, account } = match;
  return (
    (operation === undefined || [operation].flat().includes(call.operation)) &&
    (supplier === undefined || supplier === call.supplier) &&
    (account === undefined || account === call.account)
  );
}

/** Returns whether the rule applies to this call, and the change of its counters. */
function countCall(
  rule: FaultRecord,
  { operation, supplier, account }: FaultCall,
  ids: Ids,
): { fires: boolean; change: Change } {
  const { id, when = 'every', fired, times = Number.POSITIVE_INFINITY } = rule;
  const met = rule.met + 1;
  const isSpent = fired >= times;
  if (typeof when === 'object' && 'probability' in when && !isSpent) {
    const key = JSON.stringify([operation, supplier, account]);
    const count = (rule.tries[key] ?? 0) + 1;
    const fires = ids.draw('fault', id, key, count) < when.probability;
    return { fires, change: { type: 'faultMet', id, met, fired: fired + Number(fires), tries: [key, count] } };
  }
  const fires = !isSpent && isDue(when, met);
  return { fires, change: { type: 'faultMet', id, met, fired: fired + Number(fires) } };
}

function isDue(when: NonNullable<FaultRule['when']>, met: number): boolean {
  if (when === 'every') return true;
  if (when === 'first') return met === 1;
  if ('nth' in when) return met === when.nth;
  return 'every' in when && met % when.every === 0;
}
