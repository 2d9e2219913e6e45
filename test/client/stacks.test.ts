/** The stack of every error names the function of the program that made the call. */
import { type DataImportClient, type DataImportClientOptions, isDataImportError } from 'data-import-sdk';
import { describe, expect, it } from 'vitest';
import { account, calls, processPayload } from '../helpers/calls.js';
import { clientOf } from '../helpers/client-of.js';
import {
  answer,
  closedPort,
  hang,
  misbehavingServer,
  type Reaction,
  resetAfterReading,
} from '../helpers/misbehaving-server.js';

type Options = Partial<DataImportClientOptions>;
type Case = [what: string, name: string, reactions: Reaction | Reaction[], options?: Options];

const invalid = answer(400, { code: 'account_failed_validation', errors: [] });
const failed = answer(500, { detail: 'Unexpected.' });
const statement = { import_supplier_code: 'ACME', external_account_number: 'A-1' };

/** Every request of the server gets these answers, whatever its path is. */
async function clientAnswered(reactions: Reaction | Reaction[], options: Options = {}) {
  const paths = [...Object.values(calls).map(({ path }) => path), 'meters/'];
  return clientOf(await misbehavingServer(Object.fromEntries(paths.map((path) => [path, reactions]))), options);
}

async function errorFrom(call: () => Promise<unknown>): Promise<{ name: string; stack: string }> {
  try {
    await call();
  } catch (error) {
    return error as { name: string; stack: string };
  }
  throw new Error('the call succeeded');
}

const STAGE: Case[] = [
  ['a refusal', 'ValidationError', invalid],
  ['a 404', 'NotFoundError', answer(404, {})],
  ['a 401', 'AuthenticationError', answer(401, {})],
  ['a 500 on every attempt', 'ServerError', failed],
  [
    'a 429 on every attempt',
    'RateLimitError',
    answer(429, {}, { 'retry-after': '0' }),
    { advanced: { maxThrottleWaitMs: 0 } },
  ],
  ['a time limit of one request', 'TimeoutError', hang, { timeoutMs: 20, maxRetries: 0 }],
  ['a time limit of one request, after retries', 'TimeoutError', hang, { timeoutMs: 20, maxRetries: 1 }],
  ['a time limit of the call', 'TimeoutError', hang, { deadlineMs: 30 }],
  ['a broken connection on every attempt', 'ConnectionError', resetAfterReading],
  ['an answer of another form', 'ResponseMismatchError', answer(201, [])],
  ['a token function that throws', 'TokenError', invalid, { token: () => Promise.reject(new Error('none')) }],
  ['a token function that is too slow', 'TokenError', invalid, { token: () => new Promise(() => {}), timeoutMs: 10 }],
];

describe('accounts.stage', () => {
  it.each(STAGE)('%s', async (_, name, reactions, options) => {
    const client = await clientAnswered(reactions, options);
    async function programThatStages() {
      await client.accounts.stage(account);
    }
    const { name: found, stack } = await errorFrom(programThatStages);
    expect(found).toBe(name);
    expect(stack).toContain('programThatStages');
  });

  it.each(STAGE)('%s, by withResponse and by asResponse', async (_, name, reactions, options) => {
    const client = await clientAnswered(reactions, options);
    async function programThatReads() {
      await client.accounts.stage(account).withResponse();
    }
    async function programThatReadsText() {
      await client.accounts.stage(account).asResponse();
    }
    expect((await errorFrom(programThatReads)).stack).toContain('programThatReads');
    if (name === 'ResponseMismatchError') return;
    expect((await errorFrom(programThatReadsText)).stack).toContain('programThatReadsText');
  });
});

it('each of several calls that wait for one token has its own line', async () => {
  const client = await clientAnswered(invalid, { token: () => Promise.reject(new Error('none')) });
  async function first() {
    await client.accounts.stage(account);
  }
  async function second() {
    await client.imports.all('ACME');
  }
  const errors = await Promise.all([errorFrom(first), errorFrom(second)]);
  expect(errors.map(({ name }) => name)).toEqual(['TokenError', 'TokenError']);
  expect(errors[0]?.stack).toMatch(/\bfirst\b/);
  expect(errors[1]?.stack).toMatch(/\bsecond\b/);
});

type Program = (client: DataImportClient) => Promise<unknown>;

