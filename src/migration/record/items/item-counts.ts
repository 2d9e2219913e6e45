/** Exports the counts of the items of a record by outcome, and how each step changes them. */
import { hash } from 'node:crypto';
import { canonicalJson } from '../../../validation/records/canonical-json.js';
import type { AccountRecord, ImportRecord } from '../../../validation/records/import-record.js';
import type { AmountSums } from '../../ledger/amounts.js';
import { ITEM_STEPS, type ItemCounts, type ItemStep, type RecordItems, type Step } from '../../ledger/ledger.js';
import { NO_ITEMS } from '../../ledger/sql/items-column.js';
import {
  addFound,
  addStep,
  amountsToSendAgain,
  confirmedAmounts,
  resolveUnknown,
  type StepAmounts,
  sumsOf,
  untriedAmounts,
  withSending,
  withTotal,
} from './item-amounts.js';
import type { ItemOutcomes } from './item-outcomes.js';
import { instructionsOf, itemListOf } from './items.js';

/** Returns the counts of a record before anything is sent. The payload may be unchecked: a value that is not a list has no items. */
export function itemsIn(payload: ImportRecord): RecordItems {
  const { statements, transactions, notes } = payload as Partial<AccountRecord>;
  const items: RecordItems = {
    existed: false,
    replaced: null,
    paymentInstruction: untried(lengthOf(instructionsOf(payload)), null),
    statements: untriedList('statements', statements),
    transactions: untriedList('transactions', transactions),
    notes: untried(lengthOf(notes), null),
  };
  return hasAny(items) ? items : NO_ITEMS;
}

function hasAny(items: RecordItems): boolean {
  return ITEM_STEPS.some((step) => items[step] !== null);
}

function lengthOf(list: unknown): number {
  return Array.isArray(list) ? list.length : 0;
}

const NO_POSITIONS: readonly number[] = [];

function untriedList(step: ItemStep, list: unknown): ItemCounts | null {
  return Array.isArray(list) && list.length > 0 ? untried(list.length, sumsOf(step, list)) : null;
}

/** `amounts`: the sums of the items; null for a kind without amounts. */
function untried(total: number, amounts: AmountSums | null): ItemCounts | null {
  return total === 0 ? null : countsOfUnsent(total, 0, amounts);
}

function countsOfUnsent(total: number, earlier: number, sums: AmountSums | null, confirmed?: AmountSums): ItemCounts {
  const moved = NO_POSITIONS;
  const amounts = untriedAmounts(sums, confirmed);
  return { total, sent: 0, alreadyImported: 0, rejected: 0, unknown: 0, earlier, digest: null, moved, amounts };
}

/** Identifies the list that a step sends: its length, and the first digits of its SHA-256. */
export interface SentList {
  /** Number of items. */
  total: number;
  /** Eight hexadecimal digits. They do not depend on the order of keys. */
  digest: string;
  /** The sums of the amounts; null for a kind without amounts. */
  amounts: AmountSums | null;
}

export function sentList(step: ItemStep, payload: ImportRecord): SentList {
  const list = itemListOf(step, payload);
  return { total: list.length, digest: digestOf(canonicalJson(list)), amounts: sumsOf(step, list) };
}

function digestOf(text: string): string {
  return hash('sha256', text).slice(0, 8);
}

/** Returns whether the digest is that of the list. An earlier version computed it with the keys in the order of the line. */
function isDigestOf(digest: string, list: readonly unknown[]): boolean {
  return digest === digestOf(canonicalJson(list)) || digest === digestOf(JSON.stringify(list));
}

/**
 * Returns the counts after a step that sent the items at these positions (null for all). `list` is undefined if the
 * line is not available, and `amounts` if they are not known.
 */
