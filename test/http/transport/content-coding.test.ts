/** Answers in a content coding that the client did not ask for, which RFC 9110 allows (12.5.3): from a gateway, or the service itself. */

import * as zlib from 'node:zlib';
import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import type { ApiError, DataImportClientOptions, ResponseMismatchError } from 'data-import-sdk';
import { graphqlToken } from 'data-import-sdk';
import { Agent, interceptors } from 'undici';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { business } from '../../examples/business.js';
import { account, calls, processPayload } from '../../helpers/calls.js';
import { clientOf, errorOf } from '../../helpers/client-of.js';
import { answer, type MisbehavingServer, misbehavingServer, type Reaction } from '../../helpers/misbehaving-server.js';

const [STAGE, PROCESS, BUSINESS] = [calls['accounts.stage'].path, 'account-import-process/process/', 'business/'];
const LIST = 'all-account-import-processes/ACME/';
const staged = { import_supplier: 'ACME', external_account_number: 'A-1', remark: 'É' };
const entry = (index: number) => ({
  external_account_number: `É-${index}`,
  service_account_number: `S-${index}`,
  account_created_at: '2026-01-01T00:00:00Z',
});

type Encode = (text: string | Buffer) => Buffer;
const { zstdCompressSync } = zlib as { zstdCompressSync?: Encode };
/** The default quality takes seconds for a list of megabytes. */
const brotli = (text: string | Buffer) => brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } });

const CODINGS: [coding: string, encode: Encode][] = [
  ['gzip', gzipSync],
  ['GZip', gzipSync],
  ['x-gzip', gzipSync],
  ['deflate', deflateSync],
  // Without the header of zlib, as some services send it.
  ['deflate', deflateRawSync],
  ['br', brotli],
  ['identity', (text) => Buffer.from(text)],
  ['gzip, br', (text) => brotli(gzipSync(text))],
  ['deflate,gzip', (text) => gzipSync(deflateSync(text))],
  // Node.js 22.15 and newer.
  ...(zstdCompressSync === undefined ? [] : ([['zstd', zstdCompressSync]] as [string, Encode][])),
];

const TRANSPORTS: [string, () => Partial<DataImportClientOptions>][] = [
  ['the default', () => ({})],
  ['a dispatcher', () => ({ dispatcher: new Agent() })],
  ['fetch', () => ({ fetch: globalThis.fetch })],
];

/** Answers with these bytes in pieces of a prime number, so that no piece ends where a coding does. */
function coded(status: number, bytes: Buffer, coding: string): Reaction {
  return async (request, response) => {
    for await (const _ of request);
    response.writeHead(status, { 'content-type': 'application/json', 'content-encoding': coding });
    for (let at = 0; at < bytes.length; at += 997) response.write(bytes.subarray(at, at + 997));
    response.end();
  };
}

function clientWith(server: MisbehavingServer, options: Partial<DataImportClientOptions>) {
  const client = clientOf(server, { maxRetries: 0, ...options });
  const { dispatcher } = options as { dispatcher?: Agent };
  if (dispatcher !== undefined) onTestFinished(() => dispatcher.destroy());
  return client;
}

