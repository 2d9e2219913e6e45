/** undici is loaded with the first client that needs it: what a call does that is there before undici is. */

import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { account, calls } from '../../helpers/calls.js';
import { clientOf, errorOf } from '../../helpers/client-of.js';
import { answer, misbehavingServer } from '../../helpers/misbehaving-server.js';
import { PATIENCE } from '../../helpers/patience.js';

const STAGE = calls['accounts.stage'].path;
const staged = { import_supplier: 'ACME', external_account_number: 'A-1' };

/** Loading ends when a test says so, and how. */
let undici: { isLoading: boolean; loaded: () => void; failed: (reason: Error) => void };

beforeEach(() => {
  undici = { isLoading: false, loaded: () => {}, failed: () => {} };
  vi.doMock('undici', async (importOriginal) => {
    const original = await importOriginal<typeof import('undici')>();
    await new Promise<void>((resolve, reject) => {
      undici.loaded = resolve;
      undici.failed = reject;
      undici.isLoading = true;
    });
    return original;
  });
});

afterEach(() => vi.doUnmock('undici'));

/** A client whose undici is being loaded. */
async function earlyClient(server: { url: string }, options = {}) {
  const client = clientOf(server, options);
  await vi.waitUntil(() => undici.isLoading, PATIENCE);
  return client;
}

describe('while undici is being loaded', () => {
  it('calls wait for it, and are sent in their order', async () => {
    const server = await misbehavingServer({ [STAGE]: answer(201, staged) });
    const client = await earlyClient(server, { concurrency: 1 });
    const channels = ['first', 'second', 'third'];
    const results = channels.map((channel) => client.accounts.stage({ ...account, sales_channel: channel }));
    expect(server.requests).toEqual([]);

    undici.loaded();

    expect((await Promise.all(results)).map(({ callOutcome }) => callOutcome)).toEqual([
      'created',
      'created',
      'created',
    ]);
    expect(server.requests.map(({ body }) => JSON.parse(body).sales_channel)).toEqual(channels);
  });

  it('a call that is aborted is never sent', async () => {
    const server = await misbehavingServer({ [STAGE]: answer(201, staged) });
    const client = await earlyClient(server);
    const controller = new AbortController();
    const aborted = errorOf(client.accounts.stage(account, { signal: controller.signal }));
    await new Promise(setImmediate);

    controller.abort();
    expect(await aborted).toMatchObject({ name: 'AbortedError', outcomeUnknown: false });
    undici.loaded();
    await client.accounts.stage(account);

    expect(server.requests).toHaveLength(1);
  });

  it('a call whose time is over was certainly not sent', async () => {
    const server = await misbehavingServer({});
    const client = await earlyClient(server);
    const error = await errorOf(client.accounts.stage(account, { timeoutMs: 10, maxRetries: 0 }));
    expect(error).toMatchObject({ name: 'TimeoutError', limit: 'timeoutMs', sent: false });
    undici.loaded();
  });

  it('close waits for the calls that wait for it', async () => {
    const server = await misbehavingServer({ [STAGE]: answer(201, staged) });
    const client = await earlyClient(server);
    const call = client.accounts.stage(account);
    await new Promise(setImmediate);
    const order: string[] = [];
    const ends = [call.then(() => order.push('call')), client.close().then(() => order.push('close'))];
    await new Promise(setImmediate);
    expect(order).toEqual([]);

    undici.loaded();
    await Promise.all(ends);

    expect(order).toEqual(['call', 'close']);
  });
});

it('if undici cannot be loaded, the call reports it, nothing is sent, and close does not fail', async () => {
  const server = await misbehavingServer({});
  const client = await earlyClient(server);
  const error = errorOf(client.accounts.stage(account, { maxRetries: 0 }));
  undici.failed(Object.assign(new Error('Cannot find package'), { code: 'ERR_MODULE_NOT_FOUND' }));

  expect(await error).toMatchObject({ name: 'ConnectionError', sent: false });
  await client.close();
});

it('if undici cannot be loaded, a client that sends nothing does not end the program', async () => {
  const rejections: unknown[] = [];
  const collect = (reason: unknown) => rejections.push(reason);
  process.on('unhandledRejection', collect);
  onTestFinished(() => void process.off('unhandledRejection', collect));
  await earlyClient({ url: 'http://127.0.0.1:9' });

  undici.failed(new Error('Cannot find package'));
  await new Promise(setImmediate);
  await new Promise(setImmediate);

  expect(rejections).toEqual([]);
});
