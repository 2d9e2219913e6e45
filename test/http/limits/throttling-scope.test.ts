/** Which calls a 429 holds back, for how long at most, and what a call rejects with that was never sent (issue 18, I). */
import { ApiError, DataImportClient, type DataImportClientOptions, RateLimitError } from 'data-import-sdk';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { account, processPayload } from '../../helpers/calls.js';
import { errorOf } from '../../helpers/client-of.js';
import { type ScriptedFetch, scriptedFetch } from '../../helpers/scripted-fetch.js';

const HOUR = 3_600_000;
const NOW = new Date('2024-03-10T12:00:00.000Z');
const list = { status: 200, body: [] };
const created = { status: 201, body: { service_account_number: 'S-1' } };
const throttled = (retryAfter: string) => ({
  status: 429,
  body: { detail: 'Too many at once.', code: 'too_many' },
  headers: { 'retry-after': retryAfter, 'x-request-id': 'request-of-the-other' },
});
const FOR_EVER = { maxThrottleWaitMs: Number.POSITIVE_INFINITY, deadlineMs: Number.POSITIVE_INFINITY };
const CLIENT_FOR_EVER = {
  advanced: { maxThrottleWaitMs: Number.POSITIVE_INFINITY },
  deadlineMs: Number.POSITIVE_INFINITY,
};

function clientOn(fetch: ScriptedFetch, options: Partial<DataImportClientOptions> = {}): DataImportClient {
  return new DataImportClient({ baseUrl: 'https://api.example.com', token: 'test-token', fetch, ...options });
}

const pathsOf = (fetch: ScriptedFetch) => fetch.requests.map(({ url }) => new URL(url).pathname.split('/').at(-2));

