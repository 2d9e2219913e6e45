/** A token from the service's GraphQL interface, whose address, mutation and arguments are all settings (C6, U27). */
import { DataImportClient, type GraphqlTokenOptions, graphqlToken, type TokenError } from 'data-import-sdk';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { clientOf, errorOf } from '../../helpers/client-of.js';
import {
  answer,
  closedPort,
  hang,
  html,
  misbehavingServer,
  type Reaction,
  resetAfterReading,
} from '../../helpers/misbehaving-server.js';
import { scriptedFetch } from '../../helpers/scripted-fetch.js';

const ALL = 'all-account-import-processes/ACME/';
const document = 'mutation ($apiKey: String!) { obtainToken(input: { apiKey: $apiKey }) { token refreshExpiresIn } }';
const select = (data: { obtainToken: { token: string } }) => data.obtainToken.token;
const given = (token: string) => answer(200, { data: { obtainToken: { token } } });

/** A service and a GraphQL interface, and a client that takes its token there. */
async function withGraphql(reactions: Reaction | Reaction[], options: Partial<GraphqlTokenOptions> = {}) {
  const server = await misbehavingServer({ '/graphql/': reactions, [ALL]: answer(200, []) });
  const token = graphqlToken({ url: `${server.url}/graphql/`, apiKey: 'key-1', document, select, ...options });
  return { server, client: clientOf(server, { token }) };
}

describe('the call', () => {
  it('C6 a valid key gives a token that the REST side gets', async () => {
    const { server, client } = await withGraphql(given('T-1'));

    expect(await client.imports.all('ACME')).toEqual([]);

    expect(server.requests[0]).toMatchObject({ method: 'POST', url: '/graphql/' });
    expect(server.requests[0]?.headers['content-type']).toBe('application/json');
    expect(server.requests[0]?.headers['authorization']).toBeUndefined();
    expect(JSON.parse(server.requests[0]?.body ?? '')).toEqual({ query: document, variables: { apiKey: 'key-1' } });
    expect(server.requests[1]?.headers['authorization']).toBe('Token T-1');
  });

  it.each([
    ['$apiKey in the document fills itself', document, undefined, { apiKey: 'key-1' }],
    ['variables are added to it', document, { team: 'X' }, { apiKey: 'key-1', team: 'X' }],
    ['variables go before it', document, { apiKey: 'other' }, { apiKey: 'other' }],
    [
      'variables as an object',
      'mutation ($input: I!) { obtainToken(input: $input) { token } }',
      { input: { apiKey: 'key-2' } },
      { input: { apiKey: 'key-2' } },
    ],
    [
      'variables as a function of the key',
      'mutation ($input: I!) { obtainToken(input: $input) { token } }',
      (apiKey: string) => ({ input: { key: apiKey } }),
      { input: { key: 'key-1' } },
    ],
    [
      'variables as a promise of a function, as JavaScript may return one',
      'mutation ($input: I!) { obtainToken(input: $input) { token } }',
      (async (apiKey: string) => ({ input: { key: apiKey } })) as never,
      { input: { key: 'key-1' } },
    ],
  ])('%s', async (_, text, variables, expected) => {
    const { server, client } = await withGraphql(given('T-1'), { document: text, variables });
    await client.imports.all('ACME');
    expect(JSON.parse(server.requests[0]?.body ?? '')).toEqual({ query: text, variables: expected });
  });

  it('path and query of the url are kept', async () => {
    const server = await misbehavingServer({ '/a/graphql': given('T-1'), [ALL]: answer(200, []) });
    const token = graphqlToken({ url: `${server.url}/a/graphql?x=1#y`, apiKey: 'key-1', document, select });
    await clientOf(server, { token }).imports.all('ACME');
    expect(server.requests[0]?.url).toBe('/a/graphql?x=1');
  });

  it('another origin than that of the service', async () => {
    const tokens = await misbehavingServer({ '/graphql/': given('T-1') });
    const service = await misbehavingServer({ [ALL]: answer(200, []) });
    const token = graphqlToken({ url: `${tokens.url}/graphql/`, apiKey: 'key-1', document, select });
    await clientOf(service, { token }).imports.all('ACME');
    expect(tokens.requests).toHaveLength(1);
    expect(service.requests[0]?.headers['authorization']).toBe('Token T-1');
  });

  it('it travels through the fetch of the client', async () => {
    const fetch = scriptedFetch(
      { status: 200, body: { data: { obtainToken: { token: 'T-1' } } } },
      { status: 200, body: [] },
    );
    const token = graphqlToken({ url: 'https://auth.example.com/graphql/', apiKey: 'key-1', document, select });
    await new DataImportClient({ baseUrl: 'https://api.example.com', token, fetch }).imports.all('ACME');
    expect(fetch.requests.map(({ url }) => url)).toEqual([
      'https://auth.example.com/graphql/',
      `https://api.example.com/v1/data-import/${ALL}`,
    ]);
  });

  it('a 401 of the service asks for another token, once', async () => {
    const server = await misbehavingServer({
      '/graphql/': [given('T-1'), given('T-2')],
      [ALL]: [answer(401), answer(200, [])],
    });
    const token = graphqlToken({ url: `${server.url}/graphql/`, apiKey: 'key-1', document, select });
    await clientOf(server, { token }).imports.all('ACME');
    expect(server.log).toEqual(['POST /graphql/', `GET ${ALL}`, 'POST /graphql/', `GET ${ALL}`]);
  });

  it('select may give the end of the token too: it is renewed before that', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-01-15T09:00:00Z') });
    onTestFinished(() => void vi.useRealTimers());
    const ofAnHour = {
      data: { obtainToken: { token: 'T-1', payload: { exp: Date.parse('2026-01-15T10:00:00Z') / 1000 } } },
    };
    const { server, client } = await withGraphql(answer(200, ofAnHour), {
      select: ({ obtainToken }) => ({ token: obtainToken.token, expiresAt: obtainToken.payload.exp }),
    });
    await client.imports.all('ACME');
    vi.setSystemTime('2026-01-15T09:59:59Z');
    await client.imports.all('ACME');
    expect(server.log.filter((line) => line === 'POST /graphql/')).toHaveLength(2);
  });
});

