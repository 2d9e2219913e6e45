/** U4, U5, U23 and U26: the lists where the API specification is open. */
import { describe, expect, test } from 'vitest';
import { failed } from '../support/refusals.js';
import { account, importAccount, openSandbox, STAGE } from '../support/requests.js';

const ALL = 'all-account-import-processes/SANDBOX_SUPPLIER/';
const PENDING = 'pending-account-import-processes/SANDBOX_SUPPLIER/';
const IMPORTED = 'imported-account-import-processes/SANDBOX_SUPPLIER/';

const staged = (external_account_number: string) => ({
  external_account_number,
  service_account_number: null,
  account_created_at: null,
});
const NOT_FOUND = failed(404, 'import_processes_not_found', 'No such import process exists for this supplier.');

describe('U4 unmatchedList', () => {
  test.each([ALL, PENDING, IMPORTED, ALL.replace('SANDBOX_SUPPLIER', 'UNKNOWN')])(
    "U4 %s without a match is 200 with [] by default, and 404 with 'not-found'",
    async (path) => {
      expect(await openSandbox().get(path)).toEqual({ status: 200, body: [] });
      expect(await openSandbox({ settings: { unmatchedList: 'not-found' } }).get(path)).toEqual(NOT_FOUND);
    },
  );

  test("U4 with 'not-found' a list with an entry is 200", async () => {
    const { get, post } = openSandbox({ settings: { unmatchedList: 'not-found' } });
    await post(STAGE, account('A-1'));
    expect(await get(PENDING)).toEqual({ status: 200, body: [staged('A-1')] });
    expect(await get(IMPORTED)).toEqual(NOT_FOUND);
  });
});

describe('U5 importedList', () => {
  test("U5 with 'no-body' the list of imported accounts has no body, with entries or without, and no other list", async () => {
    const talk = openSandbox({ settings: { importedList: 'no-body' } });
    expect(await talk.get(IMPORTED)).toEqual({ status: 200, body: undefined });
    await importAccount(talk, 'A-1');
    expect(await talk.get(IMPORTED)).toEqual({ status: 200, body: undefined });
    expect((await talk.get(ALL)).body).toHaveLength(1);
  });
});

describe('U23 skippedAccounts', () => {
  test("U23 with 'hidden' it leaves them while it is marked; what is imported stays", async () => {
    const talk = openSandbox({ settings: { skippedAccounts: 'hidden' } });
    const { get, post, sandbox } = talk;
    const service_account_number = await importAccount(talk, 'A-1');
    await post(STAGE, account('A-2'));
    await post(STAGE, account('A-3'));
    for (const number of ['A-1', 'A-2']) sandbox.skip('SANDBOX_SUPPLIER', number);
    const imported = {
      external_account_number: 'A-1',
      service_account_number,
      account_created_at: '2026-01-15T09:00:00Z',
    };
    expect((await get(ALL)).body).toEqual([imported, staged('A-3')]);
    expect((await get(PENDING)).body).toEqual([staged('A-3')]);
    expect((await get(IMPORTED)).body).toEqual([imported]);
    sandbox.skip('SANDBOX_SUPPLIER', 'A-2', false);
    expect((await get(PENDING)).body).toEqual([staged('A-2'), staged('A-3')]);
  });
});

describe('U26 listOrder', () => {
  test("U26 with 'account-number' they are in the order of the numbers as strings, and the state is not", async () => {
    const { get, post, sandbox } = openSandbox({ settings: { listOrder: 'account-number' } });
    for (const number of ['9', '10', 'a', 'B', 'é']) await post(STAGE, account(number));
    const ordered = { status: 200, body: ['10', '9', 'B', 'a', 'é'].map(staged) };
    expect(await get(ALL)).toEqual(ordered);
    expect(await get(PENDING)).toEqual(ordered);
    const kept = sandbox.state.suppliers[0]?.accounts.map(({ external_account_number }) => external_account_number);
    expect(kept).toEqual(['9', '10', 'a', 'B', 'é']);
  });
});
