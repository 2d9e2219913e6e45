/** Connections that break, answers that hang, and limits of time (DESIGN 6). */

import { type AbortedError, type ConnectionError, isDataImportError, type TimeoutError } from 'data-import-sdk';
import { describe, expect, it, vi } from 'vitest';
import { account, calls, everyCall } from '../../helpers/calls.js';
import { clientOf, errorOf } from '../../helpers/client-of.js';
import {
  answer,
  closedPort,
  hang,
  hangInBody,
  misbehavingServer,
  resetAfterReading,
  resetUnread,
  truncated,
} from '../../helpers/misbehaving-server.js';
import { PATIENCE } from '../../helpers/patience.js';

const STAGE = calls['accounts.stage'].path;
const staged = { import_supplier: 'ACME', external_account_number: 'A-1' };

describe('a broken connection', () => {
  it.each([
    ['before the request was read', resetUnread],
    ['after the request was read', resetAfterReading],
    ['in the middle of the answer', truncated(201, staged)],
  ])('%s: a call that may be repeated is', async (_, broken) => {
    const server = await misbehavingServer({ [STAGE]: [broken, answer(201, staged)] });
    const result = await clientOf(server).accounts.stage(account).withResponse();
    expect(result).toMatchObject({ attempts: 2, data: { callOutcome: 'created' } });
  });

  it('reported by a fetch as Response.error(): a repeatable call is repeated', async () => {
    const answers = [Response.error(), Response.json(staged, { status: 201 })];
    const fetch = async () => answers.shift() ?? Response.error();
    const client = clientOf({ url: 'http://127.0.0.1' }, { fetch, maxRetries: 1 });
    expect((await client.accounts.stage(account).withResponse()).attempts).toBe(2);
    expect((await errorOf(client.accounts.stage(account))).message).toBe(
      'accounts.stage: the connection to 127.0.0.1 broke before the answer was complete (NetworkError) after 2 attempts. It is safe to call again. [connection-error]',
    );
  });

  it('without an end is a ConnectionError with sent: true', async () => {
    const server = await misbehavingServer({ [STAGE]: resetAfterReading });
    const error = await errorOf<ConnectionError>(clientOf(server, { maxRetries: 1 }).accounts.stage(account));
    expect(error).toMatchObject({ name: 'ConnectionError', sent: true, attempts: 2, nextAction: 'retryLater' });
    expect(error.message).toMatch(
      /^accounts\.stage: the connection to 127\.0\.0\.1:\d+ broke before the answer was complete \(\w+\) after 2 attempts\. It is safe to call again\. \[connection-error\]$/,
    );
  });
});

describe('a failed connection', () => {
  it.each(everyCall)('%s: certainly nothing was sent, so it is retried, whatever the call', async (name, { send }) => {
    const url = await closedPort();
    const error = await errorOf<ConnectionError>(send(clientOf({ url }, { maxRetries: 2 })));
    expect(error).toMatchObject({ name: 'ConnectionError', sent: false, attempts: 3, nextAction: 'retryLater' });
    expect(error).toMatchObject({ host: new URL(url).host, code: 'ECONNREFUSED' });
    expect(error.message).toBe(
      `${name}: no connection to ${new URL(url).host} could be made (ECONNREFUSED) after 3 attempts. Nothing was sent: check the base URL, the proxy, the certificate and the network. [connection-error]`,
    );
  });

  it('after a request that was sent: the error does not claim that nothing was', async () => {
    const refused = Object.assign(new TypeError('fetch failed'), { cause: { code: 'ECONNREFUSED' } });
    const reset = Object.assign(new TypeError('fetch failed'), { cause: { code: 'ECONNRESET' } });
    let count = 0;
    const fetch = () => Promise.reject(count++ === 0 ? reset : refused);
    const client = clientOf({ url: 'http://127.0.0.1' }, { fetch, maxRetries: 1 });
    const error = await errorOf<ConnectionError>(client.accounts.stage(account));
    expect(error.sent).toBe(true);
    expect(error.message).toBe(
      'accounts.stage: your fetch reported a failed connection (ECONNREFUSED) after 2 attempts. It is safe to call again. [connection-error]',
    );
  });
});

