/** A transaction that is added to an imported account. */
import type { Chapter } from '../chapter.js';

export const transaction: readonly Chapter[] = [
  {
    title: 'Transaction (post-import)',
    rows: [
      {
        id: 'D99',
        says: 'transaction_id: string',
        checks: ['C3', 'U15'],
        tests: [
          'TransactionsPayload > C3 refuses a wrong value at transactions.0.transaction_id',
          'U15 with %s the same id with another amount is %s, another id with the same amount is %s',
        ],
      },
      {
        id: 'D100',
        says: 'transaction_date: date, must lie in the currently open statement period unless force_add_to_current_statement applies',
        checks: ['C3', 'E8', 'U16'],
        tests: [
          'TransactionsPayload > C3 refuses a wrong value at transactions.0.transaction_date',
          'E8 transactions: both ends belong to the period: %s becomes %s (U16)',
          'E8 transactions: with force off, one inside the period is added, and one that exists is skipped unseen',
          'E8 transactions: the period grows with the clock (U16)',
        ],
      },
      {
        id: 'D101',
        says: 'amount: number in requests; decimal string in responses',
        checks: ['C3', 'E8'],
        tests: [
          'TransactionsPayload > C3 refuses a wrong value at transactions.0.amount',
          'E8 transactions: 201, each echoed with its amount as a decimal string',
          'E8 transactions: the amount %d comes back as "%s"',
        ],
      },
      {
        id: 'D102',
        says: 'type: string; CHARGE, CREDIT, PAYMENT, REPAYMENT, SUPPLY_CHARGE',
        checks: ['C3', 'E8'],
        tests: [
          'TransactionsPayload > C3 refuses a wrong value at transactions.0.type',
          'closed: only the listed values pass > transaction type takes',
          'closed: only the listed values pass > transaction type refuses',
          'E8 transactions of all five types are added once; amounts are returned as decimals in strings',
        ],
      },
      {
        id: 'D103',
        says: 'reason: string; seen: IMPORTED_CHARGE, IMPORTED_CREDIT, ACCOUNT_CHARGE_PAYMENT, FULL_CREDIT_REFUND, GENERAL_CREDIT',
        checks: ['C3', 'U7'],
        tests: [
          'TransactionsPayload > C3 refuses a wrong value at transactions.0.reason',
          'U7 open: an undocumented value passes > transaction reason',
          'U7 transactions.0.reason of a transaction is taken or refused alike',
        ],
      },
      {
        id: 'D104',
        says: 'display_note: string, customer-facing note (charge, credit, supply charge)',
        checks: ['C3', 'E8'],
        tests: [
          'TransactionsPayload > C3 refuses a wrong value at transactions.0.display_note',
          'E8 transactions: 201, each echoed with its amount as a decimal string',
        ],
      },
      {
        id: 'D105',
        says: 'note: string, internal note',
        checks: ['C3', 'E8'],
        tests: [
          'TransactionsPayload > C3 refuses a wrong value at transactions.0.note',
          'E8 transactions: 201, each echoed with its amount as a decimal string',
        ],
      },
      {
        id: 'D106',
        says: 'reference: string, payments and repayments',
        checks: ['C3', 'E8'],
        tests: [
          'TransactionsPayload > C3 refuses a wrong value at transactions.2.reference',
          'E8 transactions: 201, each echoed with its amount as a decimal string',
        ],
      },
      {
        id: 'D107',
        says: 'payment_type: string; seen: DD_REGULAR_COLLECTION, DIRECT_CREDIT, DEBIT_CARD',
        checks: ['C3', 'U7'],
        tests: [
          'TransactionsPayload > C3 refuses a wrong value at transactions.2.payment_type',
          'U7 open: an undocumented value passes > payment_type',
          'U7 transactions.0.payment_type of a transaction is taken or refused alike',
        ],
      },
      {
        id: 'D108',
        says: 'product_code: string, SUPPLY_CHARGE',
        checks: ['C3', 'E8'],
        tests: [
          'TransactionsPayload > C3 refuses a wrong value at transactions.4.product_code',
          'E8 transactions: 201, each echoed with its amount as a decimal string',
        ],
      },
      {
        id: 'D109',
        says: 'line_items: SUPPLY_CHARGE; rate_band string, start_date date, end_date date, number_of_units number, net_amount number, price_per_unit number, units array of number',
        checks: ['C3', 'E8'],
        tests: [
          'TransactionsPayload > C3 refuses a wrong value at transactions.4.line_items',
          'TransactionsPayload > C3 refuses a wrong value at transactions.4.line_items.0.rate_band',
          'TransactionsPayload > C3 refuses a wrong value at transactions.4.line_items.0.start_date',
          'TransactionsPayload > C3 refuses a wrong value at transactions.4.line_items.0.end_date',
          'TransactionsPayload > C3 refuses a wrong value at transactions.4.line_items.0.number_of_units',
          'TransactionsPayload > C3 refuses a wrong value at transactions.4.line_items.0.net_amount',
          'TransactionsPayload > C3 refuses a wrong value at transactions.4.line_items.0.price_per_unit',
          'TransactionsPayload > C3 refuses a wrong value at transactions.4.line_items.0.units',
          'TransactionsPayload > C3 refuses a wrong value at transactions.4.line_items.0.units.1',
          'E8 transactions: 201, each echoed with its amount as a decimal string',
        ],
      },
      {
        id: 'D110',
        says: 'tax_items: SUPPLY_CHARGE; amount number, tax_type string (value VAT), value_taxed number, rate number, unit_type string (value PROPORTION)',
        checks: ['C3', 'E8', 'U7'],
        tests: [
          'TransactionsPayload > C3 refuses a wrong value at transactions.4.tax_items',
          'TransactionsPayload > C3 refuses a wrong value at transactions.4.tax_items.0.amount',
          'TransactionsPayload > C3 refuses a wrong value at transactions.4.tax_items.0.tax_type',
          'TransactionsPayload > C3 refuses a wrong value at transactions.4.tax_items.0.value_taxed',
          'TransactionsPayload > C3 refuses a wrong value at transactions.4.tax_items.0.rate',
          'TransactionsPayload > C3 refuses a wrong value at transactions.4.tax_items.0.unit_type',
          'U7 open: an undocumented value passes > tax_type',
          'U7 open: an undocumented value passes > tax unit_type',
          'E8 transactions: 201, each echoed with its amount as a decimal string',
        ],
      },
    ],
    notChecked: [],
  },
];