/** The functions have the name that the test looks for. */
const PROGRAMS: [what: string, name: string, reactions: Reaction | Reaction[], program: Program, options?: Options][] =
  [
    [
      'a payload that the local check rejects',
      'InvalidPayloadError',
      [],
      async function theProgram(client) {
        await client.accounts.stage({ ...account, billing_postcode: 7 as never });
      },
    ],
    [
      'an invalid option of a call',
      'TypeError',
      [],
      async function theProgram(client) {
        await client.accounts.stage(account, { timeoutMs: -1 });
      },
    ],
    [
      'an aborted call',
      'AbortedError',
      hang,
      async function theProgram(client) {
        await client.accounts.stage(account, { signal: AbortSignal.timeout(20) });
      },
    ],
    [
      'a business without an answer',
      'OutcomeUnknownError',
      resetAfterReading,
      async function theProgram(client) {
        await calls['businesses.create'].send(client, {});
      },
    ],
    [
      'a processing without an answer, and without a status',
      'OutcomeUnknownError',
      resetAfterReading,
      async function theProgram(client) {
        await client.accounts.process(processPayload);
      },
      { deadlineMs: 100 },
    ],
    [
      'a dry run that is refused',
      'ValidationError',
      invalid,
      async function theProgram(client) {
        await client.accounts.dryRun(processPayload);
      },
    ],
    [
      'a dry run that succeeds by its status',
      'ResponseMismatchError',
      answer(201, { service_account_number: 'S-1' }),
      async function theProgram(client) {
        await client.accounts.dryRun(processPayload);
      },
    ],
    [
      'a wait for a status that is refused',
      'NotFoundError',
      answer(404, {}),
      async function theProgram(client) {
        await client.imports.waitFor(statement, { until: ['COMPLETED'] });
      },
    ],
    [
      'a wait for a status that does not come',
      'TimeoutError',
      answer(200, { status: 'PENDING', service_account_number: 'S-1' }),
      async function theProgram(client) {
        await client.imports.waitFor(statement, { until: ['COMPLETED'], intervalMs: 5, deadlineMs: 30 });
      },
    ],
    [
      'a stream that is refused',
      'NotFoundError',
      answer(404, {}),
      async function theProgram(client) {
        for await (const entry of client.imports.streamAll('ACME')) expect(entry).toBeUndefined();
      },
    ],
    [
      'an invalid entry of a stream',
      'ResponseMismatchError',
      answer(200, [7]),
      async function theProgram(client) {
        for await (const entry of client.imports.streamAll('ACME')) expect(entry).toBeUndefined();
      },
    ],
    [
      'an invalid option of a stream',
      'TypeError',
      [],
      async function theProgram(client) {
        for await (const entry of client.imports.streamAll('ACME', { timeoutMs: -1 })) expect(entry).toBeUndefined();
      },
    ],
    [
      'another endpoint',
      'ServerError',
      failed,
      async function theProgram(client) {
        await client.request('GET', 'meters/');
      },
    ],
    [
      'an invalid path of another endpoint',
      'TypeError',
      [],
      async function theProgram(client) {
        await client.request('GET', 'meters//..');
      },
    ],
  ];

it.each(PROGRAMS)('%s', async (_, name, reactions, program, options) => {
  const client = await clientAnswered(reactions, options);
  const { name: found, stack } = await errorFrom(() => program(client));
  expect(found).toBe(name);
  expect(stack).toContain('theProgram');
});

it('a port without a listener', async () => {
  const client = clientOf({ url: await closedPort() });
  async function theProgram() {
    await client.accounts.stage(account);
  }
  const error = await errorFrom(theProgram);
  expect(error.name).toBe('ConnectionError');
  expect(error.stack).toContain('theProgram');
});

it('a pause after the 429 of another call', async () => {
  const client = await clientAnswered(answer(429, {}, { 'retry-after': '60' }), {
    advanced: { maxThrottleWaitMs: 1000 },
  });
  async function theProgram() {
    await client.accounts.stage(account);
  }
  await errorFrom(theProgram);
  expect((await errorFrom(theProgram)).stack).toContain('theProgram');
});

it('a client that is closed', async () => {
  const client = await clientAnswered([]);
  await client.close();
  async function theProgram() {
    await client.accounts.stage(account);
  }
  const error = await errorFrom(theProgram);
  expect(isDataImportError(error)).toBe(true);
  expect(error.stack).toContain('theProgram');
});

it('the limit of frames is that of the program again after each error', async () => {
  const usual = Error.stackTraceLimit;
  const client = await clientAnswered(invalid);
  await errorFrom(() => client.accounts.stage(account));
  expect(Error.stackTraceLimit).toBe(usual);
});

it('a program that wants no frames gets none', async () => {
  const usual = Error.stackTraceLimit;
  const client = await clientAnswered(invalid);
  try {
    Error.stackTraceLimit = 0;
    expect((await errorFrom(() => client.accounts.stage(account))).stack).not.toContain('\n    at ');
  } finally {
    Error.stackTraceLimit = usual;
  }
});
