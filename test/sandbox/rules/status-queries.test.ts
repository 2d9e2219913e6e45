import { describe, expect, test } from 'vitest';
import { failed } from '../support/refusals.js';
import { account, importAccount, openSandbox, PROCESS, processing, STAGE } from '../support/requests.js';

describe('E11 status', () => {
  const STATUS = 'account-transfer-status/SANDBOX_SUPPLIER/A-1/';
  const MISSING = failed(
    404,
    'import_process_not_found',
    'No import process exists for this supplier and account number.',
  );

  test('E11 status: never staged is 404, and validating is not staging', async () => {
    const { post, get, unchanged } = openSandbox();
    expect(await unchanged(() => get(STATUS))).toEqual(MISSING);
    await post('validate-account/', account('A-1'));
    expect(await get(STATUS)).toEqual(MISSING);
  });

  test('E11 status: staged is UNKNOWN with an empty number', async () => {
    const { post, get, unchanged } = openSandbox();
    await post(STAGE, account('A-1'));
    expect(await unchanged(() => get(STATUS))).toEqual({
      status: 200,
      body: { status: 'UNKNOWN', service_account_number: '' },
    });
  });

  test('E11 status: imported is PENDING with the number', async () => {
    const talk = openSandbox();
    const service_account_number = await importAccount(talk, 'A-1');
    expect(await talk.unchanged(() => talk.get(STATUS))).toEqual({
      status: 200,
      body: { status: 'PENDING', service_account_number },
    });
  });

  test.each(['COMPLETED', 'REJECTED'] as const)('E11 status: later IN_PROGRESS, then %s (U8)', async (end) => {
    const talk = openSandbox();
    const service_account_number = await importAccount(talk, 'A-1');
    talk.sandbox.transition('SANDBOX_SUPPLIER', 'A-1', 'IN_PROGRESS');
    expect((await talk.get(STATUS)).body).toEqual({ status: 'IN_PROGRESS', service_account_number });
    talk.sandbox.transition('SANDBOX_SUPPLIER', 'A-1', end);
    expect((await talk.get(STATUS)).body).toEqual({ status: end, service_account_number });
  });

  test('U8 a status that cannot follow is refused, as is the switch of what is not imported', async () => {
    const talk = openSandbox();
    const { sandbox } = talk;
    await importAccount(talk, 'A-1');
    await talk.post(STAGE, account('A-2'));
    expect(() => sandbox.transition('SANDBOX_SUPPLIER', 'A-1', 'COMPLETED')).toThrow(
      'Account A-1 is PENDING: IN_PROGRESS can follow, not COMPLETED.',
    );
    sandbox.transition('SANDBOX_SUPPLIER', 'A-1', 'IN_PROGRESS');
    expect(() => sandbox.transition('SANDBOX_SUPPLIER', 'A-1', 'PENDING')).toThrow(
      'Account A-1 is IN_PROGRESS: COMPLETED or REJECTED can follow, not PENDING.',
    );
    sandbox.transition('SANDBOX_SUPPLIER', 'A-1', 'REJECTED');
    expect(() => sandbox.transition('SANDBOX_SUPPLIER', 'A-1', 'COMPLETED')).toThrow(
      'Account A-1 is REJECTED: nothing can follow, not COMPLETED.',
    );
    expect(() => sandbox.transition('SANDBOX_SUPPLIER', 'A-2', 'IN_PROGRESS')).toThrow(
      'Account A-2 of SANDBOX_SUPPLIER is not imported.',
    );
    expect(() => sandbox.transition('UNKNOWN', 'A-1', 'IN_PROGRESS')).toThrow(
      'No import supplier has the code UNKNOWN.',
    );
  });

  test('E11 status: another supplier is 404', async () => {
    const talk = openSandbox({ suppliers: [{ code: 'SANDBOX_SUPPLIER' }, { code: 'SOUTH' }] });
    await importAccount(talk, 'A-1');
    expect(await talk.get('account-transfer-status/SOUTH/A-1/')).toEqual(MISSING);
    expect(await talk.get('account-transfer-status/UNKNOWN/A-1/')).toEqual(MISSING);
  });
});

