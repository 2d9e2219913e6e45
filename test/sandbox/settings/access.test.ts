/** U1 and U2: paths without their slash, and who is asked for a token and in which form. */
import { describe, expect, test } from 'vitest';
import { failed } from '../support/refusals.js';
import { account, openSandbox, STAGE } from '../support/requests.js';

const LIST = 'all-account-import-processes/SANDBOX_SUPPLIER/';
const INSTRUCTION = 'business-payment-instruction/create/';

describe('U1 missingSlash', () => {
  test("U1 by default, or 'not-found', a path without its slash is 404", async () => {
    for (const settings of [{}, { missingSlash: 'not-found' as const }]) {
      const { get, unchanged } = openSandbox({ settings });
      expect(await unchanged(() => get(LIST.slice(0, -1)))).toEqual(
        failed(404, 'not_found', 'There is no such path. Check the trailing slash and the version in the prefix.'),
      );
    }
  });

  test.each([
    [
      'GET',
      'all-account-import-processes/SANDBOX_SUPPLIER',
      '/v1/data-import/all-account-import-processes/SANDBOX_SUPPLIER/',
    ],
    [
      'POST',
      'transactions/create?check_previously_added=false',
      '/v1/data-import/transactions/create/?check_previously_added=false',
    ],
  ])("U1 with 'redirect' %s %s is 301 to the path with it", async (method, path, location) => {
    const { request, unchanged } = openSandbox({ settings: { missingSlash: 'redirect' } });
    const response = await unchanged(() => request(path, { method }));
    expect([response.status, response.headers.get('Location'), await response.text()]).toEqual([301, location, '']);
  });
});

describe('U2 authScope', () => {
  test.each([
    [undefined, [401, 401]],
    ['all', [401, 401]],
    ['business-payment-instruction', [200, 401]],
  ] as const)(
    'U2 with %s a list and a business payment instruction without a token are %j',
    async (authScope, both) => {
      const { request } = openSandbox({ settings: authScope === undefined ? {} : { authScope } });
      const list = await request(LIST);
      const instruction = await request(INSTRUCTION, { method: 'POST', body: '{}' });
      expect([list.status, instruction.status]).toEqual(both);
    },
  );
});

describe('U2 authScheme', () => {
  test.each([
    [undefined, [200, 401, 401]],
    ['Token', [200, 401, 401]],
    ['Bearer', [401, 200, 401]],
    ['bare', [401, 401, 200]],
    ['any', [200, 200, 200]],
  ] as const)(
    'U2 with %s the token after Token, after Bearer and without a word is answered with %j',
    async (authScheme, statuses) => {
      const { request } = openSandbox({ settings: authScheme === undefined ? {} : { authScheme } });
      const found: number[] = [];
      for (const Authorization of ['Token sandbox-token', 'Bearer sandbox-token', 'sandbox-token']) {
        found.push((await request(LIST, { headers: { Authorization } })).status);
      }
      expect(found).toEqual(statuses);
    },
  );

  test.each([
    ['Token', 'Token', 'Send the header "Authorization: Token <ACCESS_TOKEN>".'],
    ['Bearer', 'Bearer', 'Send the header "Authorization: Bearer <ACCESS_TOKEN>".'],
    ['bare', 'Token', 'Send the header "Authorization: <ACCESS_TOKEN>".'],
    ['any', 'Token', 'Send the header "Authorization: Token <ACCESS_TOKEN>".'],
  ] as const)('U2 with %s the 401 asks for %s', async (authScheme, asked, detail) => {
    const { request } = openSandbox({ settings: { authScheme } });
    const response = await request(LIST);
    expect([response.status, response.headers.get('WWW-Authenticate')]).toEqual([401, asked]);
    expect(await response.json()).toEqual({ detail, code: 'not_authenticated' });
  });

  test.each(['Token', 'Bearer', 'bare', 'any'] as const)('U2 with %s another token is 401', async (authScheme) => {
    const { request, unchanged } = openSandbox({ settings: { authScheme } });
    const words = { Token: 'Token ', Bearer: 'Bearer ', bare: '', any: 'Token ' };
    const headers = { Authorization: `${words[authScheme]}stranger`, 'Content-Type': 'application/json' };
    const init = { method: 'POST', headers, body: JSON.stringify(account('A-1')) };
    expect((await unchanged(() => request(STAGE, init))).status).toBe(401);
  });
});

describe('U2 unauthorizedBody', () => {
  const detail = 'Send the header "Authorization: Token <ACCESS_TOKEN>".';

  test.each([
    [undefined, JSON.stringify({ detail, code: 'not_authenticated' })],
    ['code', JSON.stringify({ detail, code: 'not_authenticated' })],
    ['detail', JSON.stringify({ detail })],
    ['empty', ''],
  ] as const)('U2 with %s the body of 401 is %s', async (unauthorizedBody, text) => {
    const { request } = openSandbox({ settings: unauthorizedBody === undefined ? {} : { unauthorizedBody } });
    const response = await request(LIST);
    expect([response.status, await response.text()]).toEqual([401, text]);
  });
});
