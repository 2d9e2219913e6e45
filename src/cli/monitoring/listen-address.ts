/** `listenAddress` reads the port or host:port of `--health`; `listenAt` serves requests there, and none of a web page of another server. */
import { createServer } from 'node:http';
import { listenOn } from '../../sandbox/server/listen-on.js';
import { refuseWebPage } from '../../sandbox/server/web-page-guard.js';
import { UsageError } from '../shared/errors.js';

export interface ListenAddress {
  host: string;
  port: number;
}

/** A handler of requests, as hono's `fetch`. */
export type Answer = (request: Request) => Response | Promise<Response>;

const LOOPBACK = '127.0.0.1';
const MOST = 65_535;

/** Reads `9464`, `0.0.0.0:9464` or `[::1]:9464`. Throws a `UsageError` for another text. */
export function listenAddress(given: string): ListenAddress {
  const [, brackets, name, port] = /^(?:(?:\[([^\]]+)\]|([^:[\]]+)):)?(\d+)$/.exec(given) ?? [];
  if (port !== undefined && Number(port) <= MOST) return { host: brackets ?? name ?? LOOPBACK, port: Number(port) };
  throw new UsageError(`--health: found ${given}, expected a port such as 9464, or host and port: 0.0.0.0:9464.`);
}

/** Resolves with the address, without a slash at the end. Rejects with a `UsageError` if the port is taken or not allowed. */
export async function listenAt({ host, port }: ListenAddress, answer: Answer) {
  const { getRequestListener } = await import('@hono/node-server');
  // Keeps the globals: otherwise answers of the user's own fetch are no longer `instanceof Response`.
  const listener = getRequestListener(answer, { overrideGlobalObjects: false });
  const server = createServer((incoming, outgoing) => {
    const refusal = refuseWebPage(incoming.headers, host);
    if (refusal === undefined) void listener(incoming, outgoing);
    else outgoing.writeHead(403, { 'Content-Type': 'text/plain' }).end(`${refusal.detail}\n`);
  });
  return listenOn(server, { host, port }).catch((cause: NodeJS.ErrnoException) => {
    const what = `--health: cannot listen on ${host}, port ${port} (${cause.code ?? cause.message}).`;
    throw new UsageError(`${what} Give another port, or 0 for any free port.`, { cause });
  });
}
