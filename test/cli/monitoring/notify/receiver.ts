/** A server that receives notifications, and answers with the given statuses, then with 204. */
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { onTestFinished } from 'vitest';

export interface Received {
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

export async function openReceiver(...statuses: (number | 'silent')[]) {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    received.push({ path: request.url ?? '', headers: request.headers, body });
    const status = statuses.shift() ?? 204;
    if (status !== 'silent') response.writeHead(status, { location: 'http://127.0.0.1:9/elsewhere' }).end();
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as { port: number };
  return { url: `http://127.0.0.1:${port}/T0/B0/path-secret?q=query-secret`, host: `127.0.0.1:${port}`, received };
}
