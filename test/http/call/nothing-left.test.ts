/** What a call leaves behind when it is over: nothing (DESIGN 6). */

import { getEventListeners } from 'node:events';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { account, calls, processPayload } from '../../helpers/calls.js';
import { clientOf, errorOf } from '../../helpers/client-of.js';
import { answer, hang, misbehavingServer, resetAfterReading } from '../../helpers/misbehaving-server.js';
import { PATIENCE } from '../../helpers/patience.js';
import { scriptedFetch } from '../../helpers/scripted-fetch.js';

const STAGE = calls['accounts.stage'].path;
const staged = { import_supplier: 'ACME', external_account_number: 'A-1' };

describe('one AbortSignal shared by many calls', () => {
  let warnings: string[];
  const collect = (warning: Error) => warnings.push(`${warning.name}: ${warning.message}`);
  beforeEach(() => {
    warnings = [];
    process.on('warning', collect);
  });
  afterEach(() => {
    process.off('warning', collect);
  });

  it('no listener is left after any end of the calls, and Node does not warn of a leak while they run', {
    tags: 'long',
  }, async () => {
    const { signal } = new AbortController();
    const server = await misbehavingServer({
      [STAGE]: [
        answer(201, staged),
        answer(500),
        answer(400),
        resetAfterReading,
        hang,
        answer(429),
        // Many: on a busy machine the client has stopped waiting for some.
        ...Array.from({ length: 20 }, () => answer(400)),
        answer(201, staged),
      ],
    });
    const client = clientOf(server, { timeoutMs: 1000, concurrency: 5 });

    const ends = await Promise.allSettled(
      Array.from({ length: 100 }, () => client.accounts.stage(account, { signal, maxRetries: 1 })),
    );
    await new Promise(setImmediate);

    expect(new Set(ends.map(({ status }) => status))).toEqual(new Set(['fulfilled', 'rejected']));
    expect(getEventListeners(signal, 'abort')).toEqual([]);
    expect(warnings).toEqual([]);
  });

  it('all of them end when it aborts, and no listener is left', async () => {
    const controller = new AbortController();
    const server = await misbehavingServer({ [STAGE]: hang });
    const client = clientOf(server, { concurrency: 5 });
    const errors = Array.from({ length: 50 }, () =>
      errorOf(client.accounts.stage(account, { signal: controller.signal })),
    );
    await vi.waitUntil(() => server.requests.length === 5, PATIENCE);

    controller.abort();

    expect((await Promise.all(errors)).map(({ name }) => name)).toEqual(Array(50).fill('AbortedError'));
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
    expect(warnings).toEqual([]);
    expect(server.requests).toHaveLength(5);
  });

  it('listens again after a time without calls', async () => {
    const controller = new AbortController();
    const server = await misbehavingServer({ [STAGE]: [answer(201, staged), hang] });
    const client = clientOf(server);
    await client.accounts.stage(account, { signal: controller.signal });
    const second = errorOf(client.accounts.stage(account, { signal: controller.signal }));
    await vi.waitUntil(() => server.requests.length === 2, PATIENCE);
    controller.abort();
    expect((await second).name).toBe('AbortedError');
  });
});

