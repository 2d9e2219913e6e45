/** A token or API key that the service puts into what errors and events show. */

import { inspect } from 'node:util';
import { DataImportClient, type DataImportError, graphqlToken, type Hooks, type Logger } from 'data-import-sdk';
import { describe, expect, it } from 'vitest';
import { calls } from '../helpers/calls.js';
import { errorOf } from '../helpers/client-of.js';
import { answer, misbehavingServer } from '../helpers/misbehaving-server.js';

// Only letters: nothing about them looks like a token.
const TOKEN = 'quietlyhiddenaccesstoken';
const API_KEY = 'quietlyhiddenorganisationkey';
const REFRESH = 'quietlyhiddenrefreshtoken';

function shown(error: DataImportError): string {
  const parts = [error.message, error.stack, JSON.stringify(error), JSON.stringify({ ...error }), inspect(error)];
  return [...parts, inspect(error, { customInspect: false }), (error as { code?: string }).code].join('\n');
}

const base64 = (text: string) => Buffer.from(text).toString('base64');

/** By form: what the service answers, and what must not be seen of it. */
const ECHOES: [form: string, token: string, echo: string, hidden: string][] = [
  ['as it is', TOKEN, TOKEN, TOKEN],
  ['within a word', TOKEN, `not_${TOKEN}_found`, TOKEN],
  ['in capitals', TOKEN, TOKEN.toUpperCase(), TOKEN.toUpperCase()],
  ['percent-encoded', 'quietly/hidden+token', 'quietly%2Fhidden%2Btoken', 'hidden'],
  ['percent-encoded in small letters', 'quietly/hidden+token', 'quietly%2fhidden%2btoken', 'hidden'],
  ['in base64', TOKEN, base64(TOKEN), base64(TOKEN).slice(4, 20)],
  [
    'in base64 for addresses',
    'a~?quietly~?hidden~?',
    Buffer.from('a~?quietly~?hidden~?').toString('base64url'),
    'a2hpZGRlb',
  ],
  ['in base64 with its scheme', TOKEN, base64(`Token ${TOKEN}`), base64(`Token ${TOKEN}`).slice(12, 28)],
  ['in base64 after a user', TOKEN, base64(`ada:${TOKEN}`), base64(`ada:${TOKEN}`).slice(12, 28)],
];

describe.each(ECHOES)('a token that the service echoes %s', (_, token, echo, hidden) => {
  const item = { detail: echo, code: echo, attr: `customers.0.${echo}` };
  const BODIES: [where: string, status: number, body: unknown][] = [
    ['in code and attr', 400, { detail: echo, code: echo, errors: [item] }],
    ['in keys', 400, { [echo]: [echo], customers: { [echo]: [{ detail: 'x', code: echo }] } }],
    ['in the numbers of an imported account', 400, { external_account_number: echo, service_account_number: echo }],
    ['in a transaction', 400, { status: echo, error_detail: echo, transaction_data: { transaction_id: echo } }],
    ['in a refusal of the token', 401, { code: echo }],
    ['where nothing is found', 404, { code: echo }],
    ['with a limit', 429, { code: echo, errors: [item] }],
    ['in a failure', 500, { code: echo, errors: [item] }],
  ];

  it.each(BODIES)('%s: is shown by nothing', async (_, status, body) => {
    const seen: unknown[] = [];
    const see = (...event: unknown[]) => void seen.push(event);
    const hooks: Hooks = { onRequest: see, onResponse: see, onRetry: see, onCooldown: see };
    const logger: Logger = { debug: see, warn: see };
    const headers = { 'x-request-id': echo, 'retry-after': '3600' };
    const server = await misbehavingServer({ [calls['accounts.stage'].path]: answer(status, body, headers) });
    const client = new DataImportClient({
      baseUrl: server.url,
      token,
      maxRetries: 1,
      advanced: { retryBaseMs: 1, logLevel: 'debug' },
      hooks,
      logger,
    });
    const error = await errorOf<DataImportError>(calls['accounts.stage'].send(client, {}));
    await client.close();
    const text = shown(error) + JSON.stringify(seen) + inspect(seen, { depth: 9 });
    expect(text).not.toContain(hidden);
    expect(text.toLowerCase()).not.toContain(token.toLowerCase());
    expect(text).toContain('[secret]');
  });
});

it('the message has [secret] instead of the token, and the rest unchanged', async () => {
  const body = { code: 'not_allowed', errors: [{ detail: 'x', code: `no_${TOKEN}`, attr: 'import_supplier' }] };
  const server = await misbehavingServer({ [calls['accounts.stage'].path]: answer(400, body) });
  const client = new DataImportClient({ baseUrl: server.url, token: TOKEN });
  expect((await errorOf<DataImportError>(calls['accounts.stage'].send(client, {}))).message).toBe(
    'accounts.stage: 400 not_allowed, import_supplier [secret]. Not retried: fix the payload. [validation-error]',
  );
});

describe('with a token from GraphQL', () => {
  const document = 'mutation ($apiKey: String!) { obtainToken(input: { apiKey: $apiKey }) { token refreshToken } }';
  const select = (data: { obtainToken: { token: string } }) => data.obtainToken.token;

  it('an API key in extensions.code is shown nowhere', async () => {
    const body = { errors: [{ message: 'x', extensions: { code: `bad_${API_KEY}` } }] };
    const server = await misbehavingServer({ '/graphql/': answer(200, body) });
    const token = graphqlToken({ url: `${server.url}/graphql/`, apiKey: API_KEY, document, select });
    const error = await errorOf<DataImportError>(
      calls['accounts.stage'].send(new DataImportClient({ baseUrl: server.url, token }), {}),
    );
    expect(shown(error)).not.toContain(API_KEY);
    expect(error.message).toContain('([secret])');
  });

  it.each([
    ['the token', TOKEN],
    ['the refresh token', REFRESH],
    ['the API key', API_KEY],
  ])('%s in an answer of the service is shown by nothing', async (_, echo) => {
    const data = { obtainToken: { token: TOKEN, refreshToken: REFRESH } };
    const server = await misbehavingServer({
      '/graphql/': answer(200, { data }),
      [calls['accounts.stage'].path]: answer(400, { code: echo }),
    });
    const token = graphqlToken({ url: `${server.url}/graphql/`, apiKey: API_KEY, document, select });
    const error = await errorOf<DataImportError>(
      calls['accounts.stage'].send(new DataImportClient({ baseUrl: server.url, token }), {}),
    );
    expect(shown(error)).not.toContain(echo);
    expect(error.message).toContain('400 [secret]');
  });
});

it('a secret that a token function names is masked like the token', async () => {
  const server = await misbehavingServer({ [calls['accounts.stage'].path]: answer(400, { code: API_KEY }) });
  const client = new DataImportClient({
    baseUrl: server.url,
    token: ({ conceal }) => {
      conceal?.(API_KEY);
      return TOKEN;
    },
  });
  const error = await errorOf<DataImportError>(calls['accounts.stage'].send(client, {}));
  expect(shown(error)).not.toContain(API_KEY);
});

it('a token before the last renewal is masked as well', async () => {
  const server = await misbehavingServer({
    [calls['accounts.stage'].path]: [answer(401), answer(400, { code: 'quietlyhiddenfirsttoken' })],
  });
  const tokens = ['quietlyhiddenfirsttoken', 'quietlyhiddensecondtoken'];
  const client = new DataImportClient({ baseUrl: server.url, token: () => tokens.shift() ?? '' });
  expect((await errorOf<DataImportError>(calls['accounts.stage'].send(client, {}))).message).toContain('400 [secret]');
});
