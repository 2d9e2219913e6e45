import { setupServer } from 'msw/node';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createSandbox } from '../../../src/sandbox/index.js';
import { sandboxHandlers } from '../../../src/sandbox/msw.js';
import { account, askedForToken, PROCESS, processing, STAGE, tokenIn } from '../support/requests.js';

describe.each([
  'https://platform.example.com',
  'https://platform.example.com/',
  'http://platform.example.com:8443/eu/north/',
])('behind MSW at %s', (baseUrl) => {
  const sandbox = createSandbox();
  const server = setupServer(...sandboxHandlers(sandbox, { baseUrl }));
  const base = baseUrl.replace(/\/$/, '');
  const send = async (method: string, path: string, body?: unknown) => {
    const response = await fetch(`${base}/v1/data-import/${path}`, {
      method,
      headers: { Authorization: `Token ${sandbox.token}`, 'Content-Type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: await response.json() };
  };

  beforeAll(() => server.listen({ onUnhandledRequest: 'error' }));
  afterAll(() => server.close());

  test('E5, E6, E11 an account is staged, processed and asked for', async () => {
    expect(await send('POST', STAGE, account('100% é/1'))).toEqual({
      status: 201,
      body: { import_supplier: 'SANDBOX_SUPPLIER', external_account_number: '100% é/1' },
    });
    expect((await send('POST', PROCESS, processing('100% é/1'))).status).toBe(201);
    expect(await send('GET', 'account-transfer-status/SANDBOX_SUPPLIER/100%25%20%C3%A9%2F1/')).toMatchObject({
      status: 200,
      body: { status: 'PENDING' },
    });
  });

  test('E8 flags in the query string arrive', async () => {
    expect(await send('POST', 'transactions/create/?check_previously_added=maybe', {})).toMatchObject({
      status: 400,
      body: { errors: [{ attr: 'check_previously_added' }, {}, {}, {}] },
    });
  });

  test('C6 the token call is answered, and its token accepted', async () => {
    const response = await fetch(`${base}/v1/graphql/`, askedForToken(sandbox.apiKey));
    const Authorization = `Token ${tokenIn(await response.json())}`;
    const list = await fetch(`${base}/v1/data-import/all-account-import-processes/SANDBOX_SUPPLIER/`, {
      headers: { Authorization },
    });
    expect(list.status).toBe(200);
  });

  test('C1, C2 wrong path, wrong method and missing token are answered by the sandbox', async () => {
    expect((await send('GET', 'nowhere/')).status).toBe(404);
    expect((await send('DELETE', STAGE)).status).toBe(405);
    expect((await fetch(`${base}/v1/data-import/${STAGE}`, { method: 'POST', body: '{}' })).status).toBe(401);
  });

  test('requests to other addresses are not intercepted', async () => {
    vi.spyOn(console, 'error').mockImplementationOnce(() => {});
    await expect(fetch(`${base}/v1/other/`)).rejects.toThrow();
  });
});

test.each(['', '/gateway'])(
  'a base URL with the path of the endpoints behind %j would match no call, so it throws',
  (path) => {
    const baseUrl = `https://platform.example.com${path}/v1/data-import/`;
    expect(() => sandboxHandlers(createSandbox(), { baseUrl })).toThrow(
      new TypeError('sandboxHandlers: baseUrl: leave out /v1/data-import/; the handlers add it.'),
    );
  },
);

test.each([
  [undefined, 'undefined'],
  [{ baseUrl: 'https://platform.example.com' }, 'object'],
  [Promise.resolve(createSandbox()), 'a promise'],
])('%o in place of a sandbox throws', (sandbox, found) => {
  expect(() => sandboxHandlers(sandbox as never, { baseUrl: 'https://platform.example.com' })).toThrow(
    new TypeError(`sandboxHandlers: expected a sandbox, found ${found}.`),
  );
});

test.each([
  [undefined, 'undefined'],
  ['https://platform.example.com', 'string'],
])('%o in place of options throws', (options, found) => {
  expect(() => sandboxHandlers(createSandbox(), options as never)).toThrow(
    new TypeError(`sandboxHandlers: expected an object of options, found ${found}.`),
  );
});

test('a misspelt option throws', () => {
  const options = { baseURL: 'https://platform.example.com' } as unknown as { baseUrl: string };
  expect(() => sandboxHandlers(createSandbox(), options)).toThrow(
    new TypeError('sandboxHandlers: no option baseURL; did you mean baseUrl?'),
  );
});

test.each([
  [{ baseUrl: 'platform' }, '"platform"'],
  [{ baseUrl: 'mailto:a@mail.example.com' }, '"mailto:a@mail.example.com"'],
  [{}, 'undefined'],
])('a base URL that is none throws: %j', (options, found) => {
  expect(() => sandboxHandlers(createSandbox(), options as { baseUrl: string })).toThrow(
    new TypeError(
      `sandboxHandlers: baseUrl must be an absolute URL such as https://platform.example.com, found ${found}.`,
    ),
  );
});
