/**
 * Answers like the staging endpoint with minimal work, so that the measurement is of the client: it only finds the end
 * of a request and the account number in it.
 */

import type { AddressInfo } from 'node:net';
import { createServer, type Socket } from 'node:net';

const END_OF_HEAD = '\r\n\r\n';
const END_OF_CHUNKS = '\r\n0\r\n\r\n';

const server = createServer((socket) => {
  socket.setNoDelay(true);
  let pending = '';
  socket.on('data', (chunk) => {
    pending = pending === '' ? chunk.toString('latin1') : pending + chunk.toString('latin1');
    if (!isWhole(pending)) return;
    answer(socket, /"external_account_number":"([^"]*)"/.exec(pending)?.[1] ?? '');
    pending = '';
  });
  socket.on('error', () => {});
});

/** Returns whether the text is one whole request. The clients do not pipeline, so nothing can follow it. */
function isWhole(request: string): boolean {
  const head = request.indexOf(END_OF_HEAD);
  if (head < 0) return false;
  const length = /content-length: (\d+)/i.exec(request)?.[1];
  if (length === undefined) return request.endsWith(END_OF_CHUNKS);
  return request.length >= head + END_OF_HEAD.length + Number(length);
}

function answer(socket: Socket, accountNumber: string): void {
  const body = `{"import_supplier":"BENCH","external_account_number":"${accountNumber}"}`;
  socket.write(
    'HTTP/1.1 201 Created\r\nContent-Type: application/json\r\nX-Request-Id: req-1\r\n' +
      `Date: Sun, 22 Nov 2026 00:00:00 GMT\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
}

server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
process.on('disconnect', () => process.exit());
