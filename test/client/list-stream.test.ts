/** `imports.streamAll`: the entries of a list of any length, one by one; half a list is never taken for a whole one. */
import { DataImportClient, type DataImportClientOptions } from 'data-import-sdk';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { clientOf, errorOf } from '../helpers/client-of.js';
import { answer, html, misbehavingServer, truncated } from '../helpers/misbehaving-server.js';
import { type ImportServiceOptions, startImportService } from '../support/import-service.js';

const PATH = 'all-account-import-processes/ACME/';
const entry = (number: string, service: string | null = `S-${number}`) => ({
  external_account_number: number,
  service_account_number: service,
  account_created_at: service === null ? null : '2026-01-15T09:00:00+00:00',
});
const entries = (count: number) => Array.from({ length: count }, (_, index) => entry(`A-${index}`));

async function numbersOf(stream: AsyncIterable<{ external_account_number: string }>): Promise<string[]> {
  const numbers: string[] = [];
  for await (const { external_account_number } of stream) numbers.push(external_account_number);
  return numbers;
}

async function open(service: ImportServiceOptions, options: Partial<DataImportClientOptions> = {}) {
  const server = await startImportService(service);
  onTestFinished(() => server.close());
  return { server, client: clientOf(server, options) };
}

/** Through the client's own connections, and through a fetch. */
const WAYS: [string, Partial<DataImportClientOptions>][] = [
  ['own connections', {}],
  ['fetch', { fetch: (url, init) => globalThis.fetch(url, init) }],
];