describe.each(TRANSPORTS)('through %s', (_, optionsOf) => {
  it.each(CODINGS)(
    '%s: a success is read, a refusal keeps its code, a failure of the service is one',
    async (coding, encode) => {
      const of = (status: number, body: unknown) => coded(status, encode(JSON.stringify(body)), coding);
      const server = await misbehavingServer({
        [STAGE]: of(201, staged),
        [PROCESS]: of(400, {
          detail: 'x',
          code: 'account_already_imported',
          errors: [],
          external_account_number: 'A-1',
          service_account_number: '07',
        }),
        [BUSINESS]: of(500, { detail: 'Down.', code: 'vendor_down' }),
      });
      const client = clientWith(server, optionsOf());
      expect(await client.accounts.stage(account)).toMatchObject(staged);
      expect(await errorOf(client.accounts.process(processPayload))).toMatchObject({
        name: 'AlreadyImportedError',
        serviceAccountNumber: '07',
      });
      expect(await errorOf(client.businesses.create(business))).toMatchObject({
        name: 'ServerError',
        status: 500,
        code: 'vendor_down',
      });
    },
  );

  it.each(CODINGS)(
    '%s: a list of megabytes is read, as a whole and entry by entry',
    { tags: 'long' },
    async (coding, encode) => {
      const entries = Array.from({ length: 10_000 }, (_, index) => entry(index));
      const server = await misbehavingServer({ [LIST]: coded(200, encode(JSON.stringify(entries)), coding) });
      const client = clientWith(server, optionsOf());
      expect(await client.imports.all('ACME')).toEqual(entries);
      const streamed: unknown[] = [];
      for await (const one of client.imports.streamAll('ACME')) streamed.push(one);
      expect(streamed).toEqual(entries);
    },
  );

  it('an empty body with a coding is empty', async () => {
    const server = await misbehavingServer({ [LIST]: coded(204, Buffer.alloc(0), 'gzip') });
    expect(await clientWith(server, optionsOf()).imports.all('ACME')).toEqual([]);
  });

  it('damaged data are one error, which is not sent again', async () => {
    const damaged = gzipSync(JSON.stringify(staged));
    damaged.fill(0xff, 10, 20);
    const server = await misbehavingServer({ [STAGE]: coded(201, damaged, 'gzip') });
    const error = await errorOf<ResponseMismatchError>(clientWith(server, optionsOf()).accounts.stage(account));
    expect(error.name).toBe('ResponseMismatchError');
    expect(error.message).toMatch(/its content coding (gzip )?cannot be decoded/);
    expect(server.requests).toHaveLength(1);
  });

  it('a body whose end is missing is not JSON', async () => {
    const whole = gzipSync(JSON.stringify(staged));
    const server = await misbehavingServer({ [STAGE]: coded(201, whole.subarray(0, -20), 'gzip') });
    const error = await errorOf<ResponseMismatchError>(clientWith(server, optionsOf()).accounts.stage(account));
    expect(error.name).toBe('ResponseMismatchError');
    expect(error.message).toContain('not JSON (content-encoding gzip)');
  });

  it('an unknown coding is named', async () => {
    const server = await misbehavingServer({ [STAGE]: coded(201, Buffer.from([1, 2, 3]), 'compress') });
    const error = await errorOf<ResponseMismatchError>(clientWith(server, optionsOf()).accounts.stage(account));
    expect(error.name).toBe('ResponseMismatchError');
    expect(error.message).toContain('compress');
  });
});

it('the name of a coding that may be anything is not quoted', async () => {
  const server = await misbehavingServer({ [STAGE]: coded(201, Buffer.from('{}'), 'Ada Doe 4711') });
  const { message } = await errorOf(clientOf(server, { maxRetries: 0 }).accounts.stage(account));
  expect(message).toContain('its content coding * is not supported');
});

it('identity among codings is passed over', async () => {
  const bytes = gzipSync(deflateSync(JSON.stringify(staged)));
  const server = await misbehavingServer({ [STAGE]: coded(201, bytes, 'deflate, identity,,gzip') });
  expect(await clientOf(server).accounts.stage(account)).toMatchObject(staged);
});

it('a text that is not compressed, under the header of a gateway that has decoded it, is read', async () => {
  const server = await misbehavingServer({ [STAGE]: coded(201, Buffer.from(JSON.stringify(staged)), 'gzip') });
  expect(await clientOf(server).accounts.stage(account)).toMatchObject(staged);
});

it('a dispatcher that decodes by itself is not decoded twice', async () => {
  vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
  onTestFinished(() => void vi.restoreAllMocks());
  const dispatcher = new Agent().compose(interceptors.decompress({ skipErrorResponses: false }));
  onTestFinished(() => dispatcher.destroy());
  const server = await misbehavingServer({ [STAGE]: coded(201, gzipSync(JSON.stringify(staged)), 'gzip') });
  expect(await clientOf(server, { dispatcher }).accounts.stage(account)).toMatchObject(staged);
});

