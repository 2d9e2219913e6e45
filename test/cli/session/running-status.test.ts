/** What a session says about lines of the input that are in no record: `status` while it runs, and the summary of a halted one. */
import { readFileSync, writeFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { createControlHandlers } from '../../../src/cli/session/control-handlers.js';
import { listenForControl } from '../../../src/migration/operations/control/control.js';
import { createThrottle } from '../../../src/migration/throttle/throttle.js';
import { account, line, openFolder, run } from '../typed.js';

const { at, inputFile } = openFolder();
/** Returns how many lines the text says that no session has begun. */
const notBegunIn = (text: string) =>
  Number(
    /(\d[\d,]*) lines of the input have not been begun, and are in none of these numbers\./
      .exec(text)?.[1]
      ?.replace(',', ''),
  );

test('status counts the lines without a record while the run is active', async () => {
  const folder = at('active');
  await run('run', inputFile('active.jsonl', account('A-1'), account('A-2')), '--sandbox', '--run', folder);
  const migration = {
    throttle: createThrottle(),
    inFlight: { waiting: () => ({ count: 0, longestMs: 0 }) },
    runFolder: { lines: { counts: () => ({ rejected: 1, skipped: 2, changed: 4 }) } },
  };
  const control = await listenForControl(folder, createControlHandlers({ migration: migration as never }));
  onTestFinished(() => control.close());
  expect((await run('status', '--run', folder)).out).toContain(
    '\n5 lines so far: 2 created, 0 already imported, 1 rejected, 2 skipped, 0 unknown, 0 unfinished\n',
  );
  const { total, lines } = JSON.parse((await run('status', '--run', folder, '--json')).out);
  expect({ total, lines }).toEqual({ total: 2, lines: { rejected: 1, skipped: 2 } });
});

test('a run that makes its checks is starting: pause, drain and set say so', async () => {
  const folder = at('starts');
  const why = 'the run counts its input, makes its checks, or waits for an answer at its terminal';
  const found: unknown[] = [];
  let readings = 0;
  const type = async () => {
    // The first reading looks whether there is a record, before there is a folder. The second one is of the checks.
    if (++readings !== 2) return;
    for (const words of [['status'], ['pause'], ['drain'], ['set', 'rps=5']]) {
      const { code, out, err } = await run(...words, '--run', folder);
      found.push([code, out, err]);
    }
    found.push(JSON.parse((await run('status', '--run', folder, '--json')).out).pace);
  };
  Object.assign(globalThis, { type });
  const records = at('starts.mjs');
  writeFileSync(
    records,
    `export default async function* () { await type(); yield ${JSON.stringify(account('A-1'))}; }\n`,
  );
  expect(await run('run', records, '--sandbox', '--run', folder)).toMatchObject({ code: 0 });
  const refused = (name: string) =>
    `data-import-sdk: ${name}: ${why}. Repeat the command when it sends; Ctrl-C at its terminal ends it now.\n`;
  expect(found).toEqual([
    [0, expect.stringContaining(`\nstarting (${why})\n`), ''],
    ...['pause', 'drain', 'set'].map((name) => [2, '', refused(name)]),
    { state: 'starting', reason: why },
  ]);
  expect((await run('status', '--run', folder)).out).toContain('\nNot running.\n');
});

test('status --json has the lines of the last session after the run', async () => {
  const folder = at('ended');
  const path = inputFile('ended.jsonl', account('A-1'), account('A-1'), 'no record');
  await run('run', path, '--sandbox', '--run', folder);
  const { total, lines, pace } = JSON.parse((await run('status', '--run', folder, '--json')).out);
  expect({ total, lines, pace }).toEqual({ total: 1, lines: { rejected: 1, skipped: 1 }, pace: null });
});

test('a halted session says how many lines it has not begun, until a session has begun all', {
  tags: 'long',
}, async () => {
  const folder = at('halted');
  const wrong = (index: number) => account(`A-${index}`, { customers: [{ landline: '12' }] });
  const records = Array.from({ length: 2000 }, (_, index) => wrong(index));
  const path = inputFile('halted.jsonl', ...records);
  const command = ['run', path, '--sandbox', '--run', folder];
  const halted = await run(...command, '--halt', 'same=5');
  expect(halted.code).toBe(6);
  const { input, notBegun } = JSON.parse((await run('report', '--run', folder, '--json')).out);
  expect(input + notBegun).toBe(2000);
  const page = readFileSync(`${folder}/report.html`, 'utf8');
  const said = [
    halted.out,
    (await run('status', '--run', folder)).out,
    (await run('report', '--run', folder)).out,
    page,
  ];
  expect(said.map(notBegunIn)).toEqual([notBegun, notBegun, notBegun, notBegun]);

  writeFileSync(path, records.slice(0, 3).map(line).join(''));
  const ended = await run(...command, '--halt', 'fail=100%', '--json');
  expect(JSON.parse(ended.out)).toMatchObject({ notBegun: 0 });
  expect((await run('status', '--run', folder)).out).not.toContain('not been begun');
});
