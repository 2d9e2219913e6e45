/** `runMigration`, as code calls it: what it leaves in the folder, and that it leaves nothing on the client. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { DataImportClient } from '../../src/client.js';
import { bookOf, createMemoryLedger, runMigration, startMigration } from '../../src/migration/index.js';
import { createSandbox } from '../../src/sandbox/index.js';
import { account } from './rehearsal.js';

/** A sandbox, a client of it, and a run folder that is gone with the test. */
function scene() {
  const parent = mkdtempSync(join(tmpdir(), 'migration-'));
  onTestFinished(() => rmSync(parent, { recursive: true, force: true }));
  const sandbox = createSandbox();
  const fetch = (url: string, init: RequestInit) => sandbox.fetch(new Request(url, init));
  const client = new DataImportClient({ baseUrl: 'http://localhost:1', token: sandbox.token, fetch });
  return { client, folder: join(parent, 'run'), team: 'SANDBOX_TEAM', ledger: createMemoryLedger() };
}

test('a run reports its balance, and looks on the client no longer than it takes', async () => {
  const { client, folder, ...rest } = scene();
  const stop = vi.fn();
  const observe = vi.spyOn(client, 'observe').mockReturnValue(stop);
  const book = bookOf([account('A-1'), account('A-2')]);
  const result = await runMigration({ client, book, folder, ...rest });
  expect(result).toMatchObject({
    state: 'finished',
    reason: undefined,
    summary: { created: 2, balance: { isBalanced: true } },
  });
  expect(JSON.parse(readFileSync(join(folder, 'run.json'), 'utf8'))).toMatchObject({ state: 'finished' });
  expect(observe).toHaveBeenCalledTimes(1);
  expect(stop).toHaveBeenCalledTimes(1);
});

test('a run that drains before the end of its book is no finished one, also where all that it began has ended', async () => {
  const options = scene();
  const read: string[] = [];
  let firstEnds = (): void => {};
  const firstEnded = new Promise<void>((resolve) => {
    firstEnds = resolve;
  });
  const drained = await startMigration({
    ...options,
    onEvent: (_, event) => event.happens === 'ended' && firstEnds(),
    book: bookOf(async function* () {
      for (const number of ['A-1', 'A-2', 'A-3']) {
        read.push(number);
        if (number === 'A-2') {
          await firstEnded;
          drained.pace.drain();
        }
        yield account(number);
      }
    }),
  });
  expect(await drained.finished).toMatchObject({ state: 'stopped', summary: { created: 1, open: 0 } });
  expect(read).toEqual(['A-1', 'A-2']);

  const again = await runMigration({
    ...options,
    book: bookOf(['A-1', 'A-2', 'A-3'].map((number) => account(number))),
  });
  expect(again).toMatchObject({ state: 'finished', summary: { created: 3, balance: { isBalanced: true } } });
});

test('numbers with half a character are refused before a ledger takes two of them for one', async () => {
  const { ledger: _, ...options } = scene();
  const book = bookOf([account('A\ud800'), account('A\ud801'), account('A-3')]);
  const { summary } = await runMigration({ ...options, book });
  expect(summary.balance.text).toBe('1 created + 0 already there + 2 rejected + 0 skipped + 0 unknown = 3');
  expect(summary.errors).toMatchObject([
    { step: 'read', code: 'invalid_unicode', attr: 'account.external_account_number', count: 2 },
  ]);
});
