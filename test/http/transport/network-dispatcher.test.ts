/** `networkDispatcher`: requests of a client through an HTTP proxy. test/full/company-network.test.ts has the same for the command line. */
import { readFileSync } from 'node:fs';
import { inspect } from 'node:util';
import { afterAll, afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { ConnectionError, DataImportClient, type NetworkOptions, networkDispatcher } from '../../../src/index.js';
import { SANDBOX_SUPPLIER } from '../../../src/sandbox/index.js';
import { createAuthority, hasOpenssl, OF_CLIENT } from '../../helpers/certificates.js';
import { errorOf } from '../../helpers/client-of.js';
import { ELSEWHERE, startProxy } from '../../helpers/connect-proxy.js';
import { newFolder } from '../../helpers/folder.js';
import { startTlsService } from '../../helpers/tls-service.js';

afterEach(() => vi.unstubAllEnvs());

const isOpensslThere = hasOpenssl('a service behind a proxy');
const folder = newFolder('network-dispatcher-', afterAll);

/** A service with the certificate of `ELSEWHERE`. */
async function startElsewhere() {
  const { issue, ca } = createAuthority(folder);
  const { sandbox, port } = await startTlsService(issue('elsewhere', `subjectAltName=DNS:${ELSEWHERE}`));
  return { token: sandbox.token, sandbox, port, ca: readFileSync(ca, 'utf8'), url: `https://${ELSEWHERE}` };
}

async function clientThrough(options: NetworkOptions, service: { url: string; token: string }) {
  const dispatcher = await networkDispatcher(options);
  const client = new DataImportClient({ baseUrl: service.url, token: service.token, dispatcher, maxRetries: 0 });
  onTestFinished(async () => {
    await client.close();
    await dispatcher.close();
  });
  return client;
}

const ACCOUNT = { import_supplier: SANDBOX_SUPPLIER, external_account_number: 'A-1' };

describe.skipIf(!isOpensslThere)('a service elsewhere', () => {
  test('is reached through a tunnel of the proxy', async () => {
    const service = await startElsewhere();
    const proxy = await startProxy({ to: service.port });
    const client = await clientThrough({ proxy: proxy.url, tls: { ca: service.ca } }, service);
    await client.accounts.stage(ACCOUNT);
    expect(proxy.targets).toEqual(['api.example.com:443']);
    expect(service.sandbox.requests()).toHaveLength(1);
  });

  test('is reached through the proxy of the environment', async () => {
    const service = await startElsewhere();
    const proxy = await startProxy({ to: service.port });
    vi.stubEnv('HTTPS_PROXY', proxy.url);
    const client = await clientThrough({ proxy: 'environment', tls: { ca: service.ca } }, service);
    await client.accounts.stage(ACCOUNT);
    expect(proxy.targets).toEqual(['api.example.com:443']);
  });
});

test('user and password of the address go to the proxy', async () => {
  const proxy = await startProxy({ status: 502 });
  const address = proxy.url.replace('http://', 'http://ada:p%40ss@');
  const client = await clientThrough({ proxy: address }, { url: `https://${ELSEWHERE}`, token: 'T' });
  await errorOf(client.accounts.stage(ACCOUNT));
  // echo -n 'ada:p@ss' | base64
  expect(proxy.credentials).toEqual(['Basic YWRhOnBAc3M=']);
});

test.skipIf(!isOpensslThere)('neither the password of the proxy nor the key is printed', async () => {
  const { issue } = createAuthority(folder);
  const { cert, key } = issue('client', OF_CLIENT);
  const tls = { cert: readFileSync(cert, 'utf8'), key: readFileSync(key, 'utf8') };
  vi.stubEnv('HTTPS_PROXY', 'http://ada:hunter2@127.0.0.1:9');
  for (const proxy of ['environment', 'http://ada:hunter2@127.0.0.1:9', undefined]) {
    const dispatcher = await networkDispatcher({ proxy, tls });
    onTestFinished(() => dispatcher.close());
    const client = new DataImportClient({ baseUrl: 'https://api.example.com', token: 'T', dispatcher });
    const all = { depth: Number.POSITIVE_INFINITY, showHidden: true };
    const shown = [inspect(dispatcher, all), inspect(client, all), JSON.stringify(dispatcher)].join('\n');
    // echo -n 'ada:hunter2' | base64
    for (const secret of ['hunter2', 'YWRhOmh1bnRlcjI=', 'PRIVATE KEY']) expect(shown).not.toContain(secret);
  }
});

describe('with the proxy of the environment', () => {
  test('a host in NO_PROXY is reached without it', async () => {
    const proxy = await startProxy();
    vi.stubEnv('HTTPS_PROXY', proxy.url);
    vi.stubEnv('NO_PROXY', '0.0.0.0');
    // An address of this machine that is no loopback address. Nothing listens there.
    const client = await clientThrough({ proxy: 'environment' }, { url: 'https://0.0.0.0:9', token: 'T' });
    await errorOf(client.accounts.stage(ACCOUNT));
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
    const client = await clientThrough({ proxy: proxy.url }, { url: `https://${ELSEWHERE}`, token: 'T' });
    const error = await client.accounts.stage(ACCOUNT).catch((one: unknown) => one);
    expect(error instanceof ConnectionError && [error.sent, error.message]).toEqual([
      false,
      expect.stringContaining(String(status)),
    ]);
  },
);

test.each<[what: string, words: string]>([
  ['closes the connection', ''],
  ['closes it in the middle of its answer', 'HTTP/1.1 200 Conn'],
  ['speaks another protocol', '220 mail.example.com ESMTP\r\n'],
])('a proxy that %s: one request to it, and a ConnectionError; nothing was sent', async (_, words) => {
  const proxy = await startProxy({ words });
  const client = await clientThrough({ proxy: proxy.url }, { url: `https://${ELSEWHERE}`, token: 'T' });
  const error = await client.accounts.stage(ACCOUNT).catch((one: unknown) => one);
  expect(error instanceof ConnectionError && [error.sent, error.message]).toEqual([
    false,
    expect.stringContaining('the proxy answered nothing usable'),
  ]);
  expect(proxy.targets).toEqual(['api.example.com:443']);
});

test.each([
  [{ proxy: 'ftp://proxy.example.com' }, 'proxy: expected the address of an HTTP proxy'],
  [{ proxy: 'proxy.example.com:3128' }, 'proxy: expected the address of an HTTP proxy'],
  [{ prxy: 'environment' }, 'networkDispatcher: no option prxy; did you mean proxy?'],
  [{ tls: { caa: 'x' } }, 'tls: no option caa; did you mean ca?'],
  [{ tls: { ca: 'certificates' } }, 'tls: ca has no certificate.'],
  [{ tls: { cert: 'x' } }, 'tls: expected cert and key together.'],
  [{ tls: { cert: 'x', key: 'y' } }, 'tls: the certificates or the key cannot be used'],
])('%j rejects with a TypeError', async (options, message) => {
  const rejected = expect(networkDispatcher(options as NetworkOptions)).rejects;
  await rejected.toThrow(TypeError);
  await expect(networkDispatcher(options as NetworkOptions)).rejects.toThrow(message);
});
