/**
 * Exports `itemsEventOf`, which decides which items of an account that exists are sent, again or for the first time, when its line has changed:
 * of a corrected line only the refused ones, if it differs in nothing else.
 */

import { hasText } from '../../../schemas/payloads/note.js';
import { hasId } from '../../../schemas/payloads/transaction.js';
import type { ImportRecord } from '../../validation/records/import-record.js';
import type { InputLine } from '../input/source.js';
import { NO_ITEMS } from '../ledger/items.js';
import { type Difference, type ItemStep, isImported, type LedgerRecord } from '../ledger/ledger.js';
import { areOtherCustomers, digestsOf, isSameButItems, isSameContent, withItemsOf } from '../shared/content-digests.js';
import { differenceOf } from './changed-and-removed.js';
import { movedErrors, NOT_SENT } from './events/apply-to-existing.js';
import type { EventOf } from './events/record-event.js';
import { canStartOver } from './events/record-state.js';
import { hasAny, hasGone, itemsIn, matched, newIn, requested, withoutRefused } from './items/item-states.js';
import { namedIn, withItemsWhere } from './items/items.js';
import type { CallSettings } from './steps/call-settings.js';
/**
 * `isRetried`: rejected records and items are sent again even if the line is unchanged. `isOtherAccepted`: a person has agreed that a line of
 * another customer than that of its record is sent.
 */
export interface KnownLine {
  item: InputLine;
  payload: ImportRecord;
  /** Of the payload. */
  contentHash: string;
  isRetried: boolean;
  isOtherAccepted?: boolean;
}

/**
 * Returns whether no item of this line may be sent, because the line is of another customer: unless a person has agreed, and wants items
 * added. An unfinished record without any can end.
 */
export function isHeldBack(
  record: LedgerRecord,
  { contentHash, isOtherAccepted, payload }: KnownLine,
  { addToExisting }: Pick<CallSettings, 'addToExisting'>,
): boolean {
  if ((isOtherAccepted === true && addToExisting) || canStartOver(record)) return false;
  if (record.outcome === null && newIn(NO_ITEMS, itemsIn(payload)).length === 0) return false;
  return areOtherCustomers(record.contentHash, contentHash);
}

type ItemSettings = Pick<CallSettings, 'addToExisting' | 'check_previously_added'>;

/** Returns whether the line has the content of the record, whatever its bytes. */
export function isLineOf(
  { hash, contentHash, difference }: LedgerRecord,
  line: { item: Pick<InputLine, 'hash'>; contentHash: string },
): boolean {
  return isSameContent(contentHash, line.contentHash) || (hash === line.item.hash && difference === null);
}

/**
 * Returns the event by which an existing account continues with the items of the line; undefined if none of them is to be sent or given
 * up. Refused items are sent again on request, if the account is as before. The rest of a refused request is sent after the line gave up
 * the items that the refusal was about. Items that were not sent before are added to an account that
 * existed before, or that an earlier version of the line created, if `addToExisting` asks for it: those that the service skips where it has
 * them, and others only if this run created the account, because the ledger has no record of what an account had before. If the line
 * differs in something that is not sent, the event has the difference.
 */
export function itemsEventOf(
  record: LedgerRecord,
  line: KnownLine,
  settings: ItemSettings,
): (EventOf<'itemsRequested'> & { difference: Difference | null }) | undefined {
  const { outcome, intent, errors } = record;
  if (canStartOver(record) || errors.some(({ code }) => code === NOT_SENT.isOfAnother)) return undefined;
  if (outcome !== null && (intent !== null || !isImported(record))) return undefined;
  if (isHeldBack(record, line, settings)) return undefined;
  const isSame = isLineOf(record, line);
  const isSameAccount = isSameButItems(record.contentHash, line.contentHash);
  const now = matched(record.items, itemsIn(line.payload));
  const existed = outcome === 'alreadyImported' || record.items.existed;
  const [added, isGone] = [newIn(record.items, now), hasGone(now)];
  const isCorrected = isSameAccount && !isGone && added.every((step) => hasAny(record.items, ['rejected'], step));
  const without = added.length === 0 ? withoutRefused(record.items, now) : [];
  const isNamed = namedIn(movedErrors(errors, record.items, now));
  const items = requested(record.items, now, {
    isRetried: line.isRetried && isCorrected,
    isContinued: outcome === null,
    isChanged: !isSame,
    isAdded: (step) =>
      Boolean(settings.addToExisting) &&
      (isSkippedWhereThere(step, line.payload, settings) || !existed || settings.addToExisting === 'all'),
    isRest: (step, position) => without.includes(step) && !isNamed(step, position),
  });
  const isSent = outcome === null || hasAny(items, ['waiting']);
  const isGivenUp = without.length > 0 || (isSameAccount && !isSame && !isGone && added.length === 0);
  if (!isSent && !isGivenUp) return undefined;
  const event = { type: 'itemsRequested', ...placeOf(line), items } as const;
  if (isSame || (isSameAccount && !isGone)) return { ...event, difference: null };
  const sent = withItemsWhere(line.payload, (step, index) => items[step][index]?.status !== 'notSent');
  const contentHash = withItemsOf(record.contentHash, digestsOf(sent, record.number));
  return { ...event, contentHash, difference: differenceOf({ ...record, contentHash }, line, items) };
}

/**
 * Returns whether the service skips items of this kind that it has. It does not recognise a note without a body, and may not recognise
 * a transaction without an id.
 */
export function isSkippedWhereThere(
  step: ItemStep,
  payload: ImportRecord,
  { check_previously_added }: Pick<CallSettings, 'check_previously_added'>,
): boolean {
  const { notes = [], transactions = [] } = 'account' in payload ? payload : {};
  if (step === 'transactions') return check_previously_added && transactions.every(hasId);
  return step === 'notes' && notes.every(hasText);
}

export function placeOf({ item: { hash, source, line }, contentHash }: KnownLine) {
  return { hash, contentHash, source, line };
}
