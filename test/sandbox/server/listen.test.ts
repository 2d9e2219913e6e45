import { get } from 'node:http';
import { connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createSandbox, type Sandbox, type SandboxServer } from '../../../src/sandbox/index.js';
import { account, PROCESS, processing, STAGE } from '../support/requests.js';

let sandbox: Sandbox;
let server: SandboxServer;

beforeEach(async () => {
  sandbox = createSandbox();
  server = await sandbox.listen();
});
afterEach(() => server.close());

const send = async (method: string, path: string, body?: unknown) => {
  const response = await fetch(`${server.url}/v1/data-import/${path}`, {
    method,
    headers: { Authorization: `Token ${sandbox.token}`, 'Content-Type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: await response.json() };
};

describe('over HTTP', () => {
  test('the server listens on 127.0.0.1 and a free port, and returns its address', () => {
    expect(server.url).toBe(`http://127.0.0.1:${server.port}`);
    expect(server.port).toBeGreaterThan(0);
  });

  test('E5, E6, E11 an account is staged, processed and asked for', async () => {
    expect(await send('POST', STAGE, account('100% é/1'))).toEqual({
      status: 201,
      body: { import_supplier: 'SANDBOX_SUPPLIER', external_account_number: '100% é/1' },
    });
    const { status, body } = await send('POST', PROCESS, processing('100% é/1'));
    expect([status, body]).toEqual([201, { service_account_number: expect.stringMatching(/^\d{16}$/) }]);
    expect(await send('GET', 'account-transfer-status/SANDBOX_SUPPLIER/100%25%20%C3%A9%2F1/')).toEqual({
      status: 200,
      body: { status: 'PENDING', ...(body as object) },
    });
  });

  test('E8 flags in the query string arrive', async () => {
    expect(await send('POST', 'transactions/create/?check_previously_added=maybe', {})).toMatchObject({
      status: 400,
      body: { errors: [{ attr: 'check_previously_added' }, { attr: 'import_supplier' }, {}, {}] },
    });
  });

  test.each([
    '/v1/data-import/nowhere/../all-account-import-processes/SANDBOX_SUPPLIER/',
    '/v1/data-import/./all-account-import-processes/SANDBOX_SUPPLIER/',
    '/v1/data-import/nowhere/%2e%2E/all-account-import-processes/SANDBOX_SUPPLIER/',
  ])('C1 %s is the path that a URL makes of it', async (path) => {
    // Not by fetch, which would put it in order before it is sent.
    const status = await new Promise((resolve, reject) => {
      const headers = { Authorization: `Token ${sandbox.token}` };
      get({ port: server.port, host: '127.0.0.1', path, headers }, (response) => {
        response.resume();
        resolve(response.statusCode);
      }).on('error', reject);
    });
    expect(status).toBe(200);
    expect(sandbox.requests()).toMatchObject([
      { rule: 'E12', path: '/v1/data-import/all-account-import-processes/SANDBOX_SUPPLIER/' },
    ]);
  });

  test('a body of more than 10 MB is 413, with or without Content-Length, and the server still answers', async () => {
    const url = `${server.url}/v1/data-import/validate-account/`;
    const headers = { Authorization: `Token ${sandbox.token}`, 'Content-Type': 'application/json' };
    const megabyte = new Uint8Array(1024 * 1024).fill(0x20);
    expect((await fetch(url, { method: 'POST', headers, body: new Uint8Array(11 * 1024 * 1024) })).status).toBe(413);
    const chunks = new ReadableStream({
      start(controller) {
        for (let count = 0; count < 11; count++) controller.enqueue(megabyte);
        controller.close();
      },
    });
    const init = { method: 'POST', headers, body: chunks, duplex: 'half' } as RequestInit;
    expect((await fetch(url, init)).status).toBe(413);
    expect((await send('POST', STAGE, account('A-1'))).status).toBe(201);
  });

  test('the server does not replace globals: answers of the global fetch are instances of Response', async () => {
    expect(await fetch(server.url)).toBeInstanceOf(Response);
  });

  test('close ends open connections and does not change the sandbox', async () => {
    const other = await sandbox.listen();
    await send('POST', STAGE, account('A-1'));
    const socket = connect(other.port, '127.0.0.1');
    const closed = new Promise((resolve) => socket.once('close', resolve));
    await new Promise<void>((resolve) => socket.once('connect', resolve));
    await other.close();
    await closed;
    await expect(fetch(other.url)).rejects.toThrow();
    expect(sandbox.state.suppliers[0]?.accounts).toHaveLength(1);
  });

  test('close may be called again, and meanwhile', async () => {
    const other = await sandbox.listen();
    expect(await Promise.all([other.close(), other.close()])).toEqual([undefined, undefined]);
    await expect(other.close()).resolves.toBeUndefined();
  });

  test('rejects for a port in use, with the option for a free port', async () => {
    await expect(sandbox.listen({ port: server.port })).rejects.toThrow(
      `sandbox.listen: cannot listen on 127.0.0.1, port ${server.port} (EADDRINUSE). ` +
        'Give another port, or 0 for any that is free.',
    );
  });

  test('an address that this machine has not rejects, and another port would not help', async () => {
    await expect(sandbox.listen({ hostname: '192.0.2.1' })).rejects.toThrow(
      /^sandbox\.listen: cannot listen on 192\.0\.2\.1, port 0 \(EADDRNOTAVAIL\)\. Give a host name or an address of this machine, such as 127\.0\.0\.1\.$/,
    );
  });

  test.each<[options: object, message: string]>([
    [{ port: 99_999 }, 'sandbox.listen: port must be a whole number from 0 to 65535, found 99999.'],
    [{ port: -1 }, 'sandbox.listen: port must be a whole number from 0 to 65535, found -1.'],
    [{ port: Number.NaN }, 'sandbox.listen: port must be a whole number from 0 to 65535, found NaN.'],
    [{ port: '4010' }, 'sandbox.listen: port must be a whole number from 0 to 65535, found "4010".'],
    [{ prt: 4010 }, 'sandbox.listen: no option prt; did you mean port?'],
    [
      { hostname: '' },
      'sandbox.listen: hostname must be a host name or an address of this machine, such as 127.0.0.1.',
    ],
  ])('invalid options reject: %j', async (options, message) => {
    await expect(sandbox.listen(options)).rejects.toThrow(new TypeError(message));
  });

  test('another host name, IPv6 included', async () => {
    const other = await sandbox.listen({ hostname: '::1' });
    expect(other.url).toBe(`http://[::1]:${other.port}`);
    expect((await fetch(`${other.url}/v1/data-import/business/`)).status).toBe(405);
    await other.close();
  });
});
