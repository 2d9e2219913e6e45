/** Lines of the input, read again from a server by ranges of bytes: what it may answer, and what a worker makes of it. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createLineReader, type LineReaderOptions } from '../../../../src/migration/distributed/worker/line-reader.js';
import { InputError } from '../../../../src/migration/input/input-error.js';

const ELISE = '{"account":{"given_name":"Élise"}}';
/** printf '%s' '{"account":{"given_name":"Élise"}}' | sha256sum */
const HASH = 'fa078ab7c86701968faf275f803cdb7915a40774856d1dc8dcfa84ac3e418516';
const RECORD = { record: { account: { given_name: 'Élise' } } };
/** The line begins at byte 3 and has 35 bytes. */
const FILE = Buffer.from(`{}\n${ELISE}\n{"b":2}\n`);
const PLACE = { start: 3, length: 35 };
const RANGE = { 'content-range': `bytes 3-37/${FILE.length}` };
const LINE = FILE.subarray(3, 38);

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** Gives its address, with a slash at the end, and what it was asked for. */
async function serve(answer: Answer) {
  const asked: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    asked.push(request);
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/`, host: `127.0.0.1:${port}`, asked };
}

/** An address at which a server was. */
async function nobodyAt(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}/`;
}

function readerOf(options: LineReaderOptions) {
  const reader = createLineReader({ retryAfterMs: 1, ...options });
  onTestFinished(() => reader.close());
  return reader;
}

/** A server as it should be. */
const byRange: Answer = (_, response) => {
  response.writeHead(206, RANGE).end(LINE);
};

async function failureFrom(answer: Answer, options: LineReaderOptions = {}) {
  const { url, asked } = await serve(answer);
  const reader = readerOf({ inputAt: url, retries: 2, ...options });
  const read = await reader.read({ source: 'input.jsonl', ...PLACE }, HASH);
  if (!('failure' in read)) throw new Error('was read');
  return { ...read, asked, url };
}

describe('a request', () => {
  test('asks for the bytes of the line and no others, as they lie there', async () => {
    const { url, asked } = await serve(byRange);
    expect(await readerOf({ inputAt: url }).read({ source: 'input/part-1.jsonl', ...PLACE }, HASH)).toEqual(RECORD);
    expect(asked).toHaveLength(1);
    expect([asked[0]?.method, asked[0]?.url]).toEqual(['GET', '/input/part-1.jsonl']);
    expect(asked[0]?.headers).toMatchObject({ range: 'bytes=3-37', 'accept-encoding': 'identity' });
    expect(asked[0]?.headers).not.toHaveProperty('authorization');
  });

  test.each([
    ['', 'part-1.jsonl', '/part-1.jsonl'],
    ['store/2026', 'input/part-1.jsonl', '/store/2026/input/part-1.jsonl'],
    ['store/2026//', 'input/part-1.jsonl', '/store/2026/input/part-1.jsonl'],
    ['store', '/data/input/part-1.jsonl', '/store/part-1.jsonl'],
    ['store', 'a?b#c %2e é.jsonl', '/store/a%3Fb%23c%20%252e%20%C3%A9.jsonl'],
    ['store?sig=s%2Fs', 'input/part-1.jsonl', '/store/input/part-1.jsonl?sig=s%2Fs'],
  ])('with the input at /%s is for %s at %s', async (below, source, expected) => {
    const { url, asked } = await serve(byRange);
    await readerOf({ inputAt: url + below }).read({ source, ...PLACE }, HASH);
    expect(asked[0]?.url).toBe(expected);
  });

  test('shows the user and the password of the URL to the server', async () => {
    const { host, asked } = await serve(byRange);
    await readerOf({ inputAt: `http://ada:p%40ss@${host}/` }).read({ source: 'input.jsonl', ...PLACE }, HASH);
    // printf 'ada:p@ss' | base64
    expect(asked[0]?.headers.authorization).toBe('Basic YWRhOnBAc3M=');
  });

  test('uses the name itself if it is a URL', async () => {
    const { url, asked } = await serve(byRange);
    expect(await readerOf({ inputAt: '/mnt' }).read({ source: `${url}x/input.jsonl`, ...PLACE }, HASH)).toEqual(RECORD);
    expect(asked[0]?.url).toBe('/x/input.jsonl');
  });
});