it('the token of a GraphQL interface is decoded too', async () => {
  const body = gzipSync(JSON.stringify({ data: { obtain: { token: 'token-of-the-key' } } }));
  const server = await misbehavingServer({
    '/graphql/': coded(200, body, 'gzip'),
    [STAGE]: coded(201, gzipSync(JSON.stringify(staged)), 'gzip'),
  });
  const token = graphqlToken({
    url: `${server.url}/graphql/`,
    apiKey: 'an-api-key',
    document: 'mutation ($apiKey: String!) { obtain(apiKey: $apiKey) { token } }',
    select: (data) => data.obtain.token,
  });
  await clientOf(server, { token }).accounts.stage(account);
  expect(server.requests[1]?.headers['authorization']).toBe('Token token-of-the-key');
});

describe('bombs', () => {
  const many = (times: number, encode: Encode) => {
    let bytes = Buffer.alloc(30_000_000, ' ');
    for (let time = 0; time < times; time++) bytes = encode(bytes) as typeof bytes;
    return bytes;
  };
  /** A gzip member without content: 20 bytes. */
  const EMPTY = gzipSync('');

  it.each<[string, string, Buffer]>([
    ['gzip', 'gzip', many(1, gzipSync)],
    ['deflate', 'deflate', many(1, deflateSync)],
    ['br', 'br', many(1, brotli)],
    ['gzip in gzip in gzip', 'gzip, gzip, gzip', many(3, gzipSync)],
    ['a layer that decodes to nothing', 'gzip, gzip', gzipSync(Buffer.concat(Array(500_000).fill(EMPTY)))],
  ])('%s: of 100,000 bytes is read no further', async (_, coding, bytes) => {
    const server = await misbehavingServer({ [LIST]: coded(200, bytes, coding), [STAGE]: coded(400, bytes, coding) });
    const client = clientOf(server, { maxRetries: 0, advanced: { maxAnswerBytes: 100_000 } });
    const before = process.memoryUsage().rss;
    const error = await errorOf(client.imports.all('ACME'));
    expect(error.name).toBe('ResponseMismatchError');
    expect(error.message).toContain('larger than maxAnswerBytes (100000 bytes)');
    expect(await errorOf<ApiError>(client.accounts.stage(account))).toMatchObject({
      name: 'ValidationError',
      body: undefined,
    });
    expect(process.memoryUsage().rss - before).toBeLessThan(25_000_000);
  });

  it('an entry of a list that is read entry by entry', async () => {
    const bytes = gzipSync(Buffer.concat([Buffer.from('["'), Buffer.alloc(30_000_000, 'a')]));
    const server = await misbehavingServer({ [LIST]: coded(200, bytes, 'gzip') });
    const client = clientOf(server, { maxRetries: 0, advanced: { maxAnswerBytes: 100_000 } });
    const read = async () => {
      for await (const _ of client.imports.streamAll('ACME'));
    };
    expect((await errorOf(read())).message).toContain('0: larger than maxAnswerBytes');
  });

  it('more than five codings are not decoded', async () => {
    const coding = Array(6).fill('gzip').join(', ');
    const server = await misbehavingServer({ [LIST]: coded(200, many(6, gzipSync), coding) });
    const error = await errorOf(clientOf(server, { maxRetries: 0 }).imports.all('ACME'));
    expect(error.message).toContain('it has 6 content codings');
  });
});

it('a connection that breaks in a coded body is a broken connection, and a repeatable call is repeated', async () => {
  const bytes = gzipSync(JSON.stringify(staged));
  const broken: Reaction = async (request, response) => {
    for await (const _ of request);
    response.writeHead(201, { 'content-encoding': 'gzip', 'content-length': bytes.length });
    response.write(bytes.subarray(0, 20), () => request.socket.destroy());
  };
  const server = await misbehavingServer({ [STAGE]: [broken, coded(201, bytes, 'gzip')] });
  expect((await clientOf(server).accounts.stage(account).withResponse()).attempts).toBe(2);
});

