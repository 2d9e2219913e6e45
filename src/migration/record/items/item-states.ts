/**
 * Exports what changes the states of the items of a record: `itemsIn` a payload, `matched` with another version of the line, `nextPart`
 * for the next request, and `settled` by its answer. Each function returns new lists; items are found again by what they are, and not by
 * their place.
 */
import type { ImportRecord } from '../../../validation/records/import-record.js';
import { type Item, type ItemStatus, NO_ITEMS, type RecordItems } from '../../ledger/items.js';
import { ITEM_STEPS, type ItemStep, isImported, type LedgerRecord, type Step } from '../../ledger/ledger.js';
import type { StepSettings } from '../steps/call-settings.js';
import { contentIn, keysOf } from './item-keys.js';
import type { ItemOutcomes } from './item-outcomes.js';
import { isItemStep, itemListOf } from './items.js';

type Items = readonly Item[];

/** Items that the service has, or may have: a person may have added one that was given up. */
const TOUCHED: ReadonlySet<ItemStatus> = new Set(['sending', 'sent', 'existed', 'unknown', 'givenUp']);

export function isTouched({ status }: Item): boolean {
  return TOUCHED.has(status);
}

/** Returns the items of a record before anything is sent. The payload may be unchecked. */
export function itemsIn(payload: ImportRecord): RecordItems {
  return withLists(NO_ITEMS, (step) => {
    const list = itemListOf(step, payload);
    if (list.length === 0) return NO_ITEMS[step];
    return keysOf(step, list).map(
      (key): Item => ({ key, status: 'waiting', isGone: false, absence: null, isMoved: false, confirmed: null }),
    );
  });
}

/** Returns the items with another list for each kind; the same object if all lists are the same. Without a spread, which takes ten times as long. */
function withLists(items: RecordItems, listOf: (step: ItemStep, list: Items) => Items): RecordItems {
  const { existed, replaced } = items;
  const paymentInstruction = listOf('paymentInstruction', items.paymentInstruction);
  const statements = listOf('statements', items.statements);
  const transactions = listOf('transactions', items.transactions);
  const notes = listOf('notes', items.notes);
  const isSame =
    paymentInstruction === items.paymentInstruction &&
    statements === items.statements &&
    transactions === items.transactions &&
    notes === items.notes;
  return isSame ? items : { existed, replaced, paymentInstruction, statements, transactions, notes };
}

/** Returns whether the line that was read last has the item, although that may not be the line of the record: see `compared`. */
export function isInInput({ absence }: Item): boolean {
  return absence === null;
}

/** Returns the items of the line that was read last, as `matched` returned them before `compared` added them to the record. */
export function inLastLine(items: RecordItems): RecordItems {
  return withLists(items, (_, list) =>
    list.filter((item) => isInInput(item) || isTouched(item)).map((item) => ({ ...item, isGone: !isInInput(item) })),
  );
}

export function withList(items: RecordItems, step: ItemStep, list: Items): RecordItems {
  return withLists(items, (other, known) => (other === step ? list : known));
}

/** Returns the items of the line: without those that only an earlier version of the line had. */
export function inLine(list: Items): Items {
  return list.some(({ isGone }) => isGone) ? list.filter(({ isGone }) => !isGone) : list;
}

/**
 * Returns the first positions in the line, counted from 0, of the items that `isWanted`. Each request of a step asks for them, and a loop
 * takes a tenth of the time of `flatMap`.
 */
export function positionsWhere(
  list: Items,
  isWanted: (item: Item) => boolean,
  most = Number.POSITIVE_INFINITY,
): number[] {
  const positions: number[] = [];
  for (let position = 0; position < list.length; position++) {
    const item = list[position] as Item;
    // Items that are gone come after those of the line.
    if (item.isGone || positions.length === most) break;
    if (isWanted(item)) positions.push(position);
  }
  return positions;
}

/** Returns whether any item of the line, or of one kind, has the status. */
export function hasAny(items: RecordItems, statuses: readonly ItemStatus[], step?: ItemStep): boolean {
  const lists = step === undefined ? ITEM_STEPS.map((one) => items[one]) : [items[step]];
  return lists.some((list) => list.some(({ status, isGone }) => !isGone && statuses.includes(status)));
}

/** Returns whether items of an existing account were refused. */
export function hasRefused(record: Pick<LedgerRecord, 'outcome' | 'items'>): boolean {
  return isImported(record) && hasAny(record.items, ['rejected']);
}

/** Returns whether items of an existing account were not sent. */
export function hasUnsent(record: Pick<LedgerRecord, 'outcome' | 'items'>): boolean {
  return isImported(record) && hasAny(record.items, ['notSent']);
}

/**
 * Returns the items of another version of the line, `now`, with the states of those that it had before. New items are `notSent`. Items that
 * the line does not have any more are given up if they were not sent, and kept as `isGone` if they were or may have been.
 */
