/** Answers that were made to harm: each ends in a result or in one error of this package, and harms nothing. */
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { inspect } from 'node:util';
import { gzipSync } from 'node:zlib';
import { type ApiError, DataImportClient, type DataImportClientOptions, type DataImportError } from 'data-import-sdk';
import { describe, expect, it, onTestFinished } from 'vitest';
import { errorOf } from '../helpers/client-of.js';
import { answer, misbehavingServer } from '../helpers/misbehaving-server.js';

/** For answers that never end: the shorter, the sooner the test does. */
const SHORT = { timeoutMs: 100 };
const BOMB = gzipSync(Buffer.alloc(20_000_000, ' '));

const LIST = 'all-account-import-processes/ACME/';

const TRANSPORTS: [string, Partial<DataImportClientOptions>][] = [
  ['through undici', {}],
  ['through fetch', { fetch: globalThis.fetch }],
];

/** Requests a list from a server that answers with `say`. */
async function listFrom(
  say: (socket: Socket) => void,
  options: Partial<DataImportClientOptions> = {},
): Promise<DataImportError> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.once('data', () => say(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  const client = new DataImportClient({
    baseUrl: `http://127.0.0.1:${port}`,
    token: 'a-token',
    maxRetries: 0,
    timeoutMs: 20_000,
    ...options,
  });
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await client.close();
  });
  return errorOf(client.imports.all('ACME'));
}

/** Writes the text again and again, until the client has disconnected. */
function withoutEnd(socket: Socket, text: string): void {
  const more = () => {
    while (!socket.destroyed && socket.write(text));
    if (!socket.destroyed) socket.once('drain', more);
  };
  more();
}

describe.each(TRANSPORTS)('%s', (_, transport) => {
  it('a head of a megabyte is a broken connection', async () => {
    const error = await listFrom((socket) => {
      socket.end(`HTTP/1.1 200 OK\r\nX: ${'x'.repeat(1_000_000)}\r\n\r\n[]`);
    }, transport);
    expect(error).toMatchObject({ name: 'ConnectionError', attempts: 1 });
    expect(error.message).toContain('UND_ERR_HEADERS_OVERFLOW');
  });

  it('headers without end are a broken connection', async () => {
    const error = await listFrom((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      withoutEnd(socket, 'X-More: and-more\r\n'.repeat(100));
    }, transport);
    expect(error.name).toBe('ConnectionError');
  });

  it('slowly arriving headers end with timeoutMs', async () => {
    const error = await listFrom(
      (socket) => {
        const dripping = setInterval(() => socket.write('x'), 20);
        socket.write('HTTP/1.1 200 OK\r\nX: ');
        socket.on('close', () => clearInterval(dripping));
      },
      { ...transport, ...SHORT },
    );
    expect(error.name).toBe('TimeoutError');
  });

  it('a slowly arriving body ends with timeoutMs', async () => {
    const error = await listFrom(
      (socket) => {
        const dripping = setInterval(() => socket.write('1\r\n \r\n'), 20);
        socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n');
        socket.on('close', () => clearInterval(dripping));
      },
      { ...transport, ...SHORT },
    );
    expect(error.name).toBe('TimeoutError');
  });

  it('a body without end is read no further than maxAnswerBytes', async () => {
    const error = await listFrom(
      (socket) => {
        socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n');
        withoutEnd(socket, `400\r\n${' '.repeat(1024)}\r\n`);
      },
      { ...transport, advanced: { maxAnswerBytes: 100_000 } },
    );
    expect(error.name).toBe('ResponseMismatchError');
    expect(error.message).toContain('larger than maxAnswerBytes');
  });

  it('a small body that inflates to 20 MB is read no further than maxAnswerBytes', async () => {
    const error = await listFrom(
      (socket) => {
        socket.write(`HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: ${BOMB.length}\r\n\r\n`);
        socket.write(BOMB);
      },
      { ...transport, advanced: { maxAnswerBytes: 100_000 } },
    );
    expect(error.name).toBe('ResponseMismatchError');
  });

  it.each([
    ['a length that is none', 'Content-Length: many'],
    ['two lengths', 'Content-Length: 2\r\nContent-Length: 3'],
    ['a length and chunks', 'Content-Length: 2\r\nTransfer-Encoding: chunked'],
  ])('%s is a broken connection', async (_, header) => {
    const error = await listFrom((socket) => socket.end(`HTTP/1.1 200 OK\r\n${header}\r\n\r\n[]`), transport);
    expect(error.name).toBe('ConnectionError');
  });

  it('answers before the answer, without end, end with timeoutMs or a broken connection', {
    tags: 'long',
  }, async () => {
    const error = await listFrom((socket) => withoutEnd(socket, 'HTTP/1.1 102 Processing\r\n\r\n'), {
      ...transport,
      ...SHORT,
    });
    expect(['TimeoutError', 'ConnectionError']).toContain(error.name);
  });

  it('bytes that are not UTF-8 are replaced, without an error', async () => {
    const body = Buffer.concat([Buffer.from('{"detail":"'), Buffer.from([0xff, 0xc0, 0x80]), Buffer.from('"}')]);
    const error = await listFrom((socket) => {
      socket.write(`HTTP/1.1 400 Bad Request\r\nContent-Length: ${body.length}\r\n\r\n`);
      socket.write(body);
    }, transport);
    expect((error as ApiError).detail).toBe('\uFFFD\uFFFD\uFFFD');
  });

  it('JSON under another content type is JSON: a gateway may have changed the header', async () => {
    const server = await misbehavingServer({ [LIST]: answer(200, '[]', { 'content-type': 'text/html' }) });
    const client = new DataImportClient({ baseUrl: server.url, token: 'a-token', ...transport });
    expect(await client.imports.all('ACME')).toEqual([]);
    await client.close();
  });
});

