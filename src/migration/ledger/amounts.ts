/** Exports the types of sums of amounts. */

/**
 * The types that amounts are summed by: the types of transactions, `STATEMENT` for the gross amounts of statements, and `OTHER` for
 * transactions with a type that the API specification does not have.
 */
export type AmountType = 'CHARGE' | 'CREDIT' | 'PAYMENT' | 'REPAYMENT' | 'SUPPLY_CHARGE' | 'STATEMENT' | 'OTHER';

/** All types, in the order of the report. */
export const AMOUNT_TYPES: readonly AmountType[] = [
  'CHARGE',
  'CREDIT',
  'PAYMENT',
  'REPAYMENT',
  'SUPPLY_CHARGE',
  'STATEMENT',
  'OTHER',
];

/** Items and the sum of their amounts. */
export interface AmountSum {
  /** Number of items; those without an amount count too. */
  count: number;
  /** The sum as a decimal in text, such as `12.5`: it is never rounded. */
  sum: string;
}

/** Sums by type. A type without items is missing. */
export type AmountSums = { readonly [Type in AmountType]?: Readonly<AmountSum> };
