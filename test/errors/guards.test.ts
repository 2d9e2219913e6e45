/** `instanceof`, `isDataImportError` and `isRefusal` hold across two copies of the package (DESIGN 5). */
import * as sdk from 'data-import-sdk';
import { describe, expect, it, vi } from 'vitest';
import { calls, processPayload } from '../helpers/calls.js';
import {
  answer,
  closedPort,
  hang,
  misbehavingServer,
  type Reaction,
  resetAfterReading,
} from '../helpers/misbehaving-server.js';

vi.resetModules();
const otherCopy = await import('data-import-sdk');

const classes = Object.entries(sdk).filter(([name]) => name.endsWith('Error') && !name.startsWith('is')) as [
  string,
  typeof Error,
][];
/** The classes of this copy that an error is an instance of, and the functions that recognise it. */
const namesOf = (error: unknown) => [
  ...classes.filter(([, errorClass]) => error instanceof errorClass).map(([name]) => name),
  ...(sdk.isDataImportError(error) ? ['isDataImportError'] : []),
  ...(sdk.isRefusal(error) ? ['isRefusal'] : []),
];

/** How the other copy of the package ends a process that the service answers like this. */
async function errorOfOtherCopy(reaction: Reaction | undefined, signal?: AbortSignal, token: () => string = () => 'T') {
  const url = reaction === undefined ? await closedPort() : (await misbehavingServer({ [PROCESS]: reaction })).url;
  const client = new otherCopy.DataImportClient({ baseUrl: url, token, maxRetries: 0, advanced: { retryBaseMs: 1 } });
  const call = client.accounts.process(processPayload, { signal });
  const error = await call.then(
    () => 'no error',
    (caught: unknown) => caught,
  );
  await client.close();
  return error;
}
const PROCESS = calls['accounts.process'].path;

it('there are two copies', () => {
  expect(otherCopy.DataImportError).not.toBe(sdk.DataImportError);
});