describe('an input that was changed', () => {
  const CHANGED = /^the input was changed during the run: input\.jsonl at byte 3\./;

  test('in the line', async () => {
    const { failure, mayPass } = await failureFrom((_, response) => {
      response.writeHead(206, RANGE).end(Buffer.from(ELISE.replace('É', 'Ê')));
    });
    expect(mayPass).toBe(false);
    expect(failure).toMatch(CHANGED);
    expect(failure).not.toContain('lise');
  });

  test('so that it ends in the line', async () => {
    const { failure, asked } = await failureFrom((_, response) => {
      response.writeHead(206, { 'content-range': 'bytes 3-9/10' }).end(LINE.subarray(0, 7));
    });
    expect(failure).toMatch(CHANGED);
    expect(asked).toHaveLength(1);
  });

  test('so that it ends before the line', async () => {
    const { failure } = await failureFrom((_, response) => {
      response.writeHead(416, { 'content-range': 'bytes */2' }).end();
    });
    expect(failure).toMatch(CHANGED);
  });
});

describe('an unusable answer', () => {
  test.each([
    ['the whole file', 200, {}, FILE, /sent the whole file \(200\).*answers Range requests.*--input-in database\.$/],
    ['another part', 206, { 'content-range': 'bytes 0-34/47' }, LINE, /sent another part of the file .*\(206\)/],
    ['more than was asked for', 206, { 'content-range': 'bytes 3-46/47' }, LINE, /sent another part of the file/],
    ['a part that is not named', 206, {}, LINE, /sent another part of the file/],
    ['a part named in other words', 206, { 'content-range': 'lines 3-37/47' }, LINE, /sent another part of the file/],
    ['no such file', 404, {}, 'x', /there is no such file \(404\).*--input-at/],
    ['no request without a user', 401, {}, 'x', /refused access \(401\).*user and password/],
    ['not this one', 403, {}, 'x', /refused access \(403\)/],
    ['elsewhere', 302, { location: 'https://other.example.com/' }, '', /redirects to another address \(302\)/],
    ['something else', 418, {}, '', /the server answered 418; expected the part of the file \(206\)/],
  ])('%s: is not tried again', async (_, status, headers, body, message) => {
    const { failure, mayPass, asked, url } = await failureFrom((__, response) => {
      response.writeHead(status, headers).end(body);
    });
    expect(mayPass).toBe(false);
    expect(failure).toMatch(message);
    expect(failure.startsWith(`${url}input.jsonl: `)).toBe(true);
    expect(asked).toHaveLength(1);
  });

  test('a whole file that is large is not read', async () => {
    let isLeft = false;
    const { failure } = await failureFrom((_, response) => {
      response.on('close', () => {
        isLeft = true;
      });
      // Never ends: a reader that waits for its end would hang.
      response.writeHead(200).write(FILE);
    });
    expect(failure).toContain('(200)');
    await vi.waitFor(() => expect(isLeft).toBe(true));
  });

  test('a part with more bytes than announced is not read further', async () => {
    const { failure, mayPass } = await failureFrom((_, response) => {
      response.writeHead(206, RANGE).write(Buffer.concat([LINE, FILE]));
    });
    expect(mayPass).toBe(true);
    expect(failure).toContain('the length of the answer differs from its headers');
  });
});

