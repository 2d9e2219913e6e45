/** Sending through undici: what counts as sent, and what comes before the answer. */

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Agent, type Dispatcher, errors, Pool, ProxyAgent } from 'undici';
import { expect, it, onTestFinished, vi } from 'vitest';
import { business } from '../../examples/business.js';
import { account, calls, processPayload } from '../../helpers/calls.js';
import { clientOf, errorOf } from '../../helpers/client-of.js';
import { after, answer, hang, misbehavingServer } from '../../helpers/misbehaving-server.js';
import { PATIENCE } from '../../helpers/patience.js';

const STAGE = calls['accounts.stage'].path;
const staged = { import_supplier: 'ACME', external_account_number: 'A-1' };

it('a call that is aborted while the dispatcher has no free connection is never sent', async () => {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const server = await misbehavingServer({ [STAGE]: after(released, answer(201, staged)) });
  const dispatcher = new Pool(server.url, { connections: 1 });
  onTestFinished(() => dispatcher.close());
  const controller = new AbortController();
  const client = clientOf(server, { dispatcher });
  const first = client.accounts.stage(account);
  await vi.waitUntil(() => server.requests.length === 1, PATIENCE);
  const second = errorOf(client.accounts.stage(account, { signal: controller.signal }));
  await new Promise(setImmediate);

  controller.abort();
  expect((await second).name).toBe('AbortedError');
  release();
  await first;

  await client.accounts.stage(account);
  expect(server.requests).toHaveLength(2);
});

it('a call whose time is over while another one has the only connection was certainly not sent', async () => {
  const server = await misbehavingServer({ 'account-import-process/process/': hang });
  const controller = new AbortController();
  const client = clientOf(server, { concurrency: 1 });
  const ahead = errorOf(client.accounts.process(processPayload, { signal: controller.signal }));
  await vi.waitUntil(() => server.requests.length === 1, PATIENCE);

  const behind = await errorOf(client.accounts.process(processPayload, { deadlineMs: 10 }));

  expect(behind).toMatchObject({ name: 'TimeoutError', sent: false, attempts: 0 });
  controller.abort();
  expect(await ahead).toMatchObject({ name: 'AbortedError', outcomeUnknown: true });
  expect(server.requests).toHaveLength(1);
});

it('a dispatcher that throws is an error of this package, not its own', async () => {
  const dispatcher = Object.assign(new Agent(), {
    dispatch() {
      throw new TypeError('invalid handler');
    },
  }) as Dispatcher;
  const client = clientOf({ url: 'http://127.0.0.1:9' }, { dispatcher, maxRetries: 1 });
  expect((await errorOf(client.accounts.stage(account))).message).toBe(
    'accounts.stage: no connection to 127.0.0.1:9 could be made (TypeError) after 2 attempts. Nothing was sent: check the base URL, the proxy, the certificate and the network. [connection-error]',
  );
});

it('a dispatcher of undici 6 refuses the request: nothing was sent, and it is not retried', async () => {
  const dispatcher = Object.assign(new Agent(), {
    dispatch() {
      throw new errors.InvalidArgumentError('invalid onError method');
    },
  }) as Dispatcher;
  const client = clientOf({ url: 'http://127.0.0.1:9' }, { dispatcher });
  const error = await errorOf(client.businesses.create(business));
  expect(error).toMatchObject({ name: 'ConnectionError', sent: false, attempts: 1, nextAction: 'none' });
  expect(error.message).toBe(
    'businesses.create: the dispatcher is unsuitable (UND_ERR_INVALID_ARG) after 1 attempt. Nothing was sent: give one of undici 7 or newer. [connection-error]',
  );
});

it.each([407, 502])('a proxy that answers %i makes no way to the service: nothing was sent', async (status) => {
  const proxy = createServer().on('connect', (_, socket) => {
    // The client may have left.
    socket.on('error', () => {}).end(`HTTP/1.1 ${status} No\r\n\r\n`);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const { port } = proxy.address() as AddressInfo;
  const dispatcher = new ProxyAgent(`http://me:secret@127.0.0.1:${port}`);
  onTestFinished(async () => {
    await dispatcher.close();
    proxy.close();
  });
  const client = clientOf({ url: 'https://api.example.com' }, { dispatcher, maxRetries: 1 });
  const error = await errorOf(client.businesses.create(business));
  expect(error).toMatchObject({ name: 'ConnectionError', sent: false, attempts: 2, nextAction: 'retryLater' });
  expect(error.message).toBe(
    `businesses.create: the proxy answered ${status} (UND_ERR_ABORTED) after 2 attempts. Nothing was sent: check the proxy and its credentials. [connection-error]`,
  );
});

it('informational answers before the final one are ignored', async () => {
  const server = await misbehavingServer({
    [STAGE]: (request, response, received) => {
      response.writeProcessing();
      response.writeEarlyHints({ link: '</x>; rel=preload' });
      return answer(201, staged)(request, response, received);
    },
  });
  expect((await clientOf(server).accounts.stage(account)).callOutcome).toBe('created');
});

it('a repeated header is one value', async () => {
  const server = await misbehavingServer({
    [STAGE]: (request, response, received) => {
      response.setHeader('x-more', ['a', 'b']);
      return answer(201, staged)(request, response, received);
    },
  });
  expect((await clientOf(server).accounts.stage(account).withResponse()).headers['x-more']).toBe('a, b');
});

it('connections are kept and used again', async () => {
  const ports = new Set<number | undefined>();
  const server = await misbehavingServer({
    [STAGE]: (request, response, received) => {
      ports.add(request.socket.remotePort);
      return answer(201, staged)(request, response, received);
    },
  });
  const client = clientOf(server);
  for (let count = 0; count < 5; count++) await client.accounts.stage(account);
  // A Pool may take a second one where the first is not yet given back.
  expect(ports.size).toBeLessThanOrEqual(2);
});
