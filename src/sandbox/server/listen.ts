/** Exports `listen`, which serves a sandbox over HTTP. */
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { HttpBindings } from '@hono/node-server';
import type { AsyncDisposableObject } from '../../async-dispose.js';
import { checkOptionKinds, type OptionKinds } from '../../validation/option-kinds.js';
import type { Spaces } from '../spaces.js';
import { type KeptState, keepIn } from '../spaces.js';
import { SHARED } from './access-tokens.js';
import { listenOn } from './listen-on.js';
import type { Route } from './router.js';
import { type ServiceRequest, toServiceRequest } from './service-request.js';
import { isLoopback, type Refusal, refuseWebPage } from './web-page-guard.js';

/** Options of `sandbox.listen`. */
export interface ListenOptions {
  /**
   * The port to listen on; 0 takes any that is free.
   * @default 0
   */
  port?: number | undefined;
  /**
   * The address to listen on. An address that is not a loopback address is reachable from other machines: every caller with
   * the token has full access. On a loopback address web pages are refused: 403 for a Host that is neither localhost nor an IP
   * address, and for a foreign Origin.
   * @default '127.0.0.1'
   */
  hostname?: string | undefined;
  /**
   * A file that keeps the state until `close`, as `sandbox.keepIn` does. Isolated states are not kept.
   * @default none
   */
  file?: string | undefined;
}

/** A sandbox that serves HTTP. `await using server = await sandbox.listen()` closes it at the end of the block. */
export type SandboxServer = AsyncDisposableObject & {
  /** The base URL, without a slash at the end, such as `http://127.0.0.1:41234`. */
  url: string;
  /** The port on which it listens. */
  port: number;
  /**
   * Stops the server and closes its connections. Further calls have no effect. The state of the sandbox is not changed.
   */
  close(): Promise<void>;
};

const KINDS: OptionKinds<ListenOptions> = { port: 'any?', hostname: 'string?', file: 'string?' };

const MAX_PORT = 65_535;
const ANOTHER_PORT = ' Give another port, or 0 for any that is free.';
const ANOTHER_HOST = ' Give a host name or an address of this machine, such as 127.0.0.1.';

/** Solution by Node's error code. */
const REMEDIES: Readonly<Record<string, string>> = {
  EADDRINUSE: ANOTHER_PORT,
  EACCES: ANOTHER_PORT,
  EADDRNOTAVAIL: ANOTHER_HOST,
  ENOTFOUND: ANOTHER_HOST,
  EAI_AGAIN: ANOTHER_HOST,
};

/**
 * Starts a server. Rejects with a TypeError for invalid options, and with an error that names Node's error code if it
 * cannot listen there.
 */
export async function listen(route: Route, spaces: Spaces, options: ListenOptions): Promise<SandboxServer> {
  checkOptionKinds('sandbox.listen', options, KINDS);
  const { port = 0, hostname = '127.0.0.1', file } = options;
  if (!(Number.isInteger(port) && port >= 0 && port <= MAX_PORT)) {
    const found = typeof port === 'number' ? String(port) : JSON.stringify(port);
    throw new TypeError(`sandbox.listen: port must be a whole number from 0 to ${MAX_PORT}, found ${found}.`);
  }
  // With an empty name Node listens on every address of the machine.
  if (hostname.trim() === '')
    throw new TypeError(
      'sandbox.listen: hostname must be a host name or an address of this machine, such as 127.0.0.1.',
    );
  const kept = file === undefined ? undefined : await keepShared(file, spaces);
  const server = await createHttpServer(route, spaces, isLoopback(hostname));
  const at = await listenOn(server, { host: hostname, port }).catch((cause: NodeJS.ErrnoException) => {
    const code = cause.code ?? cause.message;
    const detail = `sandbox.listen: cannot listen on ${hostname}, port ${port} (${code}).${REMEDIES[code] ?? ''}`;
    throw new Error(detail, { cause });
  });
  const end = async (): Promise<void> => {
    await at.close();
    kept?.close();
  };
  let ended: Promise<void> | undefined;
  const close = () => {
    ended ??= end();
    return ended;
  };
  return { url: at.url, port: at.port, close, [Symbol.asyncDispose]: close };
}

/** `isLocal`: requests of web pages are refused. */
async function createHttpServer(route: Route, spaces: Spaces, isLocal: boolean): Promise<Server> {
  // Loaded on demand: callers in process need no server. The listener must not replace global objects: answers of the
  // user's own fetch would no longer be `instanceof Response`.
  const { getRequestListener } = await import('@hono/node-server');
  const { RESPONSE_ALREADY_SENT } = await import('@hono/node-server/utils/response');
  const { createAdmin, isAdminPath } = await import('../admin/admin-app.js');
  const admin = createAdmin(spaces);
  // For the admin interface, and for requests that need a full Request object.
  const answerRequest = getRequestListener(
    async (request, bindings) => {
      const { incoming, outgoing } = bindings as HttpBindings;
      if (isAdminPath(incoming.url ?? '')) return admin(request, bindings as HttpBindings);
      await answer(request, outgoing, route);
      return RESPONSE_ALREADY_SENT;
    },
    { overrideGlobalObjects: false },
  );
  return createServer((incoming, outgoing) => {
    const isAdmin = isAdminPath(incoming.url ?? '');
    // The admin interface has its own guard.
    const refusal = isLocal && !isAdmin ? refuseWebPage(incoming.headers) : undefined;
    if (refusal !== undefined) {
      refuse(refusal, outgoing);
      return;
    }
    const request = isAdmin ? undefined : toServiceRequest(incoming, outgoing);
    if (request === undefined) void answerRequest(incoming, outgoing);
    else answer(request, outgoing, route).catch(() => outgoing.destroy());
  });
}

async function answer(request: ServiceRequest, outgoing: ServerResponse, route: Route): Promise<void> {
  const reply = await route(request);
  if (reply === undefined) outgoing.destroy();
  else {
    const length = reply.text === null ? 0 : Buffer.byteLength(reply.text);
    outgoing.writeHead(reply.status, { 'Content-Length': length, ...reply.headers });
    outgoing.end(reply.text ?? undefined);
  }
}

/** Answers 403 before the body is read. */
function refuse(refusal: Refusal, outgoing: ServerResponse): void {
  const text = JSON.stringify(refusal);
  outgoing.writeHead(403, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) });
  outgoing.end(text);
}

/** Keeps the state that tokens without a name select; it always exists. */
async function keepShared(path: string, spaces: Spaces): Promise<KeptState | undefined> {
  const space = spaces(SHARED);
  return space && keepIn(path, space);
}
