/** `contradictingTransactions`: which transactions of one account contradict an earlier one, so that a run does not send them. */
import { isDeepStrictEqual } from 'node:util';

/** Positions of transactions that have the `transaction_id` of an earlier one and other content. They may be of any form. */
export function contradictingTransactions(transactions: readonly unknown[]): ReadonlySet<number> {
  const first = new Map<string, unknown>();
  const positions = new Set<number>();
  for (const [position, transaction] of transactions.entries()) {
    const id = (transaction as { transaction_id?: unknown } | null | undefined)?.transaction_id;
    if (typeof id !== 'string') continue;
    if (!first.has(id)) first.set(id, transaction);
    else if (!isDeepStrictEqual(first.get(id), transaction)) positions.add(position);
  }
  return positions;
}
