/** After a lost answer the outcome is unknown: which calls are repeated, reconciled or reported (DESIGN 6). */
import type {
  AlreadyImportedError,
  CallOptions,
  DataImportClient,
  OutcomeUnknownError,
  ResponseMismatchError,
} from 'data-import-sdk';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { transactions } from '../../examples/transactions.js';
import { account, type Call, type CallName, calls, documentNotes, processPayload } from '../../helpers/calls.js';
import { clientOf, errorOf } from '../../helpers/client-of.js';
import {
  answer,
  closedPort,
  hang,
  html,
  misbehavingServer,
  type Reaction,
  resetAfterReading,
  resetUnread,
  truncated,
} from '../../helpers/misbehaving-server.js';

const PROCESS = calls['accounts.process'].path;
const STATUS = calls['imports.status'].path;
/** JSON in another encoding. */
const NOT_UTF8 = Buffer.from('{"detail":"\xe9"}', 'latin1');
const nothingDone = answer(200, { status: 'UNKNOWN', service_account_number: '' });
const done = answer(200, { status: 'PENDING', service_account_number: 'S-0007' });
const created = answer(201, { service_account_number: 'S-0007' });
const alreadyImported = answer(400, {
  detail: 'The account was already imported.',
  code: 'already_imported',
  external_account_number: 'A-1',
  service_account_number: 'S-0007',
});

const waysToLoseAnAnswer: [string, Reaction][] = [
  ['a reset before the request was read', resetUnread],
  ['a reset after the request was read', resetAfterReading],
  ['half an answer', truncated(201, {})],
  ['502 of a gateway', html(502)],
  ['504 of a gateway', html(504)],
  ['501 of a gateway', answer(501, { detail: 'Not implemented.' })],
  ['524 of a gateway', html(524)],
  ['408 of a gateway', answer(408, { detail: 'Request Timeout' })],
  ['499 of a gateway', html(499)],
];

/** Time for an answer that does not come: on a busy machine the server is asked before. */
const SHORT_MS = 600;

const safeCalls: [string, CallName][] = [
  ['pure', 'accounts.validate'],
  ['pure', 'accounts.dryRun'],
  ['pure', 'imports.status'],
  ['pure', 'imports.all'],
  ['pure', 'imports.pending'],
  ['pure', 'imports.imported'],
  ['upsert', 'accounts.stage'],
  ['deduplicated', 'notes.create'],
  ['deduplicated', 'transactions.create'],
];

async function expectSentAgain(name: CallName, lose: Reaction, timeoutMs: number): Promise<void> {
  const { path, status, answer: body, send }: Call = calls[name];
  const server = await misbehavingServer({ [path]: [lose, answer(status, body)] });

  await send(clientOf(server, { timeoutMs }));

  expect(server.requests).toHaveLength(2);
  expect(server.requests[1]?.url).toBe(server.requests[0]?.url);
}

describe.each(safeCalls)('%s: %s is sent again', (_, name) => {
  it.each(waysToLoseAnAnswer)('after %s', (_, lose) => expectSentAgain(name, lose, 20_000));
});

it('no answer in time: each of those is sent again', async () => {
  await Promise.all(safeCalls.map(([, name]) => expectSentAgain(name, hang, SHORT_MS)));
});

it.each([408, 499, 502])(
  'a call that is safe to repeat and always gets %i of a gateway may succeed later',
  async (status) => {
    const { path, send }: Call = calls['accounts.stage'];
    const server = await misbehavingServer({ [path]: answer(status, { detail: 'Request Timeout' }) });

    const error = await errorOf(send(clientOf(server, { maxRetries: 1 })));

    expect(error).toMatchObject({ name: 'ServerError', status, retryable: true, attempts: 2 });
  },
);

