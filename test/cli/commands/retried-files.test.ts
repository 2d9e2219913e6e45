/** `data-import-sdk retry` with a file of the run folder as its input: the corrections in the file, and what audit.log says. */
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { shortAndLong } from '../../helpers/short-and-long.js';
import { account, copiesOf, openFolder, run } from '../typed.js';

const { at, inputFile } = openFolder();

/** A run of, of which two are rejected. */
const copyRun = copiesOf((folder) => {
  const wrong = (landline: string) => ({ customers: [{ landline }] });
  inputFile('input.jsonl', account('A-1'), account('A-2', wrong('x')), account('A-3', wrong('y')));
  return run('run', at('input.jsonl'), '--run', folder);
});

/** A copy of it, its service, and the rejected entries as a person has corrected them. */
function setUp(name: string) {
  const folder = at(name);
  const sandbox = copyRun(folder);
  const rejected = `${folder}/rejected.jsonl`;
  const corrected = readFileSync(rejected, 'utf8').replace(
    String.raw`\"landline\":\"x\"`,
    String.raw`\"landline\":\"+441632960001\"`,
  );
  const audit = () =>
    readFileSync(`${folder}/audit.log`, 'utf8')
      .trim()
      .split('\n')
      .map((text) => text.replace(/^\S+ /, ''));
  const copies = () => readdirSync(folder).filter((file) => file.startsWith('retried-'));
  return { sandbox, folder, rejected, corrected, audit, copies };
}

test('the corrected file is copied before it is written again, and the output names the copy', async () => {
  const { folder, rejected, corrected, audit, copies } = setUp('copied');
  writeFileSync(rejected, corrected);
  const { code, out, err } = await run('retry', rejected, '--run', folder);
  expect([code, out]).toEqual([3, expect.stringContaining('2 created + 0 already imported + 1 rejected')]);
  const [copy = '', ...others] = copies();
  expect([copy, others]).toEqual([expect.stringMatching(/^retried-\d{8}T\d{6}Z-rejected\.jsonl$/), []]);
  expect(readFileSync(`${folder}/${copy}`, 'utf8')).toBe(corrected);
  expect(statSync(`${folder}/${copy}`).mode & 0o777).toBe(0o600);
  expect(err).toContain(`Kept the given ${rejected} as ${folder}/${copy}; this command writes the file again.\n`);
  expect(readFileSync(rejected, 'utf8').trim().split('\n')).toHaveLength(1);
  expect(audit().slice(2)).toEqual([
    `operator retry: 2 lines of ${rejected} (copied to ${copy})`,
    'run resumed',
    'run finished; 2 records ended, 2 requests sent',
  ]);
});

describe('a file that a person has filled in, and that another command writes again', () => {
  for (const [rows, options] of shortAndLong<[name: string, command: string]>(
    [
      ['rejected.csv', 'run'],
      ['rejected.jsonl', 'retry'],
      ['rejected.csv', 'forget'],
      ['unknown.csv', 'report'],
      ['unknown.csv', 'resolve'],
    ],
    [
      ['rejected.csv', 'retry'],
      ['rejected.jsonl', 'run'],
      ['unknown.csv', 'run'],
    ],
  ))
    test.each(rows)('%s by %s: is copied first, and one line says so', options, async (name, command) => {
      const test = `filled-${name}-${command}`;
      const { folder } = setUp(test);
      const other = inputFile(`${test}-other.jsonl`, account('A-3', { customers: [{ landline: '' }] }));
      const path = `${folder}/${name}`;
      const filledIn = `${readFileSync(path, 'utf8')}\nfilled in by a person\n`;
      writeFileSync(path, filledIn);
      const words =
        {
          run: ['run', at('input.jsonl')],
          retry: ['retry', other],
          forget: ['forget', '--account', 'A-2'],
          report: ['report'],
          resolve: ['resolve'],
        }[command] ?? [];
      const { err } = await run(...words, '--run', folder);
      expect(readFileSync(`${folder}/edited-1-${name}`, 'utf8')).toBe(filledIn);
      expect(statSync(`${folder}/edited-1-${name}`).mode & 0o777).toBe(0o600);
      expect(err.split('\n').filter((text) => text.startsWith('Kept'))).toEqual([
        `Kept the edited ${path} as ${folder}/edited-1-${name}; this command writes the file again.`,
      ]);
      // What the command itself wrote is not copied.
      await run('run', at('input.jsonl'), '--run', folder);
      expect(readdirSync(folder).filter((file) => file.startsWith('edited-'))).toEqual([`edited-1-${name}`]);
    });

  test('a second one has its own copy', async () => {
    const { folder } = setUp('second');
    for (const text of ['first', 'second']) {
      for (const name of ['rejected.csv', 'rejected.jsonl', 'unknown.csv']) writeFileSync(`${folder}/${name}`, text);
      await run('run', at('input.jsonl'), '--run', folder);
    }
    for (const name of ['rejected.csv', 'rejected.jsonl', 'unknown.csv']) {
      expect(readFileSync(`${folder}/edited-1-${name}`, 'utf8')).toBe('first');
      expect(readFileSync(`${folder}/edited-2-${name}`, 'utf8')).toBe('second');
    }
  });
});

