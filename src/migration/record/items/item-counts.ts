/** How many items of each kind a record has, and how their outcomes change with each step. */
import { hash } from 'node:crypto';
import type { AccountRecord, ImportRecord } from '../../../validation/records/import-record.js';
import { ITEM_STEPS, type ItemCounts, type ItemStep, type RecordItems, type Step } from '../../ledger/ledger.js';
import { NO_ITEMS } from '../../ledger/sql/items-column.js';
import { canonicalJson } from '../../shared/content-hash.js';
import { instructionsOf, itemListOf } from './items.js';

/** Those of a record of which nothing was sent yet. Payloads were not checked yet: what is no list has no items. */
export function itemsIn(payload: ImportRecord): RecordItems {
  const { statements, transactions, notes } = payload as Partial<AccountRecord>;
  const items: RecordItems = {
    existed: false,
    paymentInstruction: untried(lengthOf(instructionsOf(payload))),
    statements: untried(lengthOf(statements)),
    transactions: untried(lengthOf(transactions)),
    notes: untried(lengthOf(notes)),
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

function untried(total: number): ItemCounts | null {
  if (total === 0) return null;
  return { total, sent: 0, alreadyImported: 0, rejected: 0, unknown: 0, earlier: 0, digest: null, moved: NO_POSITIONS };
}

/** The list of a step as it is sent: its length, and the first digits of its SHA-256. */
export interface SentList {
  /** How many items it has. */
  total: number;
  /** Eight hexadecimal digits; the order of keys does not count. */
  digest: string;
}

export function sentList(step: ItemStep, payload: ImportRecord): SentList {
  const list = itemListOf(step, payload);
  return { total: list.length, digest: digestOf(canonicalJson(list)) };
}

function digestOf(text: string): string {
  return hash('sha256', text).slice(0, 8);
}

/** Whether the digest is that of the list, also one that an earlier version took with the keys in the order of the line. */
function isDigestOf(digest: string, list: readonly unknown[]): boolean {
  return digest === digestOf(canonicalJson(list)) || digest === digestOf(JSON.stringify(list));
}

/** Outcomes of the items that a step sent, by their positions in the record's list. What is in no list was added. */
export interface ItemOutcomes {
  /** How many of them the service had already. */
  alreadyImported?: number;
  /** Refused. */
  rejected?: readonly number[];
  /** They may have been added. */
  unknown?: readonly number[];
  /** The step ended before they were sent. */
  notSent?: readonly number[];
  /** Added, or there already, with another date than was sent. */
  moved?: readonly number[];
}

/**
 * Returns the counts after a step that sent the items at these positions (null for all). `list` is undefined if the
 * line is not available.
 */
export function afterStep(
  before: ItemCounts | null,
  attempted: readonly number[] | null,
  { alreadyImported = 0, rejected = [], unknown = [], notSent = [], moved = [] }: ItemOutcomes,
  list: SentList | undefined,
): ItemCounts | null {
  const total = list?.total ?? before?.total ?? 0;
  const counts = before ?? untried(total);
  if (counts === null) return null;
  const tried = attempted === null ? total : attempted.filter((position) => position < total).length;
  return {
    total,
    sent: counts.sent + tried - alreadyImported - rejected.length - unknown.length - notSent.length,
    alreadyImported: counts.alreadyImported + alreadyImported,
    rejected: rejected.length,
    unknown: unknown.length,
    earlier: counts.earlier,
    digest: list?.digest ?? counts.digest,
    moved: moved.length === 0 ? counts.moved : inOrder([...counts.moved, ...moved]),
  };
}

/** With the list of which a part is about to be sent: from then on another list is another line. */
export function withList(items: RecordItems | null, step: ItemStep, list: SentList | null): RecordItems | null {
  if (items === null) return null;
  const counts = items[step] ?? untried(list?.total ?? 0);
  return counts === null
    ? items
    : withCounts(items, step, { ...counts, total: list?.total ?? counts.total, digest: list?.digest ?? null });
}

/** After one of several requests of a step. `rejected` and `unknown`: how many there are after all of these so far. */
export function afterPartOf(
  items: RecordItems | null,
  step: ItemStep,
  attempted: readonly number[],
  outcomes: ItemOutcomes,
  sum: { rejected: number; unknown: number },
): RecordItems | null {
  if (items === null) return null;
  const counts = afterStep(items[step], attempted, outcomes, undefined);
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
    if (counts === null || (total === 0 && kept === 0)) return untried(total);
    const { sent, alreadyImported, earlier, digest, moved } = counts;
    return { total, sent, alreadyImported, rejected: 0, unknown: 0, earlier, digest, moved };
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
    if (attempted !== undefined) return afterStep(counts, attempted, {}, undefined);
    const { total, sent, alreadyImported, rejected, unknown, earlier, digest, moved } = counts;
    return { total, sent: sent + unknown, alreadyImported, rejected, unknown: 0, earlier, digest, moved };
  });
}

