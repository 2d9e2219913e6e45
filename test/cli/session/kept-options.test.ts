/** The commands that a session prints as the next step have every option of the session that they have too, unless its row says why not. */

import { mkdtempSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { OptionTable } from '../../../src/cli/options/option.js';
import { nextInWords, nextSteps } from '../../../src/cli/session/next-commands.js';
import { forgetOptions, resolveOptions, retryOptions, runOptions } from '../../../src/cli/session/run-flags.js';
import { createLineTally } from '../../../src/migration/report/summary/line-counts.js';
import { summarise } from '../../../src/migration/report/summary/summary.js';
import { PATIENCE } from '../../helpers/patience.js';
import { ledgerOf, record } from '../../migration/ledger/records.js';
import { begin } from '../begin.js';
import { account, openFolder, openImportService, run, valueIn } from '../typed.js';

const { at, inputFile } = openFolder();

const WRONG = account('A-1', { customers: [{ landline: '12' }] });

/** The commands after `data-import-sdk` in a text, by their verbs; the last one of each. */
const commandsIn = (text: string) =>
  Object.fromEntries([...text.matchAll(/data-import-sdk (\w+) (.*)$/gm)].map(([, verb = '', words]) => [verb, words]));

/** Options of `retry` that the printed one does not take over from the session. Any other one is taken over. */
const NOT_KEPT = [
  ...[
    'color',
    'encoding',
    'health',
    'json',
    'logFormat',
    'map',
    'notify',
    'notifyCommand',
    'record',
    'retarget',
    'yes',
  ],
];

test('every option of run and retry is taken over, or has the reason why not', () => {
  const options: OptionTable = { ...runOptions, ...retryOptions };
  const notKept = Object.entries(options).flatMap(([name, { notKept: why }]) =>
    why === undefined ? [] : [[name, why]],
  );
  expect(notKept.map(([name]) => name).sort()).toEqual(NOT_KEPT);
  for (const [, why] of notKept) expect(why).toMatch(/^\w.{20,}\.$/);
});

test.each<[verb: string, table: OptionTable]>([
  ['retry', retryOptions],
  ['resolve', resolveOptions],
  ['forget', forgetOptions],
])('%s is printed with each of its options that the session has, with its value', async (verb, table) => {
  const all = Object.entries({ ...runOptions, ...retryOptions } as OptionTable);
  const parts = all.map(([, { flags }]) => {
    const [flag = '', value] = flags.split(' ');
    return { flag, ...(value !== undefined && { value: `of ${flag.slice(2)}` }) };
  });
  const rejected = record('A-1', { outcome: 'rejected' });
  const unknown = record('A-2', { outcome: 'unknown', unknown: ['statements'] });
  const gone = record('A-3', { outcome: 'rejected', difference: { is: 'removed' } });
  const ledger = await ledgerOf([rejected, unknown, gone]);
  const summary = await summarise(ledger, { lines: createLineTally().counts() });
  const lines = nextSteps({
    ...{ state: 'finished', summary, folder: 'of run', program: 'data-import-sdk', command: { verb: 'run', parts } },
    ...{ continueWith: 'c', runCommand: 'c', runAgainWith: [], configuration: {} },
  });
  const printed = ` ${commandsIn(lines.map(nextInWords).join('\n'))[verb]} `;
  const found = all.filter(([, { flags }]) => {
    const [flag = '', value] = flags.split(' ');
    return printed.includes(` ${flag} ${value === undefined ? '' : `'of ${flag.slice(2)}' `}`);
  });
  const expected = all.filter(([name]) => name in table && !NOT_KEPT.includes(name));
  expect(expected.length).toBeGreaterThan(3);
  expect(found.map(([name]) => name)).toEqual(expected.map(([name]) => name));
});

const HOW = [
  ...['--team', 'NORTH', '--rps', '500', '--window', 'Mon-Sun 00:00-24:00', '--time-zone', 'Europe/Paris'],
  ...['--concurrency', '7', '--process-concurrency', '2-5', '--requests-at-once', '9', '--timeout', '20'],
  ...['--transactions-at-once', '11', '--statements-at-once', '12', '--notes-at-once', '13', '--set-aside'],
  ...['--halt', 'same=40,failed=20', '--longest-line', '5', '--dry-run', 'none', '--token-scheme', 'Token'],
];
const HOW_TYPED = HOW.join(' ').replace('Mon-Sun 00:00-24:00', "'Mon-Sun 00:00-24:00'");

test('run with every limit, and the retry that it prints, can be given as printed, and print the same again', async () => {
  await openImportService();
  const path = inputFile('limits.jsonl', WRONG);
  const first = await run('run', path, '--run', at('limits'), ...HOW, '--yes', '--encoding', 'utf-8');
  const retry = `${at('limits')}/rejected.csv --run ${at('limits')} ${HOW_TYPED}`;
  expect(commandsIn(first.out)).toEqual({
    retry,
    run: `${path} --run ${at('limits')} ${HOW_TYPED} --yes --encoding utf-8`,
  });
  const words = [...retry.matchAll(/'([^']*)'|(\S+)/g)].map(([, one, other]) => one ?? other ?? '');
  const sheet = readFileSync(at('limits/rejected.csv'), 'utf8');
  writeFileSync(at('limits/rejected.csv'), sheet.replace(/;(x[0-9a-f]{16}\r\n)$/, '13;$1'));
  const second = await run('retry', ...words);
  expect(second.code).toBe(3);
  expect(commandsIn(second.out)).toMatchObject({ retry });
  expect(commandsIn((await run('report', '--run', at('limits'))).out)).toMatchObject({ retry });
});

test('limits that were set while the run was active are in the commands that it prints, also later', async () => {
  await openImportService();
  const folder = at('set');
  const path = inputFile('set.jsonl', account('A-1'), account('A-2', { customers: [{ landline: '12' }] }));
  const others = ['--run', folder, '--team', 'NORTH', '--dry-run', 'none'];
  const { ended } = begin('run', path, ...others, '--rps', '0.1');
  const status = async () => (await run('status', '--run', folder)).out;
  await vi.waitFor(async () => expect(await status()).toMatch(/^running /m), PATIENCE);
  expect((await run('set', 'rps=20', 'concurrency=3', 'process-concurrency=2', '--run', folder)).code).toBe(0);
  const { out, code } = await ended;
  expect(code).toBe(3);
  const typed = `--run ${folder} --team NORTH --dry-run none`;
  const limits = '--process-concurrency 1-2 --concurrency 3 --rps 20';
  expect(commandsIn(out)).toEqual({
    run: `${limits} ${path} ${typed}`,
    retry: `${folder}/rejected.csv ${limits} ${typed}`,
  });
  expect(commandsIn(await status())).toEqual(commandsIn(out));
  expect(valueIn(`${folder}/run.json`).runCommand).toBe(`data-import-sdk run ${limits} ${path} ${typed}`);
});

test('a drained run is continued with the limits that were set', async () => {
  await openImportService();
  const folder = at('drained');
  const path = inputFile('drained.jsonl', account('A-1'), account('A-2'));
  const { ended } = begin('run', path, '--run', folder, '--team', 'NORTH', '--rps', '0.1');
  const status = async () => (await run('status', '--run', folder)).out;
  await vi.waitFor(async () => expect(await status()).toMatch(/^running /m), PATIENCE);
  await run('set', 'rps=0.2', '--run', folder);
  await run('drain', '--run', folder);
  const { out, code } = await ended;
  expect(code).toBe(7);
  expect(commandsIn(out)).toEqual({ run: `--rps 0.2 ${path} --run ${folder} --team NORTH` });
});

test.each<[what: string, before: string[], now: string, printed: string]>([
  ['to another name', ['--run', 'first'], 'second', ' --run second'],
  ['to a name with a space', ['--run=first run'], 'second run', " --run 'second run'"],
  ['from the default', [], 'second', ' --run second'],
  ['to the default', ['--run', 'first'], 'data-import-run', ''],
])(
  'a run folder that was renamed %s since its session: each printed command names it',
  async (_, before, now, printed) => {
    await openImportService();
    const former = process.cwd();
    const place = mkdtempSync(at('moved-'));
    process.chdir(place);
    onTestFinished(() => process.chdir(former));
    writeFileSync('in.jsonl', `${JSON.stringify(WRONG)}\n`);
    await run('run', 'in.jsonl', ...before, '--team', 'NORTH', '--notify-command', 'echo --run x');
    renameSync(readdirSync('.').find((name) => name !== 'in.jsonl') ?? '', now);
    const of = printed === '' ? [] : ['--run', now];
    const file = now.includes(' ') ? `'${now}/rejected.csv'` : `${now}/rejected.csv`;
    const expected = {
      retry: before.length > 0 ? `${file}${printed} --team NORTH` : `${file} --team NORTH${printed}`,
      run:
        before.length > 0
          ? `in.jsonl${printed} --team NORTH --notify-command 'echo --run x'`
          : `in.jsonl --team NORTH --notify-command 'echo --run x'${printed}`,
    };
    expect(commandsIn((await run('status', ...of)).out)).toEqual(expected);
    expect(commandsIn((await run('report', ...of)).out)).toEqual(expected);
    expect(JSON.parse((await run('report', '--json', ...of)).out).continueWith).toBe(
      `data-import-sdk run ${expected.run}`,
    );
  },
);

test('apostrophes in the words of a command do not hide the folder that was renamed', async () => {
  const summary = await summarise(await ledgerOf([record('A-1', { outcome: null })]), {
    lines: createLineTally().counts(),
  });
  const text = String.raw`data-import-sdk run 'Bea'\''s.jsonl' --run 'Bea'\''s run' --time-zone 'x y'`;
  const [step] = nextSteps({
    ...{ state: 'stopped', summary, folder: "Bea's", program: 'data-import-sdk', command: { verb: 'run', parts: [] } },
    ...{ continueWith: text, runCommand: text, runAgainWith: [], configuration: {} },
  });
  expect(step?.command).toBe(String.raw`data-import-sdk run 'Bea'\''s.jsonl' --run 'Bea'\''s' --time-zone 'x y'`);
});

test('a run that a program has started prints commands with its folder', async () => {
  const ledger = await ledgerOf([record('A-1', { outcome: 'unknown', unknown: ['statements'] })]);
  const summary = await summarise(ledger, { lines: createLineTally().counts() });
  const situation = { state: 'finished', summary, program: 'npx data-import-sdk', command: undefined } as const;
  const commands = { continueWith: '', runCommand: '', runAgainWith: [], configuration: {} };
  expect(nextSteps({ ...situation, ...commands, folder: 'my run' })[0]).toEqual({
    count: 1,
    state: 'unknown',
    text: '',
    command: "npx data-import-sdk resolve --run 'my run'",
  });
});

test.each([
  ['a file that begins with a hyphen', ['--', '-in.jsonl'], '-- -in.jsonl'],
  ['a value that begins with a hyphen', ['--token-scheme=-x'], '--token-scheme=-x'],
  ['an empty value', ['--token-scheme', ''], "--token-scheme ''"],
])('%s is printed so that it can be pasted', async (_, words, expected) => {
  await openImportService();
  const former = process.cwd();
  process.chdir(at('.'));
  onTestFinished(() => process.chdir(former));
  writeFileSync('-in.jsonl', `${JSON.stringify(WRONG)}\n`);
  writeFileSync('in.jsonl', `${JSON.stringify(WRONG)}\n`);
  const input = words[0] === '--' ? [] : ['in.jsonl'];
  const folder = `hyphen ${words.length}${words[0]?.length}`;
  const { out } = await run('run', ...input, '--team', 'NORTH', '--run', folder, ...words);
  expect(commandsIn(out)['run']).toContain(expected);
});
