/** A proxy that cannot be reached: `doctor` and `run` name the proxy and its variable, not the service. */
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { dirname } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { hostWithProxy, reasonWithProxy, withProxy } from '../../../src/cli/session/proxy-failure.js';
import type { Check } from '../../../src/migration/operations/preflight/check.js';
import { createAuthority, hasOpenssl } from '../../helpers/certificates.js';
import { startTlsService } from '../../helpers/tls-service.js';
import { account, openFolder, openService, run } from '../typed.js';

const { at, inputFile } = openFolder();

const FAILED: Check = {
  check: 'address',
  result: 'failed',
  detail: 'connection to api.example.com failed: ECONNREFUSED, nothing listens on this port',
  remedy: 'Check host and port of --base-url, the network, and whether the service runs.',
};
const refused = (address: string, port: number) =>
  new Error('no connection', { cause: Object.assign(new Error('connect'), { code: 'ECONNREFUSED', address, port }) });
const notFound = (hostname: string) =>
  new Error('no connection', { cause: Object.assign(new Error('lookup'), { code: 'ENOTFOUND', hostname }) });
const check = (error: unknown, env: NodeJS.ProcessEnv, baseUrl = 'https://api.example.com') =>
  withProxy(FAILED, { baseUrl, error }, env);

test('doctor and run name the proxy and the variable first', { tags: 'long' }, async () => {
  await openService();
  // The port 9 is reserved for a service that no machine runs.
  vi.stubEnv('HTTPS_PROXY', 'http://user:secret@127.0.0.1:9');
  const service = ['--base-url', 'https://api.example.com'];
  const found = await run('doctor', '--run', at('none'), ...service);
  expect(found.code).toBe(1);
  expect(found.out).toContain(
    'address   FAILED       connection to the proxy 127.0.0.1:9 (from HTTPS_PROXY) failed: ECONNREFUSED, nothing listens on this port\n',
  );
  expect(found.out).toContain(
    '-> Check host and port in HTTPS_PROXY, and whether the proxy runs. If api.example.com needs no proxy, unset HTTPS_PROXY or add the host to NO_PROXY.\n',
  );
  const { code, err } = await run(
    'run',
    inputFile('input.jsonl', account('A-1')),
    '--yes',
    '--run',
    at('run'),
    ...service,
  );
  expect(code).toBe(1);
  expect(err).toContain('data-import-sdk: address: connection to the proxy 127.0.0.1:9 (from HTTPS_PROXY) failed');
  expect(found.out + err).not.toContain('secret');
});

test('a name that does not exist is the name of the proxy, or of the service', () => {
  const env = { https_proxy: 'http://proxy.example.com:3128', HTTPS_PROXY: 'http://other.example.com:3128' };
  expect(check(notFound('proxy.example.com'), env).detail).toBe(
    'connection to the proxy proxy.example.com:3128 (from https_proxy) failed: ENOTFOUND, no host has this name',
  );
  expect(check(notFound('api.example.com'), env).detail).toBe(FAILED.detail);
});

test.each<[what: string, error: unknown, env: NodeJS.ProcessEnv]>([
  ['another port', refused('192.0.2.1', 443), { HTTPS_PROXY: 'http://proxy.example.com:3128' }],
  ['another address', refused('192.0.2.1', 3128), { HTTPS_PROXY: 'http://192.0.2.2:3128' }],
  [
    'the same port, with NO_PROXY',
    refused('192.0.2.1', 443),
    { HTTPS_PROXY: 'https://proxy.example.com', NO_PROXY: 'a' },
  ],
  ['no address', new Error('a timeout'), { HTTPS_PROXY: 'http://proxy.example.com:3128' }],
])('%s: the service is named first, and then the proxy', (_, error, env) => {
  const { detail, remedy } = check(error, env);
  expect(detail).toBe(FAILED.detail);
  expect(remedy).toMatch(
    /^Check host and port of --base-url.* Requests go through the proxy .* in HTTPS_PROXY, unless/,
  );
});

test('of several addresses of a proxy, each failed', () => {
  const error = new Error('no connection', { cause: new AggregateError([refused('192.0.2.1', 3128).cause]) });
  const env = { HTTP_PROXY: 'http://proxy.example.com:3128' };
  expect(check(error, env).detail).toContain('the proxy proxy.example.com:3128 (from HTTP_PROXY)');
  expect(check(error, env, 'http://api.example.com').detail).toContain('the proxy');
  // A service on this machine is reached without a proxy.
  expect(check(error, env, 'http://127.0.0.1:8080')).toEqual(FAILED);
});

test('without a proxy, and for a check that succeeded, nothing changes', () => {
  expect(check(refused('192.0.2.1', 443), {})).toEqual(FAILED);
  const ok: Check = { check: 'address', result: 'ok', detail: 'api.example.com answers', remedy: '' };
  const env = { HTTPS_PROXY: 'http://proxy.example.com:3128' };
  expect(withProxy(ok, { baseUrl: 'https://api.example.com', error: undefined }, env)).toEqual(ok);
});

