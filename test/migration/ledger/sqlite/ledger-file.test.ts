/** The file of a ledger: who may read it, what it refuses to be, and what happens when the disk fails. */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { loadSqlite } from '../../../../src/migration/ledger/sqlite/driver.js';
import { LedgerFileError } from '../../../../src/migration/ledger/sqlite/file-error.js';
import { openSqliteLedger } from '../../../../src/migration/ledger/sqlite/sqlite-ledger.js';
import { startWriter } from '../processes.js';
import { all, emptyFolder, record } from '../records.js';

async function open(path: string, options = {}) {
  const ledger = await openSqliteLedger(path, options);
  onTestFinished(() => ledger.close());
  return ledger;
}

/** Changes a ledger's file as another program would. */
async function tamper(path: string, statement: string): Promise<void> {
  const connection = (await loadSqlite())(path, { readOnly: false });
  connection.exec(statement);
  connection.close();
}

/** Refused with this message, and the file left as it was. */
async function isRefused(path: string, message: string, options = {}): Promise<void> {
  const before = readFileSync(path);
  const refused = await open(path, options).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(LedgerFileError);
  expect((refused as Error).message).toBe(message);
  expect(readFileSync(path).equals(before)).toBe(true);
}

test.skipIf(process.platform === 'win32')(
  'every file is readable only by its owner, during the run and after',
  async () => {
    const folder = emptyFolder();
    const modes = () =>
      readdirSync(folder).map((name) => [name, (statSync(join(folder, name)).mode & 0o777).toString(8)]);
    const ledger = await open(join(folder, 'ledger.db'));
    await ledger.write(record('A-1'));
    expect(modes()).toEqual([
      ['ledger.db', '600'],
      ['ledger.db-shm', '600'],
      ['ledger.db-wal', '600'],
      ['ledger.db.lock', '600'],
    ]);
    await ledger.close();
    expect(modes()).toContainEqual(['ledger.db', '600']);
  },
);

test('after closing, everything is in the one file', async () => {
  const folder = emptyFolder();
  const ledger = await open(join(folder, 'ledger.db'));
  await ledger.write(record('A-1'));
  await ledger.close();
  const wal = join(folder, 'ledger.db-wal');
  expect(existsSync(wal) ? statSync(wal).size : 0).toBe(0);
  renameSync(join(folder, 'ledger.db'), join(folder, 'copy.db'));
  expect(await all((await open(join(folder, 'copy.db'))).list())).toEqual([record('A-1')]);
});

test('a missing folder', async () => {
  const path = join(emptyFolder(), 'none', 'ledger.db');
  await expect(open(path)).rejects.toThrow(`ledger: cannot open ${path} (ENOENT`);
  await expect(open(path)).rejects.toThrow('Create its folder first.');
});

test('a folder in its place', async () => {
  const path = emptyFolder();
  await expect(open(path)).rejects.toThrow(`ledger: cannot open ${path} (EISDIR`);
  expect(readdirSync(path)).toEqual([]);
});

test('read-only without a ledger: nothing is created', async () => {
  const folder = emptyFolder();
  await expect(open(join(folder, 'ledger.db'), { readOnly: true })).rejects.toThrow(LedgerFileError);
  expect(readdirSync(folder)).toEqual([]);
});

test('a file that is not a database', async () => {
  const path = join(emptyFolder(), 'ledger.db');
  writeFileSync(path, 'external_account_number;import_supplier\n'.repeat(100));
  const message = `ledger: cannot open ${path} (file is not a database). The file is not a ledger, or damaged at its beginning: restore it from a copy, then compare with data-import-sdk verify. Do not delete it: a run without its ledger starts from the beginning.`;
  await isRefused(path, message);
  await isRefused(path, message, { readOnly: true });
});

test('a lock file that is not a database may be deleted, and the ledger must not', async () => {
  const path = join(emptyFolder(), 'ledger.db');
  writeFileSync(`${path}.lock`, 'no lock\n'.repeat(100));
  await expect(open(path)).rejects.toThrow(
    `ledger: cannot lock ${path}.lock (file is not a database). Check that no run is active, then delete this file: it contains only the name of the process that has the ledger.`,
  );
});

