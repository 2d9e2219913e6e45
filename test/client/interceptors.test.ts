/** How tests of our users can intercept the client's calls: MSW, and undici's MockAgent. */
import { DataImportClient } from 'data-import-sdk';
import { HttpResponse, http } from 'msw';
import { setupServer } from 'msw/node';
import { MockAgent } from 'undici';
import { describe, expect, it, onTestFinished } from 'vitest';
import { account, calls, processPayload } from '../helpers/calls.js';
import { errorOf } from '../helpers/client-of.js';

const baseUrl = 'https://api.example.com';
const staged = { import_supplier: 'ACME', external_account_number: 'A-1' };
const STAGE = `${baseUrl}/v1/data-import/${calls['accounts.stage'].path}`;

describe('MSW 2, with fetch: globalThis.fetch', () => {
  function listen(...handlers: Parameters<typeof setupServer>) {
    const server = setupServer(...handlers);
    server.listen({ onUnhandledRequest: 'error' });
    // MSW 3 refuses to close twice.
    let isOpen = true;
    const close = () => {
      if (isOpen) server.close();
      isOpen = false;
    };
    onTestFinished(close);
    return { close };
  }
  const make = () =>
    new DataImportClient({ baseUrl, token: 'T-1', fetch: globalThis.fetch, advanced: { retryBaseMs: 1 } });

  it('a client that was created before server.listen() is intercepted', async () => {
    const client = make();
    const seen: unknown[] = [];
    listen(
      http.post(STAGE, async ({ request }) => {
        seen.push(request.headers.get('authorization'), await request.json());
        return HttpResponse.json(staged, { status: 201, headers: { 'x-request-id': 'req-1' } });
      }),
    );
    expect(await client.accounts.stage(account).withResponse()).toMatchObject({
      status: 201,
      requestId: 'req-1',
      data: { callOutcome: 'created' },
    });
    expect(seen).toEqual(['Token T-1', account]);
  });

  it('a client that was created after server.listen() is intercepted until server.close()', async () => {
    const server = listen(
      http.get(`${baseUrl}/v1/data-import/all-account-import-processes/ACME/`, () => HttpResponse.json([])),
    );
    const client = make();
    expect(await client.imports.all('ACME')).toEqual([]);
    server.close();
    const controller = new AbortController();
    const own = globalThis.fetch;
    globalThis.fetch = async () =>
      Response.json([{ external_account_number: 'A', service_account_number: null, account_created_at: null }]);
    onTestFinished(() => {
      globalThis.fetch = own;
    });
    expect(await client.imports.all('ACME', { signal: controller.signal })).toHaveLength(1);
  });

  it('its network error is a lost answer: a process is settled by asking', { tags: 'long' }, async () => {
    listen(
      http.post(`${baseUrl}/v1/data-import/account-import-process/process/`, () => HttpResponse.error()),
      http.get(`${baseUrl}/v1/data-import/account-transfer-status/ACME/A-1/`, () =>
        HttpResponse.json({ status: 'PENDING', service_account_number: 'S-1' }),
      ),
    );
    expect(await make().accounts.process(processPayload)).toMatchObject({
      service_account_number: 'S-1',
      callOutcome: 'confirmed',
    });
  });

  it('redirects are not followed here either', async () => {
    listen(http.post(STAGE, () => HttpResponse.redirect('https://elsewhere.example.com/', 302)));
    expect(await errorOf(make().accounts.stage(account))).toMatchObject({ name: 'ApiError', status: 302 });
  });

  it('an answer larger than maxAnswerBytes is not read further', async () => {
    listen(http.get(`${baseUrl}/*`, () => new HttpResponse('x'.repeat(100_000))));
    const client = new DataImportClient({
      baseUrl,
      token: 'T',
      fetch: globalThis.fetch,
      advanced: { maxAnswerBytes: 1_000 },
    });
    expect((await errorOf(client.imports.all('ACME'))).message).toContain('larger than maxAnswerBytes');
  });

  it('the caller’s own fetch is used, whatever the global one is', async () => {
    listen();
    const urls: string[] = [];
    const fetch = async (url: string) => {
      urls.push(url);
      return Response.json([]);
    };
    await new DataImportClient({ baseUrl, token: 'T', fetch }).imports.all('ACME');
    expect(urls).toEqual([`${baseUrl}/v1/data-import/all-account-import-processes/ACME/`]);
  });
});

describe('undici’s MockAgent, as dispatcher', () => {
  function agent() {
    const mock = new MockAgent();
    mock.disableNetConnect();
    onTestFinished(() => mock.close());
    return {
      dispatcher: mock,
      pool: mock.get(baseUrl),
      client: new DataImportClient({ baseUrl, token: 'T-1', dispatcher: mock, advanced: { retryBaseMs: 1 } }),
    };
  }
  const path = '/v1/data-import/account-import-process/create-or-update/';

  it('answers, with status, headers and body', async () => {
    const { pool, client } = agent();
    pool
      .intercept({ path, method: 'POST', headers: { authorization: 'Token T-1' }, body: JSON.stringify(account) })
      .reply(200, staged, { headers: { 'x-request-id': 'req-1' } });
    expect(await client.accounts.stage(account).withResponse()).toMatchObject({
      status: 200,
      requestId: 'req-1',
      data: { ...staged, callOutcome: 'updated' },
    });
  });

  it('fails twice and then answers', async () => {
    const { pool, client } = agent();
    pool.intercept({ path, method: 'POST' }).reply(500, {}).times(2);
    pool.intercept({ path, method: 'POST' }).reply(201, staged);
    expect((await client.accounts.stage(account).withResponse()).attempts).toBe(3);
  });

  it('an unexpected request is an error', async () => {
    const { client } = agent();
    const error = await errorOf(client.accounts.stage(account, { maxRetries: 0 }));
    expect(error.name).toBe('ConnectionError');
    expect(error.message).toContain('UND_MOCK_ERR_MOCK_NOT_MATCHED');
  });

  it('closing the client leaves a dispatcher of the caller open', async () => {
    const { pool, client, dispatcher } = agent();
    pool.intercept({ path, method: 'POST' }).reply(201, staged);
    const other = new DataImportClient({ baseUrl, token: 'T-1', dispatcher });
    await client.close();
    expect((await other.accounts.stage(account)).callOutcome).toBe('created');
    expect(await errorOf(client.accounts.stage(account))).toMatchObject({ name: 'ConnectionError', code: 'CLOSED' });
  });

  it('a broken connection may have reached the service', async () => {
    const { pool, client } = agent();
    pool
      .intercept({ path: '/v1/data-import/business/', method: 'POST' })
      .replyWithError(Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' }));
    expect((await errorOf(calls['businesses.create'].send(client, { maxRetries: 0 }))).name).toBe(
      'OutcomeUnknownError',
    );
  });
});
