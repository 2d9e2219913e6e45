/** Hooks and a logger see what happens, and change nothing (DESIGN 6; nothing secret: test/errors/secrets.test.ts). */
import type { Hooks, Logger } from 'data-import-sdk';
import { describe, expect, it, vi } from 'vitest';
import { account, calls, processPayload } from '../helpers/calls.js';
import { clientOf, errorOf } from '../helpers/client-of.js';
import { answer, misbehavingServer, resetAfterReading } from '../helpers/misbehaving-server.js';

const STAGE = calls['accounts.stage'].path;
const staged = { import_supplier: 'ACME', external_account_number: 'A-1' };

function watcher() {
  const events: unknown[] = [];
  const hooks: Hooks = {
    onRequest: (event) => void events.push(['request', event]),
    onResponse: (event) => void events.push(['response', event]),
    onRetry: (event) => void events.push(['retry', event]),
    onCooldown: (event) => void events.push(['cooldown', event]),
  };
  const lines: unknown[] = [];
  const logger: Logger = {
    debug: (facts, message) => void lines.push(['debug', message, facts]),
    warn: (facts, message) => void lines.push(['warn', message, facts]),
  };
  return { events, hooks, lines, logger };
}

it('hooks get operation, attempt, status, duration, delay and reason', async () => {
  const { events, hooks } = watcher();
  const server = await misbehavingServer({
    [STAGE]: [
      answer(500, {}, { 'x-request-id': 'req-1' }),
      resetAfterReading,
      answer(429, {}, { 'retry-after': '0.01' }),
      answer(201, staged),
    ],
  });
  vi.spyOn(Math, 'random').mockReturnValue(0.5);

  await clientOf(server, { hooks, advanced: { retryBaseMs: 4 } }).accounts.stage(account);

  const callId = (events as [string, { callId: number }][])[0]?.[1].callId;
  const of = { callId, operation: 'accounts.stage' };
  expect(callId).toEqual(expect.any(Number));
  const durationMs = expect.any(Number);
  const broken = expect.stringMatching(/^(ECONNRESET|UND_ERR_SOCKET)$/);
  expect(events).toEqual([
    ['request', { ...of, attempt: 1 }],
    ['response', { ...of, attempt: 1, status: 500, durationMs, requestId: 'req-1' }],
    ['retry', { ...of, attempt: 1, delayMs: 2, reason: '500' }],
    ['request', { ...of, attempt: 2 }],
    ['response', { ...of, attempt: 2, status: undefined, durationMs, requestId: undefined, reason: broken }],
    ['retry', { ...of, attempt: 2, delayMs: 4, reason: broken }],
    ['request', { ...of, attempt: 3 }],
    ['response', { ...of, attempt: 3, status: 429, durationMs, requestId: undefined }],
    ['cooldown', { ...of, delayMs: 10, scope: 'all' }],
    ['retry', { ...of, attempt: 3, delayMs: 10, reason: '429' }],
    ['request', { ...of, attempt: 4 }],
    ['response', { ...of, attempt: 4, status: 201, durationMs, requestId: undefined }],
  ]);
});

it('a logger gets the same as pino-shaped objects: what goes well at debug, what does not at warn', async () => {
  const { lines, logger } = watcher();
  const server = await misbehavingServer({ [STAGE]: [answer(429), answer(201, staged)] });
  await clientOf(server, { logger, advanced: { logLevel: 'debug' } }).accounts.stage(account);
  expect(lines.map((line) => (line as unknown[]).slice(0, 2))).toEqual([
    ['debug', 'data-import request'],
    ['debug', 'data-import response'],
    ['warn', 'data-import cooldown'],
    ['warn', 'data-import retry'],
    ['debug', 'data-import request'],
    ['debug', 'data-import response'],
  ]);
  const first = { callId: expect.any(Number), operation: 'accounts.stage', attempt: 1 };
  expect(lines[0]).toEqual(['debug', 'data-import request', first]);
});

it('without logLevel a logger gets only what does not go well: `logger: console` prints nothing for a success', async () => {
  const { lines, logger } = watcher();
  const server = await misbehavingServer({ [STAGE]: [answer(201, staged), answer(429), answer(201, staged)] });
  const client = clientOf(server, { logger });
  await client.accounts.stage(account);
  expect(lines).toEqual([]);
  await client.accounts.stage(account);
  expect(lines.map((line) => (line as unknown[]).slice(0, 2))).toEqual([
    ['warn', 'data-import cooldown'],
    ['warn', 'data-import retry'],
  ]);
});