describe('E12 to E14 lists', () => {
  const LISTS = [
    ['E12', 'all'],
    ['E13', 'pending'],
    ['E14', 'imported'],
  ] as const;
  const staged = (external_account_number: string) => ({
    external_account_number,
    service_account_number: null,
    account_created_at: null,
  });

  const imported = (external_account_number: string, service_account_number: unknown, account_created_at: string) => ({
    ...{ external_account_number, service_account_number, account_created_at },
  });

  /** Staged in this order: 20, 3 (imported), 100, A (imported), and one of another supplier. */
  const withAccounts = async () => {
    const talk = openSandbox({ suppliers: [{ code: 'SANDBOX_SUPPLIER' }, { code: 'SOUTH' }] });
    for (const number of ['20', '3', '100', 'A']) await talk.post(STAGE, account(number));
    await talk.post(STAGE, account('S', { import_supplier: 'SOUTH' }));
    const numbers: string[] = [];
    for (const number of ['A', '3']) {
      talk.sandbox.clock.advance(60_000);
      const { body } = await talk.post(PROCESS, processing(number));
      numbers.push((body as { service_account_number: string }).service_account_number);
    }
    const [numberOfA, numberOf3] = numbers;
    return { ...talk, numberOfA, numberOf3 };
  };

  test("E12 all: staged with both null and imported with both set, in staging order, no other supplier's (U26)", async () => {
    const { get, unchanged, numberOfA, numberOf3 } = await withAccounts();
    expect(await unchanged(() => get('all-account-import-processes/SANDBOX_SUPPLIER/'))).toEqual({
      status: 200,
      body: [
        staged('20'),
        imported('3', numberOf3, '2026-01-15T09:02:00Z'),
        staged('100'),
        imported('A', numberOfA, '2026-01-15T09:01:00Z'),
      ],
    });
  });

  test('E13 pending: staged only, both null; an entry leaves when it is processed', async () => {
    const { get, post, unchanged } = await withAccounts();
    expect(await unchanged(() => get('pending-account-import-processes/SANDBOX_SUPPLIER/'))).toEqual({
      status: 200,
      body: [staged('20'), staged('100')],
    });
    await post(PROCESS, processing('20'));
    expect((await get('pending-account-import-processes/SANDBOX_SUPPLIER/')).body).toEqual([staged('100')]);
  });

  test('E14 imported: imported only, with the same entries as in the list of all (U5)', async () => {
    const { get, unchanged, numberOfA, numberOf3 } = await withAccounts();
    expect(await unchanged(() => get('imported-account-import-processes/SANDBOX_SUPPLIER/'))).toEqual({
      status: 200,
      body: [imported('3', numberOf3, '2026-01-15T09:02:00Z'), imported('A', numberOfA, '2026-01-15T09:01:00Z')],
    });
  });

  test('E14 imported: an account stays listed with every status of its switch', async () => {
    const { get, sandbox } = await withAccounts();
    const before = await get('imported-account-import-processes/SANDBOX_SUPPLIER/');
    for (const [number, end] of [['3', 'REJECTED'] as const, ['A', 'COMPLETED'] as const]) {
      sandbox.transition('SANDBOX_SUPPLIER', number, 'IN_PROGRESS');
      sandbox.transition('SANDBOX_SUPPLIER', number, end);
    }
    expect(await get('imported-account-import-processes/SANDBOX_SUPPLIER/')).toEqual(before);
    expect((await get('pending-account-import-processes/SANDBOX_SUPPLIER/')).body).toEqual([
      staged('20'),
      staged('100'),
    ]);
  });

  test('E12 all: staging again does not change the order', async () => {
    const { get, post } = await withAccounts();
    await post(STAGE, account('20', { sales_channel: 'WEB' }));
    const { body } = await get('all-account-import-processes/SANDBOX_SUPPLIER/');
    const numbers = (body as { external_account_number: string }[]).map((entry) => entry.external_account_number);
    expect(numbers).toEqual(['20', '3', '100', 'A']);
  });

  test.each(LISTS)('%s %s: an unknown or empty supplier has an empty list (U4)', async (_, name) => {
    const { get } = openSandbox();
    for (const supplier of ['SANDBOX_SUPPLIER', 'UNKNOWN']) {
      expect(await get(`${name}-account-import-processes/${supplier}/`)).toEqual({ status: 200, body: [] });
    }
  });

  test.each(LISTS)('%s %s: an account that is marked to skip stays listed where it was (U23)', async (_, name) => {
    const { get, sandbox } = await withAccounts();
    const before = await get(`${name}-account-import-processes/SANDBOX_SUPPLIER/`);
    for (const number of ['20', '3']) sandbox.skip('SANDBOX_SUPPLIER', number);
    expect(await get(`${name}-account-import-processes/SANDBOX_SUPPLIER/`)).toEqual(before);
  });
});
