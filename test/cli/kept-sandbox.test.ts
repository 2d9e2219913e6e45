/** A rehearsal in several commands: `--sandbox` with each, on one run folder. */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { runProgram } from '../../src/cli/program.js';

const account = (number: string, more: Record<string, unknown> = {}) =>
  `${JSON.stringify({ account: { import_supplier: 'SANDBOX_SUPPLIER', external_account_number: number, ...more } })}\n`;

function surroundings() {
  const folder = mkdtempSync(join(tmpdir(), 'cli-kept-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const at = (name: string) => join(folder, name);
  const write = (name: string, text: string) => {
    writeFileSync(at(name), text);
    return at(name);
  };
  const type = async (...words: string[]) => {
    const out: string[] = [];
    const err: string[] = [];
    const code = await runProgram([...words, '--sandbox', '--run', at('run')], {
      out: (text) => void out.push(text),
      err: (text) => void err.push(text),
    });
    return { code, out: out.join(''), err: err.join('') };
  };
  return { at, write, type };
}

const GONE = 'the sandbox of this run is gone';

test('what a run created is there for verify, and for the retry of what was rejected', async () => {
  const { write, type } = surroundings();
  const first = await type(
    'run',
    write('book.jsonl', account('A-1') + account('A-2', { customers: [{ landline: 'x' }] })),
  );
  expect([first.code, first.out.split('\n')[1]]).toEqual([
    3,
    '1 created + 0 already there + 1 rejected + 0 skipped + 0 unknown = 2',
  ]);
  expect(await type('verify')).toMatchObject({
    code: 0,
    out: '= 1 accounts agree, 0 differ, 1 not imported on either side\n',
  });

  const second = await type('retry', write('mended.jsonl', account('A-2')));
  expect([second.code, second.err.includes(GONE)]).toEqual([0, false]);
  expect(await type('verify')).toMatchObject({ code: 0, out: '= 2 accounts agree, 0 differ\n' });
});

test('a run that went on after its sandbox was lost says so, and verify finds what is missing', async () => {
  const { at, write, type } = surroundings();
  await type('run', write('book.jsonl', account('A-1')));
  // As after a kill: while a command works, the state is not in the folder.
  rmSync(at('run/sandbox.json'));
  const second = await type('run', write('book.jsonl', account('A-1') + account('A-2')));
  expect([second.code, second.err.includes(GONE)]).toEqual([0, true]);
  expect(await type('verify')).toMatchObject({
    code: 5,
    out: `- SANDBOX_SUPPLIER A-1: created in the ledger, and not known to the platform
      1  - Created in the ledger, and not known to the platform. Ask the operator whether they were removed. If they were, run them in a new folder.
= 1 accounts agree, 1 differ
`,
  });
});

test('a first run has nothing to miss', async () => {
  const { at, write, type } = surroundings();
  const { code, err } = await type('run', write('book.jsonl', account('A-1')));
  expect([code, err.includes(GONE), existsSync(at('run/sandbox.json'))]).toEqual([0, false, true]);
});

test('a file that is no state is named, and nothing is sent', async () => {
  const { at, write, type } = surroundings();
  await type('run', write('book.jsonl', account('A-1')));
  writeFileSync(at('run/sandbox.json'), '{');
  const { code, err } = await type('run', at('book.jsonl'));
  expect([code, err]).toEqual([
    2,
    `data-import: sandbox: the state file ${at('run/sandbox.json')} holds no state: it is no JSON. Give another file, or delete it to begin anew.\n`,
  ]);
});
