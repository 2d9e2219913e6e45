/**
 * Exports `repeatedItems`, which finds items that a run must not send: the service would skip them, or have them twice; and `rejectMerged`, which finds
 * those that it has not added for another one of the same account.
 */
import { isDeepStrictEqual } from 'node:util';
import { isScientificNotation } from '../../../validation/warnings/value-forms.js';
import type { Item } from '../../ledger/items.js';
import type { ItemStep, LedgerRecord } from '../../ledger/ledger.js';
import type { Confirmation } from './confirmed-items.js';
import { contentIn } from './item-keys.js';
import { isTouched } from './item-states.js';

/** The error of an item with the same identifier, and other content. */
const REPEATED: Readonly<Record<ItemStep, string>> = {
  paymentInstruction: 'duplicate_payment_instruction',
  statements: 'duplicate_statement',
  transactions: 'contradicting_transaction',
  notes: 'duplicate_note',
};

/** The error of a transaction that is in the input twice, and at the service once. */
const SAME_TRANSACTION = 'duplicate_transaction';

/** The fields that identify an item together. */
const IDENTIFIERS: Readonly<Record<ItemStep, readonly string[]>> = {
  paymentInstruction: ['reference', 'vendor'],
  statements: ['statement_id'],
  transactions: ['transaction_id'],
  notes: [],
};

/** An item that is not sent, or was not added, and the code of its error. */
export interface RepeatedItem {
  position: number;
  code: string;
}

/**
 * Returns the items to be sent that have the identifier of one that was or may have been sent, or of an earlier one to be sent. Values may
 * have any form. `states`: of the items; without them, all are to be sent.
 */
export function repeatedItems(step: ItemStep, list: readonly unknown[], states: readonly Item[] = []): RepeatedItem[] {
  const first = new Map<string, unknown>();
  const repeated: RepeatedItem[] = [];
  if (IDENTIFIERS[step].length === 0) return repeated;
  for (const [position, item] of list.entries()) {
    const id = identityOf(step, item);
    const state = states[position];
    if (id !== undefined && state !== undefined && isTouched(state) && !first.has(id)) first.set(id, item);
  }
  for (const [position, item] of list.entries()) {
    const { status = 'waiting' } = states[position] ?? {};
    const id = status === 'waiting' ? identityOf(step, item) : undefined;
    if (id === undefined) continue;
    if (first.has(id)) {
      const isSame = step === 'transactions' && isDeepStrictEqual(first.get(id), item);
      repeated.push({ position, code: isSame ? SAME_TRANSACTION : REPEATED[step] });
    } else first.set(id, item);
  }
  return repeated;
}

/**
 * Rejects the transactions that the service says it had, but only because it takes them for another one of the account that it has: of two
 * equal payments without a `transaction_id` it then has one. In an account that this run has created, it may compare less than all fields.
 */
export function rejectMerged(
  { items, errors }: Confirmation,
  { items: { existed, transactions } }: Pick<LedgerRecord, 'items'>,
): void {
  if (items.alreadyImported.length === 0) return;
  const contentOf = ({ key }: Item) => (existed || key.id !== '' ? contentIn(key) : [key.type, key.amount].join('\n'));
  const isThere = new Set(['sent', 'existed']);
  const isInDoubt = new Set([...items.alreadyImported, ...items.rejected, ...items.unknown, ...items.notSent]);
  const there = new Set(
    transactions
      .filter(({ status }, at) => (status === 'sending' ? !isInDoubt.has(at) : isThere.has(status)))
      .map(contentOf),
  );
  items.alreadyImported = items.alreadyImported.filter((position) => {
    const content = contentOf(transactions[position] as Item);
    if (!there.has(content)) return there.add(content);
    items.rejected.push(position);
    errors.push({ code: SAME_TRANSACTION, attr: `transactions.${position}` });
    return false;
  });
}

/** A rounded identifier says nothing about other items, and the check rejects its record. */
function identityOf(step: ItemStep, item: unknown): string | undefined {
  const values = IDENTIFIERS[step].map(
    (field) => (item as Readonly<Record<string, unknown>> | null | undefined)?.[field],
  );
  const isUsable = values.every((value) => typeof value === 'string' && value !== '' && !isScientificNotation(value));
  return isUsable ? values.join('\n') : undefined;
}