describe('a bad key fails at once, without retry', () => {
  it.each([
    [
      'an error with errorCode',
      answer(200, { data: null, errors: [{ message: 'Invalid.', extensions: { errorCode: 'BAD_KEY' } }] }),
      'BAD_KEY',
      'token: the GraphQL interface refuses the call: check API key, document and variables. (BAD_KEY) [token-error]',
    ],
    [
      'an error with code',
      answer(200, { errors: [{ message: 'Invalid.', extensions: { code: 'UNAUTHENTICATED' } }] }),
      'UNAUTHENTICATED',
      'token: the GraphQL interface refuses the call: check API key, document and variables. (UNAUTHENTICATED) [token-error]',
    ],
    [
      'an error without a code',
      answer(200, { errors: [{ message: 'Invalid.' }] }),
      'token_error',
      'token: the GraphQL interface refuses the call: check API key, document and variables. [token-error]',
    ],
    [
      'an error that is null',
      answer(200, { errors: [null] }),
      'token_error',
      'token: the GraphQL interface refuses the call: check API key, document and variables. [token-error]',
    ],
    [
      'an error with 400',
      answer(400, { errors: [{ message: 'Syntax.' }] }),
      'token_error',
      'token: the GraphQL interface refuses the call: check API key, document and variables. [token-error]',
    ],
    [
      '401',
      answer(401, { detail: 'No.' }),
      'token_error',
      'token: the GraphQL interface answered 401: check url and API key. [token-error]',
    ],
    [
      'the 403 page of an edge',
      html(403),
      'token_error',
      'token: the GraphQL interface answered 403: check url and API key. [token-error]',
    ],
    [
      'a redirect',
      answer(302, undefined, { location: '/login' }),
      'token_error',
      'token: the GraphQL interface answered 302: check url and API key. [token-error]',
    ],
  ])('%s', async (_, reaction, code, message) => {
    const { server, client } = await withGraphql(reaction);
    const error = await errorOf<TokenError>(client.imports.all('ACME'));
    expect(error).toMatchObject({ name: 'TokenError', code, nextAction: 'fixToken' });
    expect(error.message).toBe(message);
    expect(server.log).toEqual(['POST /graphql/']);
  });

  it.each([
    ['a page', answer(200, '<html>')],
    ['nothing', answer(200)],
    ['a list', answer(200, [])],
    ['null', answer(200, null)],
    ['data that is null', answer(200, { data: null })],
  ])('%s is no answer of a GraphQL interface', async (_, reaction) => {
    const { server, client } = await withGraphql(reaction);
    const error = await errorOf<TokenError>(client.imports.all('ACME'));
    expect(error.message).toBe(
      'token: the GraphQL interface answered without data: check url and document. [token-error]',
    );
    expect(error.nextAction).toBe('inspect');
    expect(server.requests).toHaveLength(1);
  });

  it('data that select cannot read', async () => {
    const { client } = await withGraphql(answer(200, { data: { somethingElse: 1 } }));
    const error = await errorOf<TokenError>(client.imports.all('ACME'));
    expect(error.message).toBe(
      'token: `select` failed on the data of the GraphQL answer: adapt it to the document. [token-error]',
    );
    expect(error).toMatchObject({ nextAction: 'inspect', cause: expect.any(TypeError) });
  });

  it.each([
    ['nothing', undefined],
    ['null', null],
    ['no token', { token: undefined }],
  ])('data in which select finds %s', async (_, selected) => {
    const { client } = await withGraphql(answer(200, { data: {} }), { select: () => selected as never });
    const error = await errorOf(client.imports.all('ACME'));
    expect(error.message).toBe(
      'token: `select` found no token in the data of the GraphQL answer: adapt it to the document. [token-error]',
    );
    expect(error.nextAction).toBe('inspect');
  });

  it('a TokenError of select is that of the call', async () => {
    const { TokenError: Thrown } = await import('data-import-sdk');
    const thrown = new Thrown('token: the account is locked. [token-error]', { code: 'LOCKED' });
    const { client } = await withGraphql(given('T-1'), {
      select: () => {
        throw thrown;
      },
    });
    expect(await errorOf(client.imports.all('ACME'))).toMatchObject({
      ...{ name: 'TokenError', message: thrown.message, code: 'LOCKED', operation: 'imports.all' },
    });
  });
});