beforeEach(() => {
  vi.useFakeTimers({ now: NOW });
  vi.spyOn(Math, 'random').mockReturnValue(0.5);
});
afterEach(() => {
  // No timer is left by any of these calls.
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

describe('a 429 of process', () => {
  it.each(['process', 'dryRun'] as const)(
    'of accounts.%s holds back process and dry runs, and nothing else',
    async (verb) => {
      const fetch = scriptedFetch(throttled('10'), list, created);
      const client = clientOn(fetch);
      const refused = client.accounts[verb](processPayload).catch(() => {});
      await vi.advanceTimersByTimeAsync(1_000);
      const others = [client.accounts.process(processPayload), client.accounts.dryRun(processPayload).catch(() => {})];
      await client.imports.all('ACME');
      expect(fetch.times).toEqual([0, 1_000]);

      await vi.runAllTimersAsync();
      await Promise.all([refused, ...others]);
      expect(fetch.times).toEqual([0, 1_000, 10_000, 10_000, 10_000]);
    },
  );

  it('without Retry-After, from a caller that never waits: it rejects, and other process calls continue', async () => {
    const refusal = { status: 429, body: { detail: 'Too many at once.', code: 'too_many' } };
    const fetch = scriptedFetch(refusal, created);
    const client = clientOn(fetch, { advanced: { maxThrottleWaitMs: 0 } });
    const cooldowns: unknown[] = [];
    client.on({ onCooldown: (cooldown) => cooldowns.push(cooldown) });
    expect(await errorOf(client.accounts.process(processPayload))).toMatchObject({ name: 'RateLimitError' });
    expect((await client.accounts.process(processPayload)).service_account_number).toBe('S-1');
    expect(cooldowns).toEqual([]);
  });

  it('with Retry-After, from a caller that never waits: other process calls are not sent before', async () => {
    const client = clientOn(scriptedFetch(throttled('10'), created), { advanced: { maxThrottleWaitMs: 0 } });
    expect(await errorOf(client.accounts.process(processPayload))).toMatchObject({ name: 'RateLimitError' });
    expect(await errorOf(client.accounts.process(processPayload))).toMatchObject({
      name: 'RateLimitError',
      attempts: 0,
    });
    await vi.advanceTimersByTimeAsync(10_000);
    expect((await client.accounts.process(processPayload)).service_account_number).toBe('S-1');
  });

  it('does not keep the only place: a call that it does not hold back is sent meanwhile', async () => {
    const fetch = scriptedFetch(throttled('10'), list, created);
    const client = clientOn(fetch, { concurrency: 1 });
    const processing = [client.accounts.process(processPayload), client.accounts.process(processPayload)];
    const all = client.imports.all('ACME');
    await vi.advanceTimersByTimeAsync(1_000);
    expect(pathsOf(fetch)).toEqual(['process', 'ACME']);

    await vi.runAllTimersAsync();
    await Promise.all([...processing, all]);
    expect(fetch.times).toEqual([0, 0, 10_000, 10_000]);
  });

  it('passes the waiting calls to the hook', async () => {
    const onCooldown = vi.fn();
    const fetch = scriptedFetch(throttled('2'), created, throttled('3'), list);
    const client = clientOn(fetch, { hooks: { onCooldown } });
    const processing = client.accounts.process(processPayload);
    await vi.runAllTimersAsync();
    await processing;
    const all = client.imports.all('ACME');
    await vi.runAllTimersAsync();
    await all;
    expect(onCooldown.mock.calls).toEqual([
      [{ callId: expect.any(Number), operation: 'accounts.process', delayMs: 2_000, scope: 'process' }],
      [{ callId: expect.any(Number), operation: 'imports.all', delayMs: 3_000, scope: 'all' }],
    ]);
  });
});

it('a 429 of another operation delays all calls, including process', async () => {
  const fetch = scriptedFetch(throttled('10'), created);
  const client = clientOn(fetch);
  const refused = client.imports.all('ACME').catch(() => {});
  await vi.advanceTimersByTimeAsync(1_000);
  const processing = client.accounts.process(processPayload);
  await vi.runAllTimersAsync();
  await Promise.all([refused, processing]);
  expect(fetch.times).toEqual([0, 10_000, 10_000]);
});

it('during two cooldowns a process call waits for the longer one', async () => {
  const fetch = scriptedFetch(throttled('20'), throttled('5'), list, created);
  const client = clientOn(fetch);
  const first = client.accounts.process(processPayload);
  const second = client.imports.all('ACME').catch(() => {});
  await vi.advanceTimersByTimeAsync(5_000);
  expect(pathsOf(fetch)).toEqual(['process', 'ACME', 'ACME']);
  await vi.runAllTimersAsync();
  await Promise.all([first, second]);
  expect(fetch.times).toEqual([0, 0, 5_000, 20_000]);
});

describe('a pause that the caller asks for', () => {
  it('may apply only to process', async () => {
    const fetch = scriptedFetch(list, created);
    const client = clientOn(fetch);
    client.pause(5_000, 'process');
    const processing = client.accounts.process(processPayload);
    await client.imports.all('ACME');
    await vi.runAllTimersAsync();
    await processing;
    expect(fetch.times).toEqual([0, 5_000]);
  });

  it('is kept to its end, without a probe', async () => {
    const fetch = scriptedFetch(list);
    const client = clientOn(fetch);
    await client.imports.all('ACME');
    client.pause(3 * HOUR);
    const call = client.imports.all('ACME', FOR_EVER);
    await vi.runAllTimersAsync();
    await call;
    expect(fetch.times).toEqual([0, 3 * HOUR]);
  });

  it('has a scope that exists', () => {
    expect(() => clientOn(scriptedFetch(list)).pause(5, 'stage' as 'all')).toThrow(
      new TypeError('pause: expected the scope all or process.'),
    );
  });
});

describe('a call that was never sent', () => {
  it('rejects with its own error, which has no data of the other call’s answer', async () => {
    const fetch = scriptedFetch(throttled('100'));
    const client = clientOn(fetch);
    await errorOf(client.accounts.stage(account));
    await vi.advanceTimersByTimeAsync(10_000);

    const error = await errorOf<RateLimitError>(client.imports.all('ACME'));

    expect(error.message).toBe(
      'imports.all: nothing was sent, because another call of this client (accounts.stage) was answered 429. Wait 90000 ms (retryAfterMs) and call again, with fewer calls at once. [rate-limit-error]',
    );
    expect(error).toMatchObject({ name: 'RateLimitError', operation: 'imports.all', attempts: 0, nextAction: 'wait' });
    expect(error).toMatchObject({ retryAfterMs: 90_000, refusedOperation: 'accounts.stage', mayHaveSucceeded: false });
    expect(error.cause).toBeUndefined();
    expect(error).toMatchObject({ status: 429, code: 'http_429', errors: [], headers: {} });
    expect([error.body, error.detail, error.requestId]).toEqual([undefined, undefined, undefined]);
    expect(JSON.stringify(error)).not.toContain('request-of-the-other');
    expect([error instanceof RateLimitError, error instanceof ApiError]).toEqual([true, true]);
  });

  it('the call that was answered 429 has status, body and request id of that answer', async () => {
    const fetch = scriptedFetch(throttled('100'));
    const error = await errorOf(clientOn(fetch).accounts.stage(account));
    expect(error).toMatchObject({ name: 'RateLimitError', status: 429, code: 'too_many', attempts: 1 });
    expect(error).toMatchObject({ requestId: 'request-of-the-other', retryAfterMs: 100_000 });
  });

  it('if an earlier request of it was sent, the error of that one is the cause', async () => {
    const fetch = scriptedFetch({ status: 500, headers: { 'x-request-id': 'own' } }, throttled('100'));
    const client = clientOn(fetch);
    const call = errorOf<RateLimitError>(client.imports.all('ACME'));
    await vi.advanceTimersByTimeAsync(100);
    await errorOf(client.accounts.stage(account));
    await vi.runAllTimersAsync();

    const error = await call;

    expect(error.message).toBe(
      'imports.all: not sent again after 1 attempt, because another call of this client (accounts.stage) was answered 429. Wait 99850 ms (retryAfterMs) and call again, with fewer calls at once. [rate-limit-error]',
    );
    expect(error).toMatchObject({ attempts: 1, mayHaveSucceeded: false });
    expect(error.cause).toMatchObject({ name: 'ServerError', status: 500, requestId: 'own' });
  });
});

describe('after an hour of a longer cooldown one call is sent', () => {
  const threeHours = throttled(String((3 * HOUR) / 1000));

  /** A client that was answered 429 for three hours, an hour later. */
  async function anHourLater(...answers: Parameters<typeof scriptedFetch>) {
    const fetch = scriptedFetch(threeHours, ...answers);
    const client = clientOn(fetch);
    expect(await errorOf(client.imports.all('ACME'))).toMatchObject({ retryAfterMs: 3 * HOUR });
    await vi.advanceTimersByTimeAsync(HOUR - 1);
    expect(await errorOf(client.imports.all('ACME'))).toMatchObject({ attempts: 0, retryAfterMs: 2 * HOUR + 1 });
    await vi.advanceTimersByTimeAsync(1);
    return { fetch, client };
  }

  it('and with its answer all others continue', async () => {
    const { fetch, client } = await anHourLater(list);
    const [probe, other] = [client.imports.all('ACME'), errorOf(client.imports.pending('ACME'))];
    // Only one: the other one fails with the rest of the cooldown.
    expect(await other).toMatchObject({ name: 'RateLimitError', retryAfterMs: 2 * HOUR });
    await probe;
    await Promise.all([client.imports.all('ACME'), client.imports.pending('ACME')]);
    expect(fetch.times).toEqual([0, HOUR, HOUR, HOUR]);
  });

  it('also if that answer is another error', async () => {
    const { fetch, client } = await anHourLater({ status: 404 }, list);
    expect(await errorOf(client.imports.all('ACME'))).toMatchObject({ name: 'NotFoundError' });
    await client.imports.all('ACME');
    expect(fetch.times).toEqual([0, HOUR, HOUR]);
  });

  it('if it is answered 429, that answer begins the next cooldown, also a shorter one', async () => {
    const { fetch, client } = await anHourLater(throttled('90'), list);
    expect(await errorOf(client.imports.all('ACME'))).toMatchObject({ attempts: 1, retryAfterMs: 90_000 });
    expect(await errorOf(client.imports.all('ACME'))).toMatchObject({ attempts: 0, retryAfterMs: 90_000 });
    await vi.advanceTimersByTimeAsync(90_000);
    await client.imports.all('ACME');
    expect(fetch.times).toEqual([0, HOUR, HOUR + 90_000]);
  });

  it('and is answered 429 for three hours again, the next one is an hour later', async () => {
    const { fetch, client } = await anHourLater(threeHours, list);
    await errorOf(client.imports.all('ACME'));
    await vi.advanceTimersByTimeAsync(HOUR - 1);
    expect(await errorOf(client.imports.all('ACME'))).toMatchObject({ attempts: 0, retryAfterMs: 2 * HOUR + 1 });
    await vi.advanceTimersByTimeAsync(1);
    await client.imports.all('ACME');
    expect(fetch.times).toEqual([0, HOUR, 2 * HOUR]);
  });

  it('without an answer, the next call is sent instead', async () => {
    const { fetch, client } = await anHourLater(new Error('no network'), list);
    expect(await errorOf(client.imports.all('ACME', { maxRetries: 0 }))).toMatchObject({ name: 'ConnectionError' });
    await client.imports.all('ACME');
    expect(fetch.times).toEqual([0, HOUR, HOUR]);
  });

  it('also if its caller aborts before it is sent', async () => {
    const { fetch, client } = await anHourLater(list);
    const controller = new AbortController();
    const call = errorOf(client.imports.all('ACME', { signal: controller.signal }));
    controller.abort();
    expect(await call).toMatchObject({ name: 'AbortedError' });
    await client.imports.all('ACME');
    expect(fetch.requests).toHaveLength(2);
  });

  it('calls that have the patience to wait are woken by the answer to the probe', async () => {
    const fetch = scriptedFetch(threeHours, created);
    const client = clientOn(fetch, CLIENT_FOR_EVER);
    const first = client.accounts.process(processPayload);
    await vi.advanceTimersByTimeAsync(1);
    const others = [client.accounts.process(processPayload), client.accounts.process(processPayload)];
    await vi.advanceTimersByTimeAsync(HOUR);
    await Promise.all([first, ...others]);
    expect(fetch.times).toEqual([0, HOUR, HOUR, HOUR]);
  });

  it('of process: one that processes', async () => {
    const fetch = scriptedFetch(threeHours, list, created);
    const client = clientOn(fetch);
    await errorOf(client.accounts.process(processPayload));
    await vi.advanceTimersByTimeAsync(HOUR);
    await client.imports.all('ACME');
    const [probe, other] = [client.accounts.process(processPayload), errorOf(client.accounts.dryRun(processPayload))];
    expect(await other).toMatchObject({ name: 'RateLimitError', refusedOperation: 'accounts.process' });
    await probe;
    expect(pathsOf(fetch)).toEqual(['process', 'ACME', 'process']);
  });
});

describe('a Retry-After that no service means counts as maxThrottleWaitMs, an hour at most', () => {
  const absurd: [string, string][] = [
    ['Unix seconds', '1764000000'],
    ['Unix milliseconds', '1764000000000'],
    ['400 digits', '9'.repeat(400)],
    ['a date far away', 'Fri, 10 Mar 2084 12:00:00 GMT'],
  ];

  it.each(absurd)('%s', async (_, retryAfter) => {
    const fetch = scriptedFetch(throttled(retryAfter), list);
    const call = clientOn(fetch).imports.all('ACME');
    await vi.runAllTimersAsync();
    await call;
    expect(fetch.times).toEqual([0, 60_000]);
  });

  it.each(absurd)('%s, with patience without end', async (_, retryAfter) => {
    const fetch = scriptedFetch(throttled(retryAfter), list);
    const call = clientOn(fetch, CLIENT_FOR_EVER).imports.all('ACME');
    await vi.runAllTimersAsync();
    await call;
    expect(fetch.times).toEqual([0, HOUR]);
  });

  it.each(absurd)('%s, where a call has less patience than its client', async (_, retryAfter) => {
    const fetch = scriptedFetch(throttled(retryAfter));
    const call = clientOn(fetch).imports.all('ACME', { maxThrottleWaitMs: 59_999 });
    expect(await errorOf(call)).toMatchObject({ name: 'RateLimitError', retryAfterMs: 60_000 });
  });

  it.each(absurd)('%s, where the client never waits: as if there were none', async (_, retryAfter) => {
    const fetch = scriptedFetch(throttled(retryAfter));
    const call = clientOn(fetch, { advanced: { maxThrottleWaitMs: 0 } }).imports.all('ACME');
    expect(await errorOf(call)).toMatchObject({ name: 'RateLimitError', retryAfterMs: undefined });
  });

  it.each(absurd)('%s, of a 503', async (_, retryAfter) => {
    const fetch = scriptedFetch({ status: 503, headers: { 'retry-after': retryAfter } }, list);
    const call = clientOn(fetch).imports.all('ACME');
    await vi.runAllTimersAsync();
    await call;
    expect(fetch.times).toEqual([0, 60_000]);
  });

  it('seven days are plausible, and are reported unchanged', async () => {
    const fetch = scriptedFetch(throttled('604800'));
    const error = await errorOf(clientOn(fetch).imports.all('ACME'));
    expect(error).toMatchObject({ name: 'RateLimitError', retryAfterMs: 604_800_000, attempts: 1 });
  });
});
