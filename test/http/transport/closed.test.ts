/** `client.close()`: calls in flight end normally, and no further request is sent. */

import { type DataImportClient, graphqlToken } from 'data-import-sdk';
import { describe, expect, it, vi } from 'vitest';
import { account, calls, processPayload } from '../../helpers/calls.js';
import { clientOf, errorOf } from '../../helpers/client-of.js';
import {
  after,
  answer,
  hang,
  misbehavingServer,
  type Reaction,
  resetAfterReading,
} from '../../helpers/misbehaving-server.js';
import { PATIENCE } from '../../helpers/patience.js';

const STAGE = calls['accounts.stage'].path;
const staged = { import_supplier: 'ACME', external_account_number: 'A-1' };
const message = (attempts: string) =>
  `accounts.stage: the client is closed (CLOSED) after ${attempts}. Nothing was sent: create a new one. [connection-error]`;

it.each([
  ['that has sent before', true],
  ['that has not', false],
])('a call of a closed client %s fails at once, and says why', async (_, hasSent) => {
  const onRetry = vi.fn();
  const server = await misbehavingServer({ [STAGE]: answer(201, staged) });
  const client = clientOf(server, { hooks: { onRetry } });
  if (hasSent) await client.accounts.stage(account);
  await client.close();
  const error = await errorOf(client.accounts.stage(account));
  expect(error).toMatchObject({ name: 'ConnectionError', sent: false, attempts: 0, nextAction: 'none' });
  expect(error.message).toBe(message('0 attempts'));
  expect(onRetry).not.toHaveBeenCalled();
  expect(server.requests).toHaveLength(hasSent ? 1 : 0);
});

it('calls in flight are awaited; a waiting call fails without having been sent', async () => {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const server = await misbehavingServer({ [STAGE]: after(released, answer(201, staged)) });
  const client = clientOf(server, { concurrency: 1 });
  const ahead = client.accounts.stage(account);
  const behind = errorOf(client.accounts.stage(account));
  await vi.waitUntil(() => server.requests.length === 1, PATIENCE);
  const closed = client.close();
  release();
  expect((await ahead).callOutcome).toBe('created');
  expect((await behind).message).toBe(message('0 attempts'));
  await closed;
  expect(server.requests).toHaveLength(1);
});

it('closed while a call waits for its token: no token is asked for again, and nothing is sent', async () => {
  let give: (token: string) => void = () => {};
  const token = vi.fn(() => new Promise<string>((resolve) => (give = resolve)));
  const server = await misbehavingServer({ [STAGE]: answer(201, staged) });
  const client = clientOf(server, { token });
  const error = errorOf(client.accounts.stage(account));
  await vi.waitUntil(() => token.mock.calls.length === 1, PATIENCE);
  await client.close();
  give('T-1');
  expect((await error).message).toBe(message('0 attempts'));
  expect(token).toHaveBeenCalledTimes(1);
  expect(server.requests).toEqual([]);
});

it('a closed client asks for no token', async () => {
  const server = await misbehavingServer({});
  const token = graphqlToken({
    url: `${server.url}/graphql/`,
    apiKey: 'K',
    document: 'mutation ($apiKey: String!) { token(key: $apiKey) }',
    select: (data) => data.token,
  });
  const client = clientOf(server, { token });
  await client.close();
  expect((await errorOf(client.accounts.stage(account))).message).toBe(message('0 attempts'));
  expect(server.requests).toEqual([]);
});

it('closed between a failure and the next try: the failed request is not sent again', async () => {
  const server = await misbehavingServer({ [STAGE]: answer(500) });
  const client = clientOf(server, { hooks: { onRetry: () => void client.close() } });
  const error = await errorOf(client.accounts.stage(account));
  expect(error).toMatchObject({ name: 'ConnectionError', sent: true, attempts: 1, nextAction: 'none' });
  expect(error.message).toBe(
    'accounts.stage: the client is closed (CLOSED) after 1 attempt. To call again, create a new one: that is safe. [connection-error]',
  );
  expect(server.requests).toHaveLength(1);
});

