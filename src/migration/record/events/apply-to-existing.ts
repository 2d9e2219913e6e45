/**
 * Exports the changes of an existing account by `alreadyExists`, `itemsRequested` and `retryRequested`. Each function returns the
 * fields that change, and throws for an event that is impossible in the state of the record.
 */
import { ITEM_STEPS, type ItemStep, type LedgerError, type LedgerRecord, type Step } from '../../ledger/ledger.js';
import { itemsOfOtherLine, toSendAgain, unsentOf } from '../items/item-counts.js';
import { isItemStep, partOf } from '../items/items.js';
import { retrySteps, sendAllItems } from '../items/missing-items.js';
import { correctedItems, withReplaced } from '../items/replaced-amounts.js';
import type { EventOf } from './record-event.js';
import { canStartOver, impossibleEvent } from './record-state.js';

/** Codes of items that were not sent to an account that exists, by the reason. */
export const NOT_SENT = {
  /** The account existed before this run. */
  existed: 'existed_before_import',
  /** The service knows it by another external account number. */
  isOfAnother: 'existed_under_another_number',
  /** The line changed after the account was created. */
  changed: 'changed_after_import',
} as const;

/** The account existed before this run created it: the items that `sends` names are sent, the others are not. */
export function applyAlreadyExists(record: LedgerRecord, event: EventOf<'alreadyExists'>): Partial<LedgerRecord> {
  const { serviceNumber, sends = [], isOfAnother } = event;
  const { items } = record;
  const left = items === null ? [] : ITEM_STEPS.filter((step) => unsentOf(items[step]) > 0 && !sends.includes(step));
  const errors = [...record.errors, ...notSent(left, isOfAnother ? NOT_SENT.isOfAnother : NOT_SENT.existed)];
  if (sends.length === 0 || items === null) return { intent: null, serviceNumber, outcome: 'alreadyImported', errors };
  // The account is not staged or processed again: the next steps are those of its items, or of the items that are
  // sent.
  const existing = { intent: null, serviceNumber, errors, items: { ...items, existed: true } };
  if (left.length === 0) return { ...existing, done: 'process' };
  return { ...existing, done: 'notes', missing: sendAllItems(record, sends, left) };
}

/** Returns one error for each kind of item. */
function notSent(steps: readonly ItemStep[], code: string): LedgerError[] {
  return steps.map((step) => ({ step, code, attr: partOf(step) }));
}

/** Items of an existing account are sent that were not sent before. */
export function applyItemsRequested(record: LedgerRecord, event: EventOf<'itemsRequested'>): Partial<LedgerRecord> {
  const { steps, left, hash, contentHash, source, line, items: now } = event;
  if (record.intent !== null) throw impossibleEvent(record, event, `${record.intent} has an intent without an answer`);
  if (canStartOver(record)) throw impossibleEvent(record, event, 'it may not exist on the service');
  const changed = [...steps, ...left];
  const existed = record.items?.existed === true || record.outcome === 'alreadyImported';
  const errors = record.errors.filter(({ step, code }) => {
    const isGone = code === NOT_SENT.existed && isItemStep(step) && now[step] === null;
    return !isGone && !(changed as Step[]).includes(step);
  });
  const items = itemsOfOtherLine(record.items ?? now, now, changed);
  return {
    ...{ hash, contentHash, correctedFrom: null, source, line, outcome: null },
    // `notes` is the last step.
    done: 'notes',
    errors: [...errors, ...notSent(left, existed ? NOT_SENT.existed : NOT_SENT.changed)],
    missing: sendAllItems(record, steps, left),
    items: { ...items, existed, replaced: null },
  };
}

/** Steps of an existing account that failed are executed again, with the items of the named line. */
export function applyRetryRequested(record: LedgerRecord, event: EventOf<'retryRequested'>): Partial<LedgerRecord> {
  const {
    steps,
    hash,
    contentHash,
    correctedFrom = null,
    source,
    line,
    items: now,
    warnings = record.warnings,
  } = event;
  if (record.intent !== null) throw impossibleEvent(record, event, `${record.intent} has an intent without an answer`);
  const known = record.missing?.items.map(({ step }) => step) ?? [];
  const wrong = steps.find((step) => !known.includes(step) || record.unknown.includes(step));
  if (wrong !== undefined) throw impossibleEvent(record, event, `${wrong} is not missing`);
  const errors = record.errors.filter(({ step }) => !steps.includes(step));
  const again = toSendAgain(record.items, steps, now);
  const items = correctedFrom === null ? withReplaced(again, null) : correctedItems(again, record.items);
  return {
    hash,
    contentHash,
    correctedFrom,
    source,
    line,
    errors,
    warnings,
    items,
    missing: retrySteps(record, steps, event.isOfRetry),
    outcome: null,
  };
}
