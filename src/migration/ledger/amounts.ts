/** Exports the types of the amounts of a record in a ledger: sums of its items, by outcome and type. */

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

/** Sums of the amounts of the items of one kind in a record, by outcome and type. */
export interface ItemAmounts {
  /** Amounts of the line that the record was made of. */
  total: AmountSums;
  /** Items that the service confirmed as added, with the amounts of its answers. */
  sent: AmountSums;
  /** Items that the service had already, with the amounts of its answers. */
  alreadyImported: AmountSums;
  /** Refused items. */
  rejected: AmountSums;
  /** Items that may have been added. */
  unknown: AmountSums;
  /** Items in the request of the intent, if it does not send all; empty otherwise. */
  sending: AmountSums;
  /** Items that the service confirmed with another amount than was sent. */
  others: readonly OtherAmount[];
  /** Items of earlier versions of the line that the service has confirmed, with the amounts of its answers then. */
  earlier: AmountSums;
}

/** An item that the service confirmed with another amount. Amounts are decimals in text. */
export interface OtherAmount {
  /** Position in the list of the record, counted from 0. */
  position: number;
  /** The type that was sent. */
  type: AmountType;
  /** The amount that was sent. */
  sent: string;
  /** The amount of the answer. */
  confirmed: string;
}