describe.each(WAYS)('%s', (_, way) => {
  test('a list larger than maxAnswerBytes is read to its end, and only an entry may not be larger', async () => {
    const { client } = await open(
      { list: () => ({ entries: entries(5000) }) },
      { ...way, advanced: { maxAnswerBytes: 200 } },
    );
    const numbers = await numbersOf(client.imports.streamAll('ACME'));
    expect(numbers).toHaveLength(5000);
    expect(numbers.at(-1)).toBe('A-4999');

    const large = [entry('A-0'), { ...entry('A-1'), more: 'x'.repeat(200) }];
    const { client: other } = await open(
      { list: () => ({ entries: large }) },
      { ...way, advanced: { maxAnswerBytes: 200 } },
    );
    expect((await errorOf(numbersOf(other.imports.streamAll('ACME')))).message).toBe(
      'imports.streamAll: 200 with a body that differs from the API specification: 1: larger than maxAnswerBytes. Not retried: the service did answer. Look at `body` and check the base URL, then report it. [response-mismatch-error]',
    );
  });

  test('a connection that breaks in the middle ends in one ConnectionError', async () => {
    const { client, server } = await open({ list: () => ({ entries: entries(100), breakAfter: 90 }) }, way);
    const numbers: string[] = [];
    const error = await errorOf(
      (async () => {
        for await (const one of client.imports.streamAll('ACME')) numbers.push(one.external_account_number);
      })(),
    );
    expect(error).toMatchObject({ name: 'ConnectionError', sent: true, nextAction: 'retryLater', attempts: 1 });
    expect(error.message).toContain('broke before the answer was complete');
    expect(server.requests).toEqual([`GET ${PATH}`]);
  });

  test('a list without its end ends in a ConnectionError, after any end of the connection', async () => {
    const server = await misbehavingServer({ [PATH]: answer(200, `[${JSON.stringify(entry('A-0'))}, `) });
    expect(await errorOf(numbersOf(clientOf(server, way).imports.streamAll('ACME')))).toMatchObject({
      name: 'ConnectionError',
      code: 'INCOMPLETE_LIST',
    });
    const cut = await misbehavingServer({ [PATH]: truncated(200, entries(3)) });
    expect(await errorOf(numbersOf(clientOf(cut, way).imports.streamAll('ACME')))).toMatchObject({
      name: 'ConnectionError',
    });
  });

  test('an entry of another shape ends in a ResponseMismatchError with its index and only its text', async () => {
    const wrong = { ...entry('A-700'), external_account_number: 700 };
    const list = () => ({ entries: [...entries(700), wrong, ...entries(5)] });
    const { client } = await open({ list }, way);
    const error = await errorOf(numbersOf(client.imports.streamAll('ACME')));
    expect(error).toMatchObject({ name: 'ResponseMismatchError', status: 200, body: wrong });
    expect(error.message).toContain(': 700.external_account_number: Expected a string, found a number. ');
  });

  test.each([
    ['a page', html(200), 'expected a JSON list'],
    ['an object', answer(200, { results: [] }), 'expected a JSON list'],
    ['nothing', answer(200), 'empty'],
    ['garbage between entries', answer(200, '[{"a": 1} x, 2]'), '0: not JSON'],
    ['more after the list', answer(200, `[${JSON.stringify(entry('A-0'))}] 1`), 'there is more after the list'],
  ])('%s in place of a list ends in a ResponseMismatchError', async (_name, reaction, what) => {
    const server = await misbehavingServer({ [PATH]: reaction });
    const error = await errorOf(numbersOf(clientOf(server, way).imports.streamAll('ACME')));
    expect(error.name).toBe('ResponseMismatchError');
    expect(error.message).toContain(what);
  });

  test('token, 500, 429, 404 and 204 are handled as in any call', async () => {
    const list = answer(200, [entry('A-0')]);
    const server = await misbehavingServer({
      [PATH]: [answer(401), answer(500), answer(429, {}, { 'retry-after': '0' }), list],
    });
    let tokens = 0;
    const client = clientOf(server, { ...way, token: async () => `token-${++tokens}` });
    expect(await numbersOf(client.imports.streamAll('ACME'))).toEqual(['A-0']);
    expect(server.requests.map(({ headers }) => headers['authorization'])).toEqual([
      'Token token-1',
      ...Array(3).fill('Token token-2'),
    ]);
    const missing = await misbehavingServer({ [PATH]: answer(404, { detail: 'Not found.' }) });
    expect((await errorOf(numbersOf(clientOf(missing, way).imports.streamAll('ACME')))).name).toBe('NotFoundError');
    const nothing = await misbehavingServer({ [PATH]: answer(204) });
    expect(await numbersOf(clientOf(nothing, way).imports.streamAll('ACME'))).toEqual([]);
  });

  test('a loop that ends early ends the request; calls inside the loop continue, also with a limit of one at a time', {
    tags: 'long',
  }, async () => {
    const { client } = await open({ list: () => ({ entries: entries(200_000) }) }, { ...way, concurrency: 1 });
    for await (const { external_account_number: number } of client.imports.streamAll('ACME')) {
      expect(
        (await errorOf(client.imports.status({ import_supplier_code: 'ACME', external_account_number: number }))).name,
      ).toBe('NotFoundError');
      break;
    }
    // Waits for requests in flight, and the request of the list has ended.
    await client.close();
  });

  test('the signal ends a list in the middle', async () => {
    const { client } = await open({ list: () => ({ entries: entries(200_000) }) }, way);
    const controller = new AbortController();
    const error = await errorOf(
      (async () => {
        for await (const _ of client.imports.streamAll('ACME', { signal: controller.signal })) controller.abort();
      })(),
    );
    expect(error).toMatchObject({ name: 'AbortedError', outcomeUnknown: false });
  });
});

test('streamPending reads the pending list', async () => {
  const path = 'pending-account-import-processes/ACME/';
  const server = await misbehavingServer({ [path]: answer(200, [entry('A-0', null)]) });
  expect(await numbersOf(clientOf(server).imports.streamPending('ACME'))).toEqual(['A-0']);
});

test('a supplier that is invalid in a path ends it before a request', async () => {
  const client = clientOf({ url: 'http://127.0.0.1:9' });
  expect((await errorOf(numbersOf(client.imports.streamAll('')))).name).toBe('InvalidPayloadError');
});

test('an array beyond its limit is an error that names the method without a limit', async () => {
  const list = answer(200, entries(20_000));
  const server = await misbehavingServer({ [PATH]: list, 'pending-account-import-processes/ACME/': list });
  const client = clientOf(server, { advanced: { maxAnswerBytes: 1024 * 1024 } });
  expect((await errorOf(client.imports.all('ACME'))).message).toBe(
    'imports.all: 200 with a body larger than maxAnswerBytes (1 MiB). Not retried: the service did answer; read its entries one by one with imports.streamAll, or raise advanced.maxAnswerBytes. [response-mismatch-error]',
  );
  expect((await errorOf(client.imports.pending('ACME'))).message).toContain('with imports.streamPending,');
});

