/** Another input in the run folder of a first one: nothing of the first is dropped from files and counts (issue 19). */
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { account, line, openFolder, openService, run } from './typed.js';

const { at } = openFolder();

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
    '3 created + 0 already there + 1 rejected + 1 skipped + 0 unknown = 5',
    'notes: 3 sent + 1 not sent = 4',
  ]);
  expect([linesOf('both', 'rejected.jsonl'), linesOf('both', 'skipped.jsonl')]).toEqual([1, 1]);
});

test('a corrected version of the first input replaces its lines, also where its path is written otherwise', async () => {
  await openService();
  writeFileSync(at('corrected.jsonl'), FIRST);
  const folder = ['--run', at('corrected')];
  await run('run', at('corrected.jsonl'), ...folder);
  writeFileSync(at('corrected.jsonl'), line(withNotes('A-1')) + line(withNotes('A-2')));
  const again = await run('run', at('./nothing/../corrected.jsonl'), ...folder);
  expect(again.code).toBe(0);
  expect(totals(again.out)[0]).toBe('2 created + 0 already there + 0 rejected + 0 skipped + 0 unknown = 2');
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
