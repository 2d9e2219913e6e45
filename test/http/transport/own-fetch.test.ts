/** A `fetch` of the caller that does not do what a fetch does: its errors are no broken connection. */
import { type ConnectionError, DataImportClient, type DataImportError, graphqlToken } from 'data-import-sdk';
import { fetch as undiciFetch } from 'undici';
import { describe, expect, expectTypeOf, it, onTestFinished, vi } from 'vitest';
import type { FetchLike } from '../../../src/http/transport/fetch-transport.js';
import { createSandbox, SANDBOX_SUPPLIER } from '../../../src/sandbox/index.js';
import { business } from '../../examples/business.js';
import { account, calls, processPayload } from '../../helpers/calls.js';
import { clientOf, errorOf } from '../../helpers/client-of.js';
import { answer, closedPort, misbehavingServer } from '../../helpers/misbehaving-server.js';

const clientOn = (fetch: unknown) => clientOf({ url: 'https://api.example.com' }, { fetch: fetch as FetchLike });

const broken: { text?: { x: { y: number } } } = {};
const MISTAKES: [what: string, fetch: () => unknown, said: string][] = [
  ['throws a TypeError', () => (undefined as unknown as { x: string }).x, 'threw an error (TypeError)'],
  ['rejects with a TypeError', async () => (broken.text as { x: { y: number } }).x.y, 'threw an error (TypeError)'],
  ['rejects with an Error', async () => Promise.reject(new Error('not today')), 'threw an error (Error)'],
  [
    'rejects with an error of the file system',
    async () => Promise.reject(Object.assign(new Error('x'), { code: 'ENOENT' })),
    'threw an error (ENOENT)',
  ],
  [
    'rejects with an error of arguments',
    async () => Promise.reject(Object.assign(new TypeError('x'), { code: 'ERR_INVALID_URL' })),
    'threw an error (ERR_INVALID_URL)',
  ],
  ['throws a text', () => Promise.reject('secret text'), 'threw an error (unknown reason)'],
  ['throws nothing', () => Promise.reject(undefined), 'threw an error (unknown reason)'],
  ['returns undefined', () => undefined, 'returned undefined in place of a Response (NO_RESPONSE)'],
  ['returns null', async () => null, 'returned null in place of a Response (NO_RESPONSE)'],
  ['returns a text', async () => '[]', 'returned string in place of a Response (NO_RESPONSE)'],
  [
    'returns a double without body',
    async () => ({ ok: true, status: 200, json: async () => ({}) }),
    'returned another object in place of a Response (NO_RESPONSE)',
  ],
];

describe.each(MISTAKES)('a fetch that %s may have sent the request', (_, fetch, said) => {
  it('a call with effects has an unknown outcome, at once', async () => {
    const spied = vi.fn(fetch);
    for (const call of [
      (c: DataImportClient) => c.businesses.create(business),
      (c: DataImportClient) => c.accounts.process(processPayload),
    ]) {
      const error: DataImportError = await errorOf(call(clientOn(spied)));
      expect(error).toMatchObject({ name: 'OutcomeUnknownError', nextAction: 'resolve', attempts: 1 });
      expect(error.message).toContain(`your fetch ${said.replace(/ \(.*/, '')}, so the request may have taken effect.`);
    }
    expect(spied).toHaveBeenCalledTimes(2);
  });

  it('a repeatable call ends at once as well', async () => {
    const spied = vi.fn(fetch);
    const error = await errorOf<ConnectionError>(clientOn(spied).accounts.stage(account));
    expect(error).toMatchObject({ name: 'ConnectionError', sent: true, attempts: 1, nextAction: 'none' });
    expect(error.message).toBe(
      `accounts.stage: your fetch ${said} after 1 attempt. It may have been sent: correct your fetch; \`cause\` has the error. Then it is safe to call again. [connection-error]`,
    );
    expect(spied).toHaveBeenCalledTimes(1);
  });
});

