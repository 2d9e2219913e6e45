/** The sandbox as a server of its own. */
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { HttpBindings } from '@hono/node-server';
import type { Route } from './router.js';
import type { Spaces } from './space.js';

export interface ListenOptions {
  /**
   * 0 takes any that is free.
   * @default 0
   */
  port?: number;
  /**
   * Where to listen. Anything but this machine lets others in: whoever knows the token may do everything.
   * @default '127.0.0.1'
   */
  hostname?: string;
}

export interface SandboxServer {
  /** The base URL, without a slash at the end, such as `http://127.0.0.1:41234`. */
  url: string;
  port: number;
  /** Ends the server and every connection to it. The sandbox itself stays as it is. */
  close(): Promise<void>;
}

/** Rejects with an error that names Node's code where the port is taken or not allowed. */
export async function listen(route: Route, _spaces: Spaces, options: ListenOptions): Promise<SandboxServer> {
  const { port = 0, hostname = '127.0.0.1' } = options;
  // Loaded on demand: who only calls the sandbox in process does not pay for a server. With the globals left alone,
  // since otherwise answers of the user's own fetch are no longer `instanceof Response`.
  const { createAdaptorServer } = await import('@hono/node-server');
  const { RESPONSE_ALREADY_SENT } = await import('@hono/node-server/utils/response');
  const answer = async (request: Request, { outgoing }: HttpBindings): Promise<Response> => {
    const reply = await route(request);
    if (reply === undefined) outgoing.destroy();
    else {
      const length = reply.text === null ? 0 : Buffer.byteLength(reply.text);
      outgoing.writeHead(reply.status, { ...reply.headers, 'Content-Length': length });
      outgoing.end(reply.text ?? undefined);
    }
    return RESPONSE_ALREADY_SENT;
  };
  const server = createAdaptorServer({ fetch: answer as never, overrideGlobalObjects: false }) as Server;
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      const detail = `sandbox.listen: cannot listen on ${hostname}, port ${port} (${cause.code ?? cause.message}).`;
      reject(new Error(`${detail} Give another port, or none for any that is free.`, { cause }));
    });
    server.listen(port, hostname, resolve);
  });
  const address = server.address() as AddressInfo;
  const host = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return {
    url: `http://${host}:${address.port}`,
    port: address.port,
    close: () =>
      new Promise((resolve, reject) => {
        server.close((error) => (error ? reject(error) : resolve()));
        server.closeAllConnections();
      }),
  };
}
