/** What is added to an account of a sample input after its import. */
import type { HistoricalStatement } from '../../../../schemas/payloads/historical-statement.js';
import type { Note } from '../../../../schemas/payloads/note.js';
import type { Transaction } from '../../../../schemas/payloads/transaction.js';
import type { AccountRecord } from '../../../validation/records/import-record.js';
import { accountNumber } from './account.js';
import type { SeededRandom } from './seeded-random.js';

export function sampleAdded(index: number, chance: SeededRandom): Omit<AccountRecord, 'account'> {
  const number = accountNumber(index);
  return {
    notes: sampleNotes(number, chance),
    ...(index % 2 === 0 && { transactions: sampleTransactions(number, chance) }),
    ...(index % 3 === 0 && { statements: [sampleStatement(number, chance)] }),
    ...(index % 4 === 0 && {
      payment_instruction: { vendor: 'VENDOR-1', reference: `CARD-${number}`, type: 'CARD' },
    }),
  };
}

function sampleNotes(number: string, chance: SeededRandom): Note[] {
  const moved: Note = { body: `Moved from the former supplier, file ${number}.`, created_at: '2026-01-10T08:00:00Z' };
  if (chance.next() < 0.8) return [moved];
  return [
    moved,
    {
      body: 'Call back before the first bill.',
      document_paths: [{ document_path: `/letters/${number}/2025-12-18.pdf` }],
      created_at: '2026-01-11T14:05:00Z',
      is_pinned: true,
      unpin_at: '2026-03-01T00:00:00Z',
    },
  ];
}

function sampleTransactions(number: string, chance: SeededRandom): Transaction[] {
  const transaction_date = '2026-01-05';
  const units = [chance.whole(20, 90), chance.whole(20, 90), chance.whole(20, 90), chance.whole(20, 90)];
  const used = units.reduce((sum, day) => sum + day, 0);
  const net = cents(used * 0.15);
  const tax = cents(net * 0.2);
  return [
    {
      type: 'CHARGE',
      transaction_id: `${number}-1`,
      transaction_date,
      amount: chance.whole(100, 9000) / 100,
      reason: 'IMPORTED_CHARGE',
      display_note: 'Balance of your former account',
    },
    { type: 'CREDIT', transaction_id: `${number}-2`, transaction_date, amount: 10, reason: 'IMPORTED_CREDIT' },
    // Before the open statement period: the service moves it inside and pins a note.
    {
      type: 'PAYMENT',
      transaction_id: `${number}-3`,
      transaction_date: '2025-12-20',
      amount: chance.whole(25, 180),
      payment_type: 'DD_REGULAR_COLLECTION',
      reference: `DD-${number}`,
    },
    {
      type: 'REPAYMENT',
      transaction_id: `${number}-4`,
      transaction_date,
      amount: 5.25,
      payment_type: 'DIRECT_CREDIT',
      reference: `RF-${number}`,
      note: 'Paid too much in December.',
    },
    {
      type: 'SUPPLY_CHARGE',
      transaction_id: `${number}-5`,
      transaction_date,
      amount: cents(net + tax),
      product_code: 'ELEC-FIX',
      line_items: [
        {
          rate_band: 'BASE',
          start_date: '2026-01-01',
          end_date: '2026-01-04',
          number_of_units: used,
          net_amount: net,
          price_per_unit: 0.15,
          units,
        },
      ],
      tax_items: [{ amount: tax, tax_type: 'VAT', value_taxed: net, rate: 0.2, unit_type: 'PROPORTION' }],
    },
  ];
}

function sampleStatement(number: string, chance: SeededRandom): HistoricalStatement {
  return {
    bill_period_from_date: '2025-12-01',
    bill_period_to_date: '2025-12-31',
    statement_id: `${number}-2025-12`,
    issued_date: '2026-01-02',
    number: `F-${number}`,
    // In cents.
    gross_amount: chance.whole(2500, 18_000),
    statement_path: `/statements/${number}/2025-12.pdf`,
  };
}

function cents(amount: number): number {
  return Math.round(amount * 100) / 100;
}
