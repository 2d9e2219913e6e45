/** The lists of the admin interface: requests and accounts, in windows. */
import { describe, expect, test } from 'vitest';
import { type AdminAnswer, openAdmin } from '../support/admin-requests.js';
import { DOMESTIC } from '../support/payloads.js';
import { account, PROCESS, processing, STAGE } from '../support/requests.js';

const idsIn = ({ body }: AdminAnswer) => (body as { entries: { id: number }[] }).entries.map(({ id }) => id);
const numbersIn = ({ body }: AdminAnswer) =>
  (body as { accounts: { external_account_number: string }[] }).accounts.map((row) => row.external_account_number);
const curlOf = ({ body }: AdminAnswer) => (body as { entries: { curl: string }[] }).entries[0]?.curl;

describe('admin: requests', () => {
  test('the newest, those after and before an id, and a window of them', async () => {
    const { send, call } = await openAdmin();
    for (let number = 1; number <= 5; number++) await call('POST', STAGE, account(`A-${number}`));
    const newest = await send('GET', 'requests?limit=2');
    expect(newest.body).toMatchObject({ first: 1, last: 5, total: 5 });
    expect(idsIn(newest)).toEqual([4, 5]);
    expect(idsIn(await send('GET', 'requests?after=3'))).toEqual([4, 5]);
    expect(idsIn(await send('GET', 'requests?after=1&limit=2'))).toEqual([2, 3]);
    expect(idsIn(await send('GET', 'requests?before=4&limit=2'))).toEqual([2, 3]);
    expect(idsIn(await send('GET', 'requests?before=6&offset=1&limit=3'))).toEqual([2, 3, 4]);
    expect(idsIn(await send('GET', 'requests?after=5'))).toEqual([]);
  });

  test('an entry has the request, the answer, and the rules behind the answer', async () => {
    const { send, call } = await openAdmin();
    await call('POST', 'transactions/create/', {
      import_supplier: 'SANDBOX_SUPPLIER',
      external_account_number: 'A-1',
      transactions: [],
    });
    expect((await send('GET', 'requests')).body).toMatchObject({
      entries: [
        {
          id: 1,
          rule: 'E8',
          operation: 'transactions.create',
          status: 400,
          account: 'A-1',
          change: null,
          assumed: ['U12', 'U14'],
        },
      ],
    });
  });

  test('an entry has the times of the machine; sandbox.requests() has only what is equal in each run', async () => {
    const { send, call, sandbox } = await openAdmin();
    const before = Date.now();
    await call('POST', STAGE, account('A-1'));
    const { body } = await send('GET', 'requests');
    const [entry] = (body as { entries: { at: string; received_at: string; took_ms: number }[] }).entries;
    expect(entry?.at).toBe('2026-01-15T09:00:00.000Z');
    const [received, after] = [new Date(entry?.received_at ?? 0).getTime(), Date.now()];
    expect(received).toBeGreaterThanOrEqual(before);
    expect(received + (entry?.took_ms ?? Number.NaN)).toBeLessThanOrEqual(after);
    expect(Object.keys(sandbox.requests()[0] ?? {})).not.toEqual(expect.arrayContaining(['received_at']));
    expect(Object.keys(sandbox.requests()[0] ?? {})).not.toEqual(expect.arrayContaining(['took_ms']));
  });

  test('filters by operation, status, account and text', async () => {
    const { send, call, sandbox } = await openAdmin();
    await call('POST', STAGE, account('A-1'));
    await call('POST', STAGE, { import_supplier: 'SANDBOX_SUPPLIER' });
    await call('POST', PROCESS, processing('A-1'));
    await call('GET', 'nowhere/');
    sandbox.faults.add({ id: 'gone', effect: 'drop' });
    await expect(call('POST', STAGE, account('B-2'))).rejects.toThrow('socket hang up');
    const found = async (query: string) => idsIn(await send('GET', `requests?${query}`));
    expect(await found('operation=accounts.stage')).toEqual([1, 2, 5]);
    expect(await found('operation=none')).toEqual([4]);
    expect(await found('status=4xx')).toEqual([2, 4]);
    expect(await found('status=404')).toEqual([4]);
    expect(await found('status=none')).toEqual([5]);
    expect(await found('account=A-1')).toEqual([1, 3]);
    expect(await found('q=b-2')).toEqual([5]);
    expect(await found('q=u1')).toEqual([4]);
    expect(await found('q=gone')).toEqual([5]);
    expect(await found('operation=accounts.stage&status=4xx')).toEqual([2]);
    expect((await send('GET', 'requests?status=2xx&limit=1')).body).toMatchObject({ total: 2, entries: [{ id: 3 }] });
  });

  test('the log is forgotten', async () => {
    const { send, call, sandbox } = await openAdmin();
    await call('POST', STAGE, account('A-1'));
    expect((await send('DELETE', 'requests')).status).toBe(200);
    expect(sandbox.requests()).toEqual([]);
    expect((await send('GET', 'requests')).body).toEqual({ first: 1, last: 0, total: 0, entries: [] });
  });

  test('a request can be sent again by its curl line', async () => {
    const { send, call, server } = await openAdmin();
    await call('POST', STAGE, account("O'Brien $HOME"));
    expect(curlOf(await send('GET', 'requests'))).toBe(
      `curl -X POST 'http://127.0.0.1:${server.port}/v1/data-import/account-import-process/create-or-update/' ` +
        `-H "Authorization: Token $TOKEN" -H 'Content-Type: application/json' ` +
        `--data-raw '{"import_supplier":"SANDBOX_SUPPLIER","external_account_number":"O'\\''Brien $HOME"}'`,
    );
  });

  test.each([
    ['Bearer', 'Bearer $TOKEN'],
    ['bare', '$TOKEN'],
  ] as const)('with the setting authScheme %s the line says so (U2)', async (authScheme, credentials) => {
    const { send, call, server } = await openAdmin({ settings: { authScheme } });
    await call('GET', 'all-account-import-processes/S/');
    expect(curlOf(await send('GET', 'requests'))).toBe(
      `curl -X GET 'http://127.0.0.1:${server.port}/v1/data-import/all-account-import-processes/S/' ` +
        `-H "Authorization: ${credentials}"`,
    );
  });

  test('masked values stay masked, with a note in the line', async () => {
    const { send, call } = await openAdmin();
    await call('POST', STAGE, DOMESTIC);
    const line = curlOf(await send('GET', 'requests'));
    expect(line).toMatch(/ # ••• stands for personal data: put in the real values$/);
    expect(line).not.toMatch(/Ines|Harbour/);
  });

  test('with showPersonalData the line is whole', async () => {
    const { send, call } = await openAdmin({ showPersonalData: true });
    await call('POST', STAGE, DOMESTIC);
    const line = curlOf(await send('GET', 'requests'));
    expect(line).toContain('"given_name":"Ines"');
    expect(line).not.toContain('#');
  });

  test('a line without the sent body has a note', async () => {
    const { send, call } = await openAdmin();
    await call('POST', STAGE, '{');
    expect(curlOf(await send('GET', 'requests'))).toMatch(/ # the log does not contain the body$/);
  });
});

describe('admin: accounts', () => {
  const threeStages = async () => {
    const admin = await openAdmin({ suppliers: [{ code: 'SANDBOX_SUPPLIER' }, { code: 'OTHER' }] });
    for (const number of ['A-1', 'A-2', 'B-3']) await admin.call('POST', STAGE, account(number));
    await admin.call('POST', STAGE, { import_supplier: 'OTHER', external_account_number: 'A-1' });
    await admin.call('POST', PROCESS, processing('A-1'));
    admin.sandbox.skip('SANDBOX_SUPPLIER', 'A-2');
    admin.sandbox.skip('SANDBOX_SUPPLIER', 'Z-9');
    return admin;
  };

  test('every account, and every mark to skip, in one list', async () => {
    const { send, sandbox } = await threeStages();
    const imported = sandbox.state.suppliers[0]?.accounts[0]?.imported;
    expect((await send('GET', 'accounts')).body).toEqual({
      total: 5,
      accounts: [
        {
          supplier: 'SANDBOX_SUPPLIER',
          external_account_number: 'A-1',
          stage: 'imported',
          skipped: false,
          status: 'PENDING',
          service_account_number: imported?.service_account_number,
          staged_at: '2026-01-15T09:00:00Z',
          account_created_at: '2026-01-15T09:00:00Z',
        },
        {
          supplier: 'SANDBOX_SUPPLIER',
          external_account_number: 'A-2',
          stage: 'staged',
          skipped: true,
          status: null,
          service_account_number: null,
          staged_at: '2026-01-15T09:00:00Z',
          account_created_at: null,
        },
        expect.objectContaining({ external_account_number: 'B-3', stage: 'staged', skipped: false }),
        expect.objectContaining({
          external_account_number: 'Z-9',
          stage: 'not staged',
          skipped: true,
          staged_at: null,
        }),
        expect.objectContaining({ supplier: 'OTHER', external_account_number: 'A-1', stage: 'staged' }),
      ],
    });
  });

  test.each([
    ['supplier=OTHER', ['A-1']],
    ['supplier=UNKNOWN', []],
    ['stage=staged', ['A-2', 'B-3', 'A-1']],
    ['stage=imported', ['A-1']],
    ['stage=skipped', ['A-2', 'Z-9']],
    ['status=PENDING', ['A-1']],
    ['status=COMPLETED', []],
    ['q=a-', ['A-1', 'A-2', 'A-1']],
    ['q=z', ['Z-9']],
    ['stage=staged&q=3', ['B-3']],
    ['offset=1&limit=2', ['A-2', 'B-3']],
    ['offset=5', []],
  ])('%s gives %j', async (query, numbers) => {
    const { send } = await threeStages();
    expect(numbersIn(await send('GET', `accounts?${query}`))).toEqual(numbers);
  });

  test('the search finds a service account number', async () => {
    const { send, sandbox } = await threeStages();
    const number = sandbox.state.suppliers[0]?.accounts[0]?.imported?.service_account_number ?? '';
    expect(numbersIn(await send('GET', `accounts?q=${number.slice(3, 14)}`))).toEqual(['A-1']);
  });

  test('one account: payload, documents, notes, transactions, statements, instructions and open period', async () => {
    const { send, call } = await openAdmin({ suppliers: [{ code: 'SANDBOX_SUPPLIER', root: 'root' }] });
    await call('POST', STAGE, DOMESTIC);
    await call('POST', PROCESS, processing('0001'));
    const of = { import_supplier: 'SANDBOX_SUPPLIER', external_account_number: '0001' };
    await call('POST', 'notes/create/', {
      ...of,
      notes: [{ body: 'Called.', document_paths: [{ document_path: '/n.pdf' }] }],
    });
    await call('POST', 'transactions/create/', {
      ...of,
      transactions: [{ transaction_id: 'T-1', transaction_date: '2026-01-10', amount: 12.5, type: 'CHARGE' }],
    });
    await call('POST', 'payment-instruction/create/', { ...of, vendor: 'VENDOR', reference: 'R-9', type: 'CARD' });
    const { status, body } = await send('GET', 'accounts/SANDBOX_SUPPLIER/0001');
    expect(status).toBe(200);
    expect(body).toMatchObject({
      external_account_number: '0001',
      stage: 'imported',
      status: 'PENDING',
      operations_team_name: 'SANDBOX_TEAM',
      open_period: { from: '2026-01-01', to: '2026-01-15' },
      documents: [{ path: '/n.pdf', location: 'sandbox-bucket/root/n.pdf' }],
      payload: { external_account_number: '0001', customers: [{ given_name: '•••' }] },
      notes: [{ body: '•••' }, { body: '•••', document_paths: [{ document_path: '/n.pdf' }] }],
      transactions: [{ transaction_id: 'T-1', amount: '12.50', transaction_date: '2026-01-10' }],
      statements: [],
      payment_instructions: [{ vendor: 'VENDOR', reference: '•••', type: 'CARD' }],
    });
    expect(JSON.stringify(body)).not.toMatch(/Ines|Placeholder|Harbour|Called|R-9/);
  });

  test('with showPersonalData the account is shown whole', async () => {
    const { send, call } = await openAdmin({ showPersonalData: true });
    await call('POST', STAGE, DOMESTIC);
    expect((await send('GET', 'accounts/SANDBOX_SUPPLIER/0001')).body).toMatchObject({
      stage: 'staged',
      payload: DOMESTIC,
    });
  });

  test('a number with any character finds its account', async () => {
    const { send, call } = await openAdmin();
    await call('POST', STAGE, account('100% é/1'));
    expect((await send('GET', 'accounts/SANDBOX_SUPPLIER/100%25%20%C3%A9%2F1')).body).toMatchObject({
      external_account_number: '100% é/1',
    });
  });

  test('a skip mark without an account is listed as such', async () => {
    const { send, sandbox } = await openAdmin();
    sandbox.skip('SANDBOX_SUPPLIER', 'Z-9');
    expect((await send('GET', 'accounts/SANDBOX_SUPPLIER/Z-9')).body).toMatchObject({
      stage: 'not staged',
      skipped: true,
    });
  });
});