/** Errors of a connection that another request of the function may have got: to a collector that is down, or to the service itself. */
const FAILURES = (url: URL): [what: string, error: object][] => [
  ...['ENOTFOUND', 'EAI_AGAIN', 'CERT_HAS_EXPIRED', 'UND_ERR_CONNECT_TIMEOUT', 'EHOSTUNREACH', 'ENOSPC'].map(
    (code) => [code, Object.assign(new Error('x'), { code })] as [string, object],
  ),
  ['ECONNREFUSED of another port', { code: 'ECONNREFUSED', syscall: 'connect', address: '127.0.0.1', port: 1 }],
  ['ECONNREFUSED of the service', { code: 'ECONNREFUSED', syscall: 'connect', address: '127.0.0.1', port: +url.port }],
  ['the refusal of a proxy', { code: 'UND_ERR_ABORTED', message: 'Proxy response (407) !== 200 when HTTP Tunneling' }],
];

describe('a fetch of the caller that sends the request and then reports a failed connection', () => {
  it.each(FAILURES(new URL('http://127.0.0.1')).map(([what], index) => [what, index] as const))(
    '%s: a business is sent once, and staged data are sent again',
    async (_, index) => {
      const server = await misbehavingServer({
        'business/': answer(201, { service_business_id: 1 }),
        [calls['accounts.stage'].path]: answer(201, account),
      });
      const [, cause] = FAILURES(new URL(server.url))[index] as [string, object];
      const fetch: FetchLike = async (url, init) => {
        await globalThis.fetch(url, init);
        throw Object.assign(new TypeError('fetch failed'), { cause });
      };
      const client = clientOf(server, { fetch, maxRetries: 2 });
      expect(await errorOf(client.businesses.create(business))).toMatchObject({
        name: 'OutcomeUnknownError',
        attempts: 1,
      });
      expect(server.requests).toHaveLength(1);
      const error = await errorOf(client.accounts.stage(account));
      expect(error).toMatchObject({ name: 'ConnectionError', sent: true, attempts: 3 });
      expect(error.message).not.toContain('Nothing was sent');
      expect(server.requests).toHaveLength(4);
    },
  );
});

describe('the fetch of the platform', () => {
  it.each(['127.0.0.1', 'localhost', '[::1]'])('that %s refuses has sent nothing', async (host) => {
    const url = (await closedPort()).replace('127.0.0.1', host);
    const client = clientOf({ url }, { fetch: globalThis.fetch, maxRetries: 1 });
    const error = await errorOf(client.businesses.create(business));
    expect(error).toMatchObject({ name: 'ConnectionError', sent: false, attempts: 2, nextAction: 'retryLater' });
  });

  it('that finds no such host has sent nothing', async () => {
    const client = clientOf({ url: 'https://service.invalid' }, { fetch: globalThis.fetch, maxRetries: 0 });
    expect(await errorOf(client.businesses.create(business))).toMatchObject({ name: 'ConnectionError', sent: false });
  });

  it('that an interceptor has replaced may name another host: the request may have been sent', async () => {
    const server = await misbehavingServer({ 'business/': answer(201, { service_business_id: 1 }) });
    const [original, collector] = [globalThis.fetch, await closedPort()];
    vi.stubGlobal('fetch', async (url: string, init: RequestInit) => {
      await original(url, init);
      return original(collector);
    });
    onTestFinished(() => void vi.unstubAllGlobals());
    const client = clientOf(server, { fetch: globalThis.fetch as FetchLike });
    expect(await errorOf(client.businesses.create(business))).toMatchObject({ name: 'OutcomeUnknownError' });
    expect(server.requests).toHaveLength(1);
  });

  it('that the caller aborts with the error of a refused connection may have sent the request', async () => {
    const controller = new AbortController();
    const reason = { code: 'ENOTFOUND', hostname: '127.0.0.1' };
    const server = await misbehavingServer({ 'business/': () => controller.abort(reason) });
    const client = clientOf(server, { fetch: globalThis.fetch });
    const error = await errorOf(client.businesses.create(business, { signal: controller.signal }));
    expect(error).toMatchObject({ name: 'AbortedError', outcomeUnknown: true });
  });
});

it('the error of the fetch is the cause, and its message is not quoted', async () => {
  const thrown = new TypeError('ada@example.com is undefined');
  const error = await errorOf(clientOn(() => Promise.reject(thrown)).accounts.stage(account));
  expect(error.cause).toBe(thrown);
  expect(JSON.stringify(error) + error.message).not.toContain('ada@example.com');
});

