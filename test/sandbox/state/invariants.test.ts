import { expect, test } from 'vitest';
import { account, importAccount, openSandbox, PROCESS, processing, STAGE, type Talk } from '../support/requests.js';

const listed = async ({ get }: Talk, name: string) => {
  const { body } = await get(`${name}-account-import-processes/SANDBOX_SUPPLIER/`);
  return (body as { external_account_number: string }[]).map((entry) => entry.external_account_number);
};

test('I1 pending and imported are disjoint, and together they are all, at every step', async () => {
  const talk = openSandbox();
  const steps: [string, Record<string, unknown>][] = [
    [STAGE, account('A-1')],
    [STAGE, account('A-2')],
    [PROCESS, processing('A-2', { dry_run: true })],
    [PROCESS, processing('A-1')],
    [STAGE, account('A-3')],
    [STAGE, account('A-1')],
    [PROCESS, processing('A-3')],
    [PROCESS, processing('A-3')],
    [STAGE, account('A-4', { landline: 'x' })],
  ];
  for (const [path, body] of steps) {
    await talk.post(path, body);
    const [all, pending, imported] = [
      await listed(talk, 'all'),
      await listed(talk, 'pending'),
      await listed(talk, 'imported'),
    ];
    expect(pending.filter((number) => imported.includes(number))).toEqual([]);
    expect([...pending, ...imported].sort()).toEqual([...all].sort());
  }
  expect(await listed(talk, 'pending')).toEqual(['A-2']);
  expect(await listed(talk, 'imported')).toEqual(['A-1', 'A-3']);
});

test('I2 a service_account_number never changes once issued', async () => {
  const talk = openSandbox();
  const number = await importAccount(talk, 'A-1');
  await talk.post(PROCESS, processing('A-1'));
  await talk.post(STAGE, account('A-1'));
  talk.sandbox.clock.advance(86_400_000);
  talk.sandbox.transition('SANDBOX_SUPPLIER', 'A-1', 'IN_PROGRESS');
  expect(await talk.get('account-transfer-status/SANDBOX_SUPPLIER/A-1/')).toEqual({
    status: 200,
    body: { status: 'IN_PROGRESS', service_account_number: number },
  });
});

test('I2 a service_account_number is issued once: 300 accounts of two suppliers have 300, some with a leading 0', {
  tags: 'long',
}, async () => {
  const { post, sandbox } = openSandbox({ suppliers: [{ code: 'NORTH' }, { code: 'SOUTH' }] });
  for (const supplier of ['NORTH', 'SOUTH']) {
    for (let index = 0; index < 150; index++) {
      await post(STAGE, account(`A-${index}`, { import_supplier: supplier }));
      await post(PROCESS, processing(`A-${index}`, { import_supplier_code: supplier }));
    }
  }
  const numbers = sandbox.state.suppliers.flatMap(({ accounts }) =>
    accounts.map(({ imported }) => imported?.service_account_number ?? ''),
  );
  expect(new Set(numbers).size).toBe(300);
  expect(numbers.every((number) => /^\d{16}$/.test(number))).toBe(true);
  expect(numbers.some((number) => number.startsWith('0'))).toBe(true);
});

test('I3 validate and dry run change nothing, with any answer', async () => {
  const talk = openSandbox();
  const { post, unchanged } = talk;
  await importAccount(talk, 'A-1');
  await post(STAGE, account('A-2'));
  for (const number of ['A-1', 'A-2', 'A-3']) {
    await unchanged(() => post('validate-account/', account(number)));
    await unchanged(() => post('validate-account/', account(number, { wrong: true })));
    await unchanged(() => post(PROCESS, processing(number, { dry_run: true })));
  }
});

test("I3 no REST call changes a supplier's status", async () => {
  const talk = openSandbox();
  const { post, get, sandbox } = talk;
  sandbox.setSupplierStatus('SANDBOX_SUPPLIER', 'Paused');
  const key = { import_supplier: 'SANDBOX_SUPPLIER', external_account_number: 'A-1' };
  const codeKey = { import_supplier_code: 'SANDBOX_SUPPLIER', external_business_identifier: 'B-1' };
  const instruction = { vendor: 'VENDOR', reference: 'R-1' };
  await post('supply-point/populate/', {});
  await post('business/', codeKey);
  await post('business-payment-instruction/create/', { ...codeKey, ...instruction });
  await post('validate-account/', key);
  await post(STAGE, key);
  await post(PROCESS, processing('A-1'));
  await post('notes/create/', { ...key, notes: [] });
  await post('transactions/create/', { ...key, transactions: [] });
  await post('historical-statements/create/', { ...key, statements: [] });
  await post('payment-instruction/create/', { ...key, ...instruction });
  for (const list of ['all', 'pending', 'imported']) await get(`${list}-account-import-processes/SANDBOX_SUPPLIER/`);
  expect(sandbox.state.suppliers[0]?.status).toBe('Paused');
});
