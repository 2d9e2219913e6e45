/** The runner depends on no default of what the API specification does not show: an input ends alike with every setting of the register. */
import { expect, test } from 'vitest';
import { DataImportClient } from '../../../src/client.js';
import { createMemoryLedger, inputFromRecords, runMigration } from '../../../src/migration/index.js';
import { createSandbox } from '../../../src/sandbox/index.js';
import { newFolder } from '../../helpers/folder.js';
import { REGISTER_SETTINGS } from '../../support/register-settings.js';
import { account, business } from '../rehearsal.js';

const input = [
  business('B-1', 'K-1'),
  account('A-1', { account_type: 'BUSINESS', business: { business_contract_identifier: 'K-1' } }),
  account(
    'A-2',
    { last_billed_to_date: '2025-12-31' },
    {
      payment_instruction: { vendor: 'SANDBOX_VENDOR', reference: 'R-1' },
      statements: [{ statement_id: 'S-1' }],
      transactions: [{ transaction_id: 'T-1', type: 'CREDIT', amount: 1, transaction_date: '2026-01-02' }],
      notes: [{ body: 'Meter behind the door.' }],
    },
  ),
];

test.each(REGISTER_SETTINGS)(
  '%s with %j all of an input is on the service once',
  { tags: 'long' },
  async (_, settings) => {
    const folder = newFolder('register-');
    const sandbox = createSandbox({ settings, clock: new Date('2026-01-15T09:00:00Z') });
    const client = new DataImportClient({
      baseUrl: 'http://localhost:1',
      token: sandbox.token,
      fetch: sandbox.fetch,
      advanced: { retryBaseMs: 0 },
    });

    const ledger = createMemoryLedger();
    const { state, summary } = await runMigration({
      client,
      input: inputFromRecords(input),
      folder,
      team: 'SANDBOX_TEAM',
      ledger,
    });

    expect(state).toBe('finished');
    expect(summary).toMatchObject({
      created: 3,
      rejected: 0,
      unknown: 0,
      unfinished: 0,
      balance: { isBalanced: true },
    });
    const { suppliers } = sandbox.snapshot().state;
    expect(suppliers[0]?.businesses).toHaveLength(1);
    const accounts = suppliers[0]?.accounts ?? [];
    const found = accounts.map(({ external_account_number, imported, duplicates = [] }) => [
      external_account_number,
      duplicates.length,
      ...[imported?.notes, imported?.transactions, imported?.statements, imported?.payment_instructions].map(
        (items) => items?.length,
      ),
    ]);
    expect(found.sort()).toEqual([
      ['A-1', 0, 0, 0, 0, 0],
      ['A-2', 0, 1, 1, 1, 1],
    ]);
  },
);

test('E4 E6 I3 where the options ask for it, an account is validated, staged, tried and processed, in this order', async () => {
  const folder = newFolder('register-');
  const sandbox = createSandbox({ clock: new Date('2026-01-15T09:00:00Z') });
  const client = new DataImportClient({ baseUrl: 'http://localhost:1', token: sandbox.token, fetch: sandbox.fetch });

  await runMigration({
    ...{
      client,
      input: inputFromRecords([account('A-1')]),
      folder,
      team: 'SANDBOX_TEAM',
      ledger: createMemoryLedger(),
    },
    validateRemotely: true,
    dryRun: 'all',
  });

  expect(sandbox.requests().map(({ path, status, change }) => [path.split('/').at(-2), status, change])).toEqual([
    ['validate-account', 200, null],
    ['create-or-update', 201, 'staged'],
    ['process', 400, null],
    ['process', 201, 'staged → imported'],
  ]);
});
