/** Which thread commits: the run's own thread at first, then a second one if it can be started. */
import { readdirSync, readFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { DirectWrite } from '../../../../src/migration/ledger/sql/direct.js';
import { hasOwnSqlite, loadSqlite } from '../../../../src/migration/ledger/sqlite/driver.js';
import { openSqliteLedger } from '../../../../src/migration/ledger/sqlite/sqlite-ledger.js';
import { createWriter, type ThreadChoice } from '../../../../src/migration/ledger/sqlite/writer.js';
import { emptyFolder, record } from '../records.js';

const INSERT = 'insert into word values (?)';
const words = (...of: string[]): DirectWrite[] =>
  of.map((word) => ({ write: { sql: INSERT, parameters: [word] }, after: [] }));

/** What a thread leaves in the file when it opens it. */
const OPENED = ['user_version = 9'];

/** A writer on a database of words, and how many groups were committed in this thread. */
async function writerOf(choice: ThreadChoice, path = join(emptyFolder(), 'words.db'), pragmas: readonly string[] = []) {
  const connection = (await loadSqlite())(path, { readOnly: false });
  connection.exec('pragma journal_mode = wal');
  connection.exec('create table if not exists word (word text not null)');
  const here = { groups: 0 };
  const writer = createWriter(
    (writes) => {
      here.groups++;
      return writes.map(() => true);
    },
    { path, isOwn: hasOwnSqlite(), settings: ['synchronous = full', ...pragmas] },
    choice,
  );
  onTestFinished(async () => {
    await writer.close();
    connection.close();
  });
  const kept = () => connection.prepare('select word from word order by rowid').all();
  const opened = () => connection.prepare('pragma user_version').get();
  return { writer, here, kept, opened };
}

test('a short run has no thread: a thousand writes are committed in the main thread', async () => {
  const { writer, here, opened } = await writerOf('auto', undefined, OPENED);
  await writer.transact(words(...Array.from({ length: 999 }, String)));
  await writer.transact(words('last'));
  // A thread that was begun is waited for.
  await writer.close();
  expect([here.groups, opened()]).toEqual([2, { user_version: 0 }]);
});

test('after a thousand writes a thread takes over, as soon as it is ready', async () => {
  const { writer, here, kept, opened } = await writerOf('auto', undefined, OPENED);
  await writer.transact(words(...Array.from({ length: 1000 }, String)));
  // One group after the other, until one was written by the thread.
  while (kept().length === 0) {
    await writer.transact(words('more'));
    await new Promise(setImmediate);
  }
  const groups = here.groups;
  expect(await writer.transact(words('a', 'b'))).toEqual([true, true]);
  expect([here.groups, kept().slice(-2)]).toEqual([groups, [{ word: 'a' }, { word: 'b' }]]);
  expect(opened()).toEqual({ user_version: 9 });
});

test('without a thread, as in a bundle without its file, the run commits by itself', async () => {
  const { writer, here } = await writerOf('auto', undefined, ['no such = pragma; is no sql']);
  for (let group = 0; group < 20; group++) {
    expect(await writer.transact(words(...Array.from({ length: 100 }, String)))).toHaveLength(100);
    await new Promise(setImmediate);
  }
  expect(here.groups).toBe(20);
});

test('with the option for a thread that cannot start, the write is refused', async () => {
  const { writer, here } = await writerOf('always', undefined, ['no such = pragma; is no sql']);
  await expect(writer.transact(words('a'))).rejects.toThrow('syntax error');
  expect(here.groups).toBe(0);
});

test('a write that fails in the thread undoes its group, reports the error of SQLite, and the next continues', async () => {
  const { writer, kept } = await writerOf('always');
  const refused: unknown = await Promise.resolve(
    writer.transact([...words('a'), { write: { sql: INSERT, parameters: [null] }, after: [] }]),
  ).catch((error: unknown) => error);
  expect(refused).toMatchObject({ message: 'NOT NULL constraint failed: word.word', code: 'ERR_SQLITE_ERROR' });
  expect(await writer.transact(words('b'))).toEqual([true]);
  expect(kept()).toEqual([{ word: 'b' }]);
});

test.runIf(process.platform === 'linux')(
  'the thread has a lower priority than the run, and the run has the normal one',
  async () => {
    const ofRun = getPriority();
    const { writer } = await writerOf('always');
    await writer.transact(words('a'));
    // After the name, which is in parentheses, the niceness is the seventeenth field of each thread.
    const niceness = (task: string) =>
      readFileSync(`/proc/self/task/${task}/stat`, 'utf8').split(') ')[1]?.split(' ')[16];
    expect(readdirSync('/proc/self/task').map(niceness)).toContain(String(Math.min(19, ofRun + 5)));
    expect(getPriority()).toBe(ofRun);
  },
);

test('a file that was removed while the thread uses it: the error has the file and the remedy', async () => {
  const path = join(emptyFolder(), 'ledger.db');
  const ledger = await openSqliteLedger(path, { thread: 'always' });
  onTestFinished(() => ledger.close());
  await ledger.write(record('A-1'));
  const other = (await loadSqlite())(path, { readOnly: false });
  other.exec('drop table record');
  other.close();
  await expect(ledger.write(record('A-2'))).rejects.toThrow(
    `ledger: cannot write to ${path} (SQL logic error). Correct the cause, and repeat the command.`,
  );
});
