/** Exports `contradictingTransactions`, which finds transactions that a run must not send: they contradict an earlier one. */
import { isDeepStrictEqual } from 'node:util';
import { isScientificNotation } from '../../../validation/warnings/value-forms.js';

/** Returns the positions of transactions with the `transaction_id` of an earlier one and other content. Values may have any form. */
export function contradictingTransactions(transactions: readonly unknown[]): ReadonlySet<number> {
  const first = new Map<string, unknown>();
  const positions = new Set<number>();
  for (const [position, transaction] of transactions.entries()) {
    const id = (transaction as { transaction_id?: unknown } | null | undefined)?.transaction_id;
    // A rounded id says nothing about other transactions, and the check rejects the record.
    if (typeof id !== 'string' || isScientificNotation(id)) continue;
    if (!first.has(id)) first.set(id, transaction);
    else if (!isDeepStrictEqual(first.get(id), transaction)) positions.add(position);
  }
  return positions;
}