/** Calls that may do things twice when they are sent again, and what to do about each. */
const unknownCalls: UnknownCall[] = [
  unknown(
    'supplyPoints.populate',
    'Call it again if you can accept that the supply points are looked up twice. It has no other effect.',
  ),
  unknown(
    'businesses.create',
    'Create it again with the same identifier, name, number and type. If the service refuses because it exists, it was created before. Otherwise ask the operator whether it exists twice.',
  ),
  unknown(
    'businesses.createPaymentInstruction',
    'Ask the operator whether the business has this instruction before you add it again.',
  ),
  unknown(
    'paymentInstructions.create',
    'Ask the operator whether the account has this instruction before you add it again.',
  ),
  unknown(
    'historicalStatements.create',
    'Ask the operator whether the account has these statements before you add them again.',
  ),
  unknown(
    'transactions.create',
    'If each has a transaction_id, send them again without check_previously_added: false: the service skips those that it has. Otherwise look at the account before you send them again.',
    (client, options) => client.transactions.create(transactions, { ...options, check_previously_added: false }),
  ),
  unknown(
    'notes.create',
    'The service does not recognise a note without a body: look at the account before you add it again.',
    (client, options) => client.notes.create(documentNotes, options),
  ),
];
type UnknownCall = [name: string, path: string, send: Send, howToResolve: string];
type Send = (client: DataImportClient, options?: CallOptions) => PromiseLike<unknown>;

function unknown(name: CallName, howToResolve: string, send: Send = calls[name].send): UnknownCall {
  return [name, calls[name].path, send, howToResolve];
}

async function expectUnknown(
  [name, path, send, howToResolve]: UnknownCall,
  way: string,
  lose: Reaction,
  timeoutMs: number,
) {
  const server = await misbehavingServer({ [path]: lose });

  const error = await errorOf<OutcomeUnknownError>(send(clientOf(server, { timeoutMs })));

  const [, status] = /^(\d+) of a gateway$/.exec(way) ?? [];
  const came = status === undefined ? 'no answer came' : `only a ${status} came`;
  expect(error).toMatchObject({ name: 'OutcomeUnknownError', operation: name, attempts: 1, nextAction: 'resolve' });
  expect(error.howToResolve).toBe(howToResolve);
  expect(error.message).toBe(
    `${name}: ${came}, so the request may have taken effect. ${howToResolve} [outcome-unknown-error]`,
  );
  expect(server.requests).toHaveLength(1);
}

it('no answer in time: OutcomeUnknownError of each of those, and exactly one request', async () => {
  await Promise.all(unknownCalls.map((call) => expectUnknown(call, 'no answer in time', hang, SHORT_MS)));
});

/** The 5xx, and two statuses that HTTP does not have. */
const SERVER_ERRORS = [...Array.from({ length: 100 }, (_, index) => 500 + index), 600, 999];

/** Returns how many requests a call makes, which is answered each time with an error of JSON, and its error. */
async function answeredWith(status: number, send: Send) {
  let requests = 0;
  const fetch = async () => {
    requests++;
    const body = '{"detail":"Failed."}';
    // The constructor of `Response` refuses other statuses.
    return Object.defineProperty(new Response(body, { status: 500 }), 'status', { value: status });
  };
  const error = await errorOf(send(clientOf({ url: 'http://localhost:1' }, { maxRetries: 1, fetch })));
  return [error.name, requests];
}

it.each(unknownCalls)('%s: of all 5xx with JSON only a 500 is repeated', async (_name, _path, send) => {
  for (const status of SERVER_ERRORS) {
    const expected = status === 500 ? ['ServerError', 2] : ['OutcomeUnknownError', 1];
    expect([status, ...(await answeredWith(status, send))]).toEqual([status, ...expected]);
  }
});

it.each(safeCalls)('%s: %s is repeated after all 5xx', async (_, name) => {
  const { send }: Call = calls[name];
  for (const status of SERVER_ERRORS) {
    expect([status, ...(await answeredWith(status, send))]).toEqual([status, 'ServerError', 2]);
  }
});

