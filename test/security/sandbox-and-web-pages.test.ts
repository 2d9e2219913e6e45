/** A sandbox that listens on this machine answers programs, and no web page that is open in a browser. */
import { request } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createSandbox, type ListenOptions, type Sandbox } from '../../src/sandbox/index.js';

const PATH = '/v1/data-import/account-import-process/create-or-update/';
const ACCOUNT = JSON.stringify({ import_supplier: 'SANDBOX_SUPPLIER', external_account_number: 'A-1' });

/** Stages an account, with the token that everybody knows and these headers. */
async function stage(headers: Record<string, string>, options: ListenOptions = {}, given?: Sandbox) {
  const sandbox = given ?? createSandbox();
  const server = await sandbox.listen(options);
  onTestFinished(() => server.close());
  const all = { authorization: `Token ${sandbox.token}`, 'content-type': 'application/json', ...headers };
  const answer = await new Promise<{ status: number | undefined; body: { code?: string } }>((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port: server.port, method: 'POST', path: PATH, headers: all });
    sent.on('error', reject);
    sent.on('response', (response) => {
      let text = '';
      response.on('data', (chunk) => {
        text += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode, body: JSON.parse(text) }));
    });
    sent.end(ACCOUNT);
  });
  return { ...answer, accounts: sandbox.state.suppliers[0]?.accounts.length, requests: sandbox.requests().length };
}

describe('the name by which it is called (DNS rebinding)', () => {
  it.each(['localhost', 'localhost:4010', 'ACME.localhost:4010', '127.0.0.1:4010', '192.0.2.7', '[::1]:4010', '[::1]'])(
    'Host %s is let in',
    async (host) => {
      expect(await stage({ host })).toMatchObject({ status: 201, accounts: 1 });
    },
  );

  it.each([
    ...['sandbox.example.com', 'sandbox.example.com:4010', '127.0.0.1.example.com', 'localhost.example.com'],
    ...['localhost:4010.example.com', 'example.com:80@127.0.0.1', '[::1].example.com', 'a.b.localhost.example.com'],
  ])('Host %s is refused, and nothing is staged or logged', async (host) => {
    expect(await stage({ host })).toEqual({
      status: 403,
      body: { code: 'wrong_host', detail: expect.stringContaining('call the server by one of these') },
      accounts: 0,
      requests: 0,
    });
  });

  it('who listens for others is called by any name', async () => {
    const answer = await stage({ host: 'sandbox.example.com' }, { hostname: '0.0.0.0' });
    expect(answer).toMatchObject({ status: 201, accounts: 1 });
  });
});

describe('the page that asks (requests across sites)', () => {
  it.each(['https://evil.example.com', 'null', 'http://localhost:3000', 'http://127.0.0.1:1'])(
    'Origin %s is refused, and nothing is staged',
    async (origin) => {
      const { status, body, accounts } = await stage({ host: '127.0.0.1:4010', origin });
      expect([status, body.code, accounts]).toEqual([403, 'wrong_origin', 0]);
    },
  );

  it('also if the service requires no token, and the body has no type', async () => {
    const open = createSandbox({ settings: { authScope: 'business-payment-instruction' } });
    const { status, accounts } = await stage({ origin: 'https://evil.example.com' }, {}, open);
    expect([status, accounts]).toEqual([403, 0]);
  });

  it('its origin is allowed', async () => {
    expect(await stage({ host: 'localhost:4010', origin: 'http://localhost:4010' })).toMatchObject({ status: 201 });
  });

  it('a request before the request (CORS) is refused, and no answer gives leave', async () => {
    const sandbox = createSandbox();
    const server = await sandbox.listen();
    onTestFinished(() => server.close());
    const asked = await fetch(server.url + PATH, {
      method: 'OPTIONS',
      headers: { 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization' },
    });
    expect(asked.status).toBe(405);
    expect([...asked.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
  });
});