export function matched(before: RecordItems, now: RecordItems): RecordItems {
  const lists = withLists(now, (step, list) => matchedList(before[step], list));
  return { ...lists, existed: before.existed, replaced: before.replaced };
}

function matchedList(before: Items, now: Items): Items {
  if (before.length === 0 && now.length === 0) return now;
  const left = byContent(before);
  const list = now.map((item): Item => {
    const former = left.get(contentIn(item.key))?.pop();
    if (former === undefined) return { ...item, status: 'notSent' };
    return former.isGone || former.absence !== null ? { ...former, isGone: false, absence: null } : former;
  });
  const gone = [...left.values()].flat().filter(isTouched);
  return [...list, ...gone.map((item): Item => ({ ...item, isGone: true, absence: item.absence ?? 'found' }))];
}

/** Of equal items those that were sent are the last: the others may be given up. */
function byContent(list: Items): Map<string, Item[]> {
  const found = new Map<string, Item[]>();
  for (const item of [...list.filter((one) => !isTouched(one)), ...list.filter(isTouched)]) {
    const equal = found.get(contentIn(item.key));
    if (equal === undefined) found.set(contentIn(item.key), [item]);
    else equal.push(item);
  }
  return found;
}

/**
 * Returns the items of a record with what another line, whose items are `line` after it was matched, lacks of them and has besides; without
 * either if no line differs.
 */
export function compared(items: RecordItems, line: RecordItems | null): RecordItems {
  return withLists(items, (step, list) => {
    const left = byContent(line === null ? [] : inLine(line[step]));
    const own = list.flatMap((item): Items => {
      if (item.isGone && item.status === 'notSent') return [];
      const isThere = line === null ? !item.isGone : left.get(contentIn(item.key))?.pop() !== undefined;
      const absence = isThere ? null : (item.absence ?? 'found');
      return [absence === item.absence ? item : { ...item, absence }];
    });
    const added = [...left.values()].flat().map((item): Item => ({ ...item, isGone: true }));
    const isSame = added.length === 0 && own.length === list.length && own.every((item, index) => item === list[index]);
    return isSame ? list : [...own, ...added];
  });
}

/** Returns the items after a person has accepted what `compared` found: those of `isKept` steps are still not sent, and all others given up. */
export function accepted(items: RecordItems, isKept: (step: ItemStep) => boolean): RecordItems {
  return withLists(items, (step, list) =>
    list.map((item): Item => {
      if (item.status === 'notSent' && (item.isGone || !isKept(step))) return { ...item, status: 'givenUp' };
      return item.absence === 'found' ? { ...item, absence: 'accepted' } : item;
    }),
  );
}

/** Returns whether the item is of a line that was not sent, or was given up: no version of the line that was sent has it. */
function isOfOtherLine({ status, isGone }: Item): boolean {
  return isGone && (status === 'notSent' || status === 'givenUp');
}

/** Returns the steps whose items in the line are others than before, in any order. */
export function differingSteps(before: RecordItems, after: RecordItems): ItemStep[] {
  const digestsOf = (list: Items) =>
    inLine(list)
      .map(({ key }) => contentIn(key))
      .sort()
      .join();
  return ITEM_STEPS.filter((step) => digestsOf(before[step]) !== digestsOf(after[step]));
}

/** Returns the steps of which the line has items, `after` it was matched, that it did not have before. */
export function newIn(before: RecordItems, after: RecordItems): ItemStep[] {
  return ITEM_STEPS.filter((step) => {
    const left = new Map<string, number>();
    for (const item of before[step]) {
      const content = contentIn(item.key);
      if (!isOfOtherLine(item)) left.set(content, (left.get(content) ?? 0) + 1);
    }
    return inLine(after[step]).some(({ key }) => {
      const count = left.get(contentIn(key)) ?? 0;
      left.set(contentIn(key), count - 1);
      return count === 0;
    });
  });
}

/** Returns the steps of which the line, `after` it was matched, lacks refused items. */
export function withoutRefused(before: RecordItems, after: RecordItems): ItemStep[] {
  const refusedIn = (list: Items) => list.filter(({ status }) => status === 'rejected').length;
  return ITEM_STEPS.filter((step) => refusedIn(after[step]) < refusedIn(before[step]));
}

/** Returns whether the line lacks items that were sent or may have been. */
export function hasGone(items: RecordItems): boolean {
  return ITEM_STEPS.some((step) => items[step].some((item) => item.isGone && !isOfOtherLine(item)));
}

/**
 * Returns how the items of the line, `after` it was matched, differ from those that were sent, apart from items with another content:
 * `added`: the positions of items that no earlier version of the line had. `isRemoved`: whether the line lacks one.
 */