describe.each(unknownCalls)('unknown: %s', (name, path, send, howToResolve) => {
  it.each(waysToLoseAnAnswer)('after %s: OutcomeUnknownError, and exactly one request', (way, lose) =>
    expectUnknown([name, path, send, howToResolve], way, lose, 20_000),
  );

  it('retryUnknownOutcome sends it again', async () => {
    const server = await misbehavingServer({ [path]: [resetAfterReading, answer(400, { detail: 'No.', code: 'no' })] });
    const error = await errorOf(send(clientOf(server), { retryUnknownOutcome: true }));
    expect(error).toMatchObject({ name: 'ValidationError', attempts: 2 });
  });

  it('the cause of the error is only how the answer was lost', async () => {
    const server = await misbehavingServer({ [path]: html(502) });
    const error = await errorOf<OutcomeUnknownError>(send(clientOf(server)));
    expect(error.cause).toMatchObject({ name: 'ServerError', status: 502, nextAction: 'resolve' });
    expect((error.cause as Error).message).toBe(`${name}: 502. The request may have taken effect. [server-error]`);
  });

  it("500 in the service's own words is an answer: it may be asked again (E3, E10)", async () => {
    const server = await misbehavingServer({
      [path]: [answer(500, { detail: 'Failed.' }), answer(400, { code: 'no' })],
    });
    expect(await errorOf(send(clientOf(server)))).toMatchObject({ name: 'ValidationError', attempts: 2 });
  });

  it.each([
    ['503', answer(503, { detail: 'Down.' })],
    ['the page of a gateway with 500', html(500)],
    ['500 without a body', answer(500)],
    ['500 with invalid UTF-8', answer(500, NOT_UTF8)],
    ['600, which HTTP does not have', answer(600, { detail: 'Failed.' })],
    ['999', answer(999, { detail: 'Failed.' })],
  ])(
    'U31 %s leaves open whether the request ended: OutcomeUnknownError, and exactly one request',
    async (_, reaction) => {
      const server = await misbehavingServer({ [path]: reaction });
      const error = await errorOf<OutcomeUnknownError>(send(clientOf(server)));
      expect(error).toMatchObject({ name: 'OutcomeUnknownError', attempts: 1, howToResolve });
      expect(error.cause).toMatchObject({ name: 'ServerError', nextAction: 'resolve' });
      expect(server.requests).toHaveLength(1);
    },
  );
});

describe.each([
  ['without an id', {}],
  ['with an empty id', { transaction_id: '' }],
  ['with an id of white space', { transaction_id: ' ' }],
])('a transaction %s is not recognised, so its request is sent once', (_, id) => {
  const [first] = transactions.transactions;
  const without = { type: 'CHARGE' as const, transaction_date: '2026-01-15', amount: 5, ...id };

  it.each<[string, Reaction]>([
    ['a lost answer', resetAfterReading],
    ['a 503', answer(503)],
  ])('after %s, also in a batch', async (__, lose) => {
    for (const items of [[without], [first, without]]) {
      const server = await misbehavingServer({ [calls['transactions.create'].path]: lose });
      const payload = { ...transactions, transactions: items as typeof transactions.transactions };
      const error = await errorOf(clientOf(server).transactions.create(payload));
      expect(error).toMatchObject({ name: 'OutcomeUnknownError', attempts: 1 });
      expect(server.requests).toHaveLength(1);
    }
  });
});

describe('after a lost answer and retryUnknownOutcome', () => {
  const { path, send } = calls['businesses.create'];

  it('success is success', async () => {
    const body = { service_business_id: 1, external_business_identifier: 'BUSINESS-0001' };
    const server = await misbehavingServer({ [path]: [resetAfterReading, answer(201, body)] });
    expect(await send(clientOf(server), { retryUnknownOutcome: true })).toEqual(body);
  });

  it.each([
    ['500 on every attempt', answer(500), 'ServerError'],
    ['the 403 page of a gateway', html(403), 'ApiError'],
    ['429 beyond patience', answer(429, undefined, { 'retry-after': '3600' }), 'RateLimitError'],
    ['401', answer(401), 'AuthenticationError'],
    ['another lost answer', resetAfterReading, 'ConnectionError'],
  ])('%s still leaves the outcome unknown', async (_, last, causeName) => {
    const server = await misbehavingServer({ [path]: [resetAfterReading, last] });
    const client = clientOf(server, { maxRetries: 2 });
    const error = await errorOf<OutcomeUnknownError>(send(client, { retryUnknownOutcome: true }));
    expect(error.name).toBe('OutcomeUnknownError');
    expect(error.cause).toMatchObject({ name: causeName });
  });

  it('the deadline still leaves the outcome unknown', async () => {
    const server = await misbehavingServer({ [path]: [resetAfterReading, hang] });
    const error = await errorOf<OutcomeUnknownError>(
      send(clientOf(server), { retryUnknownOutcome: true, deadlineMs: 1000 }),
    );
    expect(error.name).toBe('OutcomeUnknownError');
    expect(error.cause).toMatchObject({ name: 'TimeoutError', limit: 'deadlineMs' });
  });

  it('a token that is not available still leaves the outcome unknown', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-01-15T09:00:00Z') });
    onTestFinished(() => void vi.useRealTimers());
    let count = 0;
    const token = () => {
      if (++count > 1) throw new Error('the vault is closed');
      return { token: 'T-1', expiresAt: new Date('2026-01-15T10:00:00Z') };
    };
    // It expires while the first request is in flight, so it is fetched again before the second.
    const hooks = { onRequest: () => void vi.setSystemTime('2026-01-15T11:00:00Z') };
    const server = await misbehavingServer({ [path]: resetAfterReading });
    const error = await errorOf<OutcomeUnknownError>(
      send(clientOf(server, { token, hooks }), { retryUnknownOutcome: true }),
    );
    expect(error.name).toBe('OutcomeUnknownError');
    expect(error.cause).toMatchObject({ name: 'TokenError' });
  });
});

