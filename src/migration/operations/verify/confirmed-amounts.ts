/** Exports `confirmedOf`: the amounts of an account that the service has confirmed to the run. */
import type { AmountSum, AmountType } from '../../ledger/amounts.js';
import type { LedgerRecord } from '../../ledger/ledger.js';
import { confirmedSums } from '../../record/items/tally.js';
import { DecimalSum } from '../../shared/decimal.js';

/** Number and sum of the amounts of one account, by type. */
export type AccountSums = (type: AmountType) => AmountSum;

export const NOTHING: AmountSum = { count: 0, sum: '0' };

export class Total {
  #count = 0;
  readonly #sum = new DecimalSum();

  add({ count, sum }: AmountSum): void {
    this.#count += count;
    this.#sum.add(sum);
  }

  sum(): AmountSum {
    return { count: this.#count, sum: this.#sum.text() };
  }
}

/** Returns the amounts that the service confirmed: added by the run, or there before. */
export function confirmedOf({ items }: LedgerRecord): AccountSums {
  const sums = confirmedSums(items);
  return (type) => sums[type] ?? NOTHING;
}
