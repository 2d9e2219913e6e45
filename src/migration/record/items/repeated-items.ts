/** Exports `repeatedItems`, which finds items that a run must not send: the service would skip them, or have them twice. */
import { isDeepStrictEqual } from 'node:util';
import { isScientificNotation } from '../../../validation/warnings/value-forms.js';
import type { Item } from '../../ledger/items.js';
import type { ItemStep } from '../../ledger/ledger.js';
import { isTouched } from './item-states.js';

/** The error of such an item. Notes have no identifier. */
export const REPEATED: Readonly<Record<ItemStep, string>> = {
  paymentInstruction: 'duplicate_payment_instruction',
  statements: 'duplicate_statement',
  transactions: 'contradicting_transaction',
  notes: 'duplicate_note',
};

/** The fields that identify an item together. */
const IDENTIFIERS: Readonly<Record<ItemStep, readonly string[]>> = {
  paymentInstruction: ['reference', 'vendor'],
  statements: ['statement_id'],
  transactions: ['transaction_id'],
  notes: [],
};

/**
 * Returns the positions of the items to be sent that have the identifier of one that was or may have been sent, or of an earlier one to be
 * sent. Values may have any form. `states`: of the items; without them, all are to be sent. `isSkipped`: whether the service skips a
 * transaction with the same content.
 */
export function repeatedItems(
  step: ItemStep,
  list: readonly unknown[],
  { states = [], isSkipped = true }: { states?: readonly Item[]; isSkipped?: boolean } = {},
): number[] {
  const first = new Map<string, unknown>();
  const positions: number[] = [];
  if (IDENTIFIERS[step].length === 0) return positions;
  for (const [position, item] of list.entries()) {
    const id = identityOf(step, item);
    const state = states[position];
    if (id !== undefined && state !== undefined && isTouched(state) && !first.has(id)) first.set(id, item);
  }
  for (const [position, item] of list.entries()) {
    const { status = 'waiting' } = states[position] ?? {};
    const id = status === 'waiting' ? identityOf(step, item) : undefined;
    if (id === undefined) continue;
    if (!first.has(id)) first.set(id, item);
    else if (step !== 'transactions' || !isSkipped || !isDeepStrictEqual(first.get(id), item)) positions.push(position);
  }
  return positions;
}

/** A rounded identifier says nothing about other items, and the check rejects its record. */
function identityOf(step: ItemStep, item: unknown): string | undefined {
  const values = IDENTIFIERS[step].map(
    (field) => (item as Readonly<Record<string, unknown>> | null | undefined)?.[field],
  );
  const isUsable = values.every((value) => typeof value === 'string' && value !== '' && !isScientificNotation(value));
  return isUsable ? values.join('\n') : undefined;
}
