/** What is added to an account after its import: which items a step sends, and what of a payload must stay as it is. */
import { hash } from 'node:crypto';
import type { AccountRecord, BookRecord } from '../validation/book.js';
import { canonicalJson } from './content-hash.js';
import type { ItemStep, Step, StepItems } from './ledger/ledger.js';

/** Where the items of a step stand in a record. */
const LISTS = { statements: 'statements', transactions: 'transactions', notes: 'notes' } as const;

type ListStep = keyof typeof LISTS;

export interface Placed<Item> {
  item: Item;
  /** In the record's list, from 0. */
  position: number;
}

/** Those at the positions, or all where there are none named. */
export function placed<Item>(
  list: readonly Item[] | undefined,
  positions: readonly number[] | null,
): readonly Placed<Item>[] {
  const all = (list ?? []).map((item, position) => ({ item, position }));
  return positions === null ? all : all.filter(({ position }) => positions.includes(position));
}

/** Whether an account's record has anything that the step would send. */
export function hasItems(step: Step, payload: AccountRecord, positions: readonly number[] | null): boolean {
  if (step === 'paymentInstruction') return payload.payment_instruction !== undefined;
  return isList(step) && placed<unknown>(payload[LISTS[step]], positions).length > 0;
}

/** The part of a record that holds the items of the step. */
export function partOf(step: ItemStep): string {
  return step === 'paymentInstruction' ? 'payment_instruction' : LISTS[step];
}

/** All items that a record has for the step. */
export function itemListOf(step: ItemStep, payload: AccountRecord): readonly unknown[] {
  if (step !== 'paymentInstruction') return payload[LISTS[step]] ?? [];
  return payload.payment_instruction === undefined ? [] : [payload.payment_instruction];
}

/**
 * Where an error stands in the record: a request may hold only some of its items, and names them by their own places. `transactions.0.amount` of a request with the third one alone is `transactions.2.amount`.
 */
export function attrInRecord(attr: string, positions: readonly number[]): string {
  const [, list = '', index = '', rest = ''] = /^(transactions|notes)\.(\d{1,9})((?:\..*)?)$/s.exec(attr) ?? [];
  const position = positions[Number(index)];
  return index === '' || position === undefined ? attr : `${list}.${position}${rest}`;
}

/** SHA-256 of a payload without these items, whatever the order of its fields. */
export function hashWithout(payload: BookRecord, without: readonly StepItems[]): string {
  const rest: Record<string, unknown> = { ...payload };
  for (const { step, positions } of without) {
    if (step === 'paymentInstruction') delete rest['payment_instruction'];
    else if (isList(step)) rest[LISTS[step]] = leftOf(rest[LISTS[step]], positions);
  }
  return hash('sha256', canonicalJson(rest));
}

/** undefined, as where there is no list, for an empty one. */
function leftOf(list: unknown, positions: readonly number[] | null): unknown {
  const left =
    Array.isArray(list) && positions !== null ? list.filter((_, position) => !positions.includes(position)) : [];
  return left.length === 0 ? undefined : left;
}

function isList(step: Step): step is ListStep {
  return Object.hasOwn(LISTS, step);
}
