/**
 * Which items an answer confirms. A note or a transaction counts as added only by its own entry with a status that
 * the specification shows as success; of the others it is not known whether they were added (U32).
 */
import { NOTE_STATUSES, type Note } from '../../../../schemas/payloads/note.js';
import { TRANSACTION_STATUSES, type Transaction } from '../../../../schemas/payloads/transaction.js';
import { presentable } from '../../../errors/items.js';
import type { LedgerError } from '../../ledger/ledger.js';
import type { ItemOutcomes } from './item-counts.js';
import type { Placed } from './items.js';

type Entry = Readonly<Record<string, unknown>>;

/** Outcomes by the items' positions in the record, and an error for each that was not added. */
export interface Confirmation {
  items: { [Name in keyof ItemOutcomes]-?: Name extends 'alreadyImported' ? number : number[] };
  errors: Omit<LedgerError, 'step'>[];
}

export function nothingConfirmed(): Confirmation {
  return { items: { alreadyImported: 0, rejected: [], unknown: [], notSent: [], moved: [] }, errors: [] };
}

/** Adds what the answer to these notes says. `answer`: its entries, which may be of any form. */
export function confirmNotes(
  sent: readonly Placed<Note>[],
  answer: readonly unknown[],
  to: Confirmation,
  mask: Mask = (text) => text,
): void {
  const ways = { likeness: noteLikeness, statusOf, known: NOTE_STATUSES, mask };
  confirm('notes', sent, answer.map(entryOf), ways, to);
}

/** Adds what the answer to these transactions says. */
export function confirmTransactions(
  sent: readonly Placed<Transaction>[],
  results: readonly unknown[],
  to: Confirmation,
  mask: Mask = (text) => text,
): void {
  const ways = { likeness: transactionLikeness, statusOf: transactionStatusOf, known: TRANSACTION_STATUSES, mask };
  const entries = results.map(entryOf);
  const matched = confirm('transactions', sent, entries, ways, to);
  for (const [index, { item, position }] of sent.entries()) {
    const date = textIn(dataOf(matched[index]), 'transaction_date');
    const isThere = !to.items.unknown.includes(position) && !to.items.rejected.includes(position);
    if (isThere && item.transaction_date !== undefined && isOtherDay(item.transaction_date, date)) {
      to.items.moved.push(position);
    }
  }
}

/**
 * How much an entry says that it is about an item: `same` by what identifies it, `like` by the rest of what it carries,
 * `silent` where it carries nothing that tells items apart, `other` where it is about another one.
 */
type Likeness = 'same' | 'like' | 'silent' | 'other';

interface Ways<Item> {
  likeness: (item: Item, entry: Entry) => Likeness;
  statusOf: (entry: Entry) => string | undefined;
  /** Added, and there already. */
  known: readonly [string, string];
  mask: Mask;
}

/** Puts `[secret]` in place of what the client must never show. */
type Mask = (text: string) => string;

/** Words at the end of a status by which services say that they refused. */
const FAILED = /(?:^|_)(?:ERROR|FAILED|FAILURE|REJECTED|REFUSED|INVALID)$/i;

/** Gives the entry of each item. */
function confirm<Item>(
  list: 'notes' | 'transactions',
  sent: readonly Placed<Item>[],
  entries: readonly Entry[],
  { likeness, statusOf, known: [added, there], mask }: Ways<Item>,
  { items, errors }: Confirmation,
): readonly (Entry | undefined)[] {
  const matched = matchedEntries(sent, entries, likeness);
  for (const [index, { position }] of sent.entries()) {
    const entry = matched[index];
    const status = entry && statusOf(entry);
    if (status === added) continue;
    const attr = `${list}.${position}`;
    if (status === there) items.alreadyImported++;
    else if (status !== undefined && FAILED.test(status)) {
      items.rejected.push(position);
      errors.push({ code: presentable(mask(status))?.toLowerCase() ?? 'refused', attr });
    } else {
      items.unknown.push(position);
      errors.push({ code: entry === undefined ? 'fewer_results' : 'unknown_status', attr });
    }
  }
  return matched;
}

/**
 * The entry of each item: by what the entry carries, and by its place only where there are as many entries as items and
 * the entry does not say which it is about.
 */
function matchedEntries<Item>(
  sent: readonly Placed<Item>[],
  entries: readonly Entry[],
  likeness: Ways<Item>['likeness'],
): readonly (Entry | undefined)[] {
  const hasAll = entries.length === sent.length;
  if (hasAll && sent.every(({ item }, index) => likeness(item, entries[index] as Entry) === 'same')) return entries;
  const matched: (Entry | undefined)[] = sent.map(() => undefined);
  const isUsed = entries.map(() => false);
  const use = (index: number, at: number) => {
    matched[index] = entries[at];
    isUsed[at] = true;
  };
  for (const wanted of ['same', 'like'] as const) {
    for (const [index, { item }] of sent.entries()) {
      if (matched[index] !== undefined) continue;
      const isIt = (at: number) => isUsed[at] === false && likeness(item, entries[at] as Entry) === wanted;
      const at = isIt(index) ? index : entries.findIndex((_, place) => isIt(place));
      if (at >= 0) use(index, at);
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

function noteLikeness({ body, created_at }: Note, entry: Entry): Likeness {
  const echo = textIn(entry, 'body');
  if (body === undefined) {
    // A note without a body comes back with a body of null; an entry that has no such field tells nothing.
    if (echo !== undefined) return 'other';
    return Object.hasOwn(entry, 'body') ? likenessOfTimes(created_at, entry) : 'silent';
  }
  if (echo === undefined) return 'silent';
  return withoutSpace(echo) === withoutSpace(body) ? likenessOfTimes(created_at, entry) : 'other';
}

/** Services format times differently, and round them. */
function likenessOfTimes(sent: string | undefined, entry: Entry): Likeness {
  if (sent === undefined) return 'same';
  const echo = textIn(entry, 'created_at');
  return echo !== undefined && (echo === sent || Date.parse(echo) === Date.parse(sent)) ? 'same' : 'like';
}

function withoutSpace(text: string): string {
  return text.replace(/\s+/gu, ' ').trim();
}

/** Not the notes: the service adds to them where it moves a date. */
const ECHOED = ['type', 'reason', 'reference', 'payment_type', 'product_code'] as const;

function transactionLikeness(item: Transaction, entry: Entry): Likeness {
  const data = dataOf(entry);
  const id = textIn(data, 'transaction_id');
  if (id !== undefined && item.transaction_id !== undefined) return id === item.transaction_id ? 'same' : 'other';
  const pairs: [unknown, unknown][] = [
    ...ECHOED.map((field): [unknown, unknown] => [item[field], data[field]]),
    // A number where it is sent, and a decimal as text where it comes back.
    [item.amount, data['amount'] == null ? undefined : Number(data['amount'])],
  ];
  const shared = pairs.filter(([sent, echo]) => sent !== undefined && echo != null);
  if (shared.some(([sent, echo]) => sent !== echo)) return 'other';
  if (shared.length === 0) return 'silent';
  return textIn(data, 'transaction_date') === item.transaction_date ? 'same' : 'like';
}

/** Of an addition whose data say that it failed nothing is known. */
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
