/** Events on Node's diagnostics channel, for tracing tools that do not depend on the client (issue 3, Seeing it). */
import { channel, subscribe, tracingChannel, unsubscribe } from 'node:diagnostics_channel';
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { account, calls, processPayload } from '../helpers/calls.js';
import { clientOf } from '../helpers/client-of.js';
import { answer, misbehavingServer, resetAfterReading } from '../helpers/misbehaving-server.js';

const CHANNEL = 'data-import:request';
const STAGE = calls['accounts.stage'].path;
const staged = { import_supplier: 'ACME', external_account_number: 'A-1' };

function listen(listener: (message: unknown, name: string | symbol) => void) {
  subscribe(CHANNEL, listener);
  onTestFinished(() => void unsubscribe(CHANNEL, listener));
}

beforeEach(() => {
  expect(channel(CHANNEL).hasSubscribers).toBe(false);
});

it('each request is published when it has ended: operation, attempt, status, duration, request id, and nothing else', async () => {
  const events: unknown[] = [];
  listen((event, name) => events.push([name, event]));
  const server = await misbehavingServer({
    [STAGE]: [answer(500, {}, { 'x-request-id': 'req-1' }), resetAfterReading, answer(201, staged)],
  });

  await clientOf(server).accounts.stage(account);

  const of = { callId: expect.any(Number), operation: 'accounts.stage' };
  const durationMs = expect.any(Number);
  expect(events).toEqual([
    [CHANNEL, { ...of, attempt: 1, status: 500, durationMs, requestId: 'req-1' }],
    [CHANNEL, { ...of, attempt: 2, status: undefined, durationMs, requestId: undefined, reason: expect.any(String) }],
    [CHANNEL, { ...of, attempt: 3, status: 201, durationMs, requestId: undefined }],
  ]);
});

it('no event is built without a subscriber', async () => {
  const published = vi.spyOn(channel(CHANNEL), 'publish');
  const server = await misbehavingServer({ [STAGE]: answer(201, staged) });
  await clientOf(server).accounts.stage(account);
  expect(published).not.toHaveBeenCalled();
});

it('a subscriber that unsubscribed receives no more events', async () => {
  const events: unknown[] = [];
  const listener = (event: unknown) => void events.push(event);
  subscribe(CHANNEL, listener);
  const server = await misbehavingServer({ [STAGE]: answer(201, staged) });
  const client = clientOf(server);
  await client.accounts.stage(account);
  unsubscribe(CHANNEL, listener);
  await client.accounts.stage(account);
  expect(events).toHaveLength(1);
});

it('a payload that is refused locally causes no event: nothing was sent', async () => {
  const events: unknown[] = [];
  listen((event) => events.push(event));
  const server = await misbehavingServer({});
  await clientOf(server)
    .accounts.stage({} as never)
    .catch(() => {});
  expect(events).toEqual([]);
});

it('a subscriber that throws breaks neither the call nor the other subscribers; Node reports it by itself', async () => {
  const reported: unknown[] = [];
  // Node throws what a subscriber threw in the next tick; vitest's own listeners must not see it.
  const listeners = process.listeners('uncaughtException');
  process.removeAllListeners('uncaughtException').on('uncaughtException', (error) => reported.push(error));
  onTestFinished(() => {
    process.removeAllListeners('uncaughtException');
    for (const listener of listeners) process.on('uncaughtException', listener);
  });
  const failure = new Error('of the subscriber');
  const events: unknown[] = [];
  listen(() => {
    throw failure;
  });
  listen((event) => events.push(event));
  const server = await misbehavingServer({ [STAGE]: [answer(500), answer(201, staged)] });

  const result = await clientOf(server).accounts.stage(account);
  await new Promise(setImmediate);

  expect(result.callOutcome).toBe('created');
  expect(events).toHaveLength(2);
  expect(reported).toEqual([failure, failure]);
});

it('each request is published when it starts, to subscribers of that channel only', async () => {
  const events: unknown[] = [];
  const listener = (event: unknown) => void events.push(event);
  subscribe(`${CHANNEL}:start`, listener);
  onTestFinished(() => void unsubscribe(`${CHANNEL}:start`, listener));
  const server = await misbehavingServer({ [STAGE]: [answer(500), answer(201, staged)] });
  await clientOf(server).accounts.stage(account);
  expect(events).toEqual([
    { callId: expect.any(Number), operation: 'accounts.stage', attempt: 1 },
    { callId: expect.any(Number), operation: 'accounts.stage', attempt: 2 },
  ]);
});

/** The messages of the tracing channel until the end of the test. */
function publishedCalls(): [string, object][] {
  const events: [string, object][] = [];
  const add = (name: string) => (event: object) => void events.push([name, { ...event }]);
  const published = tracingChannel<unknown, object>('data-import:call');
  const subscribers = {
    ...{ start: add('start'), end() {}, asyncStart() {} },
    ...{ asyncEnd: add('asyncEnd'), error: add('error') },
  };
  published.subscribe(subscribers);
  onTestFinished(() => void published.unsubscribe(subscribers));
  return events;
}

it('each call is published on a tracing channel: operation and address, an error, and no result', async () => {
  const events = publishedCalls();
  const server = await misbehavingServer({ [STAGE]: [answer(201, staged), answer(404, {})] });
  const client = clientOf(server);
  await client.accounts.stage(account);
  const error = await client.accounts.stage(account).catch((reason: unknown) => reason);
  const event = { callId: expect.any(Number), operation: 'accounts.stage', baseUrl: server.url };
  expect(events).toEqual([
    ['start', event],
    ['asyncEnd', { ...event, result: undefined }],
    ['start', event],
    ['error', { ...event, error }],
    ['asyncEnd', { ...event, error }],
  ]);
});

it('a dry run is published as it ends: without an error if it would import, with one if its status is a success', async () => {
  const events = publishedCalls();
  const { path, status, answer: body } = calls['accounts.dryRun'];
  const server = await misbehavingServer({
    [path]: [answer(status, body), answer(201, { service_account_number: 'S-1' })],
  });
  const client = clientOf(server);
  expect(await client.accounts.dryRun(processPayload)).toMatchObject({ wouldImport: true });
  const error = await client.accounts.dryRun(processPayload).catch((reason: unknown) => reason);
  const event = { callId: expect.any(Number), operation: 'accounts.dryRun', baseUrl: server.url };
  expect(events).toEqual([
    ['start', event],
    ['asyncEnd', { ...event, result: undefined }],
    ['start', event],
    ['error', { ...event, error }],
    ['asyncEnd', { ...event, error }],
  ]);
  expect(error).toMatchObject({ name: 'ResponseMismatchError' });
});
