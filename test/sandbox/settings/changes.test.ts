/** What the log says that a call changed: a few words, no personal data, and nothing where nothing changed. */
import { expect, test } from 'vitest';
import type { SandboxSettings } from '../../../src/sandbox/index.js';
import { charge, payload as transactions } from '../support/billed-account.js';
import { account, importAccount, openSandbox, PROCESS, processing, STAGE } from '../support/requests.js';

const open = async (settings: Partial<SandboxSettings> = {}) => {
  const talk = openSandbox({ settings });
  await importAccount(talk, 'A-1', { last_billed_to_date: '2025-12-31' });
  await talk.post('business/', { import_supplier_code: 'SANDBOX_SUPPLIER', external_business_identifier: 'B-1' });
  const changeOf = async (path: string, body: unknown) => {
    await talk.post(path, body);
    return talk.sandbox.requests().at(-1)?.change;
  };
  return { ...talk, changeOf };
};
const business = (more: Record<string, unknown>) => ({
  import_supplier_code: 'SANDBOX_SUPPLIER',
  external_business_identifier: 'B-1',
  ...more,
});

test('staging and processing log the change of the account', async () => {
  const { changeOf } = await open();
  expect(await changeOf('validate-account/', account('A-2'))).toBeNull();
  expect(await changeOf(STAGE, account('A-2'))).toBe('staged');
  expect(await changeOf(STAGE, account('A-2'))).toBe('staged data replaced');
  expect(await changeOf(PROCESS, processing('A-2', { dry_run: true }))).toBeNull();
  expect(await changeOf(PROCESS, processing('A-2'))).toBe('staged → imported');
  expect(await changeOf(PROCESS, processing('A-2'))).toBeNull();
  expect(await changeOf(STAGE, account('A-2'))).toBeNull();
});

test('notes, transactions and statements have the number of added items', async () => {
  const { changeOf } = await open();
  const notes = (...bodies: string[]) => account('A-1', { notes: bodies.map((body) => ({ body })) });
  expect(await changeOf('notes/create/', notes('Apple', 'Mango', 'Apple'))).toBe('2 notes added');
  expect(await changeOf('notes/create/', notes('Apple', 'Zebra'))).toBe('1 note added');
  expect(await changeOf('notes/create/', notes('Apple'))).toBeNull();
  expect(await changeOf('transactions/create/', transactions(charge()))).toBe('1 transaction added');
  expect(await changeOf('transactions/create/', transactions(charge()))).toBeNull();
  const moved = ['T-2', 'T-3'].map((transaction_id) => charge({ transaction_id, transaction_date: '2025-12-31' }));
  expect(await changeOf('transactions/create/', transactions(...moved))).toBe('2 transactions added, 2 notes pinned');
  const statements = (...all: object[]) => account('A-1', { statements: all });
  expect(await changeOf('historical-statements/create/', statements({}))).toBe('1 statement added');
  expect(await changeOf('historical-statements/create/', statements({}, {}))).toBe('2 statements added');
  expect(await changeOf('historical-statements/create/', statements())).toBeNull();
});

test('businesses, payment instructions and supply points have what was created', async () => {
  const { changeOf } = await open();
  const vendor = (reference: string) => ({ vendor: 'VENDOR', reference });
  expect(await changeOf('business/', business({ external_business_identifier: 'B-2' }))).toBe('business created');
  expect(await changeOf('business/', business({}))).toBeNull();
  const path = 'payment-instruction/create/';
  expect(await changeOf(path, account('A-1', vendor('R-1')))).toBe('payment instruction added');
  expect(await changeOf(path, account('A-1', vendor('sbx-vendor-persistent')))).toBeNull();
  const flaky = account('A-1', vendor('sbx-vendor-flaky-2'));
  expect(await changeOf(path, flaky)).toBe('vendor asked, try 1 of 2');
  expect(await changeOf(path, flaky)).toBe('vendor asked, try 2 of 2');
  expect(await changeOf(path, flaky)).toBe('payment instruction added');
  expect(await changeOf(`business-${path}`, business(vendor('R-1')))).toBe('payment instruction added');
  expect(await changeOf('supply-point/populate/', { prm_ids: ['1', '2'], pce_ids: ['3'] })).toBe('3 lookups queued');
  expect(await changeOf('supply-point/populate/', { prm_ids: ['1'] })).toBe('1 lookup queued');
  expect(await changeOf('supply-point/populate/', {})).toBe('0 lookups queued');
});

test('a failing batch has the items that it left (U15), and the same business with its id has no change (U20)', async () => {
  const path = 'transactions/create/?force_add_to_current_statement=false';
  const batch = transactions(charge(), charge({ transaction_id: 'T-2', transaction_date: '2025-12-31' }));
  expect(await (await open()).changeOf(path, batch)).toBeNull();
  const { changeOf } = await open({ failingBatchKeeps: 'prefix', businessAgain: 'same-id' });
  expect(await changeOf(path, batch)).toBe('1 transaction added');
  expect(await changeOf('business/', business({}))).toBeNull();
});