test.each([
  ['answered 407', 'HTTP/1.1 407 No\r\n\r\n'],
  ['answered 502', 'HTTP/1.1 502 No\r\n\r\n'],
  ['answered nothing usable', ''],
])('a proxy that %s is named, and its credentials are to be checked', async (said, words) => {
  await openService();
  const proxy = createServer().on('connect', (_, socket) => {
    // The client may have left.
    socket.on('error', () => {}).end(words);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void proxy.close());
  const host = `127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  vi.stubEnv('HTTP_PROXY', `http://user:secret@${host}`);
  vi.stubEnv('DATA_IMPORT_BASE_URL', 'https://api.example.com');
  const path = inputFile('refused.jsonl', account('A-1'));
  const found = await run('run', path, '--yes', '--run', at(`refused-${words.length}-${said.length}`));
  expect(found.code).toBe(1);
  expect(found.err).toContain(
    `data-import-sdk: address: the proxy ${host} (from HTTP_PROXY) ${said}. Check the proxy and its credentials in HTTP_PROXY. If api.example.com needs no proxy, unset HTTP_PROXY or add the host to NO_PROXY.\n`,
  );
  expect(found.err).not.toContain('secret');
});

/** A proxy before the service at this port, which closes as soon as the service has answered this many requests. */
async function proxyThatLeaves({ sandbox, port }: Awaited<ReturnType<typeof startTlsService>>, after: number) {
  const sockets: Socket[] = [];
  const proxy = createServer().on('connect', (_, client: Socket) => {
    const service = connect(port, '127.0.0.1', () => client.write('HTTP/1.1 200 Connected\r\n\r\n'));
    sockets.push(client, service);
    for (const socket of [client, service]) socket.on('error', () => {});
    service.pipe(client);
    client.on('data', (chunk: Buffer) => {
      if (sandbox.requests().length < after) return void service.write(chunk);
      proxy.close();
      for (const socket of sockets) socket.destroy();
    });
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    proxy.close();
    for (const socket of sockets) socket.destroy();
  });
  return `127.0.0.1:${(proxy.address() as AddressInfo).port}`;
}

const isOpensslThere = hasOpenssl('a service behind a proxy');

test.skipIf(!isOpensslThere)(
  'a proxy that fails in the middle of a run is named after the host of the service',
  async () => {
    await openService();
    const host = 'api.example.com';
    const { issue, ca } = createAuthority(dirname(at('x')));
    const service = await startTlsService(issue('service', `subjectAltName=DNS:${host}`));
    vi.stubEnv('DATA_IMPORT_BASE_URL', `https://${host}`);
    vi.stubEnv('DATA_IMPORT_TOKEN', service.sandbox.token);
    const proxy = await proxyThatLeaves(service, 7);
    vi.stubEnv('HTTPS_PROXY', `http://user:secret@${proxy}`);
    const shown: string[] = [];
    vi.spyOn(process.stderr, 'write').mockImplementation((text) => shown.push(String(text)) > 0);
    onTestFinished(() => void vi.restoreAllMocks());
    const accounts = Array.from({ length: 10 }, (_, index) => account(`A-${index}`));
    const flags = ['--yes', '--ca', ca, '--max-retries', '0', '--concurrency', '1', '--halt', 'failed=5,outage=0'];
    const { code, out } = await run('run', inputFile('middle.jsonl', ...accounts), '--run', at('middle'), ...flags);
    expect(code).toBe(6);
    const failed = `onnection to ${host} (through the proxy ${proxy} in HTTPS_PROXY) failed: ECONNREFUSED, nothing listens on this port`;
    expect(shown.join('')).toContain(`C${failed}.\n`);
    expect(out).toContain(`: c${failed}: look at the service and the network`);
    expect(shown.join('') + out).not.toContain('secret');
  },
);

test('the host of a run has the proxy of its requests only if a variable names one', () => {
  const env = { https_proxy: 'http://proxy.example.com:3128' };
  const named = 'api.example.com (through the proxy proxy.example.com:3128 in https_proxy';
  expect(hostWithProxy('api.example.com', 'https://api.example.com/eu', env)).toBe(`${named})`);
  expect(hostWithProxy('api.example.com', 'https://api.example.com', { ...env, NO_PROXY: 'a.example.com' })).toBe(
    `${named}, unless NO_PROXY has the host)`,
  );
  expect(hostWithProxy('api.example.com', 'https://api.example.com', {})).toBe('api.example.com');
  expect(hostWithProxy('127.0.0.1:1', 'sandbox', env)).toBe('127.0.0.1:1');
  expect(reasonWithProxy('connection to api.example.com failed', 'https://api.example.com', env)).toBe(
    `connection to ${named}) failed`,
  );
});
