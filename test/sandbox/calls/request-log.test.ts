/** `sandbox.requests()`: what was asked, answered and changed, and on what of our guesses the answer rests. */
import { describe, expect, test } from 'vitest';
import { createSandbox } from '../../../src/sandbox/index.js';
import { DOMESTIC } from '../support/payloads.js';
import {
  account,
  askedForToken,
  importAccount,
  openSandbox,
  PROCESS,
  posted,
  processing,
  STAGE,
  tokenIn,
} from '../support/requests.js';

describe('an entry', () => {
  test('E5 has request, answer, changes, and the check that refused', async () => {
    const { post, sandbox } = openSandbox();
    await post(STAGE, account('A-1'));
    expect(sandbox.requests()).toEqual([
      {
        id: 1,
        at: '2026-01-15T09:00:00.000Z',
        rule: 'E5',
        operation: 'accounts.stage',
        method: 'POST',
        path: '/v1/data-import/account-import-process/create-or-update/',
        supplier: 'SANDBOX_SUPPLIER',
        account: 'A-1',
        request: { import_supplier: 'SANDBOX_SUPPLIER', external_account_number: 'A-1' },
        status: 201,
        answer: { import_supplier: 'SANDBOX_SUPPLIER', external_account_number: 'A-1' },
        change: 'staged',
        assumed: [],
        unlisted: [],
        faults: [],
      },
    ]);
  });

  test.each([
    ['E1', 'supply-point/populate/', {}],
    ['E2', 'business/', {}],
    ['E3', 'business-payment-instruction/create/', {}],
    ['E4', 'validate-account/', {}],
    ['E5', 'account-import-process/create-or-update/', {}],
    ['E6', 'account-import-process/process/', {}],
    ['E7', 'notes/create/', {}],
    ['E8', 'transactions/create/', {}],
    ['E9', 'historical-statements/create/', {}],
    ['E10', 'payment-instruction/create/', {}],
    ['E11', 'account-transfer-status/SANDBOX_SUPPLIER/A-1/', undefined],
    ['E12', 'all-account-import-processes/SANDBOX_SUPPLIER/', undefined],
    ['E13', 'pending-account-import-processes/SANDBOX_SUPPLIER/', undefined],
    ['E14', 'imported-account-import-processes/SANDBOX_SUPPLIER/', undefined],
  ])('%s is the check that %s follows', async (rule, path, body) => {
    const { post, get, sandbox } = openSandbox();
    await (body === undefined ? get(path) : post(path, body));
    expect(sandbox.requests()).toMatchObject([{ rule }]);
  });

  test.each([false, true])(
    'C6 neither API key nor token is shown, personal data or not: %s',
    async (showPersonalData) => {
      const { request, sandbox } = openSandbox({ showPersonalData });
      const answer = await request(sandbox.graphqlPath, askedForToken(sandbox.apiKey));
      const token = tokenIn(await answer.json());
      const [entry] = sandbox.requests();
      expect(entry).toMatchObject({ rule: 'C6', operation: 'token', status: 200, assumed: ['U27'] });
      expect(JSON.stringify(entry)).not.toContain(token);
      expect(JSON.stringify(entry)).not.toContain('sandbox-api-key');
    },
  );

  test('C1 a path that does not exist is in the log too, with its query', async () => {
    const { request, sandbox } = openSandbox();
    await request('/v1/data-import/businesses/?a=1', { method: 'DELETE' });
    expect(sandbox.requests()).toMatchObject([
      {
        rule: 'C1',
        operation: null,
        method: 'DELETE',
        path: '/v1/data-import/businesses/?a=1',
        status: 404,
        assumed: ['U1'],
      },
    ]);
  });

  test('a refusal changes nothing; a status query names supplier and account of its path', async () => {
    const { get, sandbox } = openSandbox();
    await get('account-transfer-status/SOUTH/A%2F1/');
    expect(sandbox.requests()).toMatchObject([{ supplier: 'SOUTH', account: 'A/1', status: 404, change: null }]);
  });

  test('a body that is not JSON is not stored', async () => {
    const { request, sandbox } = openSandbox();
    await request(STAGE, posted(sandbox, '{"given_name": "Ines",'));
    expect(sandbox.requests()).toMatchObject([{ status: 400, request: null, account: null }]);
  });

  test('the clock of the sandbox, not of the machine', async () => {
    const { get, sandbox } = openSandbox();
    sandbox.clock.advance(90_250);
    await get('all-account-import-processes/SANDBOX_SUPPLIER/');
    expect(sandbox.requests()).toMatchObject([{ at: '2026-01-15T09:01:30.250Z' }]);
  });
});

