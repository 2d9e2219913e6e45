/**
 * Exports the amounts of an input line that `retry` replaced by a corrected line: the control totals compare the input, which keeps
 * its line, with the service.
 */
import type { AmountSums } from '../../ledger/amounts.js';
import type { RecordItems } from '../../ledger/ledger.js';
import { sumsToText } from '../../ledger/sql/amounts-text.js';

/** Returns the items of a corrected line with the amounts of the input line. `before`: the items before the correction. */
export function correctedItems(items: RecordItems | null, before: RecordItems | null): RecordItems | null {
  return withReplaced(items, before && (before.replaced ?? amountsIn(before)));
}

/** Returns the items with the amounts of the line in the input. Null: it is the line of the record, or its amounts are not known. */
export function withReplaced(items: RecordItems | null, line: AmountSums | null): RecordItems | null {
  const own = items && amountsIn(items);
  if (items === null || own === null) return items;
  const replaced = line === null || isSame(line, own) ? null : line;
  return isSame(items.replaced, replaced) ? items : { ...items, replaced };
}

function isSame(one: AmountSums | null, other: AmountSums | null): boolean {
  return one === other || (one !== null && other !== null && sumsToText(one) === sumsToText(other));
}

/** Returns the amounts of the line that the record was made of; null if an earlier version counted items without them. */
export function amountsIn({ statements, transactions }: RecordItems): AmountSums | null {
  const counts = [transactions, statements].filter((one) => one !== null);
  if (counts.some(({ amounts }) => amounts === null)) return null;
  // The kinds have different types.
  return Object.assign({}, ...counts.map(({ amounts }) => amounts?.total));
}