describe('the message of a connection error', () => {
  it('names only the host: no path, query or credentials of the address', async () => {
    const url = `${await closedPort()}/tenant-7/api`;
    const error = await errorOf<ConnectionError>(
      clientOf({ url }, { maxRetries: 0 }).imports.status({
        import_supplier_code: 'ACME',
        external_account_number: 'A-1',
      }),
    );
    expect(error.message).toContain(`no connection to ${new URL(url).host} could be made (ECONNREFUSED)`);
    expect(JSON.stringify(error) + error.message).not.toMatch(/tenant-7|ACME|A-1/);
  });
});

describe('a missing answer', () => {
  it.each([
    ['no answer', hang],
    ['no body', hangInBody(201)],
  ])('%s: timeoutMs ends the attempt, body included, and a call that may be repeated is', async (_, silent) => {
    const server = await misbehavingServer({ [STAGE]: [silent, answer(201, staged)] });
    expect((await clientOf(server, { timeoutMs: 150 }).accounts.stage(account).withResponse()).attempts).toBe(2);
  });

  it('without end is a TimeoutError that names the limit', async () => {
    const server = await misbehavingServer({ [STAGE]: hang });
    const error = await errorOf<TimeoutError>(
      clientOf(server, { maxRetries: 1 }).accounts.stage(account, { timeoutMs: 150 }),
    );
    expect(error).toMatchObject({ name: 'TimeoutError', limit: 'timeoutMs', sent: true, attempts: 2 });
    expect(error.message).toBe(
      `accounts.stage: no complete answer from ${new URL(server.url).host} within 150 ms (timeoutMs) after 2 attempts. It is safe to call again. [timeout-error]`,
    );
  });

  it('deadlineMs of a waiting call reports that nothing was sent', async () => {
    const controller = new AbortController();
    const server = await misbehavingServer({ [STAGE]: hang });
    const client = clientOf(server, { concurrency: 1 });
    const ahead = errorOf(client.accounts.stage(account, { signal: controller.signal }));
    await vi.waitUntil(() => server.requests.length === 1, PATIENCE);

    const error = await errorOf<TimeoutError>(client.accounts.stage(account, { deadlineMs: 20 }));

    expect(error).toMatchObject({ limit: 'deadlineMs', attempts: 0, sent: false });
    expect(error.message).toBe(
      `accounts.stage: no complete answer from ${new URL(server.url).host} within 20 ms (deadlineMs) after 0 attempts. Nothing was sent: it is safe to call again. [timeout-error]`,
    );
    controller.abort();
    await ahead;
    expect(server.requests).toHaveLength(1);
  });
});

