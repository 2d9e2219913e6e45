/** The token and the API key go to the address that was given for them, encrypted, and nowhere else. */
import { DataImportClient, graphqlToken } from 'data-import-sdk';
import { describe, expect, it, onTestFinished } from 'vitest';
import { errorOf } from '../helpers/client-of.js';
import { answer, misbehavingServer } from '../helpers/misbehaving-server.js';

const LIST = 'all-account-import-processes/ACME/';
const UNENCRYPTED = ['http://api.example.com', 'http://10.0.0.1', 'http://127.0.0.1.example.com', 'ftp://localhost'];

describe('without encryption', () => {
  it.each(UNENCRYPTED)('a token is not sent to %s', (baseUrl) => {
    expect(() => new DataImportClient({ baseUrl, token: 'a-token' })).toThrow(
      /^baseUrl: expected https \(http only for a loopback host\)/,
    );
  });

  it.each(UNENCRYPTED)('an API key is not sent to %s', (url) => {
    const make = () => graphqlToken({ url, apiKey: 'a-key', document: '{ a(key: $apiKey) }', select: () => 'a' });
    expect(make).toThrow(/^url: expected https \(http only for a loopback host\)/);
  });
});

describe.each([301, 302, 303, 307, 308])('a redirect (%i) to another host', (status) => {
  it.each([
    ['undici', {}],
    ['fetch', { fetch: globalThis.fetch }],
  ])('gets no request through %s', async (_, transport) => {
    const elsewhere = await misbehavingServer({ '/': answer(200, []) });
    const server = await misbehavingServer({ [LIST]: answer(status, '', { location: `${elsewhere.url}/` }) });
    const client = new DataImportClient({ baseUrl: server.url, token: 'a-token', ...transport });
    onTestFinished(() => client.close());
    expect(await errorOf(client.imports.all('ACME'))).toMatchObject({ status });
    expect([server.requests.length, elsewhere.requests.length]).toEqual([1, 0]);
  });

  it('gets no API key', async () => {
    const elsewhere = await misbehavingServer({ '/': answer(200, { data: { token: 'x' } }) });
    const server = await misbehavingServer({ '/graphql/': answer(status, '', { location: `${elsewhere.url}/` }) });
    const token = graphqlToken({
      url: `${server.url}/graphql/`,
      apiKey: 'a-key',
      document: 'mutation ($apiKey: String!) { obtain(apiKey: $apiKey) { token } }',
      select: (data) => data.token,
    });
    const client = new DataImportClient({ baseUrl: server.url, token });
    onTestFinished(() => client.close());
    expect((await errorOf(client.imports.all('ACME'))).name).toBe('TokenError');
    expect([server.requests.length, elsewhere.requests.length]).toEqual([1, 0]);
  });
});

it('the token service of another host gets only the API key, and the service only the token', async () => {
  const service = await misbehavingServer({ [LIST]: answer(200, []) });
  const tokens = await misbehavingServer({ '/graphql/': answer(200, { data: { token: 'token-of-the-key' } }) });
  const token = graphqlToken({
    url: `${tokens.url}/graphql/`,
    apiKey: 'an-api-key',
    document: 'mutation ($apiKey: String!) { obtain(apiKey: $apiKey) { token } }',
    select: (data) => data.token,
  });
  const client = new DataImportClient({ baseUrl: service.url, token });
  onTestFinished(() => client.close());
  await client.imports.all('ACME');
  await client.imports.all('ACME');
  expect(tokens.requests).toHaveLength(1);
  expect(tokens.requests[0]?.headers['authorization']).toBeUndefined();
  expect(JSON.stringify(service.requests)).not.toContain('an-api-key');
  expect(service.requests[0]?.headers['authorization']).toBe('Token token-of-the-key');
});
