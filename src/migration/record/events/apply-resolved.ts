/** Exports the changes of a record when a step with an unknown outcome is resolved, by a person or by a query. */
import { ITEM_STEPS, type ItemStep, type LedgerRecord } from '../../ledger/ledger.js';
import { hasAny, isInDoubt, resolved, withList } from '../items/item-states.js';
import { isItemStep } from '../items/items.js';
import { withItems } from './apply-items-sent.js';
import { decisionOn, undecided, withoutItems } from './decisions.js';
import type { EventOf } from './record-event.js';
import {
  CREATING_STEP,
  finalOutcome,
  impossibleEvent,
  isBeforeCreation,
  wasRejectedAt,
  withStepDone,
} from './record-state.js';

/** The record after a person or the service decided whether an unknown step took effect. A person may replace an earlier decision. */
export function applyResolved(now: LedgerRecord, event: EventOf<'resolved'>, at: string): Partial<LedgerRecord> {
  if (event.isByPerson !== true) return resolution(now, event);
  const record = canResolve(now, event) ? now : (undecided(now, event.step, event.items) ?? now);
  const decision = decisionOn(record, event, at);
  const decisions = [...withoutItems(record.decisions, decision), decision];
  return { ...record, ...resolution(record, event), decisions };
}

function resolution(record: LedgerRecord, event: EventOf<'resolved'>): Partial<LedgerRecord> {
  const { step, as, serviceNumber = record.serviceNumber } = event;
  if (!canResolve(record, event) && !(as === 'done' && wasRejectedAt(record, step))) {
    throw impossibleEvent(record, event, 'it is not unknown');
  }
  if (isItemStep(step)) return resolvedItems(record, step, event);
  const settled = {
    unknown: record.unknown.filter((other) => other !== step),
    intent: record.intent === step ? null : record.intent,
    // They explained why the outcome was unknown.
    errors: record.errors.filter((error) => error.step !== step),
  };
  if (as === 'notDone' || !isBeforeCreation(record, step)) return { ...settled, outcome: null };
  const hasItems = ITEM_STEPS.some((one) => record.items[one].length > 0);
  const outcome = step === CREATING_STEP[record.kind] && record.kind !== 'account' && !hasItems ? 'created' : null;
  return { ...settled, done: step, outcome, serviceNumber };
}

/** Items that were not added are sent by the next session, as are those after them. */
function resolvedItems(
  record: LedgerRecord,
  step: ItemStep,
  { as, items: positions }: EventOf<'resolved'>,
): Partial<LedgerRecord> {
  const list = resolved(record.items[step], as === 'done', positions);
  const items = withList(record.items, step, list);
  const { unknown } = withItems(record, items);
  const hasRefused = hasAny(items, ['rejected', 'notSent'], step);
  const isLeft = list.some(isInDoubt);
  const isOver = as === 'done' && record.outcome !== null && !hasAny(items, ['waiting']);
  return {
    unknown,
    items,
    // Errors of other items still explain why those are missing.
    errors: record.errors.filter((error) => error.step !== step || isLeft || (hasRefused && !IN_DOUBT.has(error.code))),
    outcome: isOver ? finalOutcome({ ...record, unknown, items }) : null,
    ...(record.intent === step && {
      intent: null,
      ...(as === 'done' && !hasAny(items, ['waiting'], step) && withStepDone(record, step)),
    }),
  };
}

/** Codes of items that may have been added. */
const IN_DOUBT: ReadonlySet<string> = new Set(['fewer_results', 'unknown_status', 'errors_in_answer']);

/** Returns whether the step, or each of the items, has an unknown outcome, so that a person may resolve it. */
function canResolve(
  { unknown, intent, items }: LedgerRecord,
  { step, items: positions }: EventOf<'resolved'>,
): boolean {
  if (!unknown.includes(step) && intent !== step) return false;
  if (positions === undefined || !isItemStep(step)) return true;
  return positions.every((position) => items[step][position] !== undefined && isInDoubt(items[step][position]));
}
