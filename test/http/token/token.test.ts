/** The token: fetched once for all callers, renewed before it expires, and one clear error where it cannot be fetched. */
import { DataImportClient, type DataImportClientOptions, type TokenError, type TokenSource } from 'data-import-sdk';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { errorOf } from '../../helpers/client-of.js';
import { scriptedFetch } from '../../helpers/scripted-fetch.js';

const NOW = new Date('2024-03-10T12:00:00.000Z');
const inSeconds = (seconds: number) => NOW.getTime() / 1000 + seconds;

const base64url = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const jwt = (payload: unknown) => `${base64url({ alg: 'HS256' })}.${base64url(payload)}.c2lnbmF0dXJl`;

beforeEach(() => {
  vi.useFakeTimers({ now: NOW });
});
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

function clientWith(token: TokenSource, options: Partial<DataImportClientOptions> = {}) {
  const fetch = scriptedFetch({ status: 200, body: [] });
  const client = new DataImportClient({ baseUrl: 'https://api.example.com', token, fetch, ...options });
  return { client, fetch };
}

describe('one request for all callers', () => {
  it('a hundred simultaneous calls request one token', async () => {
    const token = vi.fn(() => new Promise<string>((resolve) => setTimeout(() => resolve('T-1'), 1_000)));
    const { client, fetch } = clientWith(token, { concurrency: 10 });
    const all = Promise.all(Array.from({ length: 100 }, () => client.imports.all('ACME')));
    await vi.runAllTimersAsync();
    await all;
    expect(token).toHaveBeenCalledTimes(1);
    expect(new Set(fetch.requests.map(({ headers }) => headers['authorization']))).toEqual(new Set(['Token T-1']));
  });

  it('a token without an expiry is kept', async () => {
    const token = vi.fn(() => 'T-1');
    const { client } = clientWith(token);
    await client.imports.all('ACME');
    await vi.advanceTimersByTimeAsync(365 * 86_400_000);
    await client.imports.all('ACME');
    expect(token).toHaveBeenCalledTimes(1);
  });
});

describe('renewed before it ends', () => {
  it.each([
    ['exp of a JWT', () => jwt({ exp: inSeconds(3_600) })],
    ['expiresAt as a Date', () => ({ token: 'T', expiresAt: new Date(inSeconds(3_600) * 1000) })],
    ['expiresAt in Unix seconds', () => ({ token: 'T', expiresAt: inSeconds(3_600) })],
    ['expiresAt before exp of a JWT', () => ({ token: jwt({ exp: inSeconds(60) }), expiresAt: inSeconds(3_600) })],
  ] as [string, () => string | { token: string; expiresAt: Date | number }][])(
    '%s: a minute before',
    async (_, source) => {
      const token = vi.fn(source);
      const { client } = clientWith(token);
      await client.imports.all('ACME');

      await vi.advanceTimersByTimeAsync(3_539_999);
      await client.imports.all('ACME');
      expect(token).toHaveBeenCalledTimes(1);

      await vi.advanceTimersByTimeAsync(1);
      await client.imports.all('ACME');
      expect(token).toHaveBeenCalledTimes(2);
    },
  );

  it('a short life: at nine tenths of it', async () => {
    const token = vi.fn(() => ({ token: 'T', expiresAt: inSeconds(100) }));
    const { client } = clientWith(token);
    await client.imports.all('ACME');
    await vi.advanceTimersByTimeAsync(89_999);
    await client.imports.all('ACME');
    expect(token).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(1);
    await client.imports.all('ACME');
    expect(token).toHaveBeenCalledTimes(2);
  });

  it('one that has expired already is used until the service refuses it, with one warning', async () => {
    const warned = vi.spyOn(process, 'emitWarning').mockReturnValue();
    const token = vi.fn(() => ({ token: 'T', expiresAt: inSeconds(-10) }));
    const { client } = clientWith(token);
    await client.imports.all('ACME');
    await client.imports.all('ACME');
    await clientWith(token).client.imports.all('ACME');
    expect(token).toHaveBeenCalledTimes(2);
    expect(warned.mock.calls).toEqual([
      [
        `DataImportClient: the token function returned a token that expired at ${new Date(inSeconds(-10) * 1000).toISOString()}. It is used until the service refuses it; check expiresAt and the clock of this machine.`,
      ],
    ]);
  });

  it.each([
    ['a JWT without exp', jwt({ sub: 'x' })],
    ['a JWT whose payload is null', jwt(null)],
    ['three words that are no JWT', 'a.b.c'],
    ['an exp that is no number', jwt({ exp: 'tomorrow' })],
    ['an expiresAt of undefined', { token: 'T', expiresAt: undefined }],
  ])('%s counts as a token that tells no end', async (_, value) => {
    const token = vi.fn(() => value);
    const { client } = clientWith(token);
    await client.imports.all('ACME');
    await vi.advanceTimersByTimeAsync(86_400_000);
    await client.imports.all('ACME');
    expect(token).toHaveBeenCalledTimes(1);
  });

  it('calls during a renewal wait for the new one', async () => {
    const token = vi.fn(
      () =>
        new Promise<{ token: string; expiresAt: number }>((resolve) =>
          setTimeout(() => resolve({ token: `T-${token.mock.calls.length}`, expiresAt: inSeconds(600) }), 1_000),
        ),
    );
    const { client, fetch } = clientWith(token);
    const first = client.imports.all('ACME');
    await vi.advanceTimersByTimeAsync(1_000);
    await first;
    await vi.advanceTimersByTimeAsync(550_000);
    const more = Promise.all([client.imports.all('ACME'), client.imports.all('ACME')]);
    await vi.advanceTimersByTimeAsync(1_000);
    await more;
    expect(fetch.requests.map(({ headers }) => headers['authorization'])).toEqual([
      'Token T-1',
      'Token T-2',
      'Token T-2',
    ]);
  });
});