it('64 calls in flight are distinguishable: all events of a call have its number, and no other call has it', async () => {
  const { events, hooks } = watcher();
  const server = await misbehavingServer({
    [STAGE]: [...Array.from({ length: 64 }, () => answer(500)), answer(201, staged)],
  });
  await Promise.all(
    Array.from({ length: 64 }, () => clientOf(server, { hooks, maxRetries: 100 }).accounts.stage(account)),
  );
  const kinds = new Map<number, string[]>();
  for (const [kind, { callId }] of events as [string, { callId: number }][]) {
    kinds.set(callId, [...(kinds.get(callId) ?? []), kind]);
  }
  expect(kinds.size).toBe(64);
  for (const seen of kinds.values()) expect(seen.join(' ')).toMatch(/^(request response retry )*request response$/);
});

it('a dry run and the questions about a process go by their own names', async () => {
  const { events, hooks } = watcher();
  const server = await misbehavingServer({
    [calls['accounts.process'].path]: [
      answer(400, { detail: 'Account would successfully import. Rolled back due to Dry Run.' }),
      answer(504),
    ],
    [calls['imports.status'].path]: answer(200, { status: 'PENDING', service_account_number: 'S-1' }),
  });
  const client = clientOf(server, { hooks });
  await client.accounts.dryRun(processPayload);
  await client.accounts.process(processPayload);
  const requests = (events as [string, { operation: string }][]).filter(([kind]) => kind === 'request');
  expect(requests.map(([, { operation }]) => operation)).toEqual([
    'accounts.dryRun',
    'accounts.process',
    'imports.status',
  ]);
});

describe('a failing hook or logger has no effect on calls, and is reported as a warning of the process', () => {
  const fail = () => {
    throw new RangeError('marker-of-the-hook');
  };
  const reject = async () => fail();

  it.each([
    [
      'hooks that throw',
      { hooks: { onRequest: fail, onSend: fail, onResponse: fail, onRetry: fail, onCooldown: fail } },
    ],
    [
      'hooks that reject',
      { hooks: { onRequest: reject, onSend: reject, onResponse: reject, onRetry: reject, onCooldown: reject } },
    ],
    ['a logger that throws', { logger: { debug: fail, warn: fail } }],
    ['a logger that rejects', { logger: { debug: reject, warn: reject } }],
  ])('%s', async (_, options) => {
    const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    const server = await misbehavingServer({ [STAGE]: [answer(500), answer(429), answer(201, staged)] });

    const result = await clientOf(server, options)
      .accounts.stage({ ...account, account_type: 'ODD' })
      .withResponse();

    expect(result.attempts).toBe(3);
    expect(warn).toHaveBeenCalledWith('A hook or logger of DataImportClient threw RangeError; the call continued.');
    expect(warn.mock.calls.join()).not.toContain('marker-of-the-hook');
  });

  it('a logger that throws does not keep the hooks from being called', async () => {
    vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    const { events, hooks } = watcher();
    const server = await misbehavingServer({ [STAGE]: answer(201, staged) });
    await clientOf(server, { hooks, logger: { debug: fail, warn: fail } }).accounts.stage(account);
    expect(events).toHaveLength(2);
  });

  it('any value can be thrown', async () => {
    const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    const server = await misbehavingServer({ [STAGE]: answer(201, staged) });
    const onRequest = () => {
      throw 'a string';
    };
    await clientOf(server, { hooks: { onRequest } }).accounts.stage(account);
    expect(warn).toHaveBeenCalledWith('A hook or logger of DataImportClient threw string; the call continued.');
  });
});

it('a hook that changes its event has no effect', async () => {
  const server = await misbehavingServer({ [STAGE]: [answer(500), answer(500)] });
  const onRetry = (event: { delayMs: number; operation: string }) => {
    event.delayMs = 1_000_000;
    event.operation = 'other';
  };
  const error = await errorOf(clientOf(server, { hooks: { onRetry }, maxRetries: 1 }).accounts.stage(account));
  expect(error).toMatchObject({ operation: 'accounts.stage', attempts: 2 });
});

it('hooks of a class keep their this', async () => {
  class Counter {
    count = 0;
    onRequest() {
      this.count++;
    }
  }
  const hooks = new Counter();
  const server = await misbehavingServer({ [STAGE]: answer(201, staged) });
  await clientOf(server, { hooks }).accounts.stage(account);
  expect(hooks.count).toBe(1);
});