function resolvable() {
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

describe('close() ends each wait at once', () => {
  const PROCESS = calls['accounts.process'].path;
  const STATUS = calls['imports.status'].path;
  /** Longer than the test. */
  const FOREVER = 1_000_000;
  const slow = { advanced: { retryBaseMs: FOREVER, inFlightGraceMs: FOREVER, maxThrottleWaitMs: FOREVER } };
  const limits = { deadlineMs: 10 * FOREVER, maxThrottleWaitMs: FOREVER };
  const staging = (client: DataImportClient) => client.accounts.stage(account, limits);
  const processing = (client: DataImportClient) => client.accounts.process(processPayload, limits);
  const throttled = answer(429, {}, { 'retry-after': '900' });
  const CLOSED = { name: 'ConnectionError', code: 'CLOSED', nextAction: 'none' };
  const UNKNOWN = { name: 'OutcomeUnknownError', nextAction: 'resolve' };
  const nothingDone = answer(200, { status: 'UNKNOWN', service_account_number: '' });

  it.each<[string, Record<string, Reaction>, (client: DataImportClient) => PromiseLike<unknown>, object]>([
    ['a backoff', { [STAGE]: answer(500) }, staging, CLOSED],
    ['the wait after a 429', { [STAGE]: throttled }, staging, CLOSED],
    ['that of process', { [PROCESS]: throttled }, processing, CLOSED],
    ['the quiet time of process', { [PROCESS]: resetAfterReading, [STATUS]: nothingDone }, processing, UNKNOWN],
  ])('%s', async (_, script, call, error) => {
    const retried = resolvable();
    const server = await misbehavingServer(script);
    const client = clientOf(server, { ...slow, hooks: { onRetry: retried.resolve } });
    const ended = errorOf(call(client));
    await retried.promise;
    await new Promise(setImmediate);
    await client.close();
    expect(await ended).toMatchObject({ ...error, attempts: 1 });
    expect(server.requests).toHaveLength(1);
  });

  it.each([
    ['a lost answer', resetAfterReading],
    ['a 500', answer(500, { detail: 'Failed.' })],
  ])('the backoff of the status query after %s', async (_, failure) => {
    const asked = resolvable();
    const onRetry = ({ operation }: { operation: string }) => void (operation === 'imports.status' && asked.resolve());
    const server = await misbehavingServer({ [PROCESS]: failure, [STATUS]: answer(500) });
    const client = clientOf(server, { hooks: { onRetry } });
    const patient = client.withOptions({ maxRetries: 1000, advanced: { retryBaseMs: 1 } });
    const ended = errorOf(patient.accounts.process(processPayload, limits));
    await asked.promise;
    await client.close();
    expect(await ended).toMatchObject({ ...UNKNOWN, attempts: 1 });
  });

  it('the wait for the 429 of another call, and for a free connection: nothing was sent', async () => {
    const server = await misbehavingServer({ [STAGE]: hang });
    const client = clientOf(server, { ...slow, concurrency: 1 });
    const ahead = client.accounts.stage(account, { ...limits, signal: AbortSignal.timeout(500) });
    await vi.waitUntil(() => server.requests.length === 1, PATIENCE);
    const behind = errorOf(staging(client));
    client.pause(FOREVER, 'process');
    const held = errorOf(processing(client));
    const closed = client.close();
    for (const error of [await behind, await held])
      expect(error).toMatchObject({ ...CLOSED, sent: false, attempts: 0 });
    expect(await errorOf(ahead)).toMatchObject({ name: 'AbortedError' });
    await closed;
  });

  it('imports.waitFor', async () => {
    const server = await misbehavingServer({ [STATUS]: nothingDone });
    const client = clientOf(server);
    const answered = new Promise((resolve) => client.on({ onResponse: resolve }));
    const ended = errorOf(
      client.imports.waitFor(
        { import_supplier_code: 'ACME', external_account_number: 'A-1' },
        { ...limits, intervalMs: FOREVER, until: ['COMPLETED'] },
      ),
    );
    await answered;
    await new Promise(setImmediate);
    await client.close();
    expect(await ended).toMatchObject(CLOSED);
    expect(server.requests).toHaveLength(1);
  });
});