it('an abort ends a call whose coded body does not end', async () => {
  const controller = new AbortController();
  const server = await misbehavingServer({
    [STAGE]: (_, response) => {
      response.writeHead(201, { 'content-encoding': 'gzip' });
      response.write(gzipSync('{').subarray(0, 15), () => controller.abort());
    },
  });
  const call = clientOf(server).accounts.stage(account, { signal: controller.signal });
  expect((await errorOf(call)).name).toBe('AbortedError');
});

describe('an answer that is not UTF-8', () => {
  const bytes = (text: string) => Buffer.from(text, 'latin1');
  const LATIN1 = bytes('[{"external_account_number":"\xe9"}]');
  const LONG = Buffer.concat([bytes(`[${' '.repeat(200_000)}`), LATIN1.subarray(1)]);
  const mismatch = 'that differs from the API specification: it is not valid UTF-8. Not retried';

  it.each<[string, Buffer, Record<string, string>]>([
    ['short', LATIN1, {}],
    ['long', LONG, {}],
    ['compressed', gzipSync(LATIN1), { 'content-encoding': 'gzip' }],
    ['cut in a character', bytes('[{"external_account_number":"\xc3'), {}],
  ])('%s: no number is invented', async (_, body, headers) => {
    const server = await misbehavingServer({ [LIST]: answer(200, body, headers) });
    for (const fetch of [undefined, globalThis.fetch]) {
      const error = await errorOf<ResponseMismatchError>(clientOf(server, { fetch }).imports.all('ACME'));
      expect(error.name).toBe('ResponseMismatchError');
      expect(error.message).toContain(mismatch);
    }
  });

  it('an entry of a list that is read entry by entry', async () => {
    const server = await misbehavingServer({ [LIST]: answer(200, LATIN1) });
    const read = async () => {
      for await (const _ of clientOf(server).imports.streamAll('ACME'));
    };
    expect((await errorOf(read())).message).toContain('0: not UTF-8');
  });

  it('an error keeps its code and text, and no account number', async () => {
    const body = bytes(
      '{"detail":"\xe9","code":"invalid","external_account_number":"A-\xe9","service_account_number":"\xe9"}',
    );
    const server = await misbehavingServer({ [PROCESS]: answer(400, body) });
    const error = await errorOf<ApiError>(clientOf(server).accounts.process(processPayload));
    expect(error).toMatchObject({ name: 'ValidationError', code: 'invalid', detail: '\ufffd' });
  });

  it('a replacement character that the service sent is text', async () => {
    const server = await misbehavingServer({ [STAGE]: answer(201, { ...staged, remark: '\ufffd' }) });
    expect(await clientOf(server).accounts.stage(account)).toMatchObject({ remark: '\ufffd' });
  });
});

it('U26 a page of a list is not taken for the list', async () => {
  const link = (value: string) => answer(200, [entry(1)], { link: value });
  const next = link('<https://api.example.com/x/?page=1>; rel=prev, <https://api.example.com/x/?page=3>; rel="next"');
  const server = await misbehavingServer({ [LIST]: [next, next, link('<https://api.example.com/next/>; rel="last"')] });
  const { imports } = clientOf(server);
  for (const call of [imports.all('ACME'), imports.streamAll('ACME').next()]) {
    const error = await errorOf<ResponseMismatchError>(call);
    expect(error).toMatchObject({ name: 'ResponseMismatchError', status: 200 });
    expect(error.message).toContain('only a page (its Link names the next one)');
  }
  expect(await imports.all('ACME')).toHaveLength(1);
});

it('206 is a part of a list, and no list', async () => {
  const server = await misbehavingServer({ [LIST]: answer(206, [entry(1)]), [STAGE]: answer(206, staged) });
  const client = clientOf(server);
  const read = async () => {
    for await (const _ of client.imports.streamAll('ACME'));
  };
  for (const call of [client.imports.all('ACME'), read(), client.accounts.stage(account)]) {
    const error = await errorOf<ResponseMismatchError>(call);
    expect(error).toMatchObject({ name: 'ResponseMismatchError', status: 206 });
    expect(error.message).toContain('only a part (206)');
  }
});
