/**
 * Exports `confirmNotes` and `confirmTransactions`: which items an answer confirms. A note or a transaction counts as added only if
 * the answer has an entry for it with a success status of the API specification. The outcome of the others is unknown (U32).
 */
import { hasText, type Note } from '../../../../schemas/payloads/note.js';
import type { Transaction } from '../../../../schemas/payloads/transaction.js';
import { NOTE_STATUSES, TRANSACTION_STATUSES } from '../../../../schemas/values.js';
import { presentable } from '../../../errors/items.js';
import { UNREAD_AMOUNT } from '../../ledger/items.js';
import type { LedgerError } from '../../ledger/ledger.js';
import { decimalText, isDecimal, isSameDecimal } from '../../shared/decimal.js';
import type { ItemOutcomes } from './item-outcomes.js';
import type { Placed } from './items.js';

type Entry = Readonly<Record<string, unknown>>;

/** Outcomes of items by their positions in the record, and an error for each item that was not added. */
export interface Confirmation {
  items: { [Name in keyof ItemOutcomes]-?: NonNullable<ItemOutcomes[Name]>[number][] };
  errors: Omit<LedgerError, 'step'>[];
}

export function nothingConfirmed(): Confirmation {
  return {
    items: { alreadyImported: [], rejected: [], unknown: [], notSent: [], moved: [], otherAmounts: [] },
    errors: [],
  };
}

/** Adds the outcomes of these notes. `answer`: the entries of the answer, which may have any form. */
export function confirmNotes(sent: readonly Placed<Note>[], answer: readonly unknown[], to: Confirmation): void {
  const ways = { likeness: noteLikeness, identityOf: textOfNote, statusOf, known: NOTE_STATUSES };
  confirm('notes', sent, answer.map(entryOf), ways, to);
}

/** Adds the outcomes of these transactions. */
export function confirmTransactions(
  sent: readonly Placed<Transaction>[],
  results: readonly unknown[],
  to: Confirmation,
): void {
  const ways = {
    likeness: transactionLikeness,
    identityOf: (one: Transaction | Entry) =>
      textIn('transaction_data' in one ? dataOf(one) : (one as Entry), 'transaction_id'),
    statusOf: transactionStatusOf,
    known: TRANSACTION_STATUSES,
  };
  const entries = results.map(entryOf);
  const matched = confirm('transactions', sent, entries, ways, to);
  const without = new Set([...to.items.unknown, ...to.items.rejected]);
  for (const [index, { item, position }] of sent.entries()) {
    if (without.has(position)) continue;
    const data = dataOf(matched[index]);
    const date = textIn(data, 'transaction_date');
    if (item.transaction_date !== undefined && isOtherDay(item.transaction_date, date)) to.items.moved.push(position);
    const amount = otherAmountIn(data, item);
    if (amount !== undefined) to.items.otherAmounts.push({ position, amount });
  }
}

/**
 * Returns the amount of the answer if it is not the one that was sent, which may be none: the service computes that of a SUPPLY_CHARGE.
 * undefined for an answer without an amount; `UNREAD_AMOUNT` for an amount that is no decimal: it may be the same, or another one.
 */
function otherAmountIn(data: Entry, { amount: sent }: Transaction): string | undefined {
  const amount = amountIn(data);
  if (amount == null) return undefined;
  if (sent !== undefined && isSameDecimal(sent, amount)) return undefined;
  return decimalText(amount) ?? UNREAD_AMOUNT;
}

/** Requests have a number, answers a decimal as text, which may have blanks around it. */
function amountIn({ amount }: Entry): unknown {
  return typeof amount === 'string' ? amount.trim() : amount;
}

/**
 * Whether an entry belongs to an item: `same`: it has the identifier of the item. `like`: its other fields match. `silent`: it has no
 * field that distinguishes items. `other`: it belongs to another item.
 */
type Likeness = 'same' | 'like' | 'silent' | 'other';

interface Ways<Item> {
  likeness: (item: Item, entry: Entry) => Likeness;
  /** Returns what identifies an item or an entry, if it has such a field: an entry with another one belongs to another item. */
  identityOf: (one: Item | Entry) => string | undefined;
  statusOf: (entry: Entry) => string | undefined;
  /** The statuses for "added" and "existed already". */
  known: readonly [string, string];
}

/** Last word of a status that means a refusal. */
const FAILED = /(?:^|_)(?:ERROR|FAILED|FAILURE|REJECTED|REFUSED|INVALID)$/i;

/** Adds the outcome of each item by its entry. */
function confirm<Item>(
  list: 'notes' | 'transactions',
  sent: readonly Placed<Item>[],
  entries: readonly Entry[],
  { likeness, identityOf, statusOf, known: [added, there] }: Ways<Item>,
  { items, errors }: Confirmation,
): readonly (Entry | undefined)[] {
  const matched = matchedEntries(sent, entries, likeness, identityOf);
  for (const [index, { position }] of sent.entries()) {
    const entry = matched[index];
    const status = entry && statusOf(entry);
    if (status === added) continue;
    const attr = `${list}.${position}`;
    if (status === there) items.alreadyImported.push(position);
    else if (status !== undefined && FAILED.test(status)) {
      items.rejected.push(position);
      errors.push({ code: presentable(status)?.toLowerCase() ?? 'refused', attr });
    } else {
      items.unknown.push(position);
      errors.push({ code: entry === undefined ? 'fewer_results' : 'unknown_status', attr });
    }
  }
  return matched;
}