describe('reconcilable: accounts.process (E6, I2)', () => {
  it.each<[string, Reaction, number?]>([...waysToLoseAnAnswer, ['no answer in time', hang, SHORT_MS]])(
    'after %s the status is asked, and its number is the result',
    async (_, lose, timeoutMs = 20_000) => {
      const server = await misbehavingServer({ [PROCESS]: lose, [STATUS]: done });

      const result = await clientOf(server, { timeoutMs }).accounts.process(processPayload).withResponse();

      expect(result.data).toMatchObject({ service_account_number: 'S-0007', callOutcome: 'confirmed' });
      expect(result).toMatchObject({ status: 200, attempts: 1 });
      expect(server.log).toEqual([`POST ${PROCESS}`, `GET ${STATUS}`]);
    },
  );

  it.each([
    ['UNKNOWN', nothingDone],
    ['404', answer(404, { detail: 'Not found.' })],
  ])('%s twice, and the quiet time is over: nothing was created, so it is sent again (U30)', async (_, nothing) => {
    const server = await misbehavingServer({ [PROCESS]: [resetAfterReading, created], [STATUS]: nothing });

    const result = await clientOf(server).accounts.process(processPayload).withResponse();

    expect(result).toMatchObject({ status: 201, attempts: 2 });
    expect(result.data).toMatchObject({ service_account_number: 'S-0007', callOutcome: 'created' });
    expect(server.log[0]).toBe(`POST ${PROCESS}`);
    expect(server.log.slice(1, -1).length).toBeGreaterThanOrEqual(2);
    expect(new Set(server.log.slice(1, -1))).toEqual(new Set([`GET ${STATUS}`]));
    expect(server.log.at(-1)).toBe(`POST ${PROCESS}`);
  });

  describe.each([
    ['PENDING with an empty number', { status: 'PENDING', service_account_number: '' }],
    ['IN_PROGRESS with null', { status: 'IN_PROGRESS', service_account_number: null }],
    ['COMPLETED without a number', { status: 'COMPLETED' }],
    ['a status that is not documented, without a number', { status: 'MIGRATING', service_account_number: '' }],
    ['UNKNOWN with a number, which contradicts itself,', { status: 'UNKNOWN', service_account_number: '77' }],
    ['an empty status', { status: '', service_account_number: '' }],
  ])('%s is no proof that there is none (spec: Account import status)', (_, body) => {
    const failures = [
      ['a lost answer', resetAfterReading],
      ['a 500', answer(500, { detail: 'Unexpected.' })],
    ] as const;

    it.each(failures)('after %s the client asks again, and the number is the result', async (__, failure) => {
      const exists = answer(200, body);
      const server = await misbehavingServer({ [PROCESS]: failure, [STATUS]: [exists, exists, exists, done] });
      expect((await clientOf(server).accounts.process(processPayload)).service_account_number).toBe('S-0007');
      expect(server.log).toEqual([`POST ${PROCESS}`, ...Array(4).fill(`GET ${STATUS}`)]);
    });

    it.each(failures)(
      'after %s the deadline ends the questions, and no second request is sent',
      { tags: 'long' },
      async (__, failure) => {
        const server = await misbehavingServer({ [PROCESS]: [failure, created], [STATUS]: answer(200, body) });
        const error = await errorOf(clientOf(server, { deadlineMs: 1000 }).accounts.process(processPayload));
        expect(error).toMatchObject({ name: 'OutcomeUnknownError', nextAction: 'resolve' });
        expect(server.log.filter((one) => one === `POST ${PROCESS}`)).toHaveLength(1);
      },
    );

    it('an earlier UNKNOWN is no proof any more', async () => {
      const server = await misbehavingServer({
        [PROCESS]: [resetAfterReading, created],
        [STATUS]: [nothingDone, answer(200, body), answer(200, body), done],
      });
      await clientOf(server).accounts.process(processPayload);
      expect(server.log.filter((one) => one === `POST ${PROCESS}`)).toHaveLength(1);
    });
  });

  it('a number in the second answer is the result: the first query can be too early', async () => {
    const server = await misbehavingServer({ [PROCESS]: resetAfterReading, [STATUS]: [nothingDone, done] });
    const result = await clientOf(server).accounts.process(processPayload);
    expect(result).toMatchObject({ service_account_number: 'S-0007', callOutcome: 'confirmed' });
  });

  it('an object with a field `length` in place of the number is an answer of another form, and no TypeError', async () => {
    const unreadable = answer(201, { service_account_number: { length: { toString: 0 } } });
    const server = await misbehavingServer({ [PROCESS]: unreadable });

    const error = await errorOf<ResponseMismatchError>(clientOf(server).accounts.process(processPayload));

    expect(error.name).toBe('ResponseMismatchError');
    expect(error.message).toContain('service_account_number: Expected a string, found an object.');
  });

  it('"already imported" after a lost answer is our own success, with its number', async () => {
    const server = await misbehavingServer({ [PROCESS]: [resetAfterReading, alreadyImported], [STATUS]: nothingDone });

    const result = await clientOf(server).accounts.process(processPayload).withResponse();

    expect(result).toMatchObject({ status: 400, attempts: 2 });
    expect(result.data).toMatchObject({ service_account_number: 'S-0007', callOutcome: 'confirmed' });
  });

  it('"already imported" after a 500 is our own success too: it may have failed after it was done', async () => {
    const server = await misbehavingServer({
      [PROCESS]: [answer(500, { detail: 'Unexpected.' }), alreadyImported],
      [STATUS]: nothingDone,
    });
    const result = await clientOf(server).accounts.process(processPayload);
    expect(result).toMatchObject({ service_account_number: 'S-0007', callOutcome: 'confirmed' });
  });

  it.each([
    ['at the first attempt', [alreadyImported]],
    ['after 429, which does nothing', [answer(429), alreadyImported]],
  ])('"already imported" %s is an AlreadyImportedError with both numbers', async (_, reactions) => {
    const server = await misbehavingServer({ [PROCESS]: reactions });
    expect(await errorOf<AlreadyImportedError>(clientOf(server).accounts.process(processPayload))).toMatchObject({
      name: 'AlreadyImportedError',
      externalAccountNumber: 'A-1',
      serviceAccountNumber: 'S-0007',
      nextAction: 'useExisting',
    });
  });

  it.each([
    ['fails', answer(500), 'ServerError'],
    ['is refused', answer(403), 'ApiError'],
    ['is not understood', answer(200, { state: 'PENDING' }), 'ResponseMismatchError'],
    ['gets no answer', resetAfterReading, 'ConnectionError'],
  ])('a question that %s leaves the outcome unknown, with the reason', async (_, reaction, causeName) => {
    const server = await misbehavingServer({ [PROCESS]: resetAfterReading, [STATUS]: reaction });
    const error = await errorOf<OutcomeUnknownError>(
      clientOf(server, { maxRetries: 1, deadlineMs: 1000, advanced: { inFlightGraceMs: 200 } }).accounts.process(
        processPayload,
      ),
    );

    expect(error).toMatchObject({ name: 'OutcomeUnknownError', operation: 'accounts.process', attempts: 1 });
    expect(error.howToResolve).toBe(
      'Call imports.status: with PENDING, IN_PROGRESS, REJECTED or COMPLETED and a number, the account exists. If it is UNKNOWN without one after a minute, call accounts.process again; otherwise ask the operator.',
    );
    expect(error.cause).toMatchObject({ name: causeName, operation: 'imports.status' });
    expect(server.log.filter((line) => line.startsWith('POST'))).toHaveLength(1);
  });

  describe('after a 500 one answer decides, and without one no second request is sent', () => {
    const failed = answer(500, { detail: 'Unexpected.' });
    const process = async (status: Reaction | Reaction[], number = 'A-1') => {
      const server = await misbehavingServer({ [PROCESS]: [failed, created], [STATUS]: status });
      const client = clientOf(server, { maxRetries: 1, deadlineMs: 2000 });
      const call = client.accounts.process({ ...processPayload, external_account_number: number });
      const result = await call.then(
        ({ callOutcome }) => callOutcome,
        ({ name, cause }) => [name, cause.name],
      );
      return { result, posts: server.log.filter((line) => line.startsWith('POST')).length };
    };

    it.each([
      ['400', answer(400, { detail: 'No.' }), 'ValidationError'],
      ['401', answer(401), 'AuthenticationError'],
      ['403', answer(403), 'ApiError'],
      ['404 with the page of a gateway', html(404), 'NotFoundError'],
      ['404 without a body, of the type of a page', answer(404, '', { 'content-type': 'text/html' }), 'NotFoundError'],
      ['404 of another service', answer(404, { message: 'no Route matched' }), 'NotFoundError'],
      ['404 of a framework', answer(404, { error: 'Not Found', path: '/v1' }), 'NotFoundError'],
      ['301', answer(301, '', { location: '/' }), 'ApiError'],
      ['another shape', answer(200, { state: 'UNKNOWN' }), 'ResponseMismatchError'],
      [
        'the answer about another account',
        answer(200, { status: 'UNKNOWN', service_account_number: '', external_account_number: 'A-2' }),
        'ResponseMismatchError',
      ],
    ])('%s leaves the outcome unknown', async (_, status, cause) => {
      expect(await process(status)).toEqual({ result: ['OutcomeUnknownError', cause], posts: 1 });
    });

    it.each(['..', '.', '', '\ud800'])('the number %j cannot be queried', async (number) => {
      expect(await process(nothingDone, number)).toEqual({
        result: ['OutcomeUnknownError', 'InvalidPayloadError'],
        posts: 1,
      });
    });

    it.each([
      ['a 500', answer(500)],
      ['a reset', resetAfterReading],
      ['a 502', html(502)],
    ])('%s may pass: the client asks again', async (_, broken) => {
      const often: Reaction[] = Array(5).fill(broken);
      expect(await process([...often, nothingDone])).toEqual({ result: 'created', posts: 2 });
      expect(await process([...often, done])).toEqual({ result: 'confirmed', posts: 1 });
    });

    it('a 500 that does not pass leaves the outcome unknown', { tags: 'long' }, async () => {
      const { result, posts } = await process(answer(500));
      expect([result[0], posts]).toEqual(['OutcomeUnknownError', 1]);
    });

    it('aborting while the client asks leaves the outcome unknown', async () => {
      const controller = new AbortController();
      const server = await misbehavingServer({ [PROCESS]: failed, [STATUS]: () => controller.abort() });
      const error = await errorOf(clientOf(server).accounts.process(processPayload, { signal: controller.signal }));
      expect(error).toMatchObject({ name: 'AbortedError', outcomeUnknown: true });
    });

    it.each([
      ['detail', answer(404, { detail: 'Not found.', code: 'not_found' })],
      ['only error', answer(404, { error: 'Not found.' })],
      ['no body', answer(404)],
    ])('a 404 with %s says that there is no account', async (_, status) => {
      expect(await process(status)).toEqual({ result: 'created', posts: 2 });
    });
  });

  it('the 404 page of a gateway is no answer that there is no account, after a lost answer as well', async () => {
    const server = await misbehavingServer({ [PROCESS]: [resetAfterReading, created], [STATUS]: html(404) });
    const error = await errorOf(clientOf(server).accounts.process(processPayload));
    expect(error).toMatchObject({ name: 'OutcomeUnknownError', attempts: 1 });
  });

  it('with maxRetries 0 the caller resolves it: no query is sent', async () => {
    const server = await misbehavingServer({ [PROCESS]: resetAfterReading, [STATUS]: done });
    const error = await errorOf(clientOf(server, { maxRetries: 0 }).accounts.process(processPayload));
    expect(error).toMatchObject({ name: 'OutcomeUnknownError', attempts: 1 });
    expect(server.log).toEqual([`POST ${PROCESS}`]);
  });

  it('answers that get lost again and again end as unknown, never as "safe to call again"', async () => {
    const server = await misbehavingServer({ [PROCESS]: resetAfterReading, [STATUS]: nothingDone });
    const error = await errorOf(clientOf(server, { maxRetries: 1 }).accounts.process(processPayload));
    expect(error).toMatchObject({ name: 'OutcomeUnknownError', attempts: 2 });
  });

  it('an ordinary refusal after a lost answer is a decision of the service', async () => {
    const server = await misbehavingServer({
      [PROCESS]: [resetAfterReading, answer(400, { detail: 'No.', code: 'supplier_paused', errors: [] })],
      [STATUS]: nothingDone,
    });
    const error = await errorOf(clientOf(server).accounts.process(processPayload));
    expect(error).toMatchObject({ name: 'ValidationError', code: 'supplier_paused', attempts: 2 });
  });

  it('aborting during the query reports an unknown outcome', async () => {
    const controller = new AbortController();
    const server = await misbehavingServer({ [PROCESS]: resetAfterReading, [STATUS]: () => controller.abort() });
    const error = await errorOf(clientOf(server).accounts.process(processPayload, { signal: controller.signal }));
    expect(error).toMatchObject({ name: 'AbortedError', operation: 'accounts.process', outcomeUnknown: true });
  });

  it('a deadline during the query reports an unknown outcome', async () => {
    const server = await misbehavingServer({ [PROCESS]: resetAfterReading, [STATUS]: hang });
    const error = await errorOf(clientOf(server).accounts.process(processPayload, { deadlineMs: 400 }));
    expect(error).toMatchObject({ name: 'OutcomeUnknownError', operation: 'accounts.process', attempts: 1 });
    expect(error.cause).toMatchObject({ name: 'ConnectionError', operation: 'accounts.process' });
  });

  it('the deadline ends a second query: the failure of the first one is the reason', async () => {
    const server = await misbehavingServer({ [PROCESS]: resetAfterReading, [STATUS]: [answer(500), hang] });
    const error = await errorOf(clientOf(server).accounts.process(processPayload, { deadlineMs: 400 }));
    expect(error.cause).toMatchObject({ name: 'ServerError', operation: 'imports.status' });
  });

  it('a deadline too short for the first query: no query is sent', async () => {
    const server = await misbehavingServer({ [PROCESS]: html(502), [STATUS]: done });
    const client = clientOf(server, {
      advanced: { retryBaseMs: 1_000_000, inFlightGraceMs: 1_000_000 },
      deadlineMs: 1_000,
    });
    expect((await errorOf(client.accounts.process(processPayload))).name).toBe('OutcomeUnknownError');
    expect(server.log).toEqual([`POST ${PROCESS}`]);
  });

  it('a route that is lost during an open connection is a lost answer', async () => {
    const lostRoute = Object.assign(new Error('read EHOSTUNREACH'), { code: 'EHOSTUNREACH', syscall: 'read' });
    const fetch = () => Promise.reject(new TypeError('fetch failed', { cause: lostRoute }));
    const client = clientOf({ url: 'http://127.0.0.1' }, { fetch, maxRetries: 0 });
    expect((await errorOf(client.accounts.process(processPayload))).name).toBe('OutcomeUnknownError');
  });

  it('C8 fields that an answer carries beyond the document are kept, and do not pass for our outcome', async () => {
    const body = { service_account_number: 'S-0007', outcome: 'theirs', account_number: 'S-0007' };
    const server = await misbehavingServer({ [PROCESS]: answer(201, body) });
    const result = await clientOf(server).accounts.process(processPayload);
    expect(result).toEqual(body);
    expect(result.callOutcome).toBe('created');
  });

  it('a failed connection resolves nothing and sends no query', async () => {
    const error = await errorOf(clientOf({ url: await closedPort() }).accounts.process(processPayload));
    expect(error).toMatchObject({ name: 'ConnectionError', sent: false, attempts: 4 });
  });
});