describe('an AbortSignal', () => {
  const reason = new Error('the user left');

  it('that is aborted before: nothing is sent', async () => {
    const server = await misbehavingServer({ [STAGE]: answer(201, staged) });
    const error = await errorOf<AbortedError>(
      clientOf(server).accounts.stage(account, { signal: AbortSignal.abort(reason) }),
    );
    expect(error).toMatchObject({ name: 'AbortedError', attempts: 0, outcomeUnknown: false, cause: reason });
    expect(error.message).toBe('accounts.stage: aborted by its signal. It is safe to call again. [aborted-error]');
    expect(server.requests).toEqual([]);
  });

  it.each(everyCall)('%s: during a request', async (name, { path, send }) => {
    const controller = new AbortController();
    const server = await misbehavingServer({ [path]: () => controller.abort(reason) });

    const error = await errorOf<AbortedError>(send(clientOf(server), { signal: controller.signal }));

    const mayBeDoneTwice = [
      'supplyPoints.populate',
      'businesses.create',
      'businesses.createPaymentInstruction',
      'accounts.process',
      'historicalStatements.create',
      'paymentInstructions.create',
    ].includes(name);
    expect(error).toMatchObject({ name: 'AbortedError', attempts: 1, outcomeUnknown: mayBeDoneTwice });
    expect(error.nextAction).toBe(mayBeDoneTwice ? 'resolve' : 'none');
    expect(error.message).toBe(
      mayBeDoneTwice
        ? `${name}: aborted by its signal. A request was in flight and may have taken effect: ask the service before you send it again. [aborted-error]`
        : `${name}: aborted by its signal. It is safe to call again. [aborted-error]`,
    );
    expect(server.requests).toHaveLength(1);
  });

  it('while the call waits for a retry', async () => {
    const controller = new AbortController();
    const server = await misbehavingServer({ [STAGE]: answer(500) });
    const client = clientOf(server, {
      advanced: { retryBaseMs: 1_000_000 },
      hooks: { onRetry: () => controller.abort('enough') },
    });
    const error = await errorOf<AbortedError>(client.accounts.stage(account, { signal: controller.signal }));
    expect(error).toMatchObject({ name: 'AbortedError', attempts: 1, outcomeUnknown: false, cause: 'enough' });
  });

  it('while the client cools down', async () => {
    const controller = new AbortController();
    const server = await misbehavingServer({ [STAGE]: answer(429, undefined, { 'retry-after': '30' }) });
    const client = clientOf(server, { hooks: { onCooldown: () => controller.abort() } });
    const error = await errorOf<AbortedError>(client.accounts.stage(account, { signal: controller.signal }));
    expect(error).toMatchObject({ name: 'AbortedError', attempts: 1, outcomeUnknown: false });
  });

  it('while the call waits behind others, which continue', async () => {
    const first = new AbortController();
    const second = new AbortController();
    const server = await misbehavingServer({ [STAGE]: hang });
    const client = clientOf(server, { concurrency: 1 });
    const ahead = errorOf(client.accounts.stage(account, { signal: first.signal }));
    const behind = errorOf<AbortedError>(client.accounts.stage(account, { signal: second.signal }));
    await vi.waitUntil(() => server.requests.length === 1, PATIENCE);

    second.abort();

    expect(await behind).toMatchObject({ name: 'AbortedError', attempts: 0, outcomeUnknown: false });
    expect(server.requests).toHaveLength(1);
    first.abort();
    await ahead;
  });

  it('while the call waits for a token: the others keep waiting for the same one', async () => {
    const controller = new AbortController();
    let give: (token: string) => void = () => {};
    const token = () =>
      new Promise<string>((resolve) => {
        give = resolve;
      });
    const server = await misbehavingServer({ [STAGE]: answer(201, staged) });
    const client = clientOf(server, { token });
    const leaving = errorOf(client.accounts.stage(account, { signal: controller.signal }));
    const staying = client.accounts.stage(account);
    await new Promise(setImmediate);

    controller.abort();
    expect(await leaving).toMatchObject({ name: 'AbortedError', attempts: 0 });
    give('T-1');

    expect((await staying).callOutcome).toBe('created');
    expect(server.requests).toHaveLength(1);
  });

  it('with a reason that is no error, while the call waits for a new token after a 401', async () => {
    const controller = new AbortController();
    let tokens = 0;
    const token = () => {
      if (++tokens === 1) return 'T-1';
      controller.abort('enough');
      return new Promise<string>(() => {});
    };
    const server = await misbehavingServer({ [STAGE]: answer(401) });
    const error = await errorOf<AbortedError>(
      clientOf(server, { token }).accounts.stage(account, { signal: controller.signal }),
    );
    expect(error).toMatchObject({ name: 'AbortedError', attempts: 1, outcomeUnknown: false, cause: 'enough' });
  });

  it('that aborts after the call has no effect', async () => {
    const controller = new AbortController();
    const server = await misbehavingServer({ [STAGE]: answer(201, staged) });
    const call = clientOf(server).accounts.stage(account, { signal: controller.signal });
    await call;
    controller.abort();
    expect((await call).callOutcome).toBe('created');
  });
});

it('a call that is refused before it starts rejects with a TypeError that is not ours', async () => {
  const client = clientOf({ url: 'http://127.0.0.1:9' });
  const error = await client.imports.all('ACME', { signal: {} as never }).catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(TypeError);
  expect(isDataImportError(error)).toBe(false);
});
