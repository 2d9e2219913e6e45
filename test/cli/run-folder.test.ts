/** How work in a run folder ends where it cannot go on: by which error, and so by which code. */
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { inRunFolder } from '../../src/cli/run-folder.js';
import { ledgerFileError } from '../../src/migration/ledger/file-error.js';
import { createMemoryLedger } from '../../src/migration/ledger/memory.js';
import { ledgerDatabaseError } from '../../src/migration/ledger/postgres-error.js';
import { openRunFolder } from '../../src/migration/report/folder.js';
import { account, line, openFolder, run } from './typed.js';

const { at } = openFolder();

/** What is said of work that fails, and as what. */
async function failing(error: Error, close = async () => {}) {
  const flags = { run: at('failing') };
  const ledger = { ...createMemoryLedger(), close };
  const work = () => Promise.reject(error);
  const around = { err: () => {}, exit: () => {} };
  const end = await inRunFolder(openRunFolder(flags.run), flags, around, work, async () => ledger).catch(
    (thrown: Error) => thrown,
  );
  return [end?.message, end?.name];
}

const sqlite = (errcode: number, errstr: string) => Object.assign(new Error(errstr), { errcode, errstr });

test.each([
  [13, 'database or disk is full', 'Make room on the disk, and give the same command again.', 'BrokenOffError'],
  [10, 'disk I/O error', 'Check the disk, and give the same command again.', 'BrokenOffError'],
  [778, 'disk I/O error', 'Check the disk, and give the same command again.', 'BrokenOffError'],
  [8, 'attempt to write', 'Make the file and its folder writable, and give the same command again.', 'UsageError'],
])('SQLite says %i: that counts, and not that it cannot be closed either', async (code, text, remedy, name) => {
  const error = ledgerFileError('write to', 'ledger.sqlite', sqlite(code, text));
  const close = () => Promise.reject(ledgerFileError('close', 'ledger.sqlite', sqlite(code, text)));
  expect(await failing(error, close)).toEqual([`ledger: cannot write to ledger.sqlite (${text}). ${remedy}`, name]);
});

test.each([
  ['ECONNRESET', 'BrokenOffError'],
  ['53100', 'BrokenOffError'],
  ['58030', 'BrokenOffError'],
  ['42501', 'UsageError'],
])('PostgreSQL says %s while the run is under way', async (code, name) => {
  const error = ledgerDatabaseError('write to', 'the place', Object.assign(new Error('why'), { code }));
  expect(await failing(error)).toEqual([expect.stringContaining('cannot write to the place (why)'), name]);
});

test.skipIf(process.platform !== 'linux')('a disk that is full ends a run in one line and code 1', async () => {
  mkdirSync(at('full'));
  writeFileSync(at('full/.gitignore'), '*\n');
  symlinkSync('/dev/full', at('full/lines.part'));
  writeFileSync(at('book.jsonl'), '{"account":\n');
  expect(await run('run', at('book.jsonl'), '--sandbox', '--run', at('full'))).toEqual({
    code: 1,
    out: '',
    err: `data-import: ${at('full/lines.part')} cannot be written (ENOSPC). Make room on the disk, and give the same command again.\n`,
  });
});

// A folder in the place of a file is refused to every user, and a file without rights to every user but root.
test.each([
  ['run', 'audit.log', 'written'],
  ['report', 'audit.log', 'written'],
  ['resolve', 'audit.log', 'written'],
  ['run', 'run.json', 'read'],
  ['run', 'samples.json', 'read'],
  ['report', 'verification.json', 'read'],
  ['retry', 'rejected.jsonl', 'read'],
])('%s where %s cannot be used ends in one line that names the file, and code 2', async (command, file, done) => {
  const folder = at(`without-${command}-${file}`);
  const valid = line(account('A-1'));
  const rejected = line(account('A-2', { customers: [{ landline: 'x' }] }));
  writeFileSync(at('valid.jsonl'), valid);
  writeFileSync(at('records.jsonl'), valid + rejected);
  await run('run', at('records.jsonl'), '--sandbox', '--run', folder);
  rmSync(join(folder, file), { force: true });
  mkdirSync(join(folder, file));
  const input = command === 'report' || command === 'resolve' ? [] : [at('valid.jsonl')];
  const { code, err } = await run(command, ...input, '--run', folder, ...(command === 'report' ? [] : ['--sandbox']));
  expect({ code, err }).toEqual({
    code: 2,
    err: `data-import: ${join(folder, file)} cannot be ${done} (EISDIR). Move the folder of that name away, and give the same command again.\n`,
  });
});
