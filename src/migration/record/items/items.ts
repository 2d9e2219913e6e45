/** Exports functions for the items of a record: which ones a step sends, and a hash of the rest of the payload. */
import { hash } from 'node:crypto';
import { canonicalJson } from '../../../validation/records/canonical-json.js';
import type { AccountRecord, ImportRecord } from '../../../validation/records/import-record.js';
import { ITEM_STEPS, type ItemStep, type LedgerRecord, type Step, type StepItems } from '../../ledger/ledger.js';
import { partsOf, positionsOf } from './missing-items.js';

/** The field of a record that has the items of a step. */
const LISTS = { statements: 'statements', transactions: 'transactions', notes: 'notes' } as const;

type ListStep = keyof typeof LISTS;

export interface Placed<Item> {
  item: Item;
  /** Index in the list of the record, from 0. */
  position: number;
}

/** Returns the items at the positions, or all if `positions` is null. */
export function placed<Item>(
  list: readonly Item[] | undefined,
  positions: readonly number[] | null,
): readonly Placed<Item>[] {
  const all = (list ?? []).map((item, position) => ({ item, position }));
  return positions === null ? all : all.filter(({ position }) => positions.includes(position));
}

/** Returns whether the record has items that the step would send. */
export function hasItems(step: Step, payload: ImportRecord, positions: readonly number[] | null): boolean {
  return isItemStep(step) && placed(itemListOf(step, payload), positions).length > 0;
}

/** Returns the field of a record that has the items of the step. */
export function partOf(step: ItemStep): string {
  return step === 'paymentInstruction' ? 'payment_instruction' : LISTS[step];
}

/** Returns all items of a record for the step. */
export function itemListOf(step: ItemStep, payload: ImportRecord): readonly unknown[] {
  if (step === 'paymentInstruction') return instructionsOf(payload);
  return 'account' in payload ? (payload[LISTS[step]] ?? []) : [];
}

/** Returns the payment instructions of a record, which has a list or a single one. */
export function instructionsOf<Record extends ImportRecord>(record: Record): readonly InstructionOf<Record>[] {
  const { payment_instructions, payment_instruction } = record as Partial<AccountRecord>;
  if (payment_instructions !== undefined) return payment_instructions as InstructionOf<Record>[];
  return payment_instruction === undefined ? [] : [payment_instruction as InstructionOf<Record>];
}

type InstructionOf<Record extends ImportRecord> = Record extends {
  payment_instructions?: readonly (infer Item)[] | undefined;
}
  ? Item
  : never;

export interface PartSettings {
  /** Maximum number of statements in one request. */
  statementsAtOnce: number;
  /** Maximum number of notes in one request. */
  notesAtOnce: number;
}

/**
 * Returns the positions of the next request of a step; undefined if one request sends all remaining items. Always undefined for
 * transactions: the service recognises those that it has, so each request needs no separate intent.
 */
export function nextPart(
  step: Step,
  record: LedgerRecord,
  payload: ImportRecord,
  { statementsAtOnce, notesAtOnce }: PartSettings,
): readonly number[] | undefined {
  if (!isItemStep(step) || step === 'transactions') return undefined;
  const most = { paymentInstruction: 1, statements: statementsAtOnce, notes: notesAtOnce }[step];
  const left = placed(itemListOf(step, payload), positionsOf(record, step)).map(({ position }) => position);
  return left.length <= most && partsOf(record, step) === undefined ? undefined : left.slice(0, most);
}

/**
 * Returns the path of an error within the record. A request may contain only some items of the record, and the
 * service counts within the request: `transactions.0.amount` of a request with only the third one is
 * `transactions.2.amount`.
 */
export function attrInRecord(attr: string, positions: readonly number[]): string {
  const [, list = '', index = '', rest = ''] =
    /^(transactions|notes|statements)\.(\d{1,9})((?:\..*)?)$/s.exec(attr) ?? [];
  const position = positions[Number(index)];
  return index === '' || position === undefined ? attr : `${list}.${position}${rest}`;
}

/** Returns the SHA-256 of a payload without these items. It does not depend on the order of fields. */
export function hashWithout(payload: ImportRecord, without: readonly StepItems[]): string {
  const rest: Record<string, unknown> = { ...payload };
  for (const { step, positions } of without) {
    if (step === 'paymentInstruction') {
      delete rest['payment_instruction'];
      rest['payment_instructions'] = leftOf(rest['payment_instructions'], positions);
    } else if (isList(step)) rest[LISTS[step]] = leftOf(rest[LISTS[step]], positions);
  }
  return hash('sha256', canonicalJson(rest));
}

/** Returns the list without these positions; undefined if none is left, as for a payload without the list. */
function leftOf(list: unknown, positions: readonly number[] | null): unknown {
  const left =
    Array.isArray(list) && positions !== null ? list.filter((_, position) => !positions.includes(position)) : [];
  return left.length === 0 ? undefined : left;
}

export function isItemStep(step: Step): step is ItemStep {
  return (ITEM_STEPS as readonly Step[]).includes(step);
}

function isList(step: Step): step is ListStep {
  return Object.hasOwn(LISTS, step);
}
