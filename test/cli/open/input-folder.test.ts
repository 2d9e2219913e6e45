/** An input that is given as a folder or by a pattern of the shell, and in which the commands write: the second command reads the same files. */
import { mkdirSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { account, ended, line, openService, run } from '../typed.js';

const WRONG = { customers: [{ landline: '12' }] };
const REJECTED = '1 created + 0 already imported + 1 rejected + 0 skipped + 0 unknown = 2';

beforeEach(() => {
  const former = process.cwd();
  process.chdir(mkdtempSync(join(tmpdir(), 'input-folder-')));
  onTestFinished(() => process.chdir(former));
  writeFileSync('customers.jsonl', line(account('A-1')) + line(account('A-2', WRONG)));
});

/** What the shell makes of `*`. */
const everything = () => readdirSync('.').filter((name) => !name.startsWith('.'));

test.each<[what: string, more: string[]]>([
  ['the default run folder', []],
  ['a folder in a folder', ['--run', 'runs/2026/monday']],
  ['a rehearsal', ['--sandbox']],
])('run . works each time: %s', async (_, more) => {
  await openService();
  if (more.includes('--sandbox')) vi.stubEnv('DATA_IMPORT_BASE_URL', undefined);
  for (const attempt of [1, 2, 3]) {
    const { code, out, err } = await run('run', '.', ...more);
    expect([attempt, code, out.split('\n')[1], err.includes('cannot be part')]).toEqual([attempt, 3, REJECTED, false]);
  }
  expect((await run('check', '.')).out).toContain('2 lines, 1 error\n');
});

test('run . works after a run that ended before its first record, and beside other runs', async () => {
  const { token } = await openService();
  vi.stubEnv('DATA_IMPORT_TOKEN', 'a-token-of-another-service');
  expect((await run('run', '.')).code).toBe(8);
  vi.stubEnv('DATA_IMPORT_TOKEN', token);
  expect(readdirSync('.')).toContain('data-import-run');
  mkdirSync('runs');
  expect(await run('run', '.', '--run', 'runs/monday')).toMatchObject(ended(3, REJECTED));
  // The account exists now.
  expect((await run('run', '.')).out).toContain('0 created + 1 already imported + 1 rejected');
});

test('a pattern that also names the folder of a run works each time', async () => {
  await openService();
  for (const attempt of [1, 2]) {
    const names = everything();
    expect(names).toHaveLength(attempt);
    expect(await run('run', ...names)).toMatchObject(ended(3, REJECTED));
  }
});

test('the config file of the commands is no input', async () => {
  await openService();
  writeFileSync('data-import.config.json', '{"rps": 100}');
  expect(await run('run', '.')).toMatchObject(ended(3, REJECTED));
});

test('the folder of a run is no input by itself: code 2, with what to give', async () => {
  await openService();
  await run('run', '.');
  expect(await run('retry', 'data-import-run')).toMatchObject({
    code: 2,
    err: 'data-import-sdk: data-import-run: is the folder of a run, which has no input; expected files (.jsonl, .ndjson, .json or .csv, each also with .gz). Corrected lines are given to retry, by the name of their file.\n',
  });
});

test('a folder with files in it is an error, also if it has the folder of a run too', async () => {
  await openService();
  await run('run', '.', '--run', 'more/monday');
  writeFileSync('more/others.jsonl', line(account('A-3')));
  expect(await run('run', '.')).toMatchObject({
    code: 2,
    err: 'data-import-sdk: .: more cannot be part of an input; expected files (.jsonl, .ndjson, .json or .csv, each also with .gz) only. Move them away, or name the input files one by one.\n',
  });
});
