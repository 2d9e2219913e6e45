/** The sandbox behind TLS, with a certificate of a company's own authority. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type ServerOptions } from 'node:https';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { createSandbox } from '../../src/sandbox/index.js';

/** `files`: paths of the server's certificate and key. */
export async function startTlsService(files: { cert: string; key: string }, options: ServerOptions = {}) {
  const sandbox = createSandbox();
  const server = createServer(
    { cert: readFileSync(files.cert), key: readFileSync(files.key), ...options },
    async (incoming, outgoing) => {
      const chunks: Buffer[] = [];
      for await (const chunk of incoming) chunks.push(chunk as Buffer);
      const { method = 'GET', url = '/', headers } = incoming;
      const answer = await sandbox.fetch(`http://sandbox${url}`, {
        method,
        headers: { authorization: headers.authorization ?? '', 'content-type': 'application/json' },
        ...(method !== 'GET' && { body: Buffer.concat(chunks).toString() }),
      });
      outgoing.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text());
    },
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { sandbox, port: (server.address() as AddressInfo).port };
}
