/**
 * Exports `applyItemsSent`, which returns the fields of a record that change at the end of a request with items. Each request of a step
 * has its own end.
 */
import type { ItemStep, LedgerRecord, MissingItems, RecordItems, StepParts } from '../../ledger/ledger.js';
import { afterPartOf, afterStep, inOrder, withCounts } from '../items/item-counts.js';
import type { ItemOutcomes } from '../items/item-outcomes.js';
import { isItemStep } from '../items/items.js';
import { afterPart, partsOf, positionsOf, tried, unsentAt } from '../items/missing-items.js';
import type { ItemsSentEvent } from './record-event.js';
import { errorsOfStep, withStepDone } from './record-state.js';

/** The changes after a step that sent items to an existing account. */
export function applyItemsSent(record: LedgerRecord, event: ItemsSentEvent): Partial<LedgerRecord> {
  const { type, step, errors = [], list } = event;
  const parts = partsOf(record, step);
  if (parts !== undefined && parts.sending.length > 0 && isItemStep(step))
    return applyPartSent(record, event, step, parts);
  const attempted = positionsOf(record, step);
  // Without `items`, all items of the step have the same outcome.
  const isSaid = event.items !== undefined || type === 'stepSucceeded';
  const { rejected = [], unknown = [], notSent = [] } = event.items ?? {};
  const named = isSaid ? inOrder([...rejected, ...unknown, ...notSent]) : attempted;
  const isMixed = named !== null && unknown.length > 0 && unknown.length < named.length;
  const isAll = attempted === null && named !== null && named.length > 0 && named.length === list?.total;
  const left = isAll && !isMixed ? null : named;
  const isInDoubt = isSaid ? unknown.length > 0 : type === 'outcomeUnknown';
  return {
    errors: errors.length === 0 ? record.errors : [...record.errors, ...errorsOfStep(step, errors)],
    unknown: isInDoubt ? [...record.unknown, step] : record.unknown,
    missing: tried(record, step, left, isMixed ? unknown : []),
    items: countsAfter(record, event),
    ...withStepDone(record, step),
  };
}

/** The changes after one of several requests of a step. */
function applyPartSent(
  record: LedgerRecord,
  event: ItemsSentEvent,
  step: ItemStep,
  { sending, ...before }: StepParts,
): Partial<LedgerRecord> {
  const { type, errors = [] } = event;
  const outcomes = event.items ?? outcomesByDefault(type, sending);
  const rejected = inOrder([...before.rejected, ...(outcomes.rejected ?? []), ...(outcomes.notSent ?? [])]);
  const unknown = inOrder([...before.unknown, ...(outcomes.unknown ?? [])]);
  const left = unsentAt(record, step).filter((one) => !sending.includes(one));
  const sum = { rejected: rejected.length, unknown: unknown.length };
  const after: Partial<LedgerRecord> = {
    intent: null,
    errors: errors.length === 0 ? record.errors : [...record.errors, ...errorsOfStep(step, errors)],
    unknown: unknown.length > 0 && !record.unknown.includes(step) ? [...record.unknown, step] : record.unknown,
    items: afterPartOf(record.items, step, sending, { items: outcomes, amounts: event.amounts }, sum),
  };
  const isOver = left.length === 0;
  return {
    ...after,
    missing: isOver
      ? afterLastPart(record, step, rejected, unknown)
      : afterPart(record, step, left, { sending: [], rejected, unknown }),
    ...(isOver && withStepDone(record, step)),
  };
}

/** What is missing after the last request of a step. */
export function afterLastPart(
  record: LedgerRecord,
  step: ItemStep,
  rejected: readonly number[],
  unknown: readonly number[],
): MissingItems | null {
  const left = inOrder([...rejected, ...unknown]);
  const isMixed = unknown.length > 0 && unknown.length < left.length;
  const isAll = left.length > 0 && left.length === record.items?.[step]?.total;
  return tried(record, step, isAll && !isMixed ? null : left, isMixed ? unknown : []);
}

function countsAfter(
  { items, missing }: LedgerRecord,
  { type, step, items: outcomes, list, amounts }: ItemsSentEvent,
): RecordItems | null {
  if (items === null || !isItemStep(step)) return items;
  const attempted = positionsOf({ missing }, step);
  const all = attempted ?? Array.from({ length: list?.total ?? items[step]?.total ?? 0 }, (_, position) => position);
  const after = afterStep(items[step], attempted, outcomes ?? outcomesByDefault(type, all), list, amounts);
  return withCounts(items, step, after);
}

/** Returns the outcomes of the items of an event that does not name any. */
export function outcomesByDefault(type: ItemsSentEvent['type'], attempted: readonly number[]): ItemOutcomes {
  if (type === 'stepSucceeded') return {};
  return type === 'stepRejected' ? { rejected: attempted } : { unknown: attempted };
}
