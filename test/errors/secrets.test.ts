/** Neither token, API key nor personal data is in a message, a log line or util.inspect (DESIGN 5). */
import { inspect } from 'node:util';
import { DataImportClient, type DataImportError, graphqlToken, type Hooks, type Logger } from 'data-import-sdk';
import { describe, expect, it } from 'vitest';
import { calls, everyCall, processPayload } from '../helpers/calls.js';
import { errorOf } from '../helpers/client-of.js';
import { hasForeignCause, loggedByPino } from '../helpers/logged-by-pino.js';
import { answer, html, misbehavingServer, type Reaction, resetAfterReading } from '../helpers/misbehaving-server.js';

const TOKEN = 'marker-token-7f3a';
const API_KEY = 'marker-api-key-91bc';
const PERSON = 'Marker Exemple';
const MARKERS = [TOKEN, API_KEY, PERSON, 'Marker', 'Exemple'];

/** Everything that is ever shown of an error without asking for `body`, `errors` or `detail`. */
function shown(error: DataImportError): string {
  return [
    error.message,
    error.stack,
    String(error),
    JSON.stringify(error),
    JSON.stringify({ ...error }),
    inspect(error),
    inspect({ deep: { error } }, { depth: 10, showHidden: false }),
    inspect([error], { depth: 10, getters: true }),
    hasForeignCause(error) ? '' : loggedByPino(error),
  ].join('\n');
}

function expectNothingSecret(text: string): void {
  for (const marker of MARKERS) expect(text).not.toContain(marker);
}

const person = { detail: `${PERSON} lives elsewhere.`, code: `${PERSON}!`, attr: `customers.${PERSON}` };
const quotingBody = {
  ...person,
  message: PERSON,
  errors: [person],
  echo: { name: PERSON, token: TOKEN, key: API_KEY },
};
const numbers = { external_account_number: 'A-1', service_account_number: 'S-1' };

const reactions: [string, Reaction][] = [
  ['400 that quotes', answer(400, quotingBody)],
  ['400 of an imported account', answer(400, { ...quotingBody, ...numbers })],
  ['400 of a transaction', answer(400, { error_detail: PERSON, transaction_data: { note: PERSON } })],
  ['401 that quotes', answer(401, quotingBody)],
  ['404 that quotes', answer(404, quotingBody)],
  ['429 that quotes', answer(429, quotingBody, { 'retry-after': '3600' })],
  ['500 that quotes', answer(500, quotingBody)],
  ['502 with a page that quotes', answer(502, `<html>${PERSON} ${TOKEN}</html>`)],
  ['a success that is none', answer(200, { wrong: PERSON, [PERSON]: PERSON })],
  ['a success that is no JSON', answer(200, `${PERSON} ${TOKEN}`)],
  ['a lost answer', resetAfterReading],
  ['a page', html(403)],
];

describe.each(reactions)('%s', (_, reaction) => {
  it.each(everyCall)(
    '%s: nothing secret is shown, and nothing reaches hooks and logger',
    { tags: 'long' },
    async (_, { path, send }) => {
      const seen: unknown[] = [];
      const see = (...event: unknown[]) => void seen.push(event);
      const hooks: Hooks = { onRequest: see, onSend: see, onResponse: see, onRetry: see, onCooldown: see };
      const logger: Logger = { debug: see, warn: see };
      const server = await misbehavingServer({ [path]: reaction, [calls['imports.status'].path]: reaction });
      const client = new DataImportClient({
        baseUrl: server.url,
        token: TOKEN,
        advanced: { retryBaseMs: 1, inFlightGraceMs: 5, logLevel: 'debug' },
        maxRetries: 1,
        // Without a time limit the quiet time after a lost answer is only the grace.
        timeoutMs: Number.POSITIVE_INFINITY,
        deadlineMs: 2000,
        hooks,
        logger,
      });

      const outcome = await Promise.resolve(send(client)).catch((error: DataImportError) => error);
      await client.close();

      if (outcome instanceof Error) expectNothingSecret(shown(outcome as DataImportError));
      expect(seen.length).toBeGreaterThan(3);
      expectNothingSecret(JSON.stringify(seen) + inspect(seen, { depth: 20 }));
    },
  );
});

