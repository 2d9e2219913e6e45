/** How work in a run folder ends after a failure: with which error, and so with which code. */
import fs, { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { inRunFolder } from '../../../src/cli/open/run-folder.js';
import { exitCodeOfError } from '../../../src/cli/shared/error-causes.js';
import { createMemoryLedger } from '../../../src/migration/ledger/memory.js';
import { ledgerDatabaseError } from '../../../src/migration/ledger/postgres/database-error.js';
import { ledgerFileError } from '../../../src/migration/ledger/sqlite/file-error.js';
import { openRunFolder } from '../../../src/migration/report/folder/run-folder.js';
import { account, copiesOf, line, openFolder, refusal, run, valuesIn } from '../typed.js';

const { at } = openFolder();

/** What is said of work that fails, and the exit code. */
async function failing(error: Error, close = async () => {}) {
  const flags = { run: at('failing') };
  const ledger = { ...createMemoryLedger(), close };
  const work = () => Promise.reject(error);
  const around = { err: () => {}, exit: () => {}, program: 'data-import-sdk' };
  const end = await inRunFolder(openRunFolder(flags.run), flags, around, work, async () => ledger).catch(
    (thrown: Error) => thrown,
  );
  return [end?.message, exitCodeOfError(end)];
}

const sqlite = (errcode: number, errstr: string) => Object.assign(new Error(errstr), { errcode, errstr });

test.each([
  [13, 'database or disk is full', 'Free disk space, and repeat the command.', 1],
  [10, 'disk I/O error', 'Check the disk, and repeat the command.', 1],
  [778, 'disk I/O error', 'Check the disk, and repeat the command.', 1],
  [8, 'attempt to write', 'Make the file and its folder writable, and repeat the command.', 2],
])('SQLite says %i: that counts, and not that it cannot be closed either', async (code, text, remedy, exitCode) => {
  const error = ledgerFileError('write to', 'ledger.sqlite', sqlite(code, text));
  const close = () => Promise.reject(ledgerFileError('close', 'ledger.sqlite', sqlite(code, text)));
  expect(await failing(error, close)).toEqual([`ledger: cannot write to ledger.sqlite (${text}). ${remedy}`, exitCode]);
});

test.each([
  ['ECONNRESET', 1],
  ['53100', 1],
  ['58030', 1],
  ['42501', 2],
])('PostgreSQL answers %s during the run', async (code, exitCode) => {
  const error = ledgerDatabaseError('write to', 'the place', Object.assign(new Error('why'), { code }));
  expect(await failing(error)).toEqual([expect.stringContaining('cannot write to the place (why)'), exitCode]);
});

test('a disk that is full ends a run in one line and code 1, and the same command finishes once there is room', async () => {
  writeFileSync(at('input.jsonl'), `{"account":\n${line(account('A-1'))}`);
  const args = ['run', at('input.jsonl'), '--sandbox', '--run', at('full')];
  const write = vi.spyOn(fs, 'writeFileSync').mockImplementation(() => {
    throw Object.assign(new Error('disk'), { code: 'ENOSPC' });
  });
  syncBuiltinESMExports();
  onTestFinished(() => {
    write.mockRestore();
    syncBuiltinESMExports();
  });
  const full = await run(...args);
  write.mockRestore();
  syncBuiltinESMExports();
  expect({ code: full.code, err: full.err }).toEqual({
    code: 1,
    err: `data-import-sdk: ${at('full/lines.part')} cannot be written (ENOSPC). Free disk space, and repeat the command.\n`,
  });

  expect((await run(...args)).code).toBe(3);
  expect(readFileSync(at('full/rejected.jsonl'), 'utf8').trimEnd().split('\n')).toHaveLength(1);
});

test('a disk that fills while rejected.jsonl is written ends in one line and code 1, and the next session completes the file', async () => {
  const rejected = (number: string) => line(account(number, { customers: [{ landline: 'x' }] }));
  writeFileSync(at('filling.jsonl'), `${rejected('A-1')}${line(account('A-2'))}{bad\n`);
  const args = ['run', at('filling.jsonl'), '--sandbox', '--run', at('filling')];
  expect((await run(...args)).code).toBe(3);
  const file = at('filling/rejected.jsonl');
  const former = readFileSync(file, 'utf8');
  expect(former.split('\n')).toHaveLength(3);

  writeFileSync(at('filling.jsonl'), `${rejected('A-1')}${line(account('A-2'))}{bad\n${rejected('A-3')}{worse\n`);
  const isOfRejected = (text: unknown) => typeof text === 'string' && text.includes('"original":"{worse"');
  const handle = await open(at('filling.jsonl'));
  await handle.close();
  const write = vi.spyOn(Object.getPrototypeOf(handle) as FileHandle, 'writeFile');
  onTestFinished(() => write.mockRestore());
  write.mockImplementation(async function (this: FileHandle, text) {
    const whole = String(text);
    if (!isOfRejected(text)) return void (await this.write(whole));
    await this.write(whole.slice(0, whole.length / 2));
    throw Object.assign(new Error('disk'), { code: 'ENOSPC' });
  });
  const second = await run(...args);
  expect({ code: second.code, err: second.err }).toEqual({
    code: 1,
    err: `data-import-sdk: ${file} cannot be written (ENOSPC). Free disk space, and repeat the command.\n`,
  });
  expect(readFileSync(file, 'utf8')).toBe(former);

  write.mockRestore();
  const third = await run(...args);
  expect(third.code).toBe(3);
  expect(third.out).toContain('1 created + 0 already imported + 4 rejected + 0 skipped + 0 unknown = 5\n');
  expect(
    valuesIn(file)
      .map((entry) => entry.line)
      .sort(),
  ).toEqual([1, 3, 4, 5]);
});

const copyRehearsal = copiesOf((folder) => {
  writeFileSync(at('records.jsonl'), line(account('A-1')) + line(account('A-2', { customers: [{ landline: 'x' }] })));
  return run('run', at('records.jsonl'), '--sandbox', '--run', folder);
});

// A folder in the place of a file is refused to every user, and a file without rights to every user but root.
test.each([
  ['run', 'audit.log', 'written'],
  ['report', 'audit.log', 'written'],
  ['resolve', 'audit.log', 'written'],
  ['run', 'run.json', 'read'],
  ['run', 'samples.json', 'read'],
  ['report', 'verification.json', 'read'],
  ['report', 'ok.csv', 'read'],
  ['retry', 'rejected.jsonl', 'read'],
])('%s where %s cannot be used ends in one line that names the file, and code 2', async (command, file, done) => {
  const folder = at(`without-${command}-${file}`);
  writeFileSync(at('valid.jsonl'), line(account('A-1')));
  copyRehearsal(folder);
  rmSync(join(folder, file), { force: true });
  mkdirSync(join(folder, file));
  const input = command === 'run' || command === 'retry' ? [at('valid.jsonl')] : [];
  const { code, err } = await run(command, ...input, '--run', folder, ...(command === 'report' ? [] : ['--sandbox']));
  expect({ code, err }).toEqual({
    code: 2,
    err: `data-import-sdk: ${join(folder, file)} cannot be ${done} (EISDIR). Move the folder with that name away, and repeat the command.\n`,
  });
});

describe('a command that needs a run ends with code 2 and the remedy if there is none', () => {
  const COMMANDS = [['resolve'], ['retry', 'INPUT', '--team', 'EAST'], ['verify'], ['report'], ['status']];
  const KINDS: [kind: string, why: string][] = [
    ['missing', 'there is no such folder'],
    ['empty', 'there is neither ledger.sqlite nor ledger.json, which names a ledger on a server, in it'],
    ['other', 'there is neither ledger.sqlite nor ledger.json, which names a ledger on a server, in it'],
    ['file', 'it is a file, not a folder'],
  ];

  test.each(KINDS.flatMap(([kind, why]) => COMMANDS.map((words) => [kind, words, why] as const)))(
    'a folder that is %s: %j',
    async (kind, words, why) => {
      const folder = at(`kind-${kind}`);
      if (kind === 'empty' || kind === 'other') mkdirSync(folder, { recursive: true });
      if (kind === 'other') writeFileSync(join(folder, 'notes.txt'), 'mine');
      if (kind === 'file') writeFileSync(folder, 'mine');
      writeFileSync(at('any.jsonl'), line(account('A-1')));
      const typed = words.map((word) => (word === 'INPUT' ? at('any.jsonl') : word));
      const service = ['report', 'status'].includes(words[0] ?? '') ? [] : ['--sandbox'];
      expect(await run(...typed, ...service, '--run', folder)).toEqual(
        refusal(
          `${folder} has no run: ${why}. Give the folder of a run with --run <folder>, or --sandbox for the rehearsal. data-import-sdk run starts one.`,
        ),
      );
      // Nothing is made there either.
      expect(existsSync(folder)).toBe(kind !== 'missing');
    },
  );
});

test('a ledger that cannot be opened because the disk is full says so, as one that cannot be written does', () => {
  // The number of SQLite for a shared file that cannot grow.
  expect(ledgerFileError('open', 'run/ledger.sqlite', sqlite(4874, 'disk I/O error')).message).toBe(
    'ledger: cannot open run/ledger.sqlite (database or disk is full). Free disk space, and repeat the command.',
  );
});

test('a file of the ledger that the system refuses is named once, with its code', () => {
  const refused = Object.assign(new Error("EACCES: permission denied, open 'run/ledger.sqlite.lock'"), {
    code: 'EACCES',
    syscall: 'open',
    path: 'run/ledger.sqlite.lock',
  });
  expect(ledgerFileError('open', 'run/ledger.sqlite', refused).message).toBe(
    'ledger: cannot open run/ledger.sqlite.lock (EACCES). Give this user the right to read and write it.',
  );
});

test('every file of a run folder is in docs/run-folder.md', async () => {
  const input = at('documented.jsonl');
  writeFileSync(input, line(account('A-1')));
  const folder = at('documented');
  expect((await run('run', input, '--sandbox', '--run', folder)).code).toBe(0);
  expect((await run('verify', '--sandbox', '--run', folder)).code).toBe(0);
  const text = readFileSync(fileURLToPath(new URL('../../../docs/run-folder.md', import.meta.url)), 'utf8');
  const files = readdirSync(folder).map((name) => name.replace(/-(wal|shm)$/, ''));
  expect(files.length).toBeGreaterThan(15);
  expect(files.filter((name) => !text.includes(`\`${name}\``))).toEqual([]);
});
