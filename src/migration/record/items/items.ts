/** Exports functions for the lists of items in a payload: which list a step sends, and the items at positions. */
import type { AccountRecord, ImportRecord } from '../../../validation/records/import-record.js';
import { ITEM_STEPS, type ItemStep, type LedgerError, type Step } from '../../ledger/ledger.js';

/** The field of a record that has the items of a step. */
const LISTS = { statements: 'statements', transactions: 'transactions', notes: 'notes' } as const;

export interface Placed<Item> {
  item: Item;
  /** Index in the list of the record, from 0. */
  position: number;
}

/** Returns the items at the positions. */
export function placed<Item>(list: readonly Item[] | undefined, positions: readonly number[]): Placed<Item>[] {
  return positions.map((position) => ({ item: (list as readonly Item[])[position] as Item, position }));
}

/** Returns the field of a record that has the items of the step. */
export function partOf(step: ItemStep): string {
  return step === 'paymentInstruction' ? 'payment_instruction' : LISTS[step];
}

/** Returns the field of this record that has the items of the step, or that would have them. */
export function partIn(payload: ImportRecord, step: ItemStep): string {
  return step === 'paymentInstruction' && !('payment_instruction' in payload) ? 'payment_instructions' : partOf(step);
}

/** Returns all items of a record for the step. The payload may be unchecked: a value that is not a list has no items. */
export function itemListOf(step: ItemStep, payload: ImportRecord): readonly unknown[] {
  const list =
    step === 'paymentInstruction' ? instructionsOf(payload) : 'account' in payload ? payload[LISTS[step]] : undefined;
  return Array.isArray(list) ? list : [];
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

/** Returns the record with those of its items that `isWanted`, by step and index. */
export function withItemsWhere(
  payload: ImportRecord,
  isWanted: (step: ItemStep, index: number) => boolean,
): ImportRecord {
  const record = { ...payload } as Record<string, unknown>;
  for (const [field, step] of Object.entries(STEP_OF)) {
    const list = record[field];
    if (Array.isArray(list)) record[field] = list.filter((_, index) => isWanted(step, index));
  }
  if ('payment_instruction' in record && !isWanted('paymentInstruction', 0)) delete record['payment_instruction'];
  return record as unknown as ImportRecord;
}

/** Path of an error at an item of a list: list, index and the rest. */
const ITEM_ATTR = /^(payment_instructions|statements|transactions|notes)\.(\d{1,9})((?:\..*)?)$/s;

const STEP_OF: Readonly<Record<string, ItemStep>> = {
  payment_instructions: 'paymentInstruction',
  statements: 'statements',
  transactions: 'transactions',
  notes: 'notes',
};

/**
 * Returns the path of an error at an item with another index: the one that `positionOf` returns for its step and index. Returns a path that
 * names no item of a list as it is; undefined if `positionOf` returns undefined.
 */
export function withPosition(
  attr: string,
  positionOf: (step: ItemStep, index: number) => number | undefined,
): string | undefined {
  const [, list = '', index = '', rest = ''] = ITEM_ATTR.exec(attr) ?? [];
  const step = STEP_OF[list];
  if (step === undefined) return attr;
  const position = positionOf(step, Number(index));
  return position === undefined ? undefined : `${list}.${position}${rest}`;
}

/** Returns a function that tells whether one of the errors names this item, and not its whole list. */
export function namedIn(errors: readonly LedgerError[]): (step: ItemStep, index: number) => boolean {
  const named = new Set<string>();
  for (const { attr } of errors) {
    withPosition(attr, (step, index) => {
      named.add(`${step} ${index}`);
      return index;
    });
  }
  return (step, index) => named.has(`${step} ${index}`);
}

export function isItemStep(step: Step): step is ItemStep {
  return (ITEM_STEPS as readonly Step[]).includes(step);
}
