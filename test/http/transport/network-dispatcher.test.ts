/** `networkDispatcher`: requests of a client through an HTTP proxy. test/full/company-network.test.ts has certificates and a real proxy. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { DataImportClient, isConnectionError, type NetworkOptions, networkDispatcher } from '../../../src/index.js';
import { createSandbox, SANDBOX_SUPPLIER } from '../../../src/sandbox/index.js';

afterEach(() => vi.unstubAllEnvs());

/** An HTTP proxy that opens tunnels, and writes down their targets. `status`: what it answers in place of 200. */
async function startProxy({ status = 200 }: { status?: number } = {}) {
  const targets: string[] = [];
  const credentials: (string | undefined)[] = [];
  const server = createServer();
  server.on('connect', (request, socket, head) => {
    targets.push(request.url ?? '');
    credentials.push(request.headers['proxy-authorization']);
    if (status !== 200) return void socket.end(`HTTP/1.1 ${status} No\r\n\r\n`);
    const [host, port] = (request.url ?? '').split(':');
    const service = connect(Number(port), host, () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      service.write(head);
      service.pipe(socket).pipe(service);
    });
    service.on('error', () => socket.destroy());
    socket.on('error', () => service.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, targets, credentials };
}

async function startService() {
  const sandbox = createSandbox();
  const server = await sandbox.listen();
  onTestFinished(() => server.close());
  return { sandbox, url: server.url, host: new URL(server.url).host };
}

async function clientThrough(
  options: Parameters<typeof networkDispatcher>[0],
  service: { url: string; token: string },
) {
  const dispatcher = await networkDispatcher(options);
  const client = new DataImportClient({ baseUrl: service.url, token: service.token, dispatcher, maxRetries: 0 });
  onTestFinished(async () => {
    await client.close();
    await dispatcher.close();
  });
  return client;
}

const ACCOUNT = { import_supplier: SANDBOX_SUPPLIER, external_account_number: 'A-1' };

test('requests go through a tunnel of the proxy', async () => {
  const proxy = await startProxy();
  const { sandbox, url, host } = await startService();
  const client = await clientThrough({ proxy: proxy.url }, { url, token: sandbox.token });
  await client.accounts.stage(ACCOUNT);
  expect(proxy.targets).toEqual([host]);
  expect(sandbox.requests()).toHaveLength(1);
});

test('user and password of the address go to the proxy', async () => {
  const proxy = await startProxy();
  const { sandbox, url } = await startService();
  const address = proxy.url.replace('http://', 'http://ada:p%40ss@');
  const client = await clientThrough({ proxy: address }, { url, token: sandbox.token });
  await client.accounts.stage(ACCOUNT);
  // echo -n 'ada:p@ss' | base64
  expect(proxy.credentials).toEqual(['Basic YWRhOnBAc3M=']);
});

describe('with the proxy of the environment', () => {
  test('requests go through it', async () => {
    const proxy = await startProxy();
    const { sandbox, url, host } = await startService();
    vi.stubEnv('HTTP_PROXY', proxy.url);
    const client = await clientThrough({ proxy: 'environment' }, { url, token: sandbox.token });
    await client.accounts.stage(ACCOUNT);
    expect(proxy.targets).toEqual([host]);
  });

  test('a host in NO_PROXY is reached without it', async () => {
    const proxy = await startProxy();
    const { sandbox, url } = await startService();
    vi.stubEnv('HTTP_PROXY', proxy.url);
    vi.stubEnv('NO_PROXY', '127.0.0.1');
    const client = await clientThrough({ proxy: 'environment' }, { url, token: sandbox.token });
    await client.accounts.stage(ACCOUNT);
    expect(proxy.targets).toEqual([]);
  });

  test('a variable that is no address rejects, without quoting it', async () => {
    vi.stubEnv('HTTPS_PROXY', '//ada:secret@proxy');
    await expect(networkDispatcher({ proxy: 'environment' })).rejects.toThrow(
      'HTTPS_PROXY, HTTP_PROXY: expected the address of an HTTP proxy, such as http://proxy.example.com:3128.',
    );
  });
});

test.each([407, 502])(
  'a proxy that answers %i: a ConnectionError with the status; nothing was sent',
  async (status) => {
    const proxy = await startProxy({ status });
    const { sandbox, url } = await startService();
    const client = await clientThrough({ proxy: proxy.url }, { url, token: sandbox.token });
    const error = await client.accounts.stage(ACCOUNT).catch((one: unknown) => one);
    expect(isConnectionError(error) && [error.sent, error.message]).toEqual([
      false,
      expect.stringContaining(String(status)),
    ]);
    expect(sandbox.requests()).toEqual([]);
  },
);

test.each([
  [{ proxy: 'ftp://proxy.example.com' }, 'proxy: expected the address of an HTTP proxy'],
  [{ proxy: 'proxy.example.com:3128' }, 'proxy: expected the address of an HTTP proxy'],
  [{ prxy: 'environment' }, 'prxy: not an option of networkDispatcher (proxy, tls)'],
  [{ tls: { caa: 'x' } }, 'caa: not an option of tls (ca, cert, key, passphrase)'],
  [{ tls: { ca: 'certificates' } }, 'tls: ca has no certificate.'],
  [{ tls: { cert: 'x' } }, 'tls: expected cert and key together.'],
  [{ tls: { cert: 'x', key: 'y' } }, 'tls: the certificates or the key cannot be used'],
])('%j rejects with a TypeError', async (options, message) => {
  const rejected = expect(networkDispatcher(options as NetworkOptions)).rejects;
  await rejected.toThrow(TypeError);
  await expect(networkDispatcher(options as NetworkOptions)).rejects.toThrow(message);
});