describe('failures are retried three times', () => {
  beforeEach(() => {
    vi.spyOn(Math, 'random').mockReturnValue(0);
  });

  it.each([
    [
      'throttling with HTTP 200',
      answer(200, { errors: [{ extensions: { errorCode: 'TOO_MANY_REQUESTS' } }] }),
      'token: the GraphQL interface is throttling. (TOO_MANY_REQUESTS) [token-error]',
      'wait',
    ],
    [
      'throttling as the second error',
      answer(200, { errors: [{ message: 'x' }, { extensions: { code: 'RATE_LIMITED' } }] }),
      'token: the GraphQL interface is throttling. (RATE_LIMITED) [token-error]',
      'wait',
    ],
    ['429', answer(429), 'token: the GraphQL interface is throttling. [token-error]', 'wait'],
    [
      '429 with errors',
      answer(429, { errors: [{ extensions: { code: 'SLOW' } }] }),
      'token: the GraphQL interface is throttling. (SLOW) [token-error]',
      'wait',
    ],
    ['500', answer(500), 'token: the GraphQL interface answered 500. [token-error]', 'retryLater'],
    [
      '500 with errors, which say nothing about the key',
      answer(500, { errors: [{ extensions: { code: 'INTERNAL' } }] }),
      'token: the GraphQL interface answered 500. (INTERNAL) [token-error]',
      'retryLater',
    ],
    ['the 502 page of a gateway', html(502), 'token: the GraphQL interface answered 502. [token-error]', 'retryLater'],
    [
      'a broken connection',
      resetAfterReading,
      /^token: no answer from the GraphQL interface at 127\.0\.0\.1:\d+ \(\w+\)\. \[token-error\]$/,
      'retryLater',
    ],
  ])('%s', async (_, reaction, message, nextAction) => {
    const { server, client } = await withGraphql([reaction, reaction, reaction, given('T-1')]);
    expect(await client.imports.all('ACME')).toEqual([]);
    expect(server.requests).toHaveLength(5);

    const forEver = await withGraphql(reaction);
    const error = await errorOf<TokenError>(forEver.client.imports.all('ACME'));
    expect(error).toMatchObject({ name: 'TokenError', nextAction });
    expect(error.message).toMatch(message);
    expect(forEver.server.requests).toHaveLength(4);
  });

  it('a network that is down', async () => {
    const url = await closedPort();
    const token = graphqlToken({ url: `${url}/graphql/`, apiKey: 'key-1', document, select });
    expect((await errorOf(clientOf({ url }, { token }).imports.all('ACME'))).message).toBe(
      `token: no answer from the GraphQL interface at ${new URL(url).host} (ECONNREFUSED). [token-error]`,
    );
  });

  it.each([
    ['429', answer(429), 'token: the GraphQL interface is throttling. [token-error]', 'wait'],
    ['500', answer(500), 'token: the GraphQL interface answered 500. [token-error]', 'retryLater'],
  ])(
    'an interface that hangs after a %s: the error says what it answered',
    async (_, reaction, message, nextAction) => {
      const server = await misbehavingServer({ '/graphql/': [reaction, hang] });
      const token = graphqlToken({ url: `${server.url}/graphql/`, apiKey: 'key-1', document, select });
      const error = await errorOf(clientOf(server, { token, timeoutMs: 300 }).imports.all('ACME'));
      expect(error).toMatchObject({ message, nextAction });
      expect(server.requests).toHaveLength(2);
    },
  );

  it('an interface that hangs', async () => {
    const server = await misbehavingServer({ '/graphql/': hang });
    const token = graphqlToken({ url: `${server.url}/graphql/`, apiKey: 'key-1', document, select });
    const error = await errorOf(clientOf(server, { token, timeoutMs: 200 }).imports.all('ACME'));
    expect(error.message).toBe('token: the token function returned none within 200 ms. [token-error]');
    expect(server.requests).toHaveLength(1);
  });
});

