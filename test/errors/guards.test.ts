/** Guards hold across two copies of the package, where instanceof fails (DESIGN 5). */
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

const guards = Object.entries(sdk).filter(([name]) => /^is[A-Z]/.test(name)) as [string, (error: unknown) => boolean][];
const namesOf = (error: unknown) => guards.filter(([, guard]) => guard(error)).map(([name]) => name);

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
    ['ValidationError', answer(400), ['isDataImportError', 'isApiError', 'isRefusal', 'isValidationError']],
    ['AuthenticationError', answer(401), ['isDataImportError', 'isApiError', 'isAuthenticationError']],
    ['ApiError', answer(403), ['isDataImportError', 'isApiError']],
    ['NotFoundError', answer(404), ['isDataImportError', 'isApiError', 'isNotFoundError']],
    [
      'RateLimitError',
      answer(429, undefined, { 'retry-after': '999' }),
      ['isDataImportError', 'isApiError', 'isRateLimitError'],
    ],
    ['ServerError', answer(500, { detail: 'Unexpected.' }), ['isDataImportError', 'isApiError', 'isServerError']],
    [
      'AlreadyImportedError',
      answer(400, { external_account_number: 'A', service_account_number: 'S' }),
      ['isDataImportError', 'isApiError', 'isAlreadyImportedError'],
    ],
    [
      'TransactionImportError',
      answer(400, { transaction_data: {} }),
      ['isDataImportError', 'isApiError', 'isRefusal', 'isTransactionImportError'],
    ],
    ['ResponseMismatchError', answer(201), ['isDataImportError', 'isResponseMismatchError']],
    ['OutcomeUnknownError', resetAfterReading, ['isDataImportError', 'isOutcomeUnknownError']],
    ['ConnectionError', undefined, ['isDataImportError', 'isConnectionError']],
  ])('%s', async (name, reaction, expected) => {
    const error = await errorOfOtherCopy(reaction);
    expect(error).toHaveProperty('name', name);
    expect(error).not.toBeInstanceOf(sdk.DataImportError);
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
    expect(namesOf(error).sort()).toEqual(['isApiError', 'isDataImportError', 'isRateLimitError']);
  });

  it('AbortedError', async () => {
    const error = await errorOfOtherCopy(hang, AbortSignal.abort());
    expect(namesOf(error).sort()).toEqual(['isAbortedError', 'isDataImportError']);
  });

  it('TokenError', async () => {
    const token = () => {
      throw new Error('no');
    };
    expect(namesOf(await errorOfOtherCopy(hang, undefined, token)).sort()).toEqual([
      'isDataImportError',
      'isTokenError',
    ]);
  });

  it('InvalidPayloadError', async () => {
    const client = new otherCopy.DataImportClient({ baseUrl: 'http://127.0.0.1:9', token: 'T' });
    const error = await client.accounts.stage({} as never).then(
      () => undefined,
      (caught: unknown) => caught,
    );
    expect(namesOf(error).sort()).toEqual(['isDataImportError', 'isInvalidPayloadError', 'isRefusal']);
  });

  it('TimeoutError', async () => {
    const { url } = await misbehavingServer({ [calls['imports.all'].path]: hang });
    const client = new otherCopy.DataImportClient({ baseUrl: url, token: 'T', maxRetries: 0, timeoutMs: 20 });
    const error = await client.imports.all('ACME').then(
      () => undefined,
      (caught: unknown) => caught,
    );
    await client.close();
    expect(namesOf(error).sort()).toEqual(['isDataImportError', 'isTimeoutError']);
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
  'no guard takes %j',
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