describe('errors of another copy', () => {
  it.each<[string, Reaction | undefined, string[]]>([
    [
      'ValidationError',
      answer(400),
      ['DataImportError', 'isDataImportError', 'ApiError', 'isRefusal', 'ValidationError'],
    ],
    ['AuthenticationError', answer(401), ['DataImportError', 'isDataImportError', 'ApiError', 'AuthenticationError']],
    ['ApiError', answer(403), ['DataImportError', 'isDataImportError', 'ApiError']],
    ['NotFoundError', answer(404), ['DataImportError', 'isDataImportError', 'ApiError', 'NotFoundError']],
    [
      'RateLimitError',
      answer(429, undefined, { 'retry-after': '999' }),
      ['DataImportError', 'isDataImportError', 'ApiError', 'RateLimitError'],
    ],
    [
      'ServerError',
      answer(500, { detail: 'Unexpected.' }),
      ['DataImportError', 'isDataImportError', 'ApiError', 'ServerError'],
    ],
    [
      'AlreadyImportedError',
      answer(400, { external_account_number: 'A-1', service_account_number: 'S' }),
      ['DataImportError', 'isDataImportError', 'ApiError', 'AlreadyImportedError'],
    ],
    [
      'TransactionImportError',
      answer(400, { transaction_data: {} }),
      ['DataImportError', 'isDataImportError', 'ApiError', 'isRefusal', 'TransactionImportError'],
    ],
    ['ResponseMismatchError', answer(201), ['DataImportError', 'isDataImportError', 'ResponseMismatchError']],
    ['OutcomeUnknownError', resetAfterReading, ['DataImportError', 'isDataImportError', 'OutcomeUnknownError']],
    ['ConnectionError', undefined, ['DataImportError', 'isDataImportError', 'ConnectionError']],
  ])('%s', async (name, reaction, expected) => {
    const error = await errorOfOtherCopy(reaction);
    expect(error).toHaveProperty('name', name);
    expect(error).toBeInstanceOf(otherCopy[name as 'ApiError']);
    expect(namesOf(error).sort()).toEqual(expected.sort());
  });

  it('RateLimitError of a call that was not sent', async () => {
    const { url } = await misbehavingServer({ [PROCESS]: answer(429, undefined, { 'retry-after': '999' }) });
    const client = new otherCopy.DataImportClient({ baseUrl: url, token: 'T' });
    await client.accounts.process(processPayload).catch(() => {});
    const error = await client.accounts.process(processPayload).then(
      () => undefined,
      (caught: unknown) => caught,
    );
    await client.close();
    expect(namesOf(error).sort()).toEqual(
      ['ApiError', 'DataImportError', 'isDataImportError', 'RateLimitError'].sort(),
    );
  });

  it('AbortedError', async () => {
    const error = await errorOfOtherCopy(hang, AbortSignal.abort());
    expect(namesOf(error).sort()).toEqual(['AbortedError', 'DataImportError', 'isDataImportError'].sort());
  });

  it('TokenError', async () => {
    const token = () => {
      throw new Error('no');
    };
    expect(namesOf(await errorOfOtherCopy(hang, undefined, token)).sort()).toEqual(
      ['DataImportError', 'isDataImportError', 'TokenError'].sort(),
    );
  });

  it('InvalidPayloadError', async () => {
    const client = new otherCopy.DataImportClient({ baseUrl: 'http://127.0.0.1:9', token: 'T' });
    const error = await client.accounts.stage({} as never).then(
      () => undefined,
      (caught: unknown) => caught,
    );
    expect(namesOf(error).sort()).toEqual(
      ['DataImportError', 'isDataImportError', 'InvalidPayloadError', 'isRefusal'].sort(),
    );
  });

  it('TimeoutError', async () => {
    const { url } = await misbehavingServer({ [calls['imports.all'].path]: hang });
    const client = new otherCopy.DataImportClient({ baseUrl: url, token: 'T', maxRetries: 0, timeoutMs: 20 });
    const error = await client.imports.all('ACME').then(
      () => undefined,
      (caught: unknown) => caught,
    );
    await client.close();
    expect(namesOf(error).sort()).toEqual(['DataImportError', 'isDataImportError', 'TimeoutError'].sort());
  });

  it('a TokenError that a token function of another copy throws is that of the call', async () => {
    const thrown = new otherCopy.TokenError('token: closed.', { code: 'CLOSED' });
    const client = new sdk.DataImportClient({ baseUrl: 'http://127.0.0.1:9', token: () => Promise.reject(thrown) });
    const error = await client.imports.all('ACME').then(
      () => undefined,
      (caught: unknown) => caught,
    );
    expect(JSON.parse(JSON.stringify(error))).toEqual({
      name: 'TokenError',
      operation: 'imports.all',
      id: 'token-error',
      message: 'token: closed. [token-error]',
      attempts: 0,
      nextAction: 'fixToken',
      code: 'CLOSED',
    });
  });
});

it.each([undefined, null, 'isDataImportError', 7, {}, new Error('x'), { name: 'ApiError', status: 400 }, []])(
  '%j is no error of the package',
  (value) => {
    expect(namesOf(value)).toEqual([]);
  },
);

it('the name of an error is not among what a logger copies, and survives a minifier', () => {
  class a extends sdk.DataImportError {}
  const error = new a('x', { code: 'x', nextAction: 'none' });
  expect(error.name).toBe('DataImportError');
  expect(Object.keys(error)).not.toContain('name');
});

it('a class that extends one of the package holds for its own errors only', () => {
  class Declined extends sdk.ValidationError {}
  const declined = Object.create(Declined.prototype) as unknown;
  expect(declined instanceof Declined).toBe(true);
  const client = new sdk.DataImportClient({ baseUrl: 'http://127.0.0.1:9', token: 'T' });
  return expect(client.accounts.stage({} as never)).rejects.not.toBeInstanceOf(Declined);
});