test('the database of something else', async () => {
  const path = join(emptyFolder(), 'ledger.db');
  await tamper(path, 'create table address (name text)');
  const message = `ledger: ${path} is another database. Give the path of a ledger.`;
  await isRefused(path, message);
  await isRefused(path, message, { readOnly: true });
});

test('an empty file: status finds no run, and a run creates the ledger in it', async () => {
  const path = join(emptyFolder(), 'ledger.db');
  writeFileSync(path, '');
  await isRefused(path, `ledger: ${path} is empty. A run fills it; then repeat this command.`, {
    readOnly: true,
  });
  const ledger = await open(path);
  await ledger.write(record('A-1'));
  expect(await ledger.counts()).toMatchObject({ total: 1 });
});

test('a missing or empty file is not replaced if run.json shows that the run began', async () => {
  const folder = emptyFolder();
  const path = join(folder, 'ledger.sqlite');
  writeFileSync(join(folder, 'run.json'), '{}');
  const lost = (how: string) =>
    `ledger: ${path} is ${how}, and the file run.json next to it shows that a run has begun. Restore it, or a copy of it, then compare with data-import-sdk verify. Without it, everything is sent again: if you want that, give another folder.`;
  for (const readOnly of [true, false]) await expect(open(path, { readOnly })).rejects.toThrow(lost('gone'));
  expect(readdirSync(folder)).toEqual(['run.json']);
  writeFileSync(path, '');
  for (const readOnly of [true, false]) await isRefused(path, lost('empty'), { readOnly });
});

test('a ledger that was just made has something in its file: a run that is killed then has not lost it', async () => {
  const folder = emptyFolder();
  const path = join(folder, 'ledger.sqlite');
  await open(path);
  expect(statSync(path).size).toBeGreaterThan(0);
});

const GONE =
  'Restore it, or a copy of it, then compare with data-import-sdk verify. Without it, everything is sent again: if you want that, give another folder.';

test.each([
  ['the folder is deleted', 'ledger.db', GONE, (folder: string) => rmSync(folder, { recursive: true })],
  [
    'the file is moved',
    'ledger.db',
    GONE,
    (folder: string) => renameSync(join(folder, 'ledger.db'), join(folder, 'x')),
  ],
  [
    'the lock is deleted',
    'ledger.db.lock',
    'Repeat the command.',
    (folder: string) => rmSync(join(folder, 'ledger.db.lock')),
  ],
])('%s while it is in use: every write of the group is refused', async (_, name, remedy, mishap) => {
  const folder = join(emptyFolder(), 'run');
  mkdirSync(folder);
  const ledger = await open(join(folder, 'ledger.db'));
  await ledger.write(record('A-1'));
  mishap(folder);
  const results = await Promise.allSettled([ledger.write(record('A-2')), ledger.write(record('A-3'))]);
  const message = `ledger: ${join(folder, name)} was moved or deleted during the run, so nothing more can be stored. ${remedy}`;
  for (const result of results) {
    expect(result).toMatchObject({ status: 'rejected', reason: { name: 'LedgerFileError', message } });
  }
});

test.skipIf(process.platform === 'win32')(
  'a full disk: what was acknowledged stays, and the rest is refused',
  { tags: 'long' },
  async () => {
    const path = join(emptyFolder(), 'ledger.db');
    // Files may grow to 400 KiB; without the trap the system would end the process.
    const writer = startWriter([path, 1000], "trap '' XFSZ; ulimit -f 400");
    const error = await writer.said('error');
    const total = Number((await writer.said('total')).split(' ')[1]);
    // Less than what did not fit does.
    await writer.said('usable');
    expect(error).toContain(`error ledger: cannot write to ${path} (`);
    const acknowledged = new Set(writer.lines().flatMap((line) => (line.startsWith('A-') ? [line.split(' ')[0]] : [])));
    expect(acknowledged.size).toBeGreaterThan(20);
    expect(total).toBeGreaterThanOrEqual(acknowledged.size);
    await writer.kill();
    const ledger = await open(path);
    const kept = new Set((await all(ledger.list())).map(({ number }) => number));
    expect([...acknowledged].filter((number) => number !== undefined && !kept.has(number))).toEqual([]);
    // There is room again.
    await ledger.write(record('B-1'));
    expect((await ledger.counts()).total).toBe(kept.size + 1);
  },
);