export function afterStep(
  before: ItemCounts | null,
  attempted: readonly number[] | null,
  { alreadyImported = [], rejected = [], unknown = [], notSent = [], moved = [] }: ItemOutcomes,
  list: SentList | undefined,
  amounts: StepAmounts | undefined,
): ItemCounts | null {
  const total = list?.total ?? before?.total ?? 0;
  const counts = before ?? untried(total, list?.amounts ?? null);
  if (counts === null) return null;
  const tried = attempted === null ? total : attempted.filter((position) => position < total).length;
  return {
    total,
    sent: counts.sent + tried - alreadyImported.length - rejected.length - unknown.length - notSent.length,
    alreadyImported: counts.alreadyImported + alreadyImported.length,
    rejected: rejected.length,
    unknown: unknown.length,
    earlier: counts.earlier,
    digest: list?.digest ?? counts.digest,
    moved: moved.length === 0 ? counts.moved : inOrder([...counts.moved, ...moved]),
    amounts: addStep(counts.amounts, amounts, list?.amounts ?? null),
  };
}

/** Returns the counts with the list whose first part is about to be sent. From then on, a line with another list is a changed line. */
export function withList(items: RecordItems | null, step: ItemStep, list: SentList | null): RecordItems | null {
  if (items === null) return null;
  const counts = items[step] ?? untried(list?.total ?? 0, list?.amounts ?? null);
  if (counts === null) return items;
  const amounts = withTotal(counts.amounts, list?.amounts ?? null);
  const { total, digest } = list ?? { total: counts.total, digest: null };
  return withCounts(items, step, { ...counts, total, digest, amounts });
}

/** Returns the counts with the amounts of the request of an intent that does not send all items of the step. */
export function withRequest(items: RecordItems | null, step: ItemStep, sending: AmountSums): RecordItems | null {
  const counts = items?.[step] ?? null;
  if (items === null || counts === null) return items;
  return withCounts(items, step, { ...counts, amounts: withSending(counts.amounts, sending) });
}

/** Returns the counts after one of several requests of a step. `rejected`, `unknown`: totals of the requests so far. */
export function afterPartOf(
  items: RecordItems | null,
  step: ItemStep,
  attempted: readonly number[],
  { items: outcomes = {}, amounts }: { items?: ItemOutcomes | undefined; amounts?: StepAmounts | undefined },
  sum: { rejected: number; unknown: number },
): RecordItems | null {
  if (items === null) return null;
  const counts = afterStep(items[step], attempted, outcomes, undefined, amounts);
  return counts === null ? items : withCounts(items, step, { ...counts, ...sum });
}

/** Marks refused and possibly added items for sending again, as they are now in the line if it is known. */
export function toSendAgain(
  items: RecordItems | null,
  steps: readonly Step[],
  now: RecordItems | undefined,
): RecordItems | null {
  if (items === null) return null;
  return mapItems(items, (step, counts) => {
    if (!steps.includes(step)) return counts;
    const total = now === undefined ? (counts?.total ?? 0) : (now[step]?.total ?? 0);
    const kept = (counts?.sent ?? 0) + (counts?.alreadyImported ?? 0) + (counts?.earlier ?? 0);
    const sums = now === undefined ? undefined : now[step]?.amounts?.total;
    if (counts === null || (total === 0 && kept === 0)) return untried(total, sums ?? null);
    const { sent, alreadyImported, earlier, digest, moved } = counts;
    const amounts = amountsToSendAgain(counts.amounts, sums);
    return { total, sent, alreadyImported, rejected: 0, unknown: 0, earlier, digest, moved, amounts };
  });
}

/** Counts items whose outcome was unknown as added. `attempted`: the items of a step that was never answered. */
export function foundDone(
  items: RecordItems | null,
  done: ItemStep,
  attempted: readonly number[] | null | undefined,
): RecordItems | null {
  if (items === null) return null;
  return mapItems(items, (step, counts) => {
    if (step !== done || counts === null) return counts;
    if (attempted !== undefined) {
      const amounts = addFound(counts.amounts, attempted === null);
      const after = afterStep(counts, attempted, {}, undefined, undefined);
      return after && { ...after, amounts };
    }
    const { total, sent, alreadyImported, rejected, unknown, earlier, digest, moved } = counts;
    const amounts = resolveUnknown(counts.amounts, true, false);
    return { total, sent: sent + unknown, alreadyImported, rejected, unknown: 0, earlier, digest, moved, amounts };
  });
}

