/**
 * Markers are planted wherever something secret can come from, and looked for wherever something is shown: of every
 * class of error, of the logger, hooks, warnings of the process and the diagnostics channel (DESIGN 5).
 */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { inspect } from 'node:util';
import * as sdk from 'data-import-sdk';
import { DataImportClient, type DataImportClientOptions, type DataImportError, graphqlToken } from 'data-import-sdk';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { account, calls, processPayload } from '../helpers/calls.js';
import { errorOf } from '../helpers/client-of.js';
import { hasForeignCause, loggedByPino } from '../helpers/logged-by-pino.js';
import {
  answer,
  hang,
  type MisbehavingServer,
  misbehavingServer,
  type Reaction,
  resetAfterReading,
} from '../helpers/misbehaving-server.js';

const TOKEN = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJtYXJrZXIifQ.c2lnbmF0dXJlLW1hcmtlcg';
const API_KEY = 'sk_live_51HxMarker7f3a91bc';
const NAME = 'Jeanne Marqueur';
const EMAIL = 'jeanne.marqueur@example.fr';
const PHONE = '+33612345678';
const IBAN = 'FR7630006000011234567890189';
const SIRET = '73282932000074';
/** A marker is found also where only half of it is shown. */
const MARKERS = [TOKEN, 'eyJ', API_KEY, 'sk_live', 'Jeanne', 'Marqueur', 'jeanne.marqueur', '612345678', IBAN, SIRET];
const EVERYTHING = [NAME, EMAIL, PHONE, IBAN, SIRET, TOKEN, API_KEY];
const PERSON = EVERYTHING.join(' ');

/** Planted in every place of a body, separately and together. */
const items = [PERSON, ...EVERYTHING].map((marker) => ({
  detail: marker,
  code: marker,
  attr: `customers.0.${marker}`,
  value: marker,
}));
const bodyOf = (first: string) => ({
  detail: PERSON,
  code: first,
  status: first,
  message: PERSON,
  errors: [{ detail: first, code: first, attr: first }, ...items],
  [PERSON]: [PERSON],
  echo: { name: PERSON },
});
const headers = {
  'x-request-id': PERSON,
  location: `https://example.com/?${API_KEY}`,
  'www-authenticate': PERSON,
  'set-cookie': `session=${TOKEN}`,
  'retry-after': PERSON,
};

/** Logger, hooks, warnings and diagnostics, in the order of their events. */
let seen: unknown[];
const see = (...facts: unknown[]) => void seen.push(facts);
const warned = (warning: Error) => see('warning', warning.name, warning.message, warning.stack);
beforeEach(() => {
  seen = [];
  process.on('warning', warned);
  subscribe('data-import:request', see);
});
afterEach(() => {
  process.off('warning', warned);
  unsubscribe('data-import:request', see);
});

function watchedClient(server: Pick<MisbehavingServer, 'url'>, options: Partial<DataImportClientOptions> = {}) {
  const client = new DataImportClient({
    baseUrl: server.url,
    token: TOKEN,
    advanced: { retryBaseMs: 1, inFlightGraceMs: 5, maxThrottleWaitMs: 5, logLevel: 'debug' },
    maxRetries: 1,
    deadlineMs: 2000,
    logger: { debug: see, warn: see },
    hooks: { onRequest: see, onSend: see, onResponse: see, onRetry: see, onCooldown: see },
    ...options,
  });
  onTestFinished(() => void client.close());
  return client;
}

/** All that is shown of an error by those who do not ask for `body`, `errors`, `detail`, `headers` or `cause`. */
function shown(error: Error): string {
  return [
    error.message,
    error.stack,
    String(error),
    JSON.stringify(error),
    JSON.stringify({ deep: [{ error }] }),
    JSON.stringify({ ...error }),
    JSON.stringify(Object.entries(error)),
    inspect(error),
    inspect(error, { showHidden: true, depth: 20 }),
    inspect({ deep: [{ error }] }, { showHidden: true, depth: 20, getters: true }),
    inspect(new Map([[error, new Error('around it', { cause: error })]]), { showHidden: true, depth: 20 }),
    // The output of Node for an uncaught error.
    inspect(error, { customInspect: false, depth: 20 }),
    inspect(error, { customInspect: false, showHidden: true, depth: 20 }),
    hasForeignCause(error) ? '' : loggedByPino(error),
  ].join('\n');
}

async function expectNothingSecret(error: Error): Promise<void> {
  // Warnings of the process come a turn later.
  await new Promise(setImmediate);
  const text = `${shown(error)}\n${inspect(seen, { depth: 20, showHidden: true })}\n${JSON.stringify(seen)}`;
  expect(MARKERS.filter((marker) => text.includes(marker))).toEqual([]);
}