describe('malicious JSON', () => {
  async function listOf(body: string) {
    const server = await misbehavingServer({ [LIST]: answer(200, body) });
    const client = new DataImportClient({ baseUrl: server.url, token: 'a-token' });
    onTestFinished(() => client.close());
    return client.imports.all('ACME');
  }

  it.each([
    ['lists in lists', '['.repeat(200_000) + ']'.repeat(200_000)],
    ['objects in objects', `[${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}]`],
    ['lists that never close', '['.repeat(500_000)],
  ])('%s, deeper than any stack: one error, which can be printed', async (_, body) => {
    const error = await errorOf(listOf(body));
    expect(error.name).toBe('ResponseMismatchError');
    expect(inspect(error, { depth: 50 }).length).toBeLessThan(10_000);
    expect(JSON.stringify(error).length).toBeLessThan(1_000);
  });

  it('keys of prototypes are keys like any other, and change no prototype', async () => {
    const entry =
      '{"external_account_number":"A-1","service_account_number":"S-1","account_created_at":"2026-01-01T00:00:00Z",' +
      '"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}';
    const [first] = await listOf(`[${entry}]`);
    expect(Object.keys(first ?? {})).toEqual(expect.arrayContaining(['__proto__', 'constructor']));
    expect(Object.getPrototypeOf(first)).toBe(Object.prototype);
    expect({}).not.toHaveProperty('polluted');
    expect(Object.keys(Object.prototype)).toEqual([]);
  });

  it('a header of the name __proto__ changes no prototype', async () => {
    const server = await misbehavingServer({
      [LIST]: answer(400, {}, { ['__proto__']: 'polluted', constructor: 'x' }),
    });
    const client = new DataImportClient({ baseUrl: server.url, token: 'a-token' });
    const error = await errorOf<ApiError>(client.imports.all('ACME'));
    expect(error.headers['constructor']).toBe('x');
    expect(Object.getPrototypeOf(error.headers)).toBe(Object.prototype);
    expect(Object.keys(Object.prototype)).toEqual([]);
    await client.close();
  });
});
