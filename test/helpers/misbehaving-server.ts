/** A real HTTP server on loopback that answers each request as scripted, and records the requests. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export interface ReceivedRequest {
  method: string;
  /** Path and query. */
  url: string;
  headers: Record<string, string>;
  body: string;
}

/** What the server does with a request whose headers have come. Must read the body if it wants it read. */
export type Reaction = (
  request: IncomingMessage,
  response: ServerResponse,
  received: ReceivedRequest,
) => Promise<void> | void;

/** Paths below /v1/data-import/, or whole paths from a slash; each with the reactions to its requests in order; the last one repeats. */
type Script = Record<string, Reaction | Reaction[]>;

export interface MisbehavingServer {
  /** Base URL for the client. */
  url: string;
  /** Requests whose headers came, in order. */
  requests: ReceivedRequest[];
  /** Method and path of those requests. */
  readonly log: string[];
}

export async function misbehavingServer(script: Script): Promise<MisbehavingServer> {
  const requests: ReceivedRequest[] = [];
  const counts = new Map<string, number>();
  const server = createServer(async (request, response) => {
    const { method = '', url = '', headers } = request;
    const received = { method, url, headers: headers as Record<string, string>, body: '' };
    requests.push(received);
    const path = url.replace(/\?.*/, '').replace(/^\/v1\/data-import\//, '');
    const reactions = [script[path] ?? answer(418, { detail: `the script has no ${path}` })].flat();
    const count = counts.get(path) ?? 0;
    counts.set(path, count + 1);
    await (reactions[count] ?? reactions.at(-1))?.(request, response, received);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    get log() {
      return requests.map(({ method, url }) => `${method} ${url.replace('/v1/data-import/', '')}`);
    },
  };
}

/** Answers with JSON, or with a string or bytes as they are, or with nothing. */
export function answer(status: number, body?: unknown, headers: Record<string, string> = {}): Reaction {
  return async (request, response, received) => {
    await read(request, received);
    const text =
      body === undefined ? '' : typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text);
  };
}

/** The page of a gateway. */
export function html(status: number, headers: Record<string, string> = {}): Reaction {
  return answer(status, '<html><body><h1>Gateway</h1></body></html>', { 'content-type': 'text/html', ...headers });
}

/** Breaks the connection without reading the body. */
export const resetUnread: Reaction = (request) => {
  request.socket.resetAndDestroy();
};

/** Reads the whole request, so it may have acted on it, and breaks the connection. */
export const resetAfterReading: Reaction = async (request, _response, received) => {
  await read(request, received);
  request.socket.resetAndDestroy();
};

/** Reads the request and never answers. */
export const hang: Reaction = async (request, _response, received) => {
  await read(request, received);
};

/** Promises more bytes than it sends, and breaks the connection in the middle of the body. */
export function truncated(status: number, body: unknown): Reaction {
  return async (request, response, received) => {
    await read(request, received);
    const text = JSON.stringify(body);
    response.writeHead(status, { 'content-type': 'application/json', 'content-length': text.length + 100 });
    response.write(text, () => request.socket.destroy());
  };
}

/** Sends the head of an answer, and never its body. */
export function hangInBody(status: number): Reaction {
  return async (request, response, received) => {
    await read(request, received);
    response.writeHead(status, { 'content-type': 'application/json', 'content-length': 10 });
    response.write('{');
  };
}

/** Sends `bytes` bytes of a JSON string, as fast as they are taken. */
export function ofBytes(status: number, bytes: number): Reaction {
  return async (request, response, received) => {
    await read(request, received);
    response.writeHead(status, { 'content-type': 'application/json', 'content-length': bytes });
    const closed = once(response, 'close');
    const chunk = Buffer.alloc(1024 * 1024, 'a');
    for (let left = bytes; left > 0 && !response.destroyed; left -= chunk.length) {
      if (response.write(left < chunk.length ? chunk.subarray(0, left) : chunk)) continue;
      await Promise.race([once(response, 'drain'), closed]);
    }
    response.end();
  };
}

/** Answers when the promise resolves. */
export function after(promise: Promise<unknown>, reaction: Reaction): Reaction {
  return async (request, response, received) => {
    await promise;
    await reaction(request, response, received);
  };
}

async function read(request: IncomingMessage, received: ReceivedRequest): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  received.body = Buffer.concat(chunks).toString('utf8');
}

/** An address on which no server listens. */
export async function closedPort(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}`;
}