describe('personal data', () => {
  const PERSONAL = [
    ...['Ines', 'Placeholder', 'ines@mail.example.com', '+33612345678', '1990-02-28', '1 Harbour Street', '99001'],
    ...['Prefers letters.', '01234567890123', 'R-1', 'old'],
  ];

  test('is masked in requests and answers', async () => {
    const { post, sandbox } = openSandbox();
    await post('validate-account/', DOMESTIC);
    const [entry] = sandbox.requests();
    const shown = JSON.stringify(entry);
    expect(PERSONAL.filter((text) => shown.includes(text))).toEqual([]);
    expect(entry?.request).toMatchObject({
      external_account_number: '0001',
      last_billed_to_date: '2025-12-31',
      billing_address1: '•••',
      billing_address2: '',
      customers: [{ given_name: '•••', landline: '', customer_preferences: { opted_into_sms: false } }],
      supply_addresses: [{ supply_points: [{ supply_type: 'ELECTRICITY', identifier: '•••' }] }],
      metadata: [{ key: '•••', value: { system: '•••', rank: '•••' } }],
    });
  });

  test('a value of an undocumented field is masked', async () => {
    const { post, sandbox } = openSandbox();
    await post(STAGE, account('A-1', { nickname: 'Nessie', metadata: [{ key: 'code', value: { code: 'secret' } }] }));
    expect(JSON.stringify(sandbox.requests())).not.toMatch(/Nessie|secret/);
  });

  test('is shown when that is asked for', async () => {
    const { post, sandbox } = openSandbox({ showPersonalData: true });
    await post('validate-account/', DOMESTIC);
    expect(sandbox.requests()[0]?.request).toEqual(DOMESTIC);
  });

  test('a list of numbers and a text outside of an object are masked', async () => {
    const { post, sandbox } = openSandbox();
    await post('supply-point/populate/', { prm_ids: ['01234567890123'], pce_ids: [] });
    expect(sandbox.requests()).toMatchObject([{ request: { prm_ids: ['•••'], pce_ids: [] } }]);
  });
});

describe('the log', () => {
  test('keeps the newest entries, up to its limit', async () => {
    const { get, sandbox } = openSandbox({ logLimit: 2 });
    for (const number of ['A-1', 'A-2', 'A-3']) await get(`account-transfer-status/SANDBOX_SUPPLIER/${number}/`);
    expect(sandbox.requests().map(({ id, account: number }) => [id, number])).toEqual([
      [2, 'A-2'],
      [3, 'A-3'],
    ]);
  });

  test('stores nothing with a limit of 0', async () => {
    const { get, sandbox } = openSandbox({ logLimit: 0 });
    await get('all-account-import-processes/SANDBOX_SUPPLIER/');
    expect(sandbox.requests()).toEqual([]);
  });

  test('is not part of the state, and is cleared by a reset', async () => {
    const talk = openSandbox();
    await importAccount(talk, 'A-1');
    expect(JSON.stringify(talk.sandbox.state)).not.toContain('"rule"');
    talk.sandbox.reset();
    expect(talk.sandbox.requests()).toEqual([]);
    await talk.post(PROCESS, processing('A-1'));
    expect(talk.sandbox.requests()).toMatchObject([{ id: 1, status: 400 }]);
  });

  test('outlives the restoring of a snapshot', async () => {
    const { post, sandbox } = openSandbox();
    const before = sandbox.snapshot();
    await post(STAGE, account('A-1'));
    sandbox.restore(before);
    expect(sandbox.requests()).toHaveLength(1);
  });

  test.each([-1, 1.5, Number.NaN])('a limit of %d is refused', (logLimit) => {
    expect(() => createSandbox({ logLimit })).toThrow(`logLimit must be a whole number from 0, found ${logLimit}.`);
  });
});

describe('the log in bytes', () => {
  const body = (number: string) => ({ ...account(number), billing_address1: 'x'.repeat(1000) });

  test('deletes the oldest requests if their bodies exceed the limit', async () => {
    const { post, sandbox } = openSandbox({ logBytes: 10_000 });
    for (let index = 0; index < 20; index++) await post(STAGE, body(`A-${index}`));
    const kept = sandbox.requests();
    expect(kept.map(({ account: number }) => number)).toEqual(['A-16', 'A-17', 'A-18', 'A-19']);
    expect(kept.map(({ id }) => id)).toEqual([17, 18, 19, 20]);
  });

  test('keeps the newest one, of any size', async () => {
    const { post, sandbox } = openSandbox({ logBytes: 0 });
    for (const number of ['A-1', 'A-2']) await post(STAGE, body(number));
    expect(sandbox.requests().map(({ account: number }) => number)).toEqual(['A-2']);
  });

  test.each([-1, 1.5, Number.NaN])('%d is refused', (logBytes) => {
    expect(() => createSandbox({ logBytes })).toThrow(
      `createSandbox: logBytes must be a whole number from 0, found ${logBytes}.`,
    );
  });
});
