/** An HTTP proxy on this machine, whose tunnels all end at one port: so a service may have any name. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { onTestFinished } from 'vitest';

/** Host of a service that is not on this machine, as far as the client knows. */
export const ELSEWHERE = 'api.example.com';

/**
 * An HTTP proxy that writes down each request to it. `status`: what it answers in place of 200; `to`: the port of each tunnel; `words`: what
 * it writes in place of an answer, before it closes the connection.
 */
export async function startProxy({ status = 200, to, words }: { status?: number; to?: number; words?: string } = {}) {
  const targets: string[] = [];
  const credentials: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    targets.push(request.url ?? '');
    response.writeHead(502).end();
  });
  server.on('connect', (request, socket, head) => {
    targets.push(request.url ?? '');
    credentials.push(request.headers['proxy-authorization']);
    if (words !== undefined) return void socket.end(words);
    if (status !== 200 || to === undefined) return void socket.end(`HTTP/1.1 ${status} No\r\n\r\n`);
    const service = connect(to, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      service.write(head);
      service.pipe(socket).pipe(service);
    });
    service.on('error', () => socket.destroy());
    socket.on('error', () => service.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, targets, credentials };
}