/** How many of them have no outcome: not sent where the record has ended, unfinished where it has not. */
export function unsentOf(counts: ItemCounts | null): number {
  if (counts === null) return 0;
  const { total, sent, alreadyImported, rejected, unknown } = counts;
  return total - sent - alreadyImported - rejected - unknown;
}

/** A kind of items that a line has otherwise than they were sent. */
export interface ChangedItems {
  /** The step that sends them. */
  step: ItemStep;
  /** How many the line has. */
  total: number;
  /** What the ledger has counted for the line that the record was made of; null where it had none. */
  before: ItemCounts | null;
  /** How many of the line's items, from its first one, are those that the ledger has counted: all of these, or 0. */
  kept: number;
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
    return isKept && kept === total ? [] : [{ step, total, before, kept: isKept ? kept : 0 }];
  });
}

/** Whether anything of this kind was sent, or may have been. */
export function wasAnySent(counts: ItemCounts | null): boolean {
  return counts !== null && counts.sent + counts.alreadyImported + counts.unknown + counts.earlier > 0;
}

/** With as many items as the line has now, of the kinds of which nothing was sent yet. */
export function asLineHas(items: RecordItems, now: RecordItems): RecordItems {
  return mapItems(items, (step, counts) => (counts === null || counts.digest === null ? now[step] : counts));
}

/** The counts of another line of the record; of the kinds that it has otherwise nothing was sent yet. */
export function itemsOfOtherLine(items: RecordItems, now: RecordItems, changed: readonly ItemStep[]): RecordItems {
  return mapItems(items, (step, counts) => {
    const total = now[step]?.total ?? 0;
    if (!changed.includes(step) && total === (counts?.total ?? 0)) return counts;
    const earlier = counts === null ? 0 : counts.sent + counts.alreadyImported + counts.unknown + counts.earlier;
    if (earlier === 0) return untried(total);
    return { total, sent: 0, alreadyImported: 0, rejected: 0, unknown: 0, earlier, digest: null, moved: NO_POSITIONS };
  });
}

/** With other counts for one kind. */
export function withCounts(items: RecordItems, step: ItemStep, counts: ItemCounts | null): RecordItems {
  return mapItems(items, (other, known) => (other === step ? counts : known));
}

/** Field by field: a literal that begins with a spread costs ten times as much. */
function mapItems(
  items: RecordItems,
  change: (step: ItemStep, counts: ItemCounts | null) => ItemCounts | null,
): RecordItems {
  return {
    existed: items.existed,
    paymentInstruction: change('paymentInstruction', items.paymentInstruction),
    statements: change('statements', items.statements),
    transactions: change('transactions', items.transactions),
    notes: change('notes', items.notes),
  };
}

/** Without those that are in it twice. */
export function inOrder(positions: readonly number[]): number[] {
  return [...new Set(positions)].sort((one, other) => one - other);
}
