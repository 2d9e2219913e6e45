/** Exports the sums of the amounts of items, and the amounts of an input line that `retry` replaced by a corrected line. */
import { AMOUNT_TYPES, type AmountSum, type AmountSums, type AmountType } from '../../ledger/amounts.js';
import { type Item, type RecordItems, UNREAD_AMOUNT } from '../../ledger/items.js';
import { AmountTotal } from '../../shared/decimal.js';
import { inLine, isInDoubt } from './item-states.js';

/** Returns the amount of an item that the service has: that of its answer, otherwise the one that was sent. */
export function confirmedAmount({ key, confirmed }: Item): string {
  return (confirmed === UNREAD_AMOUNT ? null : confirmed) ?? key.amount ?? '0';
}

/**
 * Returns whether the service has the item with another amount than was sent, or with one that cannot be read. An item without an amount
 * has that of the answer.
 */
export function hasOtherAmount({ key, confirmed }: Item): boolean {
  return confirmed !== null && (key.amount !== null || confirmed === UNREAD_AMOUNT);
}

/** Returns whether a transaction that the service has is without an amount, in the line and in the answer. */
export function isWithoutAmount({ key: { type, amount }, status, confirmed }: Item): boolean {
  const isOnService = status === 'sent' || status === 'existed';
  return isOnService && type !== 'STATEMENT' && amount === null && confirmed === null;
}

/** Returns the sums of the items by type, with the amounts that `amountOf` returns. */
function sumsOf(items: readonly Item[], amountOf: (item: Item) => string | null): AmountSums {
  const found = new Map<AmountType, AmountTotal>();
  for (const item of items) {
    const { type } = item.key;
    if (type === null) continue;
    const own = found.get(type) ?? new AmountTotal();
    found.set(type, own);
    own.add({ count: 1, sum: amountOf(item) });
  }
  // In the order of the types, so that equal sums have the same text in the ledger.
  const sums: Partial<Record<AmountType, AmountSum>> = {};
  for (const type of AMOUNT_TYPES) {
    const own = found.get(type);
    if (own !== undefined) sums[type] = own.total();
  }
  return sums;
}

/**
 * Returns the sums of everything that the service has confirmed for any version of the line, or of those items that `isWanted`. What the line
 * has twice is there once.
 */
export function confirmedSums({ statements, transactions }: RecordItems, isWanted = (_item: Item) => true): AmountSums {
  const confirmed = [statements, transactions].flatMap((list) => {
    const known = new Set<string>();
    return list.filter(({ status, key: { id } }) => {
      if (status !== 'sent' && (status !== 'existed' || (id !== '' && known.has(id)))) return false;
      known.add(id);
      return true;
    });
  });
  return sumsOf(confirmed.filter(isWanted), confirmedAmount);
}

/** Returns the sums of the items whose outcome is unknown. */
export function sumsInDoubt({ statements, transactions }: RecordItems): AmountSums {
  return sumsOf([...statements, ...transactions].filter(isInDoubt), ({ key }) => key.amount);
}

/** Returns the amounts of the line that the record was made of. */
export function amountsIn({ statements, transactions }: RecordItems): AmountSums {
  return sumsOf([...inLine(transactions), ...inLine(statements)], ({ key }) => key.amount);
}

/** Returns the items of a corrected line with the amounts of the input line. `before`: the items before the correction. */
export function corrected(items: RecordItems, before: RecordItems): RecordItems {
  return withReplaced(items, before.replaced ?? amountsIn(before));
}

/** Returns the items with the amounts of the line in the input. Null: it is the line of the record. */
export function withReplaced(items: RecordItems, line: AmountSums | null): RecordItems {
  const replaced = line === null || isSame(line, amountsIn(items)) ? null : line;
  return isSame(items.replaced, replaced) ? items : { ...items, replaced };
}

function isSame(one: AmountSums | null, other: AmountSums | null): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