describe('waits, in exact times', () => {
  beforeEach(() => {
    vi.useFakeTimers();
    vi.spyOn(Math, 'random').mockReturnValue(0.5);
  });
  afterEach(() => {
    expect(vi.getTimerCount()).toBe(0);
    vi.useRealTimers();
  });
  const tokenBody = { status: 200, body: { data: { obtainToken: { token: 'T-1' } } } };
  const clientOn = (fetch: ReturnType<typeof scriptedFetch>, timeoutMs = 60_000) => {
    const token = graphqlToken({ url: 'https://auth.example.com/', apiKey: 'key-1', document, select });
    return new DataImportClient({ baseUrl: 'https://api.example.com', token, fetch, timeoutMs });
  };

  it('our own grow, with jitter; Retry-After is kept to', async () => {
    const busy = { status: 503, headers: { 'retry-after': '7' } };
    const fetch = scriptedFetch({ status: 500 }, { status: 500 }, busy, tokenBody, { status: 200, body: [] });
    const call = clientOn(fetch).imports.all('ACME');
    await vi.runAllTimersAsync();
    await call;
    expect(fetch.times).toEqual([0, 250, 750, 7_750, 7_750]);
  });

  it('a Retry-After of 0 does not hammer', async () => {
    const fetch = scriptedFetch({ status: 429, headers: { 'retry-after': '0' } }, tokenBody, { status: 200, body: [] });
    const call = clientOn(fetch).imports.all('ACME');
    await vi.runAllTimersAsync();
    await call;
    expect(fetch.times).toEqual([0, 250, 250]);
  });

  it('a Retry-After beyond 30 s is not shortened and not waited for: all calls wait for the token', async () => {
    const fetch = scriptedFetch({ status: 429, headers: { 'retry-after': '31' } });
    const error = await errorOf(clientOn(fetch).imports.all('ACME'));
    expect(error).toMatchObject({ name: 'TokenError', nextAction: 'wait' });
    expect(fetch.requests).toHaveLength(1);
  });

  it('a wait ends with the client’s time limit, and nothing is sent after it', async () => {
    const fetch = scriptedFetch({ status: 429, headers: { 'retry-after': '20' } });
    const call = errorOf(clientOn(fetch, 10_000).imports.all('ACME'));
    await vi.advanceTimersByTimeAsync(10_000);
    expect((await call).message).toBe('token: the GraphQL interface is throttling. [token-error]');
    await vi.advanceTimersByTimeAsync(60_000);
    expect(fetch.requests).toHaveLength(1);
  });
});

describe('options that cannot work are TypeErrors', () => {
  const right = { url: 'https://auth.example.com/graphql/', apiKey: 'key-1', document, select };
  it.each([
    ['url', { url: 'auth.example.com' }, 'url: expected an absolute URL such as https://api.example.com'],
    ['url', { url: undefined }, 'url: expected a string such as https://api.example.com, found undefined'],
    ['foo', { foo: 1 }, 'graphqlToken: no option foo; there are url, apiKey, document, variables, select.'],
    ['url', { url: 'http://auth.example.com/' }, 'url: expected https (http only for a loopback host), found http://'],
    ['url', { url: 'https://me:secret@auth.example.com/' }, 'url: must not contain credentials'],
    ['apiKey', { apiKey: '' }, 'apiKey: expected a non-empty string'],
    ['apiKey', { apiKey: undefined }, 'apiKey: expected a non-empty string'],
    ['document', { document: undefined }, 'document: expected the text of a mutation'],
    ['document', { document: ' ' }, 'document: expected the text of a mutation'],
    ['select', { select: 'token' }, 'select: expected a function of the answer’s data'],
    [
      'variables',
      { document: 'mutation { obtainToken { token } }' },
      'variables: the API key is not used; use $apiKey in document, or give variables',
    ],
    [
      'variables',
      { document: 'mutation ($apiKeys: String) { obtainToken { token } }' },
      'variables: the API key is not used; use $apiKey in document, or give variables',
    ],
  ])('%s: %j', (_, wrong, message) => {
    expect(() => graphqlToken({ ...right, ...wrong } as never)).toThrow(new TypeError(message));
  });

  it.each([
    [undefined, 'undefined'],
    [null, 'null'],
    ['https://auth.example.com/', 'string'],
    [Promise.resolve({}), 'a promise'],
  ])('%j in place of options', (options, found) => {
    expect(() => graphqlToken(options as never)).toThrow(
      new TypeError(`graphqlToken: expected an object of options, found ${found}.`),
    );
  });
});