describe('E6 dry run', () => {
  const message = 'Account would successfully import. Rolled back due to Dry Run.';

  it.each([
    ['detail', { detail: message }],
    ['detail with code "400"', { detail: message, code: '400' }],
    ['non_field_errors', { non_field_errors: [message] }],
    ['non_field_errors as an object', { non_field_errors: { detail: message, code: 'dry_run' } }],
    ['a bare list', [message]],
    ['a bare string', message],
    ['errors[].detail', { detail: 'Failed.', code: 'x', errors: [{ detail: message, code: 'x', attr: '' }] }],
    ['other case and spacing', { detail: 'account would successfully import  rolled back due to dry-run' }],
  ])('U12 the message in %s resolves', async (_, body) => {
    const server = await misbehavingServer({ [PROCESS]: answer(400, body) });

    const result = await clientOf(server).accounts.dryRun(processPayload).withResponse();

    expect(result.data.wouldImport).toBe(true);
    // The text of a bare string can have no property.
    expect(result).toEqual({
      data: typeof body === 'string' ? {} : body,
      status: 400,
      attempts: 1,
      headers: expect.anything(),
      requestId: undefined,
      callOutcome: undefined,
    });
    expect(server.requests[0]?.body).toBe(
      '{"import_supplier_code":"ACME","external_account_number":"A-1","operations_team_name":"MIGRATION","dry_run":true}',
    );
  });

  it('that would fail rejects with the ordinary error', async () => {
    const server = await misbehavingServer({
      [PROCESS]: answer(400, { detail: 'No such team.', code: 'unknown_team' }),
    });
    const error = await errorOf(clientOf(server).accounts.dryRun(processPayload));
    expect(error).toMatchObject({ name: 'ValidationError', operation: 'accounts.dryRun', code: 'unknown_team' });
  });

  it('of an imported account rejects with AlreadyImportedError', async () => {
    const server = await misbehavingServer({ [PROCESS]: alreadyImported });
    expect((await errorOf(clientOf(server).accounts.dryRun(processPayload))).name).toBe('AlreadyImportedError');
  });

  it.each([
    [201, { service_account_number: 'S-0007' }],
    [200, { service_account_number: 'S-0007' }],
  ])('answered with %i is a ResponseMismatchError: something may have been created', async (status, body) => {
    const server = await misbehavingServer({ [PROCESS]: answer(status, body) });
    const error = await errorOf(clientOf(server).accounts.dryRun(processPayload));
    expect(error).toMatchObject({ name: 'ResponseMismatchError', operation: 'accounts.dryRun', status, body });
    expect(error.message).toContain('a dry run never succeeds by its status; an account may have been created');
  });

  it('the dry-run message is no success for a real process', async () => {
    const server = await misbehavingServer({ [PROCESS]: answer(400, { detail: message }) });
    expect((await errorOf(clientOf(server).accounts.process(processPayload))).name).toBe('ValidationError');
  });

  it('accounts.process refuses dry_run: true, and accounts.dryRun dry_run: false, before anything is sent', async () => {
    const server = await misbehavingServer({});
    const client = clientOf(server);
    expect((await errorOf(client.accounts.process({ ...processPayload, dry_run: true as never }))).message).toBe(
      'accounts.process: invalid_payload, dry_run invalid_choice: accounts.process creates the account. To only check that, call accounts.dryRun. Nothing was sent: fix the payload. [invalid-payload-error]',
    );
    expect((await errorOf(client.accounts.dryRun({ ...processPayload, dry_run: false as never }))).message).toBe(
      'accounts.dryRun: invalid_payload, dry_run invalid_choice: accounts.dryRun creates no account. To create it, call accounts.process. Nothing was sent: fix the payload. [invalid-payload-error]',
    );
    expect(server.requests).toEqual([]);
  });
});

it('E5 stage is an upsert: a lost first answer and then 200 is an update', async () => {
  const body = { import_supplier: 'ACME', external_account_number: 'A-1' };
  const server = await misbehavingServer({ [calls['accounts.stage'].path]: [resetAfterReading, answer(200, body)] });
  expect(await clientOf(server).accounts.stage(account)).toEqual(body);
});
