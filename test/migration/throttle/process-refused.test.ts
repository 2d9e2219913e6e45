/** A run against a service that answers 429 only to process: staging, items and status queries continue (issue 18, I). */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { DataImportClient } from 'data-import-sdk';
import { inputFromRecords, startMigration } from 'data-import-sdk/migration';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createMemoryLedger } from '../../../src/migration/ledger/memory.js';
import { newFolder } from '../../helpers/folder.js';
import { PATIENCE } from '../../helpers/patience.js';
import { fakeClock } from './fake-clock.js';

/** A service that creates `creates` accounts, and answers 429 to process after these. */
async function limitedService(creates: number) {
  const service = { creates, requests: [] as string[] };
  const answer = (response: ServerResponse, status: number, body: unknown, headers = {}) =>
    void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  const react = async (request: IncomingMessage, response: ServerResponse) => {
    const body = JSON.parse((await text(request)) || '{}');
    const path = request.url?.replace('/v1/data-import/', '') ?? '';
    const number = body.external_account_number;
    const isRefused = path === 'account-import-process/process/' && service.creates-- <= 0;
    service.requests.push(`${path.split('/').at(-2)} ${number}${isRefused ? ' 429' : ''}`);
    if (isRefused) return answer(response, 429, { detail: 'Too many at once.' }, { 'retry-after': '1000' });
    if (path.startsWith('notes/')) {
      return answer(
        response,
        201,
        body.notes.map(({ body }: { body: string }) => ({
          body,
          created_at: '2026-01-15T09:00:00Z',
          status: 'NOTE_CREATION_SUCCESS',
        })),
      );
    }
    if (path.endsWith('process/')) return answer(response, 201, { service_account_number: `S-${number}` });
    return answer(response, 201, { import_supplier: body.import_supplier, external_account_number: number });
  };
  const server = createServer((request, response) => void react(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return Object.assign(service, { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
}

const numbers = Array.from({ length: 20 }, (_, index) => `A-${index + 1}`);
const records = numbers.map((number) => ({
  account: { import_supplier: 'ACME', external_account_number: number },
  notes: [{ body: 'Prefers letters.' }],
}));

test('during a cooldown of process all accounts are staged, and items of existing accounts are sent', async () => {
  const service = await limitedService(1);
  const ledger = createMemoryLedger();
  const folder = newFolder('process-refused-');
  const start = () => {
    const client = new DataImportClient({ baseUrl: service.url, token: 'test-token' });
    onTestFinished(() => client.close());
    // Its clock stands still, so what is held back never leaves.
    const throttle = { clock: fakeClock(), process: { start: 1 } };
    return startMigration({
      client,
      input: inputFromRecords(records),
      folder,
      team: 'EAST',
      ledger,
      throttle,
      dryRun: 'none',
    });
  };

  const { throttle, finished } = await start();
  const done = (what: string) => service.requests.filter((request) => request.startsWith(what));
  await vi.waitFor(() => {
    expect(done('create-or-update')).toHaveLength(20);
    expect(done('create ')).toHaveLength(1);
  }, PATIENCE);
  expect(done('process')).toEqual([expect.stringMatching(/^process A-\d+$/), expect.stringMatching(/ 429$/)]);
  expect(throttle.status().process.why).toMatch(/throttled \(429\), no process call starts for 1000 s$/);

  throttle.drain();
  expect(await finished).toMatchObject({ state: 'stopped', summary: { unfinished: 19 } });
  expect(await ledger.counts()).toMatchObject({ intents: 0, ended: { created: 1, rejected: 0, unknown: 0 } });

  service.creates = 20;
  expect(await (await start()).finished).toMatchObject({ state: 'finished', summary: { unfinished: 0 } });
  const created = done('process').filter((request) => !request.endsWith('429'));
  expect(created.toSorted()).toEqual(numbers.map((number) => `process ${number}`).toSorted());
});
