/** `listenAddress` reads a port or host:port of a flag; `listenAt` serves requests there, and none of a web page of another server. */
import { createServer, type Server } from 'node:http';
import { refuseWebPage } from '../../sandbox/server/web-page-guard.js';
import { UsageError } from '../shared/errors.js';

export interface ListenAddress {
  host: string;
  port: number;
}

/** A handler of requests, as hono's `fetch`. */
export type Answer = (request: Request) => Response | Promise<Response>;

export interface Listening {
  /** Without a slash at the end. */
  url: string;
  close(): Promise<void>;
}

const LOOPBACK = '127.0.0.1';
const MOST = 65_535;

/** Reads `9464`, `0.0.0.0:9464` or `[::1]:9464`. Throws a `UsageError` for another text. */
export function listenAddress(flag: string, given: string): ListenAddress {
  const [, brackets, name, port] = /^(?:(?:\[([^\]]+)\]|([^:[\]]+)):)?(\d+)$/.exec(given) ?? [];
  if (port !== undefined && Number(port) <= MOST) return { host: brackets ?? name ?? LOOPBACK, port: Number(port) };
  throw new UsageError(`${flag}: found ${given}, expected a port such as 9464, or host and port: 0.0.0.0:9464.`);
}

/** Rejects with a `UsageError` that names the flag if the port is taken or not allowed. */
export async function listenAt(flag: string, { host, port }: ListenAddress, answer: Answer): Promise<Listening> {
  const { getRequestListener } = await import('@hono/node-server');
  // Keeps the globals: otherwise answers of the user's own fetch are no longer `instanceof Response`.
  const listener = getRequestListener(answer, { overrideGlobalObjects: false });
  const server = createServer((incoming, outgoing) => {
    const refusal = refuseWebPage(incoming.headers, host);
    if (refusal === undefined) void listener(incoming, outgoing);
    else outgoing.writeHead(403, { 'Content-Type': 'text/plain' }).end(`${refusal.detail}\n`);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      const what = `${flag}: cannot listen on ${host}, port ${port} (${cause.code ?? cause.message}).`;
      reject(new UsageError(`${what} Give another port, or 0 for any free port.`, { cause }));
    });
    server.listen(port, host, resolve);
  });
  return { url: urlOf(server), close: () => closed(server) };
}

function urlOf(server: Server): string {
  const address = server.address();
  if (address === null || typeof address === 'string') return '';
  const host = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return `http://${host}:${address.port}`;
}

/** Closes the server and its open connections at once: a browser that keeps one would delay the end of the worker. */
async function closed(server: Server): Promise<void> {
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
