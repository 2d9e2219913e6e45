/** Another input in the run folder of a first one: files and counts keep the records of the first (issue 19). */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { Fault, ServiceRequest } from '../../support/import-service.js';
import { account, line, openFolder, openImportService, run } from '../typed.js';

const { at, inputFile } = openFolder();

async function openService(fault?: (request: ServiceRequest) => Fault | undefined) {
  return openImportService(fault === undefined ? {} : { fault });
}

const withNotes = (number: string) => ({ ...account(number), notes: [{ body: `Note of ${number}.` }] });
const FIRST = `${line(withNotes('A-1'))}${line(withNotes('A-1'))}{bad\n`;
const SECOND = line(withNotes('B-1')) + line(withNotes('B-2'));

function linesOf(folder: string, name: string): number {
  return readFileSync(at(`${folder}/${name}`), 'utf8').split('\n').length - 1;
}

/** The first line of the outcome, and the one of the notes. */
function totals(out: string): string[] {
  return out.split('\n').filter((text) => / = \d+$/.test(text));
}

test('unreadable and duplicate lines of the first input stay, and the totals are those of both', async () => {
  await openService();
  writeFileSync(at('first.jsonl'), FIRST);
  writeFileSync(at('second.jsonl'), SECOND);
  const folder = ['--run', at('both')];
  await run('run', at('first.jsonl'), ...folder);
  const second = await run('run', at('second.jsonl'), ...folder);
  expect(second.code).toBe(3);
  expect(totals(second.out)).toEqual([
    '3 created + 0 already imported + 1 rejected + 1 skipped + 0 unknown = 5',
    'notes: 3 sent + 1 not sent = 4',
  ]);
  expect([linesOf('both', 'rejected.jsonl'), linesOf('both', 'skipped.jsonl')]).toEqual([1, 1]);
});

test('duplicates leave the totals with their file of a folder; its unreadable line, and duplicates of a file that was named, stay', async () => {
  await openService();
  mkdirSync(at('days'));
  const day = line(withNotes('A-1')) + line(withNotes('A-2'));
  writeFileSync(at('days/a.jsonl'), day);
  writeFileSync(at('days/b.jsonl'), `${day}{bad\n`);
  writeFileSync(at('named.jsonl'), line(withNotes('A-3')) + line(withNotes('A-3')));
  const folder = ['--run', at('days-run')];
  await run('run', at('days'), ...folder);
  const second = await run('run', at('named.jsonl'), ...folder);
  expect(totals(second.out)).toEqual([
    '3 created + 0 already imported + 1 rejected + 3 skipped + 0 unknown = 7',
    'notes: 3 sent + 3 not sent = 6',
  ]);
  rmSync(at('days/b.jsonl'));
  for (const attempt of [1, 2]) {
    const { out } = await run('run', at('days'), ...folder);
    expect([attempt, ...totals(out)]).toEqual([
      attempt,
      '3 created + 0 already imported + 1 rejected + 1 skipped + 0 unknown = 5',
      'notes: 3 sent + 1 not sent = 4',
    ]);
    expect(readFileSync(at('days-run/skipped.jsonl'), 'utf8')).toContain('named.jsonl');
  }
});

test('a corrected version of the first input replaces its lines, also with another form of its path', async () => {
  await openService();
  writeFileSync(at('corrected.jsonl'), FIRST);
  const folder = ['--run', at('corrected')];
  await run('run', at('corrected.jsonl'), ...folder);
  writeFileSync(at('corrected.jsonl'), line(withNotes('A-1')) + line(withNotes('A-2')));
  const again = await run('run', at('./nothing/../corrected.jsonl'), ...folder);
  expect(again.code).toBe(0);
  expect(totals(again.out)[0]).toBe('2 created + 0 already imported + 0 rejected + 0 skipped + 0 unknown = 2');
  expect(linesOf('corrected', 'rejected.jsonl')).toBe(0);
});

test('status and report name each input that the run has had, with its size and checksum', async () => {
  await openService();
  writeFileSync(at('first.jsonl'), FIRST);
  writeFileSync(at('second.jsonl'), SECOND);
  const folder = ['--run', at('named')];
  await run('run', at('first.jsonl'), ...folder);
  await run('run', at('second.jsonl'), ...folder);
  const { out } = await run('status', ...folder);
  for (const [name, text] of [
    ['first.jsonl', FIRST],
    ['second.jsonl', SECOND],
  ] as const) {
    const digest = createHash('sha256').update(text).digest('hex').slice(0, 12);
    const words = `${at(name)} (${text.length} bytes, SHA-256 ${digest})`;
    expect(out).toContain(`Input: ${words}\n`);
    expect(readFileSync(at('named/report.html'), 'utf8')).toContain(words);
  }
});