describe('timers', () => {
  beforeEach(() => {
    vi.useFakeTimers();
    vi.spyOn(Math, 'random').mockReturnValue(0.5);
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it.each([
    ['a success', scriptedFetch({ status: 200, body: [] })],
    ['a refusal', scriptedFetch({ status: 400 })],
    ['retries', scriptedFetch({ status: 500 }, { status: 200, body: [] })],
    ['a broken connection', scriptedFetch(new TypeError('fetch failed'), { status: 200, body: [] })],
    ['a cooldown', scriptedFetch({ status: 429 }, { status: 200, body: [] })],
    ['a timeout', scriptedFetch('hang', { status: 200, body: [] })],
  ])('after %s none is left', async (_, fetch) => {
    const client = clientOf({ url: 'https://api.example.com' }, { fetch, token: async () => 'T-1' });
    const call = client.imports.all('ACME').then(
      () => 'resolved',
      () => 'rejected',
    );
    while (vi.getTimerCount() > 0) {
      await vi.advanceTimersToNextTimerAsync();
      if ((await Promise.race([call, Promise.resolve('pending')])) !== 'pending') break;
    }
    await call;
    expect(vi.getTimerCount()).toBe(0);
  });

  it.each([
    ['a request', scriptedFetch('hang')],
    ['a wait for a retry', scriptedFetch({ status: 500 })],
    ['a cooldown', scriptedFetch({ status: 429, headers: { 'retry-after': '30' } })],
  ])('aborted during %s none is left, and the call ends at once', async (_, fetch) => {
    const controller = new AbortController();
    const client = clientOf({ url: 'https://api.example.com' }, { fetch, advanced: { retryBaseMs: 10_000 } });
    const call = errorOf(client.imports.all('ACME', { signal: controller.signal }));
    await vi.advanceTimersByTimeAsync(1_000);

    controller.abort();

    expect((await call).name).toBe('AbortedError');
    expect(vi.getTimerCount()).toBe(0);
  });

  it('limits of time longer than any timer, or Infinity, never fire early', async () => {
    const fetch = scriptedFetch('hang');
    const controller = new AbortController();
    const unlimited = { timeoutMs: Number.POSITIVE_INFINITY, deadlineMs: Number.POSITIVE_INFINITY };
    const token = () => new Promise<string>((resolve) => setTimeout(() => resolve('T-1'), 5_000));
    const client = clientOf({ url: 'https://api.example.com' }, { fetch, token, ...unlimited });
    const long = { timeoutMs: 2 ** 31, deadlineMs: 2 ** 40, signal: controller.signal };
    let ended = 0;
    const two = [client.imports.all('ACME', { signal: controller.signal }), client.imports.all('ACME', long)].map(
      (call) => errorOf(call).finally(() => ended++),
    );

    await vi.advanceTimersByTimeAsync(1_000_000);

    expect(fetch.requests).toHaveLength(2);
    expect(ended).toBe(0);
    controller.abort();
    await Promise.all(two);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('rejections', () => {
  let unhandled: unknown[];
  const collect = (reason: unknown) => unhandled.push(reason);
  let others: NodeJS.UnhandledRejectionListener[];
  beforeEach(() => {
    unhandled = [];
    others = process.listeners('unhandledRejection');
    process.removeAllListeners('unhandledRejection');
    process.on('unhandledRejection', collect);
  });
  afterEach(() => {
    process.off('unhandledRejection', collect);
    for (const other of others) process.on('unhandledRejection', other);
  });
  /** Node reports unhandled rejections after the microtasks. */
  const settled = () => new Promise((resolve) => setTimeout(resolve, 5));

  it.each([
    ['await', async (call: PromiseLike<unknown>) => void (await call)],
    ['catch', (call: Promise<unknown>) => call.catch(() => {}) as Promise<unknown>],
    ['withResponse', (call: { withResponse(): Promise<unknown> }) => call.withResponse()],
    ['finally', (call: Promise<unknown>) => call.finally(() => {})],
    ['Promise.all', (call: Promise<unknown>) => Promise.all([call])],
  ] as [string, (call: unknown) => Promise<unknown>][])('are handled where only %s looks', async (_, look) => {
    const server = await misbehavingServer({ [STAGE]: answer(400), 'account-import-process/process/': answer(400) });
    const client = clientOf(server);

    await look(client.accounts.stage(account)).catch(() => {});
    await look(client.accounts.process({ ...processPayload })).catch(() => {});
    await look(client.accounts.dryRun({ ...processPayload })).catch(() => {});
    await look(client.notes.create({} as never)).catch(() => {});
    await settled();

    expect(unhandled).toEqual([]);
  });

  it('of a token that arrives after all calls have ended are handled', async () => {
    const controller = new AbortController();
    let fail: (error: Error) => void = () => {};
    const token = () =>
      new Promise<string>((_, reject) => {
        fail = reject;
      });
    const client = clientOf({ url: 'http://127.0.0.1:9' }, { token });
    const call = errorOf(client.imports.all('ACME', { signal: controller.signal }));
    await new Promise(setImmediate);
    controller.abort();
    await call;
    fail(new Error('too late'));
    await settled();
    expect(unhandled).toEqual([]);
  });

  it('of a fetch that ignores its signal are handled', async () => {
    let fail: (error: Error) => void = () => {};
    const fetch = () =>
      new Promise<Response>((_, reject) => {
        fail = reject;
      });
    const client = clientOf({ url: 'http://127.0.0.1:9' }, { fetch, maxRetries: 0 });
    expect((await errorOf(client.imports.all('ACME', { timeoutMs: 5 }))).name).toBe('TimeoutError');
    fail(new Error('too late'));
    await settled();
    expect(unhandled).toEqual([]);
  });
});

describe('close', () => {
  it('waits for the requests in flight', async () => {
    const server = await misbehavingServer({ [STAGE]: answer(201, staged) });
    const client = clientOf(server);
    const call = client.accounts.stage(account);
    await vi.waitUntil(() => server.requests.length === 1, PATIENCE);
    await client.close();
    expect((await call).callOutcome).toBe('created');
  });

  it('can be called twice; a call after it reports that nothing was sent', async () => {
    const server = await misbehavingServer({ [STAGE]: answer(201, staged) });
    const client = clientOf(server);
    await client.accounts.stage(account);
    await client.close();
    await client.close();
    expect(await errorOf(client.accounts.stage(account))).toMatchObject({ name: 'ConnectionError', sent: false });
    expect(server.requests).toHaveLength(1);
  });
});
