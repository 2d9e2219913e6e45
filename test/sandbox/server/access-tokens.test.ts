import { expect, test } from 'vitest';
import type { SandboxSettings } from '../../../src/sandbox/index.js';
import { failed } from '../support/refusals.js';
import { openSandbox, type Talk, tokenIn } from '../support/requests.js';

const MUTATION = 'mutation Get($input: ObtainTokenInput!) { obtainToken(input: $input) { token payload { exp } } }';

async function graphql({ request }: Talk, body: unknown, path = '/v1/graphql/') {
  const response = await request(path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: await response.json() };
}

async function statusWith({ request }: Talk, token: string) {
  const path = 'all-account-import-processes/SANDBOX_SUPPLIER/';
  const response = await request(path, { headers: { Authorization: `Token ${token}` } });
  return { status: response.status, body: await response.json() };
}

test('C6 a valid API key gives a token that the REST side accepts', async () => {
  const talk = openSandbox();
  const answer = await graphql(talk, { query: MUTATION, variables: { input: { apiKey: 'sandbox-api-key' } } });
  expect(answer).toEqual({
    status: 200,
    body: {
      data: {
        obtainToken: {
          token: expect.any(String),
          payload: { iat: 1768467600, exp: 253402300799 },
          refreshToken: expect.any(String),
          refreshExpiresIn: 253402300799,
        },
      },
    },
  });
  expect(await statusWith(talk, tokenIn(answer.body))).toEqual({ status: 200, body: [] });
});

test('C6 sandbox.apiKey, sandbox.token and sandbox.graphqlPath are what a caller needs', () => {
  const { apiKey, token, graphqlPath } = openSandbox().sandbox;
  expect({ apiKey, token, graphqlPath }).toEqual({
    apiKey: 'sandbox-api-key',
    token: 'sandbox-token',
    graphqlPath: '/v1/graphql/',
  });
});

test.each([
  ['another key', { input: { apiKey: 'not-the-key' } }],
  ['no key', { input: {} }],
  ['no variables', undefined],
  ['a key in the wrong place', { apiKey: 'sandbox-api-key' }],
])('C6 %s is answered with a GraphQL error and no token', async (_, variables) => {
  const talk = openSandbox();
  expect(await graphql(talk, { query: MUTATION, variables })).toEqual({
    status: 200,
    body: {
      errors: [
        {
          message: 'The API key in variables.input.apiKey is missing or invalid.',
          extensions: { errorCode: 'INVALID_API_KEY' },
        },
      ],
      data: { obtainToken: null },
    },
  });
});

test.each([
  ...['query { viewer { id } }', 'query { obtainToken }', 'mutation { somethingElse }', 'mutation { obtainTokens }'],
  ...[12],
])('C6 the GraphQL document %j is not implemented: 501, which says so', async (query) => {
  const talk = openSandbox();
  expect(await graphql(talk, { query, variables: { input: { apiKey: 'sandbox-api-key' } } })).toEqual({
    status: 501,
    body: {
      errors: [
        {
          message: 'The sandbox implements one operation of the GraphQL interface: mutation obtainToken.',
          extensions: { errorCode: 'NOT_IMPLEMENTED' },
        },
      ],
      data: null,
    },
  });
});

test('C6 the GraphQL path accepts only POST with JSON', async () => {
  const { request } = openSandbox();
  const get = await request('/v1/graphql/');
  expect([get.status, get.headers.get('Allow')]).toEqual([405, 'POST']);
  expect((await request('/v1/graphql/', { method: 'POST', body: 'mutation' })).status).toBe(400);
});

test('C6 address, mutation and variable are settings (U27)', async () => {
  const settings: Partial<SandboxSettings> = {
    graphqlPath: '/graph',
    tokenMutation: 'giveToken',
    apiKeyVariable: 'key',
  };
  const talk = openSandbox({ settings });
  expect(talk.sandbox.graphqlPath).toBe('/graph');
  const query = 'mutation($key: String!) { giveToken(apiKey: $key) { token } }';
  const answer = await graphql(talk, { query, variables: { key: 'sandbox-api-key' } }, '/graph');
  const { token } = (answer.body as { data: { giveToken: { token: string } } }).data.giveToken;
  expect((await statusWith(talk, token)).status).toBe(200);
  // In process: to MSW, another address is not the service.
  const elsewhere = new Request('http://sandbox.example.com/v1/graphql/', { method: 'POST', body: '{}' });
  expect((await talk.sandbox.fetch(elsewhere)).status).toBe(404);
});

test('C6 with a lifetime the token ends by the clock of the sandbox (U27)', async () => {
  const talk = openSandbox({ settings: { tokenLifetimeSeconds: 3600 } });
  const answer = await graphql(talk, { query: MUTATION, variables: { input: { apiKey: 'sandbox-api-key' } } });
  expect(answer.body).toMatchObject({
    data: { obtainToken: { payload: { iat: 1768467600, exp: 1768471200 }, refreshExpiresIn: 1769072400 } },
  });
  talk.sandbox.clock.advance(3_599_999);
  expect((await statusWith(talk, tokenIn(answer.body))).status).toBe(200);
  talk.sandbox.clock.advance(1);
  expect(await statusWith(talk, tokenIn(answer.body))).toEqual(failed(401, 'token_expired', 'The token has expired.'));
  expect((await statusWith(talk, talk.sandbox.token)).status).toBe(200);
});

test('C6 a token whose end was changed, and the token of another seed, are invalid', async () => {
  const talk = openSandbox({ settings: { tokenLifetimeSeconds: 60 } });
  const key = { query: MUTATION, variables: { input: { apiKey: 'sandbox-api-key' } } };
  const token = tokenIn((await graphql(talk, key)).body);
  const later = token.replace('1768467660', '1999999999');
  expect(later).not.toBe(token);
  expect((await statusWith(talk, later)).status).toBe(401);
  const foreign = tokenIn((await graphql(openSandbox({ seed: 'another' }), key)).body);
  expect((await statusWith(talk, foreign)).status).toBe(401);
});