/** A payload that the local check takes, with a marker in every free place. */
const marked: sdk.Account = {
  ...account,
  billing_address1: PERSON,
  customers: [{ given_name: NAME, email: EMAIL, mobile: PHONE, title: API_KEY }],
  notes: [{ body: PERSON }],
  metadata: [{ key: PERSON, value: { [PERSON]: PERSON } }],
};

const STAGE = calls['accounts.stage'].path;
const PROCESS = calls['accounts.process'].path;
const TRANSACTIONS = calls['transactions.create'].path;

/** The class of a way, which may have a second one: `RateLimitError of a call that was not sent`. */
const classOf = (way: string) => way.split(' ')[0] as string;

/** One way to each class, for each marker that stands first in the body. */
type Way = (marker: string) => Promise<DataImportError>;

const stageAnswered =
  (status: number): Way =>
  async (marker) => {
    const server = await misbehavingServer({ [STAGE]: answer(status, bodyOf(marker), headers) });
    return errorOf(watchedClient(server).accounts.stage(marked));
  };

/** An error of other code, with a cause, whose names, codes and messages hold the marker. */
const leak = (marker: string) => {
  const cause = Object.assign(new Error(marker), { code: marker, name: marker });
  return Object.assign(new Error(PERSON, { cause }), { code: marker, syscall: marker, name: marker });
};

const ways: Record<string, Way> = {
  ApiError: stageAnswered(403),
  ValidationError: stageAnswered(400),
  AuthenticationError: stageAnswered(401),
  NotFoundError: stageAnswered(404),
  RateLimitError: stageAnswered(429),
  'RateLimitError of a call that was not sent': async (marker) => {
    const server = await misbehavingServer({
      [STAGE]: answer(429, bodyOf(marker), { ...headers, 'retry-after': '99' }),
    });
    const client = watchedClient(server);
    await errorOf(client.accounts.stage(marked));
    return errorOf(client.accounts.stage(marked));
  },
  ServerError: stageAnswered(500),
  AlreadyImportedError: async (marker) => {
    const body = { ...bodyOf(marker), external_account_number: 'A-1', service_account_number: 'S-1' };
    const server = await misbehavingServer({ [PROCESS]: answer(400, body, headers) });
    return errorOf(watchedClient(server).accounts.process(processPayload));
  },
  TransactionImportError: async (marker) => {
    const body = {
      ...bodyOf(marker),
      status: 'TRANSACTION_IMPORT_ERROR',
      error_detail: PERSON,
      transaction_data: { note: PERSON, display_note: marker, [PERSON]: PERSON },
    };
    const server = await misbehavingServer({ [TRANSACTIONS]: answer(400, body, headers) });
    const payload = { ...account, transactions: [{ type: 'CHARGE' as const, note: PERSON }] };
    return errorOf(watchedClient(server).transactions.create(payload));
  },
  ResponseMismatchError: async (marker) => {
    const body = [{ [marker]: marker, external_account_number: { [marker]: marker } }];
    const server = await misbehavingServer({ [calls['imports.all'].path]: answer(200, body, headers) });
    return errorOf(watchedClient(server).imports.all('ACME'));
  },
  InvalidPayloadError: async (marker) => {
    const wrong = { ...marked, [marker]: marker, sales_channel: { [marker]: marker }, billing_postcode: [marker] };
    const supplyPoint = { supply_type: marker, consent_data: { [marker]: marker }, supply_start_date: marker };
    const payload = { ...wrong, supply_addresses: [{ supply_points: [supplyPoint] }] };
    return errorOf(watchedClient({ url: 'http://127.0.0.1:9' }).accounts.stage(payload as never));
  },
  ConnectionError: async (marker) => {
    const fetch = () => Promise.reject(leak(marker));
    return errorOf(watchedClient({ url: 'http://127.0.0.1:9' }, { fetch }).accounts.stage(marked));
  },
  OutcomeUnknownError: async (marker) => {
    // It has read the headers, so it may have sent the request.
    const fetch = async (_: string, { headers }: { headers: object }) => {
      throw headers && leak(marker);
    };
    const client = watchedClient({ url: 'http://127.0.0.1:9' }, { fetch });
    return errorOf(client.businesses.create({ import_supplier_code: 'ACME', external_business_identifier: PERSON }));
  },
  TimeoutError: async () => {
    const server = await misbehavingServer({ [STAGE]: hang });
    return errorOf(watchedClient(server, { timeoutMs: 20 }).accounts.stage(marked));
  },
  AbortedError: async (marker) => {
    const server = await misbehavingServer({ [STAGE]: hang });
    return errorOf(watchedClient(server).accounts.stage(marked, { signal: AbortSignal.abort(leak(marker)) }));
  },
  TokenError: async (marker) => {
    const token = () => Promise.reject(leak(marker));
    return errorOf(watchedClient({ url: 'http://127.0.0.1:9' }, { token }).accounts.stage(marked));
  },
};