describe('what may pass', () => {
  test.each([408, 425, 429, 500, 503])('%i is requested again, up to the given number of times', async (status) => {
    const { failure, mayPass, asked } = await failureFrom((_, response) => {
      response.writeHead(status).end('away');
    });
    expect(mayPass).toBe(true);
    expect(failure).toContain(`the server answered ${status}; expected the part of the file (206)`);
    expect(asked).toHaveLength(3);
  });

  test('a connection that is cut in the answer, and a server that is busy: the third request has it', async () => {
    const answers: Answer[] = [
      (_, response) => {
        response
          .writeHead(206, { ...RANGE, 'content-length': 35 })
          .write(LINE.subarray(0, 9), () => response.destroy());
      },
      (_, response) => {
        response.writeHead(503).end();
      },
      byRange,
    ];
    const { url, asked } = await serve((request, response) => answers.shift()?.(request, response));
    expect(await readerOf({ inputAt: url }).read({ source: 'input.jsonl', ...PLACE }, HASH)).toEqual(RECORD);
    expect(asked).toHaveLength(3);
  });

  test('an unreachable server', async () => {
    const reader = readerOf({ inputAt: await nobodyAt(), retries: 1 });
    const read = reader.read({ source: 'input.jsonl', ...PLACE }, HASH);
    const failure = expect.stringMatching(/input\.jsonl: cannot be read \(ECONNREFUSED\); expected/);
    expect(await read).toEqual({ failure, mayPass: true, isOfWorker: false });
  });

  test.each<[string, Answer]>([
    ['does not answer', () => {}],
    [
      'begins its answer and does not continue',
      (_, response) => void response.writeHead(206, RANGE).write(LINE.subarray(0, 9)),
    ],
  ])('a server that %s is left after a time', async (_, answer) => {
    const { failure, mayPass, asked } = await failureFrom(answer, { timeoutMs: 100, retries: 1 });
    expect(mayPass).toBe(true);
    expect(failure).toContain('cannot be read (no answer within 0.1 s)');
    expect(asked).toHaveLength(2);
  });

  test('a line that is being read when the reader is closed is left, and none is read after', async () => {
    const { url, asked } = await serve(() => {});
    const reader = createLineReader({ inputAt: url });
    const read = reader.read({ source: 'input.jsonl', ...PLACE }, HASH);
    await vi.waitFor(() => expect(asked).toHaveLength(1));
    await reader.close();
    const closed = { failure: 'the input: its reader was closed.', mayPass: true, isOfWorker: false };
    expect(await read).toEqual(closed);
    expect(await reader.read({ source: 'input.jsonl', ...PLACE }, HASH)).toEqual(closed);
    expect(asked).toHaveLength(1);
  });
});

describe('the address', () => {
  test('is https, or http of this machine', () => {
    expect(() => readerOf({ inputAt: 'http://files.example.com/input' })).toThrow(
      new InputError(
        'the input at http://files.example.com: expected https (http only for a loopback host), found http. Give another address with --input-at.',
      ),
    );
    for (const inputAt of [
      'https://files.example.com/',
      'http://localhost:1/',
      'http://[::1]:1/',
      'HTTPS://files.example.com',
    ]) {
      expect(() => readerOf({ inputAt })).not.toThrow();
    }
    expect(() => readerOf({ inputAt: 'https://' })).toThrow(
      /the input: its address is not a URL\. Expected one such as https:/,
    );
  });

  test('of a name is, too', async () => {
    const read = readerOf({}).read({ source: 'http://files.example.com/input.jsonl', ...PLACE }, HASH);
    expect(await read).toEqual({
      failure: expect.stringContaining('expected https'),
      mayPass: false,
      isOfWorker: true,
    });
  });

  test('is reported without user, password and query: no failure shows a credential', async () => {
    const { host } = await serve((_, response) => {
      response.writeHead(404).end();
    });
    const secrets = `http://ada:s3cret@${host}/input?sig=s1gned#fr4gment`;
    const read = await readerOf({ inputAt: secrets }).read({ source: 'part.jsonl', ...PLACE }, HASH);
    expect('failure' in read && read.failure).toBe(
      `http://${host}/input/part.jsonl: there is no such file (404); expected the part of the file (206). Give the folder or URL of the input with --input-at, or restore the file.`,
    );
    const away = new URL(await nobodyAt());
    Object.assign(away, { username: 'ada', password: 's3cret', search: '?sig=s1gned' });
    const reader = readerOf({ inputAt: away.href, retries: 0 });
    const lost = await reader.read({ source: 'part.jsonl', ...PLACE }, HASH);
    expect(lost).toEqual({
      failure: expect.stringContaining('part.jsonl: cannot be read'),
      mayPass: true,
      isOfWorker: false,
    });
    expect(JSON.stringify(lost)).not.toMatch(/s3cret|s1gned|ada/);
    expect(() => readerOf({ inputAt: 'http://ada:s3cret@files.example.com/?sig=s1gned' })).toThrow(
      /^(?!.*(s3cret|s1gned|ada))/,
    );
  });
});