describe('control: the body itself contains the secrets', () => {
  it('body, errors and detail return the texts', async () => {
    const server = await misbehavingServer({ [calls['imports.all'].path]: answer(400, quotingBody) });
    const client = new DataImportClient({ baseUrl: server.url, token: TOKEN });
    const error = await errorOf(client.imports.all('ACME'));
    expect(error).toMatchObject({ body: quotingBody, detail: person.detail, errors: [person] });
    await client.close();
  });
});

it('a local refusal shows paths and codes, and no value', async () => {
  const client = new DataImportClient({ baseUrl: 'http://127.0.0.1:9', token: TOKEN });
  const payload = {
    import_supplier: 'ACME',
    external_account_number: 'A-1',
    customers: [{ landline: PERSON, email: { name: PERSON }, [PERSON]: 1, date_of_birth: PERSON }],
    supply_addresses: [{ supply_points: [{ supply_type: PERSON }] }],
  };
  const error = await errorOf(client.accounts.stage(payload as never));
  expect(error).toMatchObject({ name: 'InvalidPayloadError' });
  expectNothingSecret(shown(error));
});

describe('tokens', () => {
  const leak = new Error(`the vault refused ${API_KEY}`);

  it.each([
    ['a function that throws what holds the key', () => Promise.reject(leak)],
    ['a function that gives a token no header can carry', () => `${TOKEN}\n${PERSON}`],
    ['a function that gives junk', () => ({ token: { secret: TOKEN } }) as never],
  ])('%s: the error shows none of it; its cause can be asked for', async (_, token) => {
    const client = new DataImportClient({ baseUrl: 'http://127.0.0.1:9', token });
    const error = await errorOf(client.imports.all('ACME'));
    expect(error.name).toBe('TokenError');
    expectNothingSecret(shown(error));
  });

  it.each([
    [
      'an error that quotes the key',
      answer(200, { errors: [{ message: API_KEY, extensions: { errorCode: `${API_KEY}!` } }] }),
    ],
    ['a page that quotes the key', answer(403, `<html>${API_KEY}</html>`)],
    ['data that select cannot read', answer(200, { data: { [PERSON]: TOKEN } })],
    ['a token that is none', answer(200, { data: { token: `${TOKEN} ${PERSON}` } })],
  ])('graphqlToken and %s', async (_, reaction) => {
    const server = await misbehavingServer({ '/graphql/': reaction });
    const token = graphqlToken({
      url: `${server.url}/graphql/`,
      apiKey: API_KEY,
      document: 'mutation ($apiKey: String!) { obtain(apiKey: $apiKey) { token } }',
      select: (data) => data.token.valueOf(),
    });
    const client = new DataImportClient({ baseUrl: server.url, token });
    const error = await errorOf(client.imports.all('ACME'));
    expect(error.name).toBe('TokenError');
    expectNothingSecret(shown(error));
    expect(server.requests[0]?.body).toContain(API_KEY);
    await client.close();
  });

  it('the options of a wrong client are not quoted', () => {
    for (const wrong of [{ token: `${TOKEN} x` }, { token: TOKEN, advanced: { tokenScheme: `${PERSON} x` } }]) {
      const make = () => new DataImportClient({ baseUrl: 'http://127.0.0.1:9', ...wrong });
      expect(make).toThrow(TypeError);
      expect(make).not.toThrow(new RegExp(MARKERS.join('|')));
    }
  });

  it('a client shows neither its token nor its options', () => {
    const client = new DataImportClient({ baseUrl: 'http://127.0.0.1:9', token: TOKEN });
    expectNothingSecret(inspect(client, { depth: 20, showHidden: true }) + JSON.stringify(client));
  });
});

it('an error of the caller’s fetch is not quoted, whatever its name is', async () => {
  const strange = Object.assign(new Error(PERSON), { code: `${PERSON} ${TOKEN}`, name: `${PERSON} x` });
  const client = new DataImportClient({
    baseUrl: 'http://127.0.0.1:9',
    token: TOKEN,
    maxRetries: 0,
    fetch: () => Promise.reject(strange),
  });
  for (const call of [client.imports.all('ACME'), client.accounts.process(processPayload)]) {
    const error = await errorOf(call);
    expectNothingSecret(shown(error));
    expect(shown(error)).toContain('unknown reason');
  }
});
