/** Notes, transactions, statements and a payment instruction for an account that is imported. */
import { TransactionImportError } from 'data-import-sdk';
import { SANDBOX_SUPPLIER, SANDBOX_TEAM } from 'data-import-sdk/sandbox';
import { startSandbox } from './sandbox-client.js';

const { client, stop } = await startSandbox();
const account = { import_supplier: SANDBOX_SUPPLIER, external_account_number: 'A-1' };

await client.accounts.stage({ ...account, last_billed_to_date: '2025-12-31' });
await client.accounts.process({
  external_account_number: 'A-1',
  import_supplier_code: SANDBOX_SUPPLIER,
  operations_team_name: SANDBOX_TEAM,
});

const notes = [{ body: 'Prefers letters.', created_at: '2026-01-10T08:00:00Z' }];
console.log(
  'note:',
  (await client.notes.create({ ...account, notes })).map(({ status }) => status),
);
console.log(
  'again:',
  (await client.notes.create({ ...account, notes })).map(({ status }) => status),
);

const early = { type: 'CHARGE', transaction_id: 'T-1', transaction_date: '2025-11-30', amount: 24.5 } as const;
try {
  await client.transactions.create({ ...account, transactions: [early] }, { force_add_to_current_statement: false });
} catch (error) {
  if (!(error instanceof TransactionImportError)) throw error;
  console.log('outside the open period:', error.transactionId);
}
const { results } = await client.transactions.create({ ...account, transactions: [early] });
console.log('moved into it:', results[0]?.transaction_data?.transaction_date, results[0]?.transaction_data?.amount);

await client.historicalStatements.create({
  ...account,
  statements: [
    {
      bill_period_from_date: '2025-12-01',
      bill_period_to_date: '2025-12-31',
      statement_id: 'S-2025-12',
      issued_date: '2026-01-02',
      number: 'F-2025-12',
      gross_amount: 6000,
    },
  ],
});
const answer = await client.paymentInstructions
  .create({ ...account, vendor: 'VENDOR-1', reference: 'sbx-vendor-flaky-2', type: 'CARD' })
  .withResponse();
console.log('payment instruction:', answer.status, 'after', answer.attempts, 'attempts');
await stop();
