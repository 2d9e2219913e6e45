/** Plain http is allowed to this machine because it does not leave it: no proxy may send it elsewhere, with the token. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DataImportClient, graphqlToken, networkDispatcher } from 'data-import-sdk';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { account, openFolder, openService, run } from '../cli/typed.js';
import { errorOf } from '../helpers/client-of.js';

const VARIABLES = ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'https_proxy'];
afterEach(() => vi.unstubAllEnvs());

/** A proxy that answers nothing, and counts the connections to it. */
async function startProxy() {
  const seen = { connections: 0 };
  const proxy = createServer().on('connection', (socket) => {
    seen.connections++;
    socket.destroy();
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  onTestFinished(() => void proxy.close());
  return { seen, url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}` };
}

/** A service on all addresses of this machine, which answers every request with this. */
async function startService(body: unknown) {
  const authorizations: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    authorizations.push(request.headers.authorization);
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  server.listen(0, '::');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return { authorizations, port: (server.address() as AddressInfo).port };
}

const HOSTS = ['127.0.0.1', 'localhost', 'LOCALHOST', 'Localhost', '127.1', '127.8.7.6', '[::1]', '[::ffff:127.0.0.1]'];

describe.each(HOSTS)('http://%s', (host) => {
  it.each(['an option', ...VARIABLES])('is reached without the proxy in %s', async (given) => {
    const proxy = await startProxy();
    const { port, authorizations } = await startService([]);
    if (given !== 'an option') vi.stubEnv(given, proxy.url);
    const dispatcher = await networkDispatcher({ proxy: given === 'an option' ? proxy.url : 'environment' });
    onTestFinished(() => dispatcher.close());
    const client = new DataImportClient({ baseUrl: `http://${host}:${port}`, token: 'a-token', dispatcher });
    expect(await client.imports.all('ACME')).toEqual([]);
    expect(authorizations).toEqual(['Token a-token']);
    expect(proxy.seen.connections).toBe(0);
  });
});

it.each(['https://app.localhost', 'https://APP.Localhost', 'https://localhost.', 'https://[0:0:0:0:0:0:0:1]'])(
  '%s is reached without a proxy',
  async (origin) => {
    const proxy = await startProxy();
    const dispatcher = await networkDispatcher({ proxy: proxy.url });
    onTestFinished(() => dispatcher.close());
    const baseUrl = `${origin}:9`;
    const client = new DataImportClient({ baseUrl, token: 'a-token', dispatcher, maxRetries: 0 });
    expect((await errorOf(client.imports.all('ACME'))).name).toBe('ConnectionError');
    expect(proxy.seen.connections).toBe(0);
  },
);

it('a host whose name only begins or ends like one of this machine is reached through the proxy', {
  tags: 'long',
}, async () => {
  for (const host of ['127.0.0.1.example.com', 'localhost.example.com', 'notlocalhost', '[::ffff:10.0.0.1]']) {
    const proxy = await startProxy();
    const dispatcher = await networkDispatcher({ proxy: proxy.url });
    onTestFinished(() => dispatcher.close());
    const client = new DataImportClient({ baseUrl: `https://${host}`, token: 'T', dispatcher, maxRetries: 0 });
    await errorOf(client.imports.all('ACME', { timeoutMs: 500 }));
    expect(proxy.seen.connections, host).toBeGreaterThan(0);
  }
});

it('http to a name below localhost is refused: a resolver may ask other machines for it', () => {
  expect(() => new DataImportClient({ baseUrl: 'http://app.localhost', token: 'T' })).toThrow(
    /^baseUrl: expected https \(http only for a loopback host\)/,
  );
});

it('the API key for a token service on this machine is sent without the proxy', async () => {
  const proxy = await startProxy();
  const tokens = await startService({ data: { token: 'token-of-the-key' } });
  const service = await startService([]);
  const dispatcher = await networkDispatcher({ proxy: proxy.url });
  onTestFinished(() => dispatcher.close());
  const token = graphqlToken({
    url: `http://localhost:${tokens.port}/graphql/`,
    apiKey: 'an-api-key',
    document: 'mutation ($apiKey: String!) { obtain(apiKey: $apiKey) { token } }',
    select: (data) => data.token,
  });
  const client = new DataImportClient({ baseUrl: `http://127.0.0.1:${service.port}`, token, dispatcher });
  expect(await client.imports.all('ACME')).toEqual([]);
  expect(service.authorizations).toEqual(['Token token-of-the-key']);
  expect(proxy.seen.connections).toBe(0);
});

describe('the command line', () => {
  const { at, inputFile } = openFolder();

  it('reaches a service on this machine without the proxy of the environment', async () => {
    const sandbox = await openService();
    const proxy = await startProxy();
    for (const variable of VARIABLES) vi.stubEnv(variable, proxy.url);
    expect((await run('run', inputFile('input.jsonl', account('A-1')), '--run', at('run'))).code).toBe(0);
    expect(sandbox.requests().length).toBeGreaterThan(0);
    expect(proxy.seen.connections).toBe(0);
  });

  it('names no proxy if a service on this machine cannot be reached', async () => {
    await openService();
    vi.stubEnv('HTTP_PROXY', 'http://proxy.example.com:3128');
    const { code, out, err } = await run('doctor', '--run', at('none'), '--base-url', 'http://localhost:9');
    expect(code).toBe(1);
    expect(out + err).not.toContain('proxy');
  });
});
