/** Exports the changes of a record when a step with an unknown outcome is resolved, by a person or by a query. */
import { ITEM_STEPS, type ItemStep, type LedgerRecord, type Step, type StepParts } from '../../ledger/ledger.js';
import { resolveUnknown } from '../items/item-amounts.js';
import { foundDone, inOrder, toSendAgain, withCounts } from '../items/item-counts.js';
import { isItemStep } from '../items/items.js';
import {
  afterPart,
  leftAfterFound,
  partsOf,
  positionsOf,
  retrySteps,
  tried,
  unsentAt,
} from '../items/missing-items.js';
import { afterLastPart } from './apply-items-sent.js';
import type { EventOf } from './record-event.js';
import {
  CREATING_STEP,
  finalOutcome,
  impossibleEvent,
  isBeforeCreation,
  wasRejectedAt,
  withStepDone,
} from './record-state.js';

/** The changes after a person or the service decided whether an unknown step took effect. */
export function applyResolved(record: LedgerRecord, event: EventOf<'resolved'>): Partial<LedgerRecord> {
  const { step, as, serviceNumber = record.serviceNumber } = event;
  if (!canResolve(record, step) && !(as === 'done' && wasRejectedAt(record, step))) {
    throw impossibleEvent(record, event, 'it is not unknown');
  }
  const parts = partsOf(record, step);
  if (parts !== undefined && isItemStep(step)) return resolvePart(record, step, as, parts);
  const unknown = record.unknown.filter((other) => other !== step);
  const intent = record.intent === step ? null : record.intent;
  const left = as === 'done' ? leftAfterFound(record, step) : [];
  // Remove the errors that explained why the outcome was unknown; errors of other items still explain why those are
  // missing.
  const errors = record.errors.filter((error) => error.step !== step || (left.length > 0 && !IN_DOUBT.has(error.code)));
  const settled = { unknown, intent, errors };
  const isAdded = !isBeforeCreation(record, step);
  if (as === 'notDone') {
    // A step with an intent and no answer is the next step anyway.
    const isNext = record.intent === step;
    if (!isAdded || isNext) return { ...settled, outcome: null };
    return {
      ...settled,
      items: toSendAgain(record.items, [step], undefined),
      missing: retrySteps(record, [step]),
      outcome: null,
    };
  }
  if (!isAdded) {
    const hasItems = record.items !== null && ITEM_STEPS.some((one) => record.items?.[one] !== null);
    const outcome = step === CREATING_STEP[record.kind] && record.kind !== 'account' && !hasItems ? 'created' : null;
    return { ...settled, done: step, outcome, serviceNumber };
  }
  const missing = tried(record, step, left);
  const attempted = record.intent === step ? positionsOf(record, step) : undefined;
  const items = isItemStep(step) ? foundDone(record.items, step, attempted) : record.items;
  if (record.intent === step) return { ...settled, ...withStepDone(record, step), missing, items };
  const isOpen = record.outcome === null || (missing?.pending.length ?? 0) > 0;
  return { ...settled, missing, items, outcome: isOpen ? null : finalOutcome({ ...record, unknown }) };
}

/** For a step with some requests done and others not: the next session sends the remaining items. */
function resolvePart(
  record: LedgerRecord,
  step: ItemStep,
  as: 'done' | 'notDone',
  parts: StepParts,
): Partial<LedgerRecord> {
  const sending = record.intent === step ? parts.sending : [];
  const inDoubt = inOrder([...parts.unknown, ...sending]);
  const unsent = unsentAt(record, step);
  const counts = record.items?.[step] ?? null;
  const isDone = as === 'done';
  const left = isDone ? unsent.filter((one) => !inDoubt.includes(one)) : inOrder([...unsent, ...inDoubt]);
  const isOver = left.length === 0;
  return {
    intent: record.intent === step ? null : record.intent,
    unknown: record.unknown.filter((other) => other !== step),
    errors: record.errors.filter((error) => error.step !== step || !IN_DOUBT.has(error.code)),
    items:
      record.items === null || counts === null
        ? record.items
        : withCounts(record.items, step, {
            ...counts,
            sent: counts.sent + (isDone ? inDoubt.length : 0),
            unknown: 0,
            amounts: resolveUnknown(counts.amounts, isDone, sending.length > 0),
          }),
    missing: isOver
      ? afterLastPart(record, step, parts.rejected, [])
      : afterPart(record, step, left, { sending: [], rejected: parts.rejected, unknown: [] }),
    ...(isOver && withStepDone(record, step)),
  };
}

/** Codes of items that may have been added. */
const IN_DOUBT: ReadonlySet<string> = new Set(['fewer_results', 'unknown_status']);

/** Returns whether the step has an unknown outcome, so that a person may resolve it. */
function canResolve({ unknown, intent }: LedgerRecord, step: Step): boolean {
  return unknown.includes(step) || intent === step;
}
