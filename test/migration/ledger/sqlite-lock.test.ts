/** One run at a time on a ledger, and whoever looks at it meanwhile. */
import { hostname } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { LedgerLockedError } from '../../../src/migration/ledger/locked-error.js';
import { openSqliteLedger } from '../../../src/migration/ledger/sqlite.js';
import { startWriter } from './processes.js';
import { all, emptyFolder, record } from './records.js';

const now = () => new Date('2026-01-15T09:00:00Z');

async function openIn(folder: string, options = {}) {
  const ledger = await openSqliteLedger(join(folder, 'ledger.db'), { now, ...options });
  onTestFinished(() => ledger.close());
  return ledger;
}

test('a second run on the same ledger is told who has it, since when, and what to do', async () => {
  const folder = emptyFolder();
  const ledger = await openIn(folder);
  await ledger.write(record('A-1'));
  const refused = await openIn(folder).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(LedgerLockedError);
  expect((refused as Error).message).toBe(
    `ledger: ${join(folder, 'ledger.db')} is in use by process ${process.pid} on ${hostname()} since ` +
      '2026-01-15T09:00:00.000Z, and one run at a time may work on it. ' +
      'Wait until that run has ended, or end it; then give the same command again.',
  );
  await ledger.write(record('A-2'));
  expect((await all(ledger.list())).map(({ number }) => number)).toEqual(['A-1', 'A-2']);
});

test('a refused run leaves the lock with who has it', async () => {
  const folder = emptyFolder();
  await openIn(folder);
  for (let tries = 0; tries < 2; tries++) await expect(openIn(folder)).rejects.toThrow(LedgerLockedError);
});

test('of runs that start at the same moment one gets the ledger', async () => {
  const folder = emptyFolder();
  const results = await Promise.allSettled([1, 2, 3].map(() => openIn(folder)));
  expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected', 'rejected']);
});

test('a ledger that was closed can be opened again, and closing twice does no harm', async () => {
  const folder = emptyFolder();
  const ledger = await openIn(folder);
  await ledger.write(record('A-1'));
  await Promise.all([ledger.close(), ledger.close()]);
  const again = await openIn(folder);
  expect(await all(again.list())).toEqual([record('A-1')]);
});

test('another process holds the lock until it is killed, and no longer', async () => {
  const folder = emptyFolder();
  const writer = startWriter([join(folder, 'ledger.db'), 1]);
  await writer.said('A-0-19 3');
  await expect(openIn(folder)).rejects.toThrow(`in use by process ${writer.pid} on ${hostname()} since `);
  await writer.kill();
  const ledger = await openIn(folder);
  expect(await ledger.counts()).toMatchObject({ total: 20 });
});

test('read-only beside a writer: sees what is on disk, and what comes later', async () => {
  const folder = emptyFolder();
  const ledger = await openIn(folder);
  await ledger.write(record('A-1'));
  const looker = await openIn(folder, { readOnly: true });
  expect(await all(looker.list())).toEqual([record('A-1')]);
  await ledger.write(record('A-2'));
  expect(await looker.counts()).toMatchObject({ total: 2 });
  await looker.close();
  await ledger.write(record('A-3'));
  expect(await ledger.counts()).toMatchObject({ total: 3 });
});

test('read-only after the run has ended, and beside another that looks', async () => {
  const folder = emptyFolder();
  const ledger = await openIn(folder);
  await ledger.write(record('A-1'));
  await ledger.setFact('book', 'b');
  await ledger.close();
  for (const looker of [await openIn(folder, { readOnly: true }), await openIn(folder, { readOnly: true })]) {
    expect(await all(looker.list())).toEqual([record('A-1')]);
    expect(await looker.fact('book')).toBe('b');
  }
});

test('read-only: a write is refused and changes nothing', async () => {
  const folder = emptyFolder();
  const ledger = await openIn(folder);
  await ledger.write(record('A-1'));
  const looker = await openIn(folder, { readOnly: true });
  const refusal = `ledger: ${join(folder, 'ledger.db')} was opened to be read. Open it without readOnly to write.`;
  await expect(looker.write(record('A-2'))).rejects.toThrow(refusal);
  await expect(looker.setFact('book', 'b')).rejects.toThrow(refusal);
  expect(await all(ledger.list())).toEqual([record('A-1')]);
  expect(await ledger.fact('book')).toBeUndefined();
});