/** The commands that a session printed, each as the words after the name of the program. */
function commandsIn(out: string): string[][] {
  return [...out.matchAll(/^(?:Next|To run again): data-import-sdk (.*)$/gm)].map(([, words = '']) => words.split(' '));
}

describe('the files of the first input, after a session with the second', () => {
  const WRONG = { customers: [{ landline: '12' }] };

  test('open records: the printed command is that of the first, and it ends with code 0', {
    tags: 'long',
  }, async () => {
    let isDown = true;
    const service = await openService(({ path }) =>
      isDown && path.endsWith('process/process/') ? { status: 500, body: {} } : undefined,
    );
    const first = inputFile('halted.jsonl', account('A-1'), account('A-2'));
    const second = inputFile('after-halted.jsonl', account('B-1'));
    const folder = ['--run', at('open')];
    expect((await run('run', first, ...folder, '--halt', 'failed=1,outage=0')).code).toBe(6);
    isDown = false;
    const { code, out } = await run('run', second, ...folder);
    expect(code).toBe(9);
    expect(out).toContain(`Unfinished: 2 records have not ended; their lines are in ${first}, which was not read.\n`);
    expect(commandsIn(out)).toEqual([['run', first, ...folder, '--halt', 'failed=1,outage=0']]);
    expect(commandsIn((await run('status', ...folder)).out)).toEqual(commandsIn(out));

    expect((await run(...(commandsIn(out)[0] ?? []))).code).toBe(0);
    expect([...service.accounts.values()].map(({ numbers }) => numbers.length)).toEqual([1, 1, 1]);
  });

  test.each<[what: string, first: unknown[], second: unknown[], corrected: unknown[]]>([
    ['a rejected record', [account('A-1', WRONG)], [account('B-1')], [account('A-1')]],
    ['a second line', [account('A-1'), account('A-1', WRONG)], [account('B-1')], [account('A-1')]],
    ['a line that is no JSON', ['{bad'], [account('B-1')], [account('A-1')]],
  ])(
    '%s: the printed command is that of the first, and it ends with code 0',
    async (what, first, second, corrected) => {
      await openService();
      const path = at(`${what}.jsonl`);
      writeFileSync(
        path,
        first.map((one) => (typeof one === 'string' ? `${one}\n` : line(one))).join('') + line(account('A-9')),
      );
      const folder = ['--run', at(what.replaceAll(' ', '-'))];
      await run('run', path, ...folder);
      const { code, out } = await run('run', inputFile(`second ${what}.jsonl`, ...second), ...folder);
      expect(code).toBe(3);
      expect(out).toContain(`\nTo run again: data-import-sdk run '${path}' `);
      expect(out.match(/To run again/g)).toHaveLength(1);
      expect((await run('report', ...folder)).out).toContain(`\nTo run again: data-import-sdk run '${path}' `);
      inputFile(`${what}.jsonl`, ...corrected, account('A-9'));
      expect((await run('run', path, ...folder)).code).toBe(0);
    },
  );

  test('and of the second: both commands are printed', async () => {
    await openService();
    const first = inputFile('left-1.jsonl', account('A-1', WRONG));
    const second = inputFile('left-2.jsonl', account('B-1', WRONG), account('B-2'));
    const folder = ['--run', at('both-left')];
    await run('run', first, ...folder);
    const { out } = await run('run', second, ...folder);
    expect(commandsIn(out)).toEqual([
      ['run', second, ...folder],
      ['run', first, ...folder],
    ]);
  });

  test('a renamed first input is the same input', async () => {
    await openService();
    const path = inputFile('former-name.jsonl', account('A-1', WRONG), account('A-2'));
    const folder = ['--run', at('renamed')];
    await run('run', path, ...folder);
    renameSync(path, at('new-name.jsonl'));
    const { out } = await run('run', at('new-name.jsonl'), ...folder);
    expect(commandsIn(out)).toEqual([['run', at('new-name.jsonl'), ...folder]]);
  });
});