describe('limits of time', () => {
  /** A client whose list comes as the test says. */
  function scripted(options: Partial<DataImportClientOptions>) {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    onTestFinished(() => void vi.useRealTimers());
    let body: ReadableStreamDefaultController<Uint8Array> | undefined;
    const stream = new ReadableStream<Uint8Array>({
      start(controller) {
        body = controller;
      },
    });
    const fetch = async () => new Response(stream, { status: 200 });
    const client = new DataImportClient({ baseUrl: 'http://127.0.0.1', token: 'T', fetch, ...options });
    return { client, send: (text: string) => body?.enqueue(Buffer.from(text)), end: () => body?.close() };
  }

  test('a list that takes longer than timeoutMs and deadlineMs is read to its end', async () => {
    const { client, send, end } = scripted({ timeoutMs: 60_000, deadlineMs: 90_000 });
    const numbers = numbersOf(client.imports.streamAll('ACME'));
    send('[');
    for (let index = 0; index < 10; index++) {
      await vi.advanceTimersByTimeAsync(50_000);
      send(`${index === 0 ? '' : ','}${JSON.stringify(entry(`A-${index}`))},${JSON.stringify(entry(`B-${index}`))}`);
    }
    await vi.advanceTimersByTimeAsync(50_000);
    send(']');
    end();
    expect(await numbers).toHaveLength(20);
  });

  test('a list without a further entry for timeoutMs ends in a TimeoutError, also if single bytes arrive', async () => {
    const { client, send } = scripted({ timeoutMs: 60_000 });
    const error = errorOf(numbersOf(client.imports.streamAll('ACME')));
    send(`[${JSON.stringify(entry('A-0'))},`);
    for (let drop = 0; drop < 5; drop++) {
      await vi.advanceTimersByTimeAsync(10_000);
      send(' ');
    }
    await vi.advanceTimersByTimeAsync(10_000);
    expect((await error).message).toBe(
      'imports.streamAll: no further entry from 127.0.0.1 within 60000 ms (timeoutMs) after 1 attempt. It is safe to call again. [timeout-error]',
    );
  });

  test('the time that the caller takes for an entry does not count', async () => {
    const { client, send, end } = scripted({ timeoutMs: 60_000, deadlineMs: 90_000 });
    send(`[${JSON.stringify(entry('A-0'))},`);
    const stream = client.imports.streamAll('ACME');
    await stream.next();
    await vi.advanceTimersByTimeAsync(600_000);
    send(`${JSON.stringify(entry('A-1'))}]`);
    end();
    expect(await numbersOf(stream)).toEqual(['A-1']);
  });
});

test('a connection is not read any further while its entries wait for the caller', async () => {
  const calls: string[] = [];
  let isPaused = false;
  const controller = {
    pause: () => {
      isPaused = true;
      calls.push('pause');
    },
    resume: () => {
      isPaused = false;
      calls.push('resume');
    },
    abort: () => calls.push('abort'),
    get paused() {
      return isPaused;
    },
  };
  const chunk = Buffer.from(`${JSON.stringify({ ...entry('A-0'), more: 'x'.repeat(100_000) })},`);
  const dispatcher = {
    dispatch(_options: unknown, handler: Record<string, (...args: unknown[]) => void>) {
      handler['onRequestStart']?.(controller, {});
      handler['onResponseStart']?.(controller, 200, {});
      handler['onResponseData']?.(controller, Buffer.from('['));
      for (let index = 0; index < 3; index++) handler['onResponseData']?.(controller, chunk);
      return true;
    },
  };
  const client = new DataImportClient({ baseUrl: 'http://127.0.0.1', token: 'T', dispatcher: dispatcher as never });
  const stream = client.imports.streamAll('ACME');
  await stream.next();
  expect(calls).toEqual(['pause', 'resume']);
  await stream.return();
  expect(calls).toEqual(['pause', 'resume', 'abort']);
});