/**
 * Returns the entry of each item: by its content, or by its position if there are as many entries as items and the content does
 * not distinguish them.
 */
function matchedEntries<Item>(
  sent: readonly Placed<Item>[],
  entries: readonly Entry[],
  likeness: Ways<Item>['likeness'],
  identityOf: Ways<Item>['identityOf'],
): readonly (Entry | undefined)[] {
  const hasAll = entries.length === sent.length;
  if (hasAll && sent.every(({ item }, index) => likeness(item, entries[index] as Entry) === 'same')) return entries;
  const matched: (Entry | undefined)[] = sent.map(() => undefined);
  const isUsed = entries.map(() => false);
  const use = (index: number, at: number) => {
    matched[index] = entries[at];
    isUsed[at] = true;
  };
  // An answer may have thousands of entries in another order: only those are compared that can belong to the item.
  const places = new Map<string | undefined, number[]>();
  for (const [place, entry] of entries.entries()) {
    const identity = identityOf(entry);
    const equal = places.get(identity);
    if (equal === undefined) places.set(identity, [place]);
    else equal.push(place);
  }
  const placesFor = (item: Item): Iterable<number> => {
    const identity = identityOf(item);
    return identity === undefined
      ? entries.keys()
      : [...(places.get(identity) ?? []), ...(places.get(undefined) ?? [])];
  };
  for (const wanted of ['same', 'like'] as const) {
    for (const [index, { item }] of sent.entries()) {
      if (matched[index] !== undefined) continue;
      const isIt = (at: number) => isUsed[at] === false && likeness(item, entries[at] as Entry) === wanted;
      const at = isIt(index) ? index : [...placesFor(item)].find(isIt);
      if (at !== undefined) use(index, at);
    }
  }
  for (const [index, { item }] of hasAll ? sent.entries() : []) {
    if (
      matched[index] === undefined &&
      isUsed[index] === false &&
      likeness(item, entries[index] as Entry) === 'silent'
    ) {
      use(index, index);
    }
  }
  return matched;
}

/** Returns the text of a note or of its entry, without its spacing; undefined without a text. */
function textOfNote(one: Note | Entry): string | undefined {
  const body = textIn(one as Entry, 'body') ?? '';
  return hasText({ body }) ? withoutSpace(body) : undefined;
}

function noteLikeness(note: Note, entry: Entry): Likeness {
  const { body = '', created_at } = note;
  const echo = textIn(entry, 'body') ?? '';
  if (!hasText(note)) {
    // The answer has null or an empty text for a note without a body. An entry without the field says nothing about the item.
    if (hasText({ body: echo })) return 'other';
    return Object.hasOwn(entry, 'body') ? likenessOfTimes(created_at, entry) : 'silent';
  }
  if (!hasText({ body: echo })) return 'silent';
  return withoutSpace(echo) === withoutSpace(body) ? likenessOfTimes(created_at, entry) : 'other';
}

/** Compares times with a tolerance: services format times differently, and round them. */
function likenessOfTimes(sent: string | undefined, entry: Entry): Likeness {
  if (sent === undefined) return 'same';
  const echo = textIn(entry, 'created_at');
  return echo !== undefined && (echo === sent || Date.parse(echo) === Date.parse(sent)) ? 'same' : 'like';
}

function withoutSpace(text: string): string {
  return text.replace(/\s+/gu, ' ').trim();
}

/** Compared fields. Not the notes: the service extends them when it moves a date. */
const ECHOED = ['type', 'reason', 'reference', 'payment_type', 'product_code'] as const;

function transactionLikeness(item: Transaction, entry: Entry): Likeness {
  const data = dataOf(entry);
  const id = textIn(data, 'transaction_id');
  if (id !== undefined && item.transaction_id !== undefined) return id === item.transaction_id ? 'same' : 'other';
  const pairs: [unknown, unknown][] = [
    ...ECHOED.map((field): [unknown, unknown] => [item[field], data[field]]),
    [item.amount, isDecimal(amountIn(data)) ? Number(data['amount']) : undefined],
  ];
  const shared = pairs.filter(([sent, echo]) => sent !== undefined && echo != null);
  if (shared.some(([sent, echo]) => sent !== echo)) return 'other';
  if (shared.length === 0) return 'silent';
  return textIn(data, 'transaction_date') === item.transaction_date ? 'same' : 'like';
}

/** Returns the status of an entry; undefined if its data contradict it. */
function transactionStatusOf(entry: Entry): string | undefined {
  const status = statusOf(entry);
  const ofData = statusOf(dataOf(entry));
  return ofData !== undefined && FAILED.test(ofData) && !(status !== undefined && FAILED.test(status)) ? '' : status;
}

function statusOf(entry: Entry): string | undefined {
  return textIn(entry, 'status');
}

function dataOf(entry: Entry | undefined): Entry {
  return entryOf(entry?.['transaction_data']);
}

/** Compares only the day: a service may return a date as a datetime. */
function isOtherDay(sent: string, echo: string | undefined): boolean {
  return echo !== undefined && /^\d{4}-\d{2}-\d{2}/.test(echo) && echo.slice(0, 10) !== sent.slice(0, 10);
}

function entryOf(value: unknown): Entry {
  return typeof value === 'object' && value !== null ? (value as Entry) : {};
}

function textIn(entry: Entry, field: string): string | undefined {
  const value = entry[field];
  return typeof value === 'string' ? value : undefined;
}
