/** Raw requests that HTTP clients do not send, each on its own connection. */
import { connect } from 'node:net';
import fc from 'fast-check';
import { expect } from 'vitest';
import type { Sandbox, SandboxServer } from '../../../src/sandbox/index.js';
import { type FuzzedRequest, fuzzedRequest } from './fuzz-requests.js';

const line = fc.constantFrom(
  ...[
    'GET / HTTP/1.1',
    'GET http://example.com/ HTTP/1.1',
    'OPTIONS * HTTP/1.1',
    'CONNECT a:1 HTTP/1.1',
    'GET / HTTP/1.0',
  ],
  ...['GET //v1/data-import/business/ HTTP/1.1', 'TRACE /v1/data-import/business/ HTTP/1.1', 'get / HTTP/1.1', 'GET /'],
  ...['POST /v1/data-import/business/ HTTP/9.9', 'GET /v1/data-import/\u00ff/ HTTP/1.1', 'GET /a b HTTP/1.1', ''],
);
const extra = fc.constantFrom(
  ...['Transfer-Encoding: chunked', 'Transfer-Encoding: gzip', 'Expect: 100-continue', 'Upgrade: websocket', 'a b: c'],
  ...[
    'Content-Length: 1',
    'Content-Length: 1e3',
    'Content-Length: -1',
    'Content-Encoding: gzip',
    `X: ${'x'.repeat(20_000)}`,
  ],
  ...['Host: ', 'Host: a b', 'Host: [::1', 'Host: example.com:99999', 'Cookie: \u00ff', 'Authorization: Token a', ''],
);

const seldom = <Usual, Rare>(usual: Usual, rare: fc.Arbitrary<Rare>) =>
  fc.oneof({ weight: 8, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: rare });

/** The bytes of one request. Most have the length that they say. */
export const rawRequest: fc.Arbitrary<Buffer> = fc
  .tuple(
    fuzzedRequest,
    seldom(null, line),
    seldom([], fc.array(extra, { minLength: 1, maxLength: 2 })),
    seldom(true, fc.constant(false)),
  )
  .map(([request, first, extras, hasHost]) => bytesOf(request, first, extras, hasHost));

function bytesOf(request: FuzzedRequest, first: string | null, extras: readonly string[], hasHost: boolean): Buffer {
  const body = Buffer.from(request.body ?? '');
  const headers = request.headers.map(([name, value]) => `${name}: ${value}`);
  const isMeasured = headers.some((header) => header.startsWith('Content-Length'));
  const lines = [
    first ?? `${request.method} ${request.path.replace(/[\r\n]/g, '')} HTTP/1.1`,
    'Connection: close',
    ...(hasHost ? [`Host: ${hostFor(request.path)}`] : []),
    ...headers,
    ...(isMeasured || body.length === 0 ? [] : [`Content-Length: ${body.length}`]),
    ...extras,
  ];
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), body]);
}

/** The admin interface answers with pages too; here it is to refuse. */
function hostFor(path: string): string {
  return path.startsWith('/__sandbox') ? 'sandbox.example.com' : '127.0.0.1';
}

/** Sends the bytes and nothing more; resolves with all that came back when the connection is closed. */
async function exchange({ port }: SandboxServer, bytes: Buffer): Promise<string> {
  const chunks: Buffer[] = [];
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1' });
    socket.setTimeout(20_000, () => reject(new Error(`no end to ${bytes.toString('latin1').slice(0, 500)}`)));
    socket.on('data', (chunk) => chunks.push(chunk));
    // The server may close while the rest is still being sent.
    socket.on('error', () => {});
    socket.on('close', () => resolve(Buffer.concat(chunks).toString('utf8')));
    socket.end(bytes);
  });
}

/** Which part answered: none if the request was incomplete, Node if it is no HTTP, or the sandbox. */
type Answerer = 'none' | 'node' | 'sandbox';

export async function expectAnswerBySocket(server: SandboxServer, sandbox: Sandbox, bytes: Buffer): Promise<Answerer> {
  const written = () => sandbox.requests().at(-1)?.id ?? 0;
  const before = written();
  const text = (await exchange(server, bytes)).replace(/^HTTP\/1\.1 100 Continue\r\n\r\n/, '');
  expect(written() - before).toBeLessThanOrEqual(1);
  if (text === '') return 'none';
  const [head = '', ...rest] = text.split('\r\n\r\n');
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(head)?.[1]);
  if (!/\r\ncontent-type: application\/json/i.test(head)) {
    expect([400, 408, 413, 417, 431, 505], head).toContain(status);
    return 'node';
  }
  expect(status, head).toBeGreaterThan(199);
  if (status === 501) expect(text).toContain('NOT_IMPLEMENTED');
  else expect(status, head).toBeLessThan(bytes.includes('sbx-vendor-flaky') ? 501 : 500);
  const hasBody = !bytes.toString('latin1').startsWith('HEAD ');
  if (hasBody) expect(() => JSON.parse(dechunked(head, rest.join('\r\n\r\n'))), text).not.toThrow();
  return 'sandbox';
}

function dechunked(head: string, body: string): string {
  if (!/\r\ntransfer-encoding: chunked/i.test(head)) return body;
  return body.replace(/^[0-9a-f]+\r\n/gim, '').replace(/\r\n/g, '');
}
