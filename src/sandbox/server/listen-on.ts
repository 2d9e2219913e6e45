/** Exports `listenOn`, which opens an HTTP server at an address. */
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Resolves when the server listens. Rejects with the error of Node. `url`: without a slash at the end. */
export async function listenOn(server: Server, { host, port }: { host: string; port: number }) {
  server.listen(port, host);
  await once(server, 'listening');
  // A connection that cannot be accepted does not end the process.
  server.on('error', () => {});
  const found = server.address() as AddressInfo;
  const name = found.family === 'IPv6' ? `[${found.address}]` : found.address;
  return {
    url: `http://${name}:${found.port}`,
    port: found.port,
    /** Closes open connections at once: a browser that keeps one would delay the end. */
    async close(): Promise<void> {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