export function itemDifferences(step: ItemStep, before: RecordItems, after: RecordItems) {
  const line = inLine(after[step]);
  const isGone = (item: Item) => item.isGone && !isOfOtherLine(item);
  // After some were sent, the record has the items of its line: those that are held back are in no earlier version.
  const isHeldBack = before[step].some(isGone);
  const isSent = ({ status, isGone }: Item) =>
    status !== 'givenUp' && !(status === 'notSent' && (isGone || isHeldBack));
  const former = [...before[step].filter(isSent), ...after[step].filter(isGone)];
  const [idsOfLine, idsOfFormer] = [idsIn(line), idsIn(former)];
  const contents = new Set(line.map(({ key }) => contentIn(key)));
  const ofRecord = new Set(inLine(before[step]).map(({ key }) => contentIn(key)));
  return {
    added: positionsWhere(
      line,
      ({ status, key }) =>
        (status === 'notSent' && !idsOfFormer.has(key.id)) || (status === 'givenUp' && !ofRecord.has(contentIn(key))),
    ),
    isRemoved: former.some(({ key }) => !contents.has(contentIn(key)) && !idsOfLine.has(key.id)),
  };
}

function idsIn(list: Items): ReadonlySet<string> {
  return new Set(list.map(({ key }) => key.id).filter((id) => id !== ''));
}

/** Returns the steps of which the line has items that were not sent, and that are no other versions of items that were. */
export function unsentSteps(before: RecordItems, after: RecordItems): ItemStep[] {
  return ITEM_STEPS.filter((step) => {
    const mayBeOther = mayBeSentOne(before[step], after[step]);
    return after[step].some((item) => item.status === 'notSent' && !item.isGone && !mayBeOther(item));
  });
}

/** Why items of an existing account are sent. */
export interface Wanted {
  /** Refused items are sent again, as they are in the line. */
  isRetried: boolean;
  /** The record is unfinished, and its line has changed: new items are sent as in a new line. */
  isContinued: boolean;
  /** The line is another one than that of the record. */
  isChanged: boolean;
  /** Returns whether items that were not sent before are added. */
  isAdded(step: ItemStep): boolean;
  /** Returns whether a refused item was refused only with others of its request, which the line does not have any more. */
  isRest(step: ItemStep, position: number): boolean;
}

/** Returns the items of the line, `after` it was matched, with `waiting` for those that are sent. */
export function requested(before: RecordItems, after: RecordItems, wanted: Wanted): RecordItems {
  return withLists(after, (step, list) => {
    const isRetried = wanted.isRetried && hasAny(before, ['rejected'], step);
    const isContinued = wanted.isContinued && !hasAny(before, ['notSent'], step);
    const isOpen = wanted.isAdded(step) || isRetried || isContinued;
    // All items of a request are refused for one of them, which the line may have corrected or taken out.
    const isRefused = isRetried || (isOpen && wanted.isChanged);
    const mayBeOther = mayBeSentOne(before[step], list);
    return list.map((item, position): Item => {
      const isWanted =
        item.status === 'rejected' ? isRefused || wanted.isRest(step, position) : item.status === 'notSent' && isOpen;
      return isWanted && !item.isGone && !mayBeOther(item) ? { ...item, status: 'waiting' } : item;
    });
  });
}

/**
 * Returns a function that tells whether an item may be another version of one that was sent or given up: it has its identifier, or its
 * content but for that, or the line lacks such an item, and nothing shows which of the new ones is in its place. The correction of a refused
 * item has its identifier.
 */
function mayBeSentOne(before: Items, after: Items): (item: Item) => boolean {
  const gone = after.filter(({ isGone }) => isGone);
  if (gone.length === 0) return () => false;
  const [sent, known] = [idsIn(gone), idsIn(inLine(after))];
  // Payment instructions are mostly equal but for their reference.
  const contents = new Set(gone.filter(({ key }) => key.type !== null).map(({ key }) => key.digest));
  const refused = idsIn(before.filter(({ status }) => status === 'rejected'));
  const isReplaced = gone.some(({ key, absence }) => absence !== 'accepted' && !known.has(key.id));
  return ({ key, status }) =>
    sent.has(key.id) || (status === 'notSent' && (contents.has(key.digest) || (isReplaced && !refused.has(key.id))));
}

type PartSettings = Pick<StepSettings, 'statementsAtOnce' | 'transactionsAtOnce' | 'notesAtOnce'>;

/** Returns the maximum number of items in one request of a step. */
export function mostAtOnce(
  step: ItemStep,
  { statementsAtOnce: statements, transactionsAtOnce: transactions, notesAtOnce: notes }: PartSettings,
): number {
  return { paymentInstruction: 1, statements, transactions, notes }[step];
}

/**
 * Returns the positions of the next request of a step. Of transactions all remaining ones: the service recognises those that it has, so
 * each request needs no separate intent.
 */