/** Returns the number of items without an outcome: not sent if the record has an outcome, otherwise unfinished. */
export function unsentOf(counts: ItemCounts | null): number {
  if (counts === null) return 0;
  const { total, sent, alreadyImported, rejected, unknown } = counts;
  return total - sent - alreadyImported - rejected - unknown;
}

/** Items of one kind that differ between the line and the requests. */
export interface ChangedItems {
  /** The step that sends them. */
  step: ItemStep;
  /** Number of items in the line. */
  total: number;
  /** The counts of the line that the record was made of; null if it had none. */
  before: ItemCounts | null;
  /** Number of leading items of the line that are the items of the ledger: all of these, or 0. */
  kept: number;
  /** The sums of the amounts of the line; null for a kind without amounts. */
  amounts: AmountSums | null;
}

/** Returns the steps whose items in the line differ from those sent, or were never sent. */
export function changedItems(items: RecordItems | null, payload: ImportRecord): ChangedItems[] {
  const now = itemsIn(payload);
  return ITEM_STEPS.flatMap((step) => {
    const [total, before] = [now[step]?.total ?? 0, items?.[step] ?? null];
    if (total === 0 && (before === null || before.total === 0)) return [];
    const list = itemListOf(step, payload);
    const kept = before === null || before.digest === null || before.total > total ? 0 : before.total;
    const isKept = kept > 0 && isDigestOf(before?.digest ?? '', list.slice(0, kept));
    const amounts = now[step]?.amounts?.total ?? null;
    return isKept && kept === total ? [] : [{ step, total, before, kept: isKept ? kept : 0, amounts }];
  });
}

/** Returns whether any item of this kind was sent, or may have been. */
export function wasAnySent(counts: ItemCounts | null): boolean {
  return counts !== null && counts.sent + counts.alreadyImported + counts.unknown + counts.earlier > 0;
}

/** Returns the counts with those of the line, for each kind of which nothing was sent yet. */
export function asLineHas(items: RecordItems, now: RecordItems): RecordItems {
  return mapItems(items, (step, counts) => (counts === null || counts.digest === null ? now[step] : counts));
}

/** Returns the counts of another line of the record. Of kinds that differ, nothing was sent yet. */
export function itemsOfOtherLine(items: RecordItems, now: RecordItems, changed: readonly ItemStep[]): RecordItems {
  return mapItems(items, (step, counts) => {
    const total = now[step]?.total ?? 0;
    if (!changed.includes(step) && total === (counts?.total ?? 0)) return counts;
    const earlier = counts === null ? 0 : counts.sent + counts.alreadyImported + counts.unknown + counts.earlier;
    const sums = now[step]?.amounts?.total ?? null;
    if (earlier === 0) return untried(total, sums);
    return countsOfUnsent(total, earlier, sums, confirmedAmounts(counts?.amounts ?? null));
  });
}

/** Returns the counts with another value for one kind. */
export function withCounts(items: RecordItems, step: ItemStep, counts: ItemCounts | null): RecordItems {
  return mapItems(items, (other, known) => (other === step ? counts : known));
}

/** Field by field: an object literal that begins with a spread takes ten times as long. */
function mapItems(
  items: RecordItems,
  change: (step: ItemStep, counts: ItemCounts | null) => ItemCounts | null,
): RecordItems {
  return {
    existed: items.existed,
    replaced: items.replaced,
    paymentInstruction: change('paymentInstruction', items.paymentInstruction),
    statements: change('statements', items.statements),
    transactions: change('transactions', items.transactions),
    notes: change('notes', items.notes),
  };
}

/** Returns the positions in order, each once. */
export function inOrder(positions: readonly number[]): number[] {
  return [...new Set(positions)].sort((one, other) => one - other);
}
