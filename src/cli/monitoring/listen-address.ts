/** Where a command listens: a port of this machine, or host and port. */
import { createServer, type Server } from 'node:http';
import { UsageError } from '../shared/errors.js';

export interface ListenAddress {
  host: string;
  port: number;
}

/** Answers requests for a page, as hono's `fetch` does. */
export type Answer = (request: Request) => Response | Promise<Response>;

export interface Listening {
  /** Without a slash at the end. */
  url: string;
  close(): Promise<void>;
}

const LOOPBACK = '127.0.0.1';
const MOST = 65_535;

/** `9464`, `0.0.0.0:9464`, `[::1]:9464`. Throws a UsageError. */
export function listenAddress(flag: string, given: string): ListenAddress {
  const [, brackets, name, port] = /^(?:(?:\[([^\]]+)\]|([^:[\]]+)):)?(\d+)$/.exec(given) ?? [];
  if (port !== undefined && Number(port) <= MOST) return { host: brackets ?? name ?? LOOPBACK, port: Number(port) };
  throw new UsageError(`${flag}: found ${given}, expected a port such as 9464, or host and port: 0.0.0.0:9464.`);
}

/** Rejects with a UsageError that names the flag where the port is taken or not allowed. */
export async function listenAt(flag: string, { host, port }: ListenAddress, answer: Answer): Promise<Listening> {
  const { getRequestListener } = await import('@hono/node-server');
  // With the globals left alone, since otherwise answers of the user's own fetch are no longer `instanceof Response`.
  const listener = getRequestListener(answer, { overrideGlobalObjects: false });
  const server = createServer((incoming, outgoing) => void listener(incoming, outgoing));
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      const what = `${flag}: cannot listen on ${host}, port ${port} (${cause.code ?? cause.message}).`;
      reject(new UsageError(`${what} Give another port, or 0 for any that is free.`, { cause }));
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

/** Connections that are kept alive as well: nobody is to wait for whoever looks at it. */
async function closed(server: Server): Promise<void> {
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
