/** One transaction of each of the five types, with every documented field of its type (document: Transaction). */
import type { TransactionsPayload } from '../../schemas/index.js';

export const transactions: TransactionsPayload = {
  import_supplier: 'SANDBOX_SUPPLIER',
  external_account_number: 'ACC-0001',
  transactions: [
    {
      transaction_id: 'TX-0001',
      transaction_date: '2024-03-01',
      amount: 12.5,
      type: 'CHARGE',
      reason: 'IMPORTED_CHARGE',
      display_note: 'Balance of your former account',
      note: 'Taken over from the legacy ledger',
    },
    {
      transaction_id: 'TX-0002',
      transaction_date: '2024-03-02',
      amount: 20,
      type: 'CREDIT',
      reason: 'IMPORTED_CREDIT',
      display_note: 'Goodwill',
      note: 'Complaint 42',
    },
    {
      transaction_id: 'TX-0003',
      transaction_date: '2024-03-05',
      amount: 62.5,
      type: 'PAYMENT',
      reason: 'ACCOUNT_CHARGE_PAYMENT',
      note: 'First collection',
      reference: 'PAY-2024-0003',
      payment_type: 'DD_REGULAR_COLLECTION',
    },
    {
      transaction_id: 'TX-0004',
      transaction_date: '2024-03-06',
      amount: 7.25,
      type: 'REPAYMENT',
      reason: 'FULL_CREDIT_REFUND',
      note: 'Paid back',
      reference: 'REPAY-2024-0004',
      payment_type: 'DIRECT_CREDIT',
    },
    {
      transaction_id: 'TX-0005',
      transaction_date: '2024-03-31',
      amount: 61.2,
      type: 'SUPPLY_CHARGE',
      display_note: 'Electricity in March',
      note: 'Metered',
      product_code: 'ELEC_VARIABLE',
      line_items: [
        {
          rate_band: 'CONSUMPTION_STANDARD',
          start_date: '2024-03-01',
          end_date: '2024-03-31',
          number_of_units: 340.5,
          net_amount: 51.01,
          price_per_unit: 0.1498,
          units: [100, 140.5, 100],
        },
      ],
      tax_items: [{ amount: 10.2, tax_type: 'VAT', value_taxed: 51.01, rate: 0.2, unit_type: 'PROPORTION' }],
    },
  ],
};