describe('no token', () => {
  it.each([
    [
      'throws',
      () => {
        throw new Error('closed');
      },
      'token: the token function failed (see cause). Correct it, then call again. [token-error]',
    ],
    [
      'rejects',
      () => Promise.reject(new Error('closed')),
      'token: the token function failed (see cause). Correct it, then call again. [token-error]',
    ],
    [
      'rejects with nothing',
      () => Promise.reject(),
      'token: the token function failed (see cause). Correct it, then call again. [token-error]',
    ],
    [
      'gives undefined',
      () => undefined,
      'token: expected a non-empty string of visible ASCII characters, found undefined. [token-error]',
    ],
    [
      'gives null',
      () => null,
      'token: expected a non-empty string of visible ASCII characters, found null. [token-error]',
    ],
    [
      'gives a number',
      () => 7,
      'token: expected a non-empty string of visible ASCII characters, found a value of type number. [token-error]',
    ],
    [
      'gives an empty string',
      () => '',
      'token: expected a non-empty string of visible ASCII characters, found an empty string. [token-error]',
    ],
    [
      'gives a line break',
      () => 'a\nb',
      'token: expected a non-empty string of visible ASCII characters, found a string with a line break. [token-error]',
    ],
    [
      'gives an object without token',
      () => ({ expiresAt: 1 }),
      'token: expected a non-empty string of visible ASCII characters, found undefined. [token-error]',
    ],
    [
      'gives an expiresAt in milliseconds',
      () => ({ token: 'T', expiresAt: NOW.getTime() }),
      'expiresAt: expected a Date or Unix seconds, found another number, such as milliseconds. [token-error]',
    ],
    [
      'gives an expiresAt of NaN',
      () => ({ token: 'T', expiresAt: Number.NaN }),
      'expiresAt: expected a Date or Unix seconds, found another number, such as milliseconds. [token-error]',
    ],
    [
      'gives an expiresAt in ISO form',
      () => ({ token: 'T', expiresAt: '2024-03-10T13:00:00Z' }),
      'expiresAt: expected a Date or Unix seconds, found string. [token-error]',
    ],
    [
      'gives an expiresAt of null',
      () => ({ token: 'T', expiresAt: null }),
      'expiresAt: expected a Date or Unix seconds, found null. [token-error]',
    ],
    [
      'gives an expiresAt that is an invalid Date',
      () => ({ token: 'T', expiresAt: new Date('never') }),
      'expiresAt: expected a Date or Unix seconds, found an invalid Date. [token-error]',
    ],
  ])(
    'a function that %s is a TokenError for all that wait; nothing is sent, and nothing retried',
    async (_, source, message) => {
      const token = vi.fn(source as () => never);
      const { client, fetch } = clientWith(token);

      const errors = await Promise.all([1, 2, 3].map(() => errorOf<TokenError>(client.imports.all('ACME'))));

      expect(errors.map((error) => error.message)).toEqual([message, message, message]);
      expect(errors[0]).toMatchObject({ name: 'TokenError', nextAction: 'fixToken', attempts: 0 });
      expect(token).toHaveBeenCalledTimes(1);
      expect(fetch.requests).toEqual([]);
    },
  );

  it('a function that hangs is a TokenError after timeoutMs for all waiting calls, and its signal aborts', async () => {
    let signal: AbortSignal | undefined;
    const token: TokenSource = (context) => {
      signal = context.signal;
      return new Promise(() => {});
    };
    const { client } = clientWith(token, { timeoutMs: 5_000 });
    const errors = Promise.all([1, 2].map(() => errorOf(client.imports.all('ACME'))));
    await vi.advanceTimersByTimeAsync(5_000);
    const [first, second] = await errors;
    expect(first?.message).toBe('token: the token function returned none within 5000 ms. [token-error]');
    expect(first).toMatchObject({ name: 'TokenError', nextAction: 'retryLater' });
    expect(second?.message).toBe(first?.message);
    expect(signal?.aborted).toBe(true);
  });

  it('the next call asks again', async () => {
    const token = vi.fn(async () => {
      if (token.mock.calls.length === 1) throw new Error('closed');
      return 'T-2';
    });
    const { client } = clientWith(token);
    expect((await errorOf(client.imports.all('ACME'))).name).toBe('TokenError');
    expect(await client.imports.all('ACME')).toEqual([]);
  });

  it('deadlineMs ends the wait for a token', async () => {
    const { client } = clientWith(() => new Promise(() => {}));
    const call = errorOf(client.imports.all('ACME', { deadlineMs: 1_000 }));
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await call).toMatchObject({ name: 'TimeoutError', limit: 'deadlineMs', sent: false, attempts: 0 });
    // The token itself is given up after timeoutMs.
    await vi.runAllTimersAsync();
  });
});
