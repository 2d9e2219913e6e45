/** `client.pause`: the program has learned elsewhere that the service is busy, and all calls of the client wait, as after a 429. */
import { DataImportClient, type DataImportClientOptions } from 'data-import-sdk';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { errorOf } from '../helpers/client-of.js';
import { type ScriptedFetch, scriptedFetch } from '../helpers/scripted-fetch.js';

const empty = { status: 200, body: [] };
const throttled = (retryAfter: string) => ({ status: 429, body: {}, headers: { 'retry-after': retryAfter } });

function clientOn(fetch: ScriptedFetch, options: Partial<DataImportClientOptions> = {}): DataImportClient {
  return new DataImportClient({ baseUrl: 'https://api.example.com', token: 'test-token', fetch, ...options });
}

beforeEach(() => {
  vi.useFakeTimers({ now: new Date('2024-03-10T12:00:00.000Z') });
  vi.spyOn(Math, 'random').mockReturnValue(0.5);
});
afterEach(() => {
  // No timer is left by any of these calls.
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

describe('calls wait', () => {
  it('that begin during the pause, and those after it do not', async () => {
    const fetch = scriptedFetch(empty);
    const client = clientOn(fetch);
    await client.imports.all('ACME');
    client.pause(2000);
    const calls = [client.imports.all('ACME'), client.imports.all('ACME')];
    await vi.runAllTimersAsync();
    await Promise.all([...calls, client.imports.all('ACME')]);
    expect(fetch.times).toEqual([0, 2000, 2000, 2000]);
  });

  it('that are about to be sent again', async () => {
    const fetch = scriptedFetch({ status: 500 }, empty);
    const client = clientOn(fetch, { advanced: { retryBaseMs: 500 } });
    const call = client.imports.all('ACME');
    await vi.advanceTimersByTimeAsync(100);
    client.pause(2000);
    await vi.runAllTimersAsync();
    await call;
    expect(fetch.times).toEqual([0, 2100]);
  });

  it('also for the token', async () => {
    const fetch = scriptedFetch(empty);
    const asked: number[] = [];
    const begun = performance.now();
    const token = () => {
      asked.push(performance.now() - begun);
      return 'test-token';
    };
    const client = clientOn(fetch, { token });
    client.pause(2000);
    const call = client.imports.all('ACME');
    await vi.runAllTimersAsync();
    await call;
    expect(asked).toEqual([2000]);
    expect(fetch.requests).toHaveLength(1);
  });
});

describe('the longer one of two pauses applies', () => {
  it('a shorter one has no effect', async () => {
    const fetch = scriptedFetch(empty);
    const client = clientOn(fetch);
    await client.imports.all('ACME');
    client.pause(2000);
    client.pause(500);
    client.pause(0);
    const call = client.imports.all('ACME');
    await vi.runAllTimersAsync();
    await call;
    expect(fetch.times).toEqual([0, 2000]);
  });

  it('one that ends before that of a 429 has no effect', async () => {
    const fetch = scriptedFetch(throttled('3'), empty);
    const client = clientOn(fetch);
    const call = client.imports.all('ACME');
    await vi.advanceTimersByTimeAsync(1000);
    client.pause(500);
    await vi.runAllTimersAsync();
    await call;
    expect(fetch.times).toEqual([0, 3000]);
  });

  it('one that ends after that of a 429 lengthens it', async () => {
    const fetch = scriptedFetch(throttled('3'), empty);
    const client = clientOn(fetch);
    const call = client.imports.all('ACME');
    await vi.advanceTimersByTimeAsync(1000);
    client.pause(5000);
    await vi.runAllTimersAsync();
    await call;
    expect(fetch.times).toEqual([0, 6000]);
  });
});

describe('no call was refused', () => {
  it('so the pause uses up no patience', async () => {
    const fetch = scriptedFetch(empty, throttled('2'), empty);
    const client = clientOn(fetch, { advanced: { maxThrottleWaitMs: 3000 } });
    await client.imports.all('ACME');
    client.pause(60_000);
    const call = client.imports.all('ACME');
    await vi.runAllTimersAsync();
    await call;
    expect(fetch.times).toEqual([0, 60_000, 62_000]);
  });

  it('and a call that cannot wait so long ends by its own deadline', async () => {
    const fetch = scriptedFetch(empty);
    const client = clientOn(fetch, { advanced: { maxThrottleWaitMs: 10 } });
    client.pause(60_000);
    const call = errorOf(client.imports.all('ACME', { deadlineMs: 5000 }));
    await vi.runAllTimersAsync();
    expect(await call).toMatchObject({ name: 'TimeoutError', limit: 'deadlineMs', attempts: 0 });
    expect(fetch.requests).toEqual([]);
  });

  it('and no hook is called with a cooldown', async () => {
    const onCooldown = vi.fn();
    const client = clientOn(scriptedFetch(empty), { hooks: { onCooldown } });
    client.pause(2000);
    const call = client.imports.all('ACME');
    await vi.runAllTimersAsync();
    await call;
    expect(onCooldown).not.toHaveBeenCalled();
  });
});

it.each([[-1], [Number.NaN], [Number.POSITIVE_INFINITY]])('%d milliseconds are refused', (ms) => {
  expect(() => clientOn(scriptedFetch(empty)).pause(ms)).toThrow(
    new TypeError(`pause: expected a number from 0 up, found ${ms}.`),
  );
});