test('a file outside the run folder is not copied, and audit.log names it', async () => {
  const { folder, rejected, corrected, audit, copies } = setUp('outside');
  writeFileSync(at('mine.jsonl'), corrected);
  const { err } = await run('retry', at('mine.jsonl'), '--run', folder);
  expect([copies(), err]).toEqual([[], '']);
  expect(audit()[2]).toBe(`operator retry: 2 lines of ${at('mine.jsonl')}`); // One of them was not changed.
  expect(readFileSync(rejected, 'utf8').trim().split('\n')).toHaveLength(1);
});

test('a file of another folder with the name of one of the run folder is not copied either', async () => {
  const { folder, rejected, corrected, copies } = setUp('elsewhere');
  mkdirSync(at('mine'));
  writeFileSync(at('mine/rejected.jsonl'), corrected);
  const { err } = await run('retry', at('mine/rejected.jsonl'), '--run', folder);
  expect([copies(), err]).toEqual([[], '']);
  expect(readFileSync(rejected, 'utf8').trim().split('\n')).toHaveLength(1);
  expect(readFileSync(at('mine/rejected.jsonl'), 'utf8')).toBe(corrected);
});

test('a retry that did not finish is continued with the copy', { tags: 'long' }, async () => {
  const { sandbox, folder, rejected, corrected, copies } = setUp('continued');
  writeFileSync(rejected, corrected);
  const fault = sandbox.faults.add({ match: { operation: 'accounts.process' }, effect: { status: 500, body: {} } });
  const { code, out } = await run('retry', rejected, '--run', folder, '--max-retries', '0');
  const [copy = ''] = copies();
  expect(code).toBe(9);
  const command = `retry ${folder}/${copy} --run ${folder} --max-retries 0`;
  expect(out).toContain(`\nNext: data-import-sdk ${command}\n`);
  sandbox.faults.remove(fault);
  expect((await run(...command.split(' '))).out).toContain('2 created + 0 already imported + 1 rejected + 0 skipped');
});

test('forget removes the entry of the record from the copies too, and leaves the other lines as they are', async () => {
  const { folder, rejected, audit, copies } = setUp('forgotten');
  const before = readFileSync(rejected, 'utf8');
  const [second, third] = before.trim().split('\n');
  expect([second, third]).toEqual([expect.stringContaining('A-2'), expect.stringContaining('A-3')]);
  writeFileSync(rejected, `${before}a note of the user\n`);
  await run('retry', rejected, '--run', folder);
  expect(await run('forget', '--account', 'A-2', '--run', folder)).toMatchObject({ code: 0 });
  const [copy = ''] = copies();
  expect(readFileSync(`${folder}/${copy}`, 'utf8')).toBe(`${third}\na note of the user\n`);
  expect(statSync(`${folder}/${copy}`).mode & 0o777).toBe(0o600);
  expect(audit().at(-1)).toContain('operator forget: account …2');
});
