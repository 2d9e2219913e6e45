/**
 * Exports the changes of an existing account by `alreadyExists` and `itemsRequested`, and errors with the places of another line. Each
 * function returns the fields that change, and throws for an event that is impossible in the state of the record.
 */
import type { RecordItems } from '../../ledger/items.js';
import { ITEM_STEPS, type ItemStep, type LedgerError, type LedgerRecord } from '../../ledger/ledger.js';
import { contentIn } from '../items/item-keys.js';
import { hasAny, heldBack, inLine, unsentSteps } from '../items/item-states.js';
import { isItemStep, partOf, withPosition } from '../items/items.js';
import { corrected, withReplaced } from '../items/tally.js';
import { withItems } from './apply-items-sent.js';
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

const NOT_SENT_CODES: ReadonlySet<string> = new Set(Object.values(NOT_SENT));

export function isNotSent({ code }: LedgerError): boolean {
  return NOT_SENT_CODES.has(code);
}

/** The account existed before this run created it: the items that `sends` names are sent, the others are not. */
export function applyAlreadyExists(record: LedgerRecord, event: EventOf<'alreadyExists'>): Partial<LedgerRecord> {
  const { serviceNumber, sends = [], isOfAnother } = event;
  const items = heldBack(record.items, sends);
  const left = ITEM_STEPS.filter((step) => hasAny(items, ['notSent'], step));
  const code = isOfAnother ? NOT_SENT.isOfAnother : NOT_SENT.existed;
  const errors = [...record.errors, ...left.map((step) => notSent(step, code))];
  if (sends.length === 0) return { intent: null, serviceNumber, outcome: 'alreadyImported', errors, items };
  // The account is not staged or processed again.
  const done = left.length === 0 ? 'process' : 'notes';
  return { intent: null, serviceNumber, errors, items: { ...items, existed: true }, done };
}

function notSent(step: ItemStep, code: string): LedgerError {
  return { step, code, attr: partOf(step) };
}

/** An existing account continues with the items of another line, or with items that were refused or held back. */
export function applyItemsRequested(record: LedgerRecord, event: EventOf<'itemsRequested'>): Partial<LedgerRecord> {
  const {
    hash,
    contentHash,
    correctedFrom = null,
    source,
    line,
    warnings = record.warnings,
    difference = null,
  } = event;
  if (canStartOver(record)) throw impossibleEvent(record, event, 'it may not exist on the service');
  const existed = record.items.existed || record.outcome === 'alreadyImported';
  const own = { ...event.items, existed };
  const items = correctedFrom === null ? withReplaced(own, null) : corrected(own, record.items);
  return {
    ...{ hash, contentHash, correctedFrom, source, line, warnings, difference, outcome: null },
    // `notes` is the last step.
    done: record.outcome === null ? record.done : 'notes',
    errors: errorsOf(record, items),
    ...withItems(record, items),
  };
}

/**
 * Removes the errors of items that are sent again or given up. Each kind with refused items, or with items that are held back, has an error:
 * an account without errors is complete.
 */
function errorsOf(record: LedgerRecord, items: RecordItems): LedgerError[] {
  const former = record.errors.filter((error) => !isNotSent(error));
  const kept = movedErrors(former, record.items, items).filter(({ step, attr }) => {
    if (!isItemStep(step)) return true;
    const isOfSent = withPosition(attr, (_, index) => (items[step][index]?.status === 'waiting' ? undefined : index));
    return isOfSent !== undefined && hasAny(items, ['rejected', 'unknown'], step);
  });
  const code = items.existed ? NOT_SENT.existed : NOT_SENT.changed;
  const unsent = unsentSteps(record.items, items);
  const bare = ITEM_STEPS.filter(
    (step) =>
      (hasAny(items, ['rejected'], step) || unsent.includes(step)) && !kept.some((error) => error.step === step),
  );
  return [
    ...kept,
    ...bare.map((step) => {
      const reason = hasAny(items, ['rejected'], step) ? former.find((error) => error.step === step) : undefined;
      return { ...(reason ?? { step, code }), attr: partOf(step) };
    }),
  ];
}

/** Returns the errors with the places of the items in another version of the line; without those of items that it does not have. */
export function movedErrors(errors: readonly LedgerError[], before: RecordItems, after: RecordItems): LedgerError[] {
  if (errors.length === 0) return [];
  const places = new Map<ItemStep, Map<string, number>>();
  const placesIn = (step: ItemStep) => {
    const found =
      places.get(step) ?? new Map(inLine(after[step]).map(({ key }, position) => [contentIn(key), position]));
    places.set(step, found);
    return found;
  };
  return errors.flatMap((error) => {
    const attr = withPosition(error.attr, (step, index) => {
      const [former, now] = [inLine(before[step])[index], after[step][index]].map(
        (item) => item && contentIn(item.key),
      );
      // Equal items keep their places.
      return former !== undefined && former === now ? index : placesIn(step).get(former ?? '');
    });
    return attr === undefined ? [] : attr === error.attr ? error : { ...error, attr };
  });
}