describe('onSend is the last moment before a request leaves', () => {
  describe.each([
    ['its own connections', {}],
    ['a fetch of the caller', { fetch }],
  ])('with %s', (_, way) => {
    it('a call that is aborted in it sends nothing', async () => {
      const server = await misbehavingServer({ [STAGE]: answer(201, staged) });
      const controller = new AbortController();
      const events: unknown[] = [];
      const client = clientOf(server, way);
      client.on({
        onRequest: (event) => void events.push(['request', event]),
        onSend(event) {
          events.push(['send', event]);
          controller.abort();
        },
      });

      const error = await errorOf(client.accounts.stage(account, { signal: controller.signal }));

      expect(error).toMatchObject({ name: 'AbortedError', outcomeUnknown: false });
      const event = { callId: expect.any(Number), operation: 'accounts.stage', attempt: 1 };
      expect(events).toEqual([
        ['request', event],
        ['send', event],
      ]);
      expect((await client.accounts.stage(account)).callOutcome).toBe('created');
      expect(server.requests).toHaveLength(1);
    });

    it('it is not called for a call that was aborted before', async () => {
      const server = await misbehavingServer({ [STAGE]: answer(201, staged) });
      const controller = new AbortController();
      const onSend = vi.fn();
      const client = clientOf(server, { ...way, hooks: { onRequest: () => controller.abort(), onSend } });

      expect(await errorOf(client.accounts.stage(account, { signal: controller.signal }))).toMatchObject({
        name: 'AbortedError',
      });
      expect(onSend).not.toHaveBeenCalled();
      expect(server.requests).toEqual([]);
    });
  });

  it('it is called again for every attempt, and never without a connection', async () => {
    const onSend = vi.fn();
    const server = await misbehavingServer({ [STAGE]: [answer(500), answer(201, staged)] });
    await clientOf(server, { hooks: { onSend } }).accounts.stage(account);
    expect(onSend.mock.calls).toEqual(
      [1, 2].map((attempt) => [{ callId: expect.any(Number), operation: 'accounts.stage', attempt }]),
    );

    onSend.mockClear();
    await errorOf(
      clientOf({ url: 'http://127.0.0.1:9' }, { hooks: { onSend }, maxRetries: 1 }).accounts.stage(account),
    );
    expect(onSend).not.toHaveBeenCalled();
  });
});

describe('client.observe adds hooks to a client that exists', () => {
  it('they are called in addition to those of the option, until the returned function is called', async () => {
    const first = watcher();
    const second = watcher();
    const server = await misbehavingServer({ [STAGE]: answer(201, staged) });
    const client = clientOf(server, { hooks: first.hooks });

    const stop = client.on(second.hooks);
    await client.accounts.stage(account);
    stop();
    await client.accounts.stage(account);

    expect(second.events).toEqual([
      ['request', { callId: expect.any(Number), operation: 'accounts.stage', attempt: 1 }],
      [
        'response',
        {
          callId: expect.any(Number),
          operation: 'accounts.stage',
          attempt: 1,
          status: 201,
          durationMs: expect.any(Number),
          requestId: undefined,
        },
      ],
    ]);
    expect(first.events).toHaveLength(4);
  });

  it('they are called for retries, cooldowns, and the answers to calls in flight', async () => {
    const { events, hooks } = watcher();
    const server = await misbehavingServer({ [STAGE]: [answer(500), answer(429), answer(201, staged)] });
    const client = clientOf(server);
    const call = client.accounts.stage(account).withResponse();
    client.on(hooks);
    await call;
    expect((events as [string][]).map(([kind]) => kind)).toEqual([
      ...['request', 'response', 'retry'],
      ...['request', 'response', 'cooldown', 'retry'],
      ...['request', 'response'],
    ]);
  });

  it('the same hooks may be added twice, and end one by one', async () => {
    const { events, hooks } = watcher();
    const server = await misbehavingServer({ [STAGE]: answer(201, staged) });
    const client = clientOf(server);
    const [stop] = [client.on(hooks), client.on(hooks)];
    await client.accounts.stage(account);
    expect(events).toHaveLength(4);
    stop();
    stop();
    await client.accounts.stage(account);
    expect(events).toHaveLength(6);
  });

  it('hooks that throw or change their event change nothing for the call and for other hooks', async () => {
    const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    const { events, hooks } = watcher();
    const server = await misbehavingServer({ [STAGE]: answer(201, staged) });
    const client = clientOf(server);
    client.on({
      onRequest(event) {
        event.operation = 'other';
        throw new RangeError('marker-of-the-hook');
      },
    });
    client.on(hooks);
    await client.accounts.stage(account);
    expect(events).toMatchObject([
      ['request', { operation: 'accounts.stage' }],
      ['response', { operation: 'accounts.stage' }],
    ]);
    expect(warn).toHaveBeenCalledWith('A hook or logger of DataImportClient threw RangeError; the call continued.');
  });

  it('a hook that is not a function is a TypeError at once', async () => {
    const client = clientOf(await misbehavingServer({}));
    expect(() => client.on({ onRequest: 'log' } as unknown as Hooks)).toThrow(
      new TypeError(
        'hooks: expected an object of functions: onRequest, onSend, onResponse, onRetry, onCooldown, onSuspicion, found object.',
      ),
    );
  });

  it('an unknown hook is a TypeError at once', async () => {
    const client = clientOf(await misbehavingServer({}));
    expect(() => client.on({ onFoo() {} } as Hooks)).toThrow(
      new TypeError(
        'hooks: no option onFoo; there are onRequest, onSend, onResponse, onRetry, onCooldown, onSuspicion.',
      ),
    );
  });
});