it('there is a way to every class of error that the package exports', () => {
  const classes = Object.keys(sdk).filter((name) => /^[A-Z]\w+Error$/.test(name) && name !== 'DataImportError');
  expect([...new Set(Object.keys(ways).map(classOf))].sort()).toEqual(classes.sort());
});

describe.each(Object.entries(ways))('%s', (name, way) => {
  it.each(EVERYTHING)('shows nothing of what was planted, %s first', async (marker) => {
    const error = await way(marker);
    expect(error.name).toBe(classOf(name));
    await expectNothingSecret(error);
  });
});

describe('the token’s service', () => {
  const url = '/graphql/';
  const tokenOf = (server: MisbehavingServer) =>
    graphqlToken({
      url: `${server.url}${url}`,
      apiKey: API_KEY,
      document: 'mutation ($apiKey: String!) { obtain(apiKey: $apiKey) { token } }',
      select: (data) => data.obtain.token,
    });
  const coded = (code: string) => ({
    errors: [{ message: PERSON, extensions: { errorCode: code, code } }],
    data: null,
  });

  it.each<[string, Reaction]>([
    ...EVERYTHING.map((marker): [string, Reaction] => [`a code ${marker}`, answer(200, coded(marker), headers)]),
    ['an error code beside data', answer(400, { ...coded(PERSON), data: { obtain: { token: TOKEN } } }, headers)],
    ['data that select cannot read', answer(200, { data: { [API_KEY]: TOKEN } }, headers)],
    ['a token that is none', answer(200, { data: { obtain: { token: `${TOKEN} ${PERSON}` } } }, headers)],
    ['a page', answer(403, `<html>${PERSON}</html>`, headers)],
  ])('answers with %s: no part of it is shown', async (_, reaction) => {
    const server = await misbehavingServer({ [url]: reaction });
    const error = await errorOf(watchedClient(server, { token: tokenOf(server) }).accounts.stage(marked));
    expect(error.name).toBe('TokenError');
    expect(server.requests[0]?.body).toContain(API_KEY);
    await expectNothingSecret(error);
  });
});

it('the warning about a throwing hook or logger has the class of its error, and never the message', async () => {
  const server = await misbehavingServer({ [STAGE]: answer(400, bodyOf(PERSON), headers) });
  for (const marker of EVERYTHING) {
    const fails = () => {
      throw leak(marker);
    };
    const rejects = () => Promise.reject(leak(marker)) as never;
    const client = watchedClient(server, {
      logger: { debug: fails, warn: rejects },
      hooks: { onRequest: rejects, onResponse: fails },
    });
    const error = await errorOf(client.accounts.stage(marked));
    await expectNothingSecret(error);
  }
  expect(seen.filter((facts) => (facts as unknown[])[0] === 'warning').length).toBeGreaterThan(0);
});

it('warnings and what an echo dropped are logged by path, unless the path itself quotes', async () => {
  const server = await misbehavingServer({ [calls['accounts.validate'].path]: answer(200, account) });
  const suspicious = {
    ...marked,
    supply_addresses: [{ supply_points: [{ consent_data: { [PERSON]: true, [IBAN]: false, [TOKEN]: true } }] }],
  };
  await watchedClient(server).accounts.validate(suspicious as never);
  await expectNothingSecret(new Error('none'));
  expect(seen.some((facts) => (facts as unknown[])[1] === 'data-import warning')).toBe(true);
});

it('a lost answer with its resolution, and every event of a retried call, shows no secret', {
  tags: 'long',
}, async () => {
  const server = await misbehavingServer({
    [PROCESS]: resetAfterReading,
    [calls['imports.status'].path]: answer(500, bodyOf(PERSON), headers),
  });
  const error = await errorOf(watchedClient(server).accounts.process(processPayload));
  expect(error.name).toBe('OutcomeUnknownError');
  await expectNothingSecret(error);
  expect(seen.length).toBeGreaterThan(10);
});

it('control: the secrets were sent, and explicit properties return them', async () => {
  const server = await misbehavingServer({ [STAGE]: answer(400, bodyOf(PERSON), headers) });
  const error = await errorOf<sdk.ValidationError>(watchedClient(server).accounts.stage(marked));
  expect(server.requests[0]?.headers['authorization']).toBe(`Token ${TOKEN}`);
  for (const marker of [NAME, EMAIL, PHONE, API_KEY]) expect(server.requests[0]?.body).toContain(marker);
  expect(error.body).toEqual(bodyOf(PERSON));
  // All but the token, which the client itself holds.
  const masked = PERSON.replace(TOKEN, '[secret]');
  expect(error.errors[1]).toMatchObject({ detail: masked, code: masked });
  expect(error.headers['x-request-id']).toBe(masked);

  const cause = leak(NAME);
  const failing = watchedClient(server, { token: () => Promise.reject(cause) });
  expect((await errorOf(failing.accounts.stage(marked))).cause).toBe(cause);
});