export function nextPart(step: ItemStep, { items }: Pick<LedgerRecord, 'items'>, settings: PartSettings): number[] {
  const most = step === 'transactions' ? Number.POSITIVE_INFINITY : mostAtOnce(step, settings);
  return positionsWhere(items[step], ({ status }) => status === 'waiting', most);
}

/** Returns the positions in the request of the intent. */
export function sendingAt({ items }: Pick<LedgerRecord, 'items'>, step: ItemStep): number[] {
  return positionsWhere(items[step], ({ status }) => status === 'sending');
}

/** Marks the items at these positions as those in the request of the intent. */
export function sending(list: Items, positions: readonly number[]): Items {
  const isIn = new Set(positions);
  return list.map((item, position) => (isIn.has(position) ? { ...item, status: 'sending' } : item));
}

/**
 * Returns the items after the request of the intent had no effect, or may be repeated. Nothing repeats an item that is gone, which only a
 * request of an earlier session can have had: it may have been added.
 */
export function released(list: Items): Items {
  return list.map((item) =>
    item.status === 'sending' ? { ...item, status: item.isGone ? 'unknown' : 'waiting' } : item,
  );
}

/**
 * Returns the items after an answer. `outcomes`: by position; items that it does not name were added. Without it, all items of the
 * request have the same outcome, `all`.
 */
export function settled(list: Items, outcomes: ItemOutcomes | undefined, all: ItemStatus): Items {
  const {
    alreadyImported = [],
    rejected = [],
    unknown = [],
    notSent = [],
    moved = [],
    otherAmounts = [],
  } = outcomes ?? {};
  const status = new Map<number, ItemStatus>();
  for (const position of alreadyImported) status.set(position, 'existed');
  for (const position of rejected) status.set(position, 'rejected');
  for (const position of unknown) status.set(position, 'unknown');
  for (const position of notSent) status.set(position, 'notSent');
  const isMoved = new Set(moved);
  const confirmed = new Map(otherAmounts.map(({ position, amount }) => [position, amount]));
  const isSent = list.some((item) => item.status === 'sending') ? 'sending' : 'waiting';
  return list.map((item, position): Item => {
    if (item.status !== isSent) return item;
    return {
      ...item,
      status: status.get(position) ?? (outcomes === undefined ? all : 'sent'),
      isMoved: isMoved.has(position),
      confirmed: confirmed.get(position) ?? null,
    };
  });
}

/**
 * Returns the items of a record that another process has written since its request was sent, with the `outcomes` of those in the request,
 * found by what they are. `status`: the one that they have in `list`.
 */
export function withOutcomes(list: Items, status: ItemStatus, outcomes: Items): Items {
  const left = byContent(outcomes);
  return list.map((item): Item => {
    const outcome = item.status === status ? left.get(contentIn(item.key))?.pop() : undefined;
    if (outcome === undefined) return item;
    const { isGone, absence } = item;
    // Nothing sends an item that is gone.
    return { ...outcome, isGone, absence, ...(isGone && outcome.status === 'waiting' && { status: 'notSent' }) };
  });
}

/** Returns whether the item was sent and nothing is known about it. */
export function isInDoubt({ status }: Item): boolean {
  return status === 'unknown' || status === 'sending';
}

/**
 * Returns the items after those with an unknown outcome, or those of them at these positions, were found to be added, or not to be. The
 * others in the request of the intent are then unknown without it.
 */
export function resolved(list: Items, isAdded: boolean, positions?: readonly number[]): Items {
  const at = positions && new Set(positions);
  return list.flatMap((item, position): Items => {
    if (!isInDoubt(item)) return [item];
    if (at?.has(position) === false) return [{ ...item, status: 'unknown' }];
    if (!isAdded && item.isGone) return [];
    return [{ ...item, status: isAdded ? 'sent' : 'waiting' }];
  });
}

/** Holds back the items that were not sent, except those of the steps. */
export function heldBack(items: RecordItems, except: readonly Step[] = []): RecordItems {
  return withLists(items, (step, list) => {
    if (except.includes(step) || !hasAny(items, ['waiting'], step)) return list;
    return list.map((item) => (item.status === 'waiting' ? { ...item, status: 'notSent' } : item));
  });
}

/** Returns the steps of which an item has an unknown outcome, and all other steps of `unknown`. */
export function unknownSteps(unknown: readonly Step[], items: RecordItems): readonly Step[] {
  const isUnknown = (step: Step) => isItemStep(step) && items[step].some(({ status }) => status === 'unknown');
  const added = ITEM_STEPS.filter((step) => !unknown.includes(step) && isUnknown(step));
  if (added.length === 0 && unknown.every((step) => !isItemStep(step) || isUnknown(step))) return unknown;
  return [...unknown.filter((step) => !isItemStep(step) || isUnknown(step)), ...added];
}