it('a token function that uses it ends at once as well', async () => {
  const fetch = vi.fn(async () => undefined);
  const token = graphqlToken({
    url: 'https://auth.example.com/',
    apiKey: 'an-api-key',
    document: 'mutation ($apiKey: String!) { obtain(apiKey: $apiKey) { token } }',
    select: (data) => data.obtain.token,
  });
  const client = new DataImportClient({
    baseUrl: 'https://api.example.com',
    token,
    fetch: fetch as unknown as FetchLike,
  });
  expect((await errorOf(client.accounts.stage(account))).message).toBe(
    'token: your fetch returned undefined in place of a Response (NO_RESPONSE): correct your fetch; `cause` has the error. [token-error]',
  );
  expect(fetch).toHaveBeenCalledTimes(1);
});

describe('a failure of the network is no error of the function', () => {
  it.each<[string, unknown]>([
    ['of undici', Object.assign(new TypeError('fetch failed'), { cause: { code: 'ECONNRESET' } })],
    ['of undici, without a code', new TypeError('fetch failed')],
    ['of undici, in the body', new TypeError('terminated')],
    ['of Chrome and MSW', new TypeError('Failed to fetch')],
    ['of Safari', new TypeError('Load failed')],
    ['of Firefox', new TypeError('NetworkError when attempting to fetch resource.')],
    ['of Deno', new TypeError('error sending request for url (https://api.example.com)')],
    ['of Bun', Object.assign(new Error('Unable to connect.'), { code: 'ConnectionRefused' })],
    ['of node:http', Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' })],
    [
      'wrapped by the caller',
      new Error('call failed', { cause: Object.assign(new Error('x'), { code: 'ETIMEDOUT' }) }),
    ],
    ['an abort that the caller did not ask for', new DOMException('This operation was aborted', 'AbortError')],
    ['a timeout of the function', new DOMException('The operation timed out.', 'TimeoutError')],
  ])('%s: a repeatable call is repeated', async (_, failure) => {
    const answers = [() => Promise.reject(failure), async () => Response.json({}, { status: 201 })];
    const fetch = vi.fn(() => answers.shift()?.());
    await clientOn(fetch)
      .accounts.stage(account)
      .withResponse()
      .catch(() => {});
    expect(fetch).toHaveBeenCalledTimes(2);
  });
});

it('a body that the fetch has read already is an answer that cannot be read, and says so', async () => {
  const fetch: FetchLike = async () => {
    const response = Response.json({ detail: 'x' }, { status: 201 });
    await response.text();
    return response;
  };
  const error = await errorOf(clientOn(fetch).businesses.create(business));
  expect(error.name).toBe('ResponseMismatchError');
  expect(error.message).toContain('your fetch has read it already, or it is no stream; return response.clone()');
});

describe('without a cast, the option takes', () => {
  it('the fetch of a sandbox', async () => {
    const sandbox = createSandbox();
    const client = new DataImportClient({
      baseUrl: 'https://api.example.com',
      token: sandbox.token,
      fetch: sandbox.fetch,
    });
    const staged = await client.accounts.stage({ import_supplier: SANDBOX_SUPPLIER, external_account_number: 'A-1' });
    expect(staged).toMatchObject({ external_account_number: 'A-1' });
  });

  it('the fetch of undici', async () => {
    const server = await misbehavingServer({ 'all-account-import-processes/ACME/': answer(200, []) });
    expect(await clientOf(server, { fetch: undiciFetch }).imports.all('ACME')).toEqual([]);
  });

  it('the fetch of the platform, and a mock', () => {
    expectTypeOf(globalThis.fetch).toExtend<FetchLike>();
    expectTypeOf<(url: string) => Promise<Response>>().toExtend<FetchLike>();
    expectTypeOf(vi.fn(async () => Response.json([]))).toExtend<FetchLike>();
    expectTypeOf<() => Promise<undefined>>().not.toExtend<FetchLike>();
  });
});

it.each<[string, string | URL | Request]>([
  ['a text', 'https://api.example.com/v1/data-import/all-account-import-processes/S/'],
  ['a URL', new URL('https://api.example.com/v1/data-import/all-account-import-processes/S/')],
  ['a Request', new Request('https://api.example.com/v1/data-import/all-account-import-processes/S/')],
])('sandbox.fetch takes %s, and the options of fetch', async (_, input) => {
  const sandbox = createSandbox();
  expect((await sandbox.fetch(input)).status).toBe(401);
  expect((await sandbox.fetch(input, { headers: { authorization: `Token ${sandbox.token}` } })).status).not.toBe(401);
  await expect(sandbox.fetch('no address')).rejects.toThrow(TypeError);
});
