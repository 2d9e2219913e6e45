/** Exports the warning rules for transactions, amounts and other numbers. A comment names the source of each rule. */
import { TRANSACTION_TYPES } from '../../../schemas/values.js';
import { at, HISTORICAL_STATEMENT, LINE_ITEM, SCHEDULE, TAX_ITEM, TERM, TRANSACTION } from './places.js';
import { isLongDecimal } from './value-forms.js';
import type { Fields, WarningRule } from './warning-rule.js';

/** Fields of a transaction that only some types have. */
const TYPES_WITH: Readonly<Record<string, readonly string[]>> = {
  display_note: ['CHARGE', 'CREDIT', 'SUPPLY_CHARGE'],
  reason: ['CHARGE', 'CREDIT', 'PAYMENT', 'REPAYMENT'],
  reference: ['PAYMENT', 'REPAYMENT'],
  payment_type: ['PAYMENT', 'REPAYMENT'],
  product_code: ['SUPPLY_CHARGE'],
  line_items: ['SUPPLY_CHARGE'],
  tax_items: ['SUPPLY_CHARGE'],
};

export const TRANSACTION_AND_NUMBER_RULES: readonly WarningRule[] = [
  // spec: Transactions (check_previously_added); relatives require it
  {
    code: 'transaction_without_id',
    at: at([TRANSACTION]),
    detail: 'Without transaction_id the service may not recognise this transaction when it is sent again.',
    fields: unlessGiven('transaction_id'),
  },
  // spec: Transaction (transaction_date, amount); relatives require both
  {
    code: 'transaction_without_amount_or_date',
    at: at([TRANSACTION]),
    detail: 'Each type of transaction has an amount and a date; this one is missing.',
    fields: (transaction) => ['transaction_date', 'amount'].filter((field) => transaction[field] === undefined),
  },
  // spec: Transaction (reference)
  {
    code: 'payment_without_reference',
    at: at([TRANSACTION]),
    detail: 'Payments and repayments have a reference, and it is missing.',
    fields: ({ type, reference }) =>
      (type === 'PAYMENT' || type === 'REPAYMENT') && (reference ?? '') === '' ? ['reference'] : [],
  },
  // spec: Transaction (product_code, line_items); relatives require both
  {
    code: 'supply_charge_incomplete',
    at: at([TRANSACTION]),
    detail: 'A SUPPLY_CHARGE has a product_code and line_items; this one is missing.',
    fields: ({ type, product_code, line_items }) =>
      type === 'SUPPLY_CHARGE'
        ? [
            ...((product_code ?? '') === '' ? ['product_code'] : []),
            ...(line_items === undefined || isEmptyList(line_items) ? ['line_items'] : []),
          ]
        : [],
  },
  // spec: Transaction (Notes, payment_type); relatives: SUPPLY_CHARGE has no reason
  {
    code: 'field_of_other_transaction_type',
    at: at([TRANSACTION]),
    detail: 'Only other types of transactions have this field; the type may be wrong.',
    fields: (transaction) =>
      TRANSACTION_TYPES.includes(transaction['type'] as 'CHARGE')
        ? Object.keys(TYPES_WITH).filter(
            (field) => transaction[field] !== undefined && !TYPES_WITH[field]?.includes(transaction['type'] as string),
          )
        : [],
  },
  // spec: Transaction (CHARGE and CREDIT, PAYMENT and REPAYMENT)
  {
    code: 'negative_amount',
    at: { TransactionsPayload: ['transactions.*[type=CHARGE|CREDIT|PAYMENT|REPAYMENT].amount'] },
    detail: 'The type tells the direction of a transaction; a negative amount turns it round.',
    number: (amount) => amount < 0,
  },
  // relatives: a decimal is a number of up to ten digits each side of the point
  {
    code: 'decimal_too_long',
    at: at(
      [SCHEDULE, 'amount'],
      [TERM, 'amount', 'guarantee_of_origin_percentage'],
      [HISTORICAL_STATEMENT, 'gross_amount'],
      [TRANSACTION, 'amount'],
      [LINE_ITEM, 'number_of_units', 'net_amount', 'price_per_unit', 'units.*'],
      [TAX_ITEM, 'amount', 'value_taxed', 'rate'],
    ),
    detail:
      'Relatives of the service take up to ten digits each side of the point; this may be the rest of a calculation.',
    number: isLongDecimal,
  },
  // relatives: amounts of transactions in major units, of which the minor ones are hundredths
  {
    code: 'more_than_two_decimals',
    at: at([TRANSACTION, 'amount'], [SCHEDULE, 'amount'], [TERM, 'amount']),
    detail: 'An amount of money usually has two decimals; this one may have been rounded too late.',
    // A result such as 0.1 + 0.2 is already found by `decimal_too_long`.
    number: (amount) => !isLongDecimal(amount) && Number(amount.toFixed(2)) !== amount,
  },
  // relatives: gross_amount of a statement in minor units
  {
    code: 'gross_amount_with_decimals',
    at: at([HISTORICAL_STATEMENT, 'gross_amount']),
    detail:
      'Relatives of the service take the gross amount in minor units (cents), which are whole. The API specification does not say which: ask the operator.',
    number: (amount) => Number.isFinite(amount) && !Number.isInteger(amount),
  },
  // spec: Transaction (tax_items: rate, unit_type PROPORTION)
  {
    code: 'proportion_above_one',
    at: at([TAX_ITEM]),
    detail: 'A rate in PROPORTION is a part of one: 0.2 for 20 percent.',
    fields: ({ rate, unit_type }) =>
      unit_type === 'PROPORTION' && typeof rate === 'number' && Math.abs(rate) > 1 ? ['rate'] : [],
  },
  // spec: Contract (GUARANTEE_OF_ORIGIN_CONFIGURATION)
  {
    code: 'percentage_out_of_range',
    at: at([TERM, 'guarantee_of_origin_percentage']),
    detail: 'A percentage lies between 0 and 100.',
    number: unlessBetween(0, 100),
  },
  // spec: Account payload (payment_schedules), Contract (ISSUANCE_FREQUENCY)
  {
    code: 'no_such_day',
    at: at([SCHEDULE, 'day_of_month'], [TERM, 'period_start_day']),
    detail: 'A day of a month lies between 1 and 31.',
    number: unlessBetween(1, 31),
  },
  // spec: Contract (ISSUANCE_FREQUENCY)
  {
    code: 'no_such_month',
    at: at([TERM, 'period_start_month']),
    detail: 'A month lies between 1 and 12.',
    number: unlessBetween(1, 12),
  },
];

function unlessGiven(field: string): (object: Fields) => string[] {
  return (object) => (object[field] === undefined ? [field] : []);
}

function unlessBetween(least: number, most: number): (number: number) => boolean {
  return (number) => number < least || number > most;
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}
