/** `runMigration`, as code calls it: what it leaves in the folder, and that it leaves nothing on the client. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { DataImportClient } from '../../src/client.js';
import { bookOf, createMemoryLedger, runMigration } from '../../src/migration/index.js';
import { createSandbox } from '../../src/sandbox/index.js';
import { account } from './rehearsal.js';

test('a run reports its balance, and looks on the client no longer than it takes', async () => {
  const parent = mkdtempSync(join(tmpdir(), 'migration-'));
  onTestFinished(() => rmSync(parent, { recursive: true, force: true }));
  const sandbox = createSandbox();
  const fetch = (url: string, init: RequestInit) => sandbox.fetch(new Request(url, init));
  const client = new DataImportClient({ baseUrl: 'http://localhost:1', token: sandbox.token, fetch });
  const stop = vi.fn();
  const observe = vi.spyOn(client, 'observe').mockReturnValue(stop);
  const folder = join(parent, 'run');
  const book = bookOf([account('A-1'), account('A-2')]);
  const result = await runMigration({ client, book, folder, team: 'SANDBOX_TEAM', ledger: createMemoryLedger() });
  expect(result).toMatchObject({
    state: 'finished',
    reason: undefined,
    summary: { created: 2, balance: { isBalanced: true } },
  });
  expect(JSON.parse(readFileSync(join(folder, 'run.json'), 'utf8'))).toMatchObject({ state: 'finished' });
  expect(observe).toHaveBeenCalledTimes(1);
  expect(stop).toHaveBeenCalledTimes(1);
});
