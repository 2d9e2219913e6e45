/** `sandbox-server sandbox|bare`: the sandbox, or a bare server that parses the same bodies and answers the same. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createSandbox } from 'data-import-sdk/sandbox';
import { cpuUs } from '../frame/figures.js';
import { PATH } from './accounts.js';

const port = process.argv[2] === 'sandbox' ? (await createSandbox().listen()).port : await listenBare();
process.on('message', () => process.send?.(cpuUs()));
process.on('disconnect', () => process.exit());
process.send?.(port);

async function listenBare(): Promise<number> {
  const staged = new Map<string, unknown>();
  const server = createServer(async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const account = JSON.parse(Buffer.concat(chunks).toString());
    const { import_supplier, external_account_number } = account;
    const isStage = request.url === PATH;
    const isNew = isStage && !staged.has(external_account_number);
    if (isStage) staged.set(external_account_number, account);
    const body = JSON.stringify(isStage ? { import_supplier, external_account_number } : account);
    response.writeHead(isNew ? 201 : 200, {
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(body),
    });
    response.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}
