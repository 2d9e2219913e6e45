/** 429: a separate limit of the waiting time, and one cooldown for all calls of the client (DESIGN 6, U28). */
import { DataImportClient, type DataImportClientOptions, type RateLimitError } from 'data-import-sdk';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { account, calls, everyCall, processPayload } from '../../helpers/calls.js';
import { clientOf, errorOf } from '../../helpers/client-of.js';
import { answer, misbehavingServer } from '../../helpers/misbehaving-server.js';
import { type ScriptedFetch, scriptedFetch } from '../../helpers/scripted-fetch.js';

const NOW = new Date('2024-03-10T12:00:00.000Z');
const empty = { status: 200, body: [] };
const throttled = (retryAfter?: string) => ({
  status: 429,
  body: { detail: 'Too many at once.', code: 'too_many' },
  headers: retryAfter === undefined ? {} : { 'retry-after': retryAfter },
});

function clientOn(fetch: ScriptedFetch, options: Partial<DataImportClientOptions> = {}): DataImportClient {
  return new DataImportClient({ baseUrl: 'https://api.example.com', token: 'test-token', fetch, ...options });
}

describe('in exact times', () => {
  beforeEach(() => {
    vi.useFakeTimers({ now: NOW });
    vi.spyOn(Math, 'random').mockReturnValue(0.5);
  });
  afterEach(() => {
    // No timer is left by any of these calls.
    expect(vi.getTimerCount()).toBe(0);
    vi.useRealTimers();
  });

  it.each([
    ['seconds', '7', 7_000],
    ['a fraction of seconds', '1.5', 1_500],
    ['an HTTP date', 'Sun, 10 Mar 2024 12:00:09 GMT', 9_000],
  ])('Retry-After in %s is kept to the letter, without jitter', async (_, retryAfter, waitMs) => {
    const fetch = scriptedFetch(throttled(retryAfter), empty);
    const call = clientOn(fetch).imports.all('ACME').withResponse();

    await vi.runAllTimersAsync();

    expect(await call).toMatchObject({ attempts: 2, data: [] });
    expect(fetch.times).toEqual([0, waitMs]);
  });

  it('without Retry-After our own waits grow, with full jitter', async () => {
    const fetch = scriptedFetch(throttled(), throttled(), throttled(), empty);
    const call = clientOn(fetch, { advanced: { retryBaseMs: 500 } }).imports.all('ACME');
    await vi.runAllTimersAsync();
    await call;
    // Half of 500, 1,000 and 2,000.
    expect(fetch.times).toEqual([0, 250, 750, 1750]);
  });

  it.each([
    ['Retry-After: 0', '0'],
    ['a date that is past', 'Sun, 10 Mar 2024 11:59:00 GMT'],
    ['what is neither seconds nor a date', 'soon'],
    ['a negative number', '-5'],
    ['a signed number', '+5'],
    ['a number with a unit', '30s'],
    ['a number with an exponent', '1e3'],
    ['a hexadecimal number', '0x10'],
    ['two numbers', '5, 10'],
    ['no number', 'NaN'],
    ['infinity', '-Infinity'],
    ['a date that does not exist', 'Mon, 99 Foo 2026 12:00:00 GMT'],
    ['an empty value', ''],
  ])('%s does not hammer: our own waits apply', async (_, retryAfter) => {
    const fetch = scriptedFetch(throttled(retryAfter), throttled(retryAfter), empty);
    const call = clientOn(fetch, { advanced: { retryBaseMs: 500 } }).imports.all('ACME');
    await vi.runAllTimersAsync();
    await call;
    expect(fetch.times).toEqual([0, 250, 750]);
  });

  it('Retry-After: 0 on every answer does not cause requests without a pause, even if retryBaseMs is 0', async () => {
    const fetch = scriptedFetch(throttled('0'));
    const call = errorOf(clientOn(fetch, { advanced: { retryBaseMs: 0 } }).imports.all('ACME'));
    await vi.runAllTimersAsync();
    expect((await call).name).toBe('RateLimitError');
    expect(fetch.times.length).toBeLessThan(30);
    expect(fetch.times.slice(0, 7)).toEqual([0, 1, 2, 4, 8, 16, 32]);
  });

  it('429 does not use up maxRetries, and 500 does not use up patience', async () => {
    const fetch = scriptedFetch(throttled('1'), throttled('1'), { status: 500 }, throttled('1'), empty);
    const call = clientOn(fetch, { maxRetries: 1 }).imports.all('ACME').withResponse();
    await vi.runAllTimersAsync();
    expect((await call).attempts).toBe(5);
    expect(fetch.times).toEqual([0, 1_000, 2_000, 2_250, 3_250]);
  });

  it('patience is used up by all waits together', async () => {
    const fetch = scriptedFetch(throttled('20'));
    const call = errorOf<RateLimitError>(
      clientOn(fetch, { advanced: { maxThrottleWaitMs: 60_000 } }).imports.all('ACME'),
    );
    await vi.runAllTimersAsync();
    expect(await call).toMatchObject({ name: 'RateLimitError', attempts: 4, retryAfterMs: 20_000 });
    expect(fetch.times).toEqual([0, 20_000, 40_000, 60_000]);
  });

  it('a Retry-After beyond patience is not shortened: it surfaces at once, for the refused call', async () => {
    const fetch = scriptedFetch(throttled('61'));

    const error = await errorOf<RateLimitError>(clientOn(fetch).accounts.process(processPayload));

    expect(error).toMatchObject({ name: 'RateLimitError', status: 429, code: 'too_many', attempts: 1 });
    expect(error).toMatchObject({ retryAfterMs: 61_000, nextAction: 'wait' });
    expect(error.message).toBe(
      'accounts.process: 429 too_many. Nothing was done: wait 61000 ms (retryAfterMs) and call again, with fewer calls at once. [rate-limit-error]',
    );
  });

  it('and its siblings are not sent: each has its own error, with the rest of the wait', async () => {
    const fetch = scriptedFetch(throttled('100'), empty);
    const client = clientOn(fetch);
    await errorOf(client.imports.pending('ACME'));
    await vi.advanceTimersByTimeAsync(10_000);

    const sibling = await errorOf(client.imports.all('ACME'));

    expect(sibling).toMatchObject({ name: 'RateLimitError', operation: 'imports.all', attempts: 0 });
    expect(sibling).toMatchObject({ retryAfterMs: 90_000, refusedOperation: 'imports.pending' });
    expect(fetch.requests).toHaveLength(1);

    // 60 s before the end it is within their patience.
    await vi.advanceTimersByTimeAsync(30_000);
    const patient = client.imports.all('ACME');
    await vi.runAllTimersAsync();
    await patient;
    expect(fetch.times).toEqual([0, 100_000]);
  });

  it('siblings that start during a cooldown wait for its end', async () => {
    const fetch = scriptedFetch(throttled('10'), empty);
    const client = clientOn(fetch);
    const first = client.imports.all('ACME');
    await vi.advanceTimersByTimeAsync(4_000);
    const sibling = client.imports.pending('ACME');
    await vi.runAllTimersAsync();
    await Promise.all([first, sibling]);
    expect(fetch.times).toEqual([0, 10_000, 10_000]);
  });

  it('siblings that waited their turn when the cooldown began do not run into the same limit', async () => {
    const fetch = scriptedFetch(throttled('10'), empty);
    const client = clientOn(fetch, { concurrency: 1 });
    const all = Promise.all(Array.from({ length: 5 }, () => client.imports.all('ACME').withResponse()));
    await vi.runAllTimersAsync();
    expect((await all).map(({ attempts }) => attempts)).toEqual([2, 1, 1, 1, 1]);
    expect(fetch.times).toEqual([0, 10_000, 10_000, 10_000, 10_000, 10_000]);
  });

  it('siblings that waited for the token when the cooldown began do not run into the same limit', async () => {
    const fetch = scriptedFetch(empty);
    let count = 0;
    const token = async () => {
      // The second token takes a second, and 429 comes meanwhile.
      if (++count > 1) await new Promise((resolve) => setTimeout(resolve, 1_000));
      return { token: `T-${count}`, expiresAt: count > 1 ? new Date('2030-01-01') : new Date(NOW.getTime() + 1) };
    };
    let answer: (response: Response) => void = () => {};
    const slow = new Promise<Response>((resolve) => {
      answer = resolve;
    });
    let sent = 0;
    const client = clientOn(
      ((url: string, init: RequestInit) => (sent++ === 0 ? slow : fetch(url, init))) as ScriptedFetch,
      { token },
    );

    const first = client.imports.all('ACME');
    await vi.advanceTimersByTimeAsync(10);
    const sibling = client.imports.pending('ACME');
    await vi.advanceTimersByTimeAsync(10);
    answer(Response.json({}, { status: 429, headers: { 'retry-after': '30' } }));
    await vi.advanceTimersByTimeAsync(29_000);
    expect(fetch.requests).toHaveLength(0);

    await vi.runAllTimersAsync();
    await Promise.all([first, sibling]);
    expect(fetch.times).toEqual([0, 0]);
  });

  it('a shorter refusal does not shorten a longer cooldown', async () => {
    const fetch = scriptedFetch(throttled('20'), throttled('5'), empty);
    const client = clientOn(fetch);
    const both = Promise.all([client.imports.all('ACME'), client.imports.pending('ACME')]);
    await vi.runAllTimersAsync();
    await both;
    expect(fetch.times).toEqual([0, 0, 20_000, 20_000]);
  });

  it('a cooldown that grows while a call waits is waited for in full', async () => {
    const fetch = scriptedFetch(throttled('5'), throttled('20'), empty);
    const client = clientOn(fetch);
    const both = Promise.all([client.imports.all('ACME'), client.imports.pending('ACME')]);
    await vi.runAllTimersAsync();
    await both;
    expect(fetch.times).toEqual([0, 0, 20_000, 20_000]);
  });

  it('a wait that would pass deadlineMs is not begun', async () => {
    const fetch = scriptedFetch(throttled('30'));
    const error = await errorOf<RateLimitError>(clientOn(fetch).imports.all('ACME', { deadlineMs: 20_000 }));
    expect(error).toMatchObject({ name: 'RateLimitError', retryAfterMs: 30_000, attempts: 1 });
  });

  it('maxThrottleWaitMs 0 never waits', async () => {
    const fetch = scriptedFetch(throttled());
    const error = await errorOf<RateLimitError>(
      clientOn(fetch, { advanced: { maxThrottleWaitMs: 0, retryBaseMs: 0 } }).imports.all('ACME'),
    );
    expect(error).toMatchObject({ attempts: 1, retryAfterMs: undefined });
    expect(error.message).toBe(
      'imports.all: 429 too_many. Nothing was done: wait a while and call again, with fewer calls at once. [rate-limit-error]',
    );
  });

  it('two clients cool down apart', async () => {
    const fetch = scriptedFetch(throttled('30'), empty);
    const refused = clientOn(fetch).imports.all('ACME');
    await vi.advanceTimersByTimeAsync(1);
    await clientOn(fetch).imports.all('ACME');
    expect(fetch.times).toEqual([0, 1]);
    await vi.runAllTimersAsync();
    await refused;
  });

  describe('other waits', () => {
    it('503 with Retry-After waits as long as asked', async () => {
      const fetch = scriptedFetch({ status: 503, headers: { 'retry-after': '12' } }, empty);
      const call = clientOn(fetch).imports.all('ACME');
      await vi.runAllTimersAsync();
      await call;
      expect(fetch.times).toEqual([0, 12_000]);
    });

    it('503 with a Retry-After beyond patience surfaces at once', async () => {
      const fetch = scriptedFetch({ status: 503, headers: { 'retry-after': '61' } });
      const error = await errorOf(clientOn(fetch).imports.all('ACME'));
      expect(error).toMatchObject({ name: 'ServerError', status: 503, attempts: 1, retryAfterMs: 61_000 });
    });

    it('503 does not make the siblings wait', async () => {
      const fetch = scriptedFetch({ status: 503, headers: { 'retry-after': '12' } }, empty);
      const client = clientOn(fetch);
      const first = client.imports.all('ACME');
      await vi.advanceTimersByTimeAsync(1);
      await client.imports.all('ACME');
      expect(fetch.times).toEqual([0, 1]);
      await vi.runAllTimersAsync();
      await first;
    });

    it('500: waits double from retryBaseMs up to 30 s, with full jitter', async () => {
      const fetch = scriptedFetch({ status: 500 });
      const call = errorOf(clientOn(fetch, { maxRetries: 8, advanced: { retryBaseMs: 500 } }).imports.all('ACME'));
      await vi.runAllTimersAsync();
      await call;
      // Half of 500, 1,000, 2,000, 4,000, 8,000, 16,000, 30,000 and 30,000.
      expect(fetch.times).toEqual([0, 250, 750, 1_750, 3_750, 7_750, 15_750, 30_750, 45_750]);
    });

    it('full jitter: a delay between 0 and the whole step', async () => {
      vi.mocked(Math.random).mockReturnValueOnce(0).mockReturnValueOnce(0.999);
      const fetch = scriptedFetch({ status: 500 }, { status: 500 }, empty);
      const call = clientOn(fetch, { advanced: { retryBaseMs: 1_000 } }).imports.all('ACME');
      await vi.runAllTimersAsync();
      await call;
      expect(fetch.times).toEqual([0, 0, 1_998]);
    });

    it('a retry whose wait would pass deadlineMs is not begun: the last error surfaces', async () => {
      const fetch = scriptedFetch({ status: 500 });
      const error = await errorOf(
        clientOn(fetch, { advanced: { retryBaseMs: 10_000 } }).imports.all('ACME', { deadlineMs: 5_000 }),
      );
      expect(error).toMatchObject({ name: 'ServerError', attempts: 1 });
    });

    it('timeoutMs is 60 s and deadlineMs 300 s by default', async () => {
      const fetch = scriptedFetch('hang');
      const call = errorOf(clientOn(fetch, { maxRetries: 100 }).imports.all('ACME'));
      await vi.runAllTimersAsync();
      expect((await call).message).toMatch(
        /^imports\.all: no complete answer from \S+ within 300000 ms \(deadlineMs\)/,
      );
      expect(fetch.times.slice(0, 3)).toEqual([0, 60_250, 120_750]);
      expect(performance.now()).toBeGreaterThanOrEqual(300_000);
    });

    it('E6, U30 after a lost process the service is asked with growing gaps, and process is sent again after the quiet time', async () => {
      const unknown = { status: 200, body: { status: 'UNKNOWN', service_account_number: '' } };
      const fetch = scriptedFetch({ status: 502 }, ...Array.from({ length: 7 }, () => unknown), {
        status: 201,
        body: { service_account_number: 'S-1' },
      });
      const call = clientOn(fetch, { advanced: { retryBaseMs: 1_000 } }).accounts.process(processPayload);
      await vi.runAllTimersAsync();
      await call;
      // Three quarters of 1, 2, 4, 8 and 16 s, of 30 s at most; then the end of the quiet time of 60 s.
      expect(fetch.times).toEqual([0, 750, 2_250, 5_250, 11_250, 23_250, 45_750, 60_000, 60_000]);
    });
  });
});

it.each(everyCall)(
  '%s: 429 once, from a real server, and then its answer',
  async (_, { path, status, answer: body, send }) => {
    const server = await misbehavingServer({ [path]: [answer(429, { detail: 'Slow down.' }), answer(status, body)] });
    await send(clientOf(server));
    expect(server.requests).toHaveLength(2);
  },
);

it('a 429 with an HTML body is handled equally', async () => {
  const { path } = calls['accounts.stage'];
  const server = await misbehavingServer({ [path]: answer(429, '<html>', { 'retry-after': '3600' }) });
  const error = await errorOf(clientOf(server).accounts.stage(account));
  expect(error).toMatchObject({ name: 'RateLimitError', retryAfterMs: 3_600_000 });
});
