/** `data-import-sdk run --canary` at a terminal: the question after the first records, and the effect of each answer. */
import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, test, vi } from 'vitest';
import { SANDBOX_TEAM } from '../../../src/sandbox/index.js';
import { shortAndLong } from '../../helpers/short-and-long.js';
import { account, ended, openFolder, openService, run, runIn, signalInSession, valueIn, valuesOf } from '../typed.js';

const { at, inputFile } = openFolder();
const THREE = [account('A-1'), account('A-2'), account('A-3')];

/** Answers every question with the same words. */
function answering(answer: string, meanwhile: () => Promise<void> = async () => {}) {
  const asked: string[] = [];
  const ask = async (question: string) => {
    asked.push(question);
    await meanwhile();
    return answer;
  };
  return { asked, ask };
}

const created = (sandbox: Awaited<ReturnType<typeof openService>>) =>
  sandbox.requests().flatMap(({ change, account: number }) => (change === 'staged → imported' ? [number] : []));

const whatOf = (name: string) =>
  readFileSync(at(`${name}/audit.log`), 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((entry) => entry.replace(/^\S+ /, ''));

for (const [rows, options] of shortAndLong([' Yes '], ['y', 'Y', 'yes']))
  test.each(rows)('after %j the whole input follows in the same folder, and nothing twice', options, async (yes) => {
    const sandbox = await openService();
    const path = inputFile('three.jsonl', ...THREE);
    const name = `yes-${yes.length}-${yes.codePointAt(0)}`;
    const { asked, ask } = answering(yes);
    const { code, out } = await runIn({ ask }, 'run', path, '--run', at(name), '--canary', '2');
    expect(code).toBe(0);
    expect(asked).toEqual(['Continue with the whole input? [y/N] ']);
    expect(out).toContain('2 created + 0 already imported + 0 rejected + 0 skipped + 0 unknown = 2\n');
    expect(out).toContain('3 created + 0 already imported + 0 rejected + 0 skipped + 0 unknown = 3\n');
    expect(created(sandbox)).toEqual(['A-1', 'A-2', 'A-3']);
    expect((await run('status', '--run', at(name))).out).not.toContain('canary');
    expect(whatOf(name)).toEqual([
      'run began',
      'run finished; 2 records ended, 5 requests sent',
      'run resumed',
      'run finished; 1 record ended, 2 requests sent',
    ]);
  });

for (const [rows, options] of shortAndLong(['', 'what?'], ['n', 'no']))
  test.each(rows)('after %j nothing follows: code 7, and the command that continues', options, async (no) => {
    const sandbox = await openService();
    const path = inputFile('three.jsonl', ...THREE);
    const args = ['run', path, '--run', at(`no-${no.length}`)];
    expect(await runIn({ ask: answering(no).ask }, ...args, '--canary=2')).toMatchObject(
      ended(7, `Next: data-import-sdk run --canary 0 ${args.slice(1).join(' ')}\n`),
    );
    expect(created(sandbox)).toEqual(['A-1', 'A-2']);
    expect((await run('status', '--run', at(`no-${no.length}`))).out).toMatch(
      /Not running\.\nThe last session was a canary of 2 accounts\.\nNext: data-import-sdk run --canary 0 .*three\.jsonl/,
    );
  });

test.each([
  ['from the environment', { DATA_IMPORT_CANARY: '2' }, []],
  ['from the environment and the command line', { DATA_IMPORT_CANARY: '1' }, ['--canary', '2']],
])('one %s is overridden by the command that continues', async (where, env, flag) => {
  const sandbox = await openService();
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  const args = [inputFile('three.jsonl', ...THREE), '--run', at(where)];
  const { code, out } = await run('run', ...args, ...flag);
  expect(code).toBe(7);
  expect(/^Next: (.*)$/m.exec(out)?.[1]).toBe(`data-import-sdk run --canary 0 ${args[0]} --run '${args[2]}'`);
  expect(created(sandbox)).toEqual(['A-1', 'A-2']);
  expect((await run('run', '--canary', '0', ...args)).code).toBe(0);
  expect(created(sandbox)).toEqual(['A-1', 'A-2', 'A-3']);
});

test('a run started by npx is continued by npx', async () => {
  await openService();
  vi.stubEnv('npm_command', 'exec');
  const args = [inputFile('three.jsonl', ...THREE), '--run', at('npx')];
  const { out } = await run('run', ...args, '--canary', '2');
  expect(out).toContain(`\nNext: npx data-import-sdk run --canary 0 ${args.join(' ')}\n`);
  expect(valueIn(at('npx/run.json'))).toMatchObject({
    continueWith: `npx data-import-sdk run --canary 0 ${args.join(' ')}`,
  });
});

test('one from the config file is overridden as well', async () => {
  const sandbox = await openService();
  writeFileSync(at('config.json'), '{"canary": 1}');
  const args = [inputFile('three.jsonl', ...THREE), '--run', at('config'), '--config', at('config.json')];
  expect(await run('run', ...args)).toMatchObject(ended(7, `Next: data-import-sdk run --canary 0 ${args.join(' ')}\n`));
  expect((await run('run', '--canary', '0', ...args)).code).toBe(0);
  expect(created(sandbox)).toEqual(['A-1', 'A-2', 'A-3']);
});

test('no question is asked with --json, without a terminal, and after a run without a canary', {
  tags: 'long',
}, async () => {
  await openService();
  const path = inputFile('three.jsonl', ...THREE);
  const { asked, ask } = answering('y');
  expect((await runIn({ ask }, 'run', path, '--run', at('json'), '--canary', '2', '--json')).code).toBe(7);
  expect((await run('run', path, '--run', at('no-terminal'), '--canary', '2')).code).toBe(7);
  expect((await runIn({ ask }, 'run', path, '--run', at('whole'))).code).toBe(0);
  expect(asked).toEqual([]);
});

test('with --log-format json the question is asked and reported, and each session prints one line', {
  tags: 'long',
}, async () => {
  await openService();
  const path = inputFile('three.jsonl', ...THREE);
  const { asked, ask } = answering('y');
  const args = ['run', path, '--run', at('json-log'), '--canary', '2', '--log-format', 'json'];
  const { code, out, err } = await runIn({ ask }, ...args);
  expect([code, asked]).toEqual([0, ['Continue with the whole input? [y/N] ']]);
  expect(out.split('\n').map((text) => (text === '' ? '' : JSON.parse(text).created))).toEqual([2, 3, '']);
  const events = valuesOf(err).map(({ event }) => event);
  expect(events.filter((event) => event !== 'progress')).toEqual([
    ...['started', 'session.started', 'session.ended', 'question.asked'],
    ...['session.started', 'session.ended', 'ended'],
  ]);
  const flags = ['--canary', '2', '--log-format', 'json', '--json'];
  const both = await runIn({ ask }, 'run', path, '--run', at('json-both'), ...flags);
  expect([both.code, asked.length]).toEqual([7, 1]);
});

test('no question is asked if the canary was halted', async () => {
  await openService({ suppliers: [{ code: 'SANDBOX_SUPPLIER', status: 'Paused' }] });
  const { asked, ask } = answering('y');
  const path = inputFile('three.jsonl', ...THREE);
  expect((await runIn({ ask }, 'run', path, '--run', at('halted'), '--canary', '2')).code).toBe(8);
  expect(asked).toEqual([]);
});

describe('a team that the service does not have', () => {
  test.each([
    ['--team WRONG', ['--team', 'WRONG'], {}],
    ['--team=WRONG', ['--team=WRONG'], {}],
    ['from the environment', [], { DATA_IMPORT_TEAM: 'WRONG' }],
  ])('%s: code 8, and the next command keeps --canary and leaves the name to be given', async (where, flag, env) => {
    const sandbox = await openService();
    for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
    const [path, folder] = [
      inputFile('three.jsonl', ...THREE),
      at(`team-${where.replaceAll(/\W/g, (sign) => `${sign.charCodeAt(0)}`)}`),
    ];
    const { code, out } = await run('run', path, '--run', folder, ...flag, '--canary', '2');
    expect(code).toBe(8);
    expect(out).toContain('operations_team_not_found');
    const next = `Next: data-import-sdk run ${path} --run ${folder} --canary 2 --team <name from the operator>\n`;
    expect(out).toContain(`\n${next}`);
    // The same in what later commands print of this run.
    expect((await run('status', '--run', folder)).out).toContain(next);

    expect(await run('run', path, '--run', folder, '--canary', '2', '--team', SANDBOX_TEAM)).toMatchObject(
      ended(7, `Next: data-import-sdk run --canary 0 ${path} --run ${folder} --team ${SANDBOX_TEAM}\n`),
    );
    expect(created(sandbox)).toEqual(['A-1', 'A-2']);
  });

  test('of a retry as well', async () => {
    await openService();
    const path = inputFile('refused.jsonl', account('A-1', { import_supplier_code: 1, customers: 'none' }));
    const folder = at('team-retry');
    await run('run', path, '--run', folder);
    const corrected = inputFile('corrected.jsonl', account('A-1'));
    expect(await run('retry', corrected, '--run', folder, '--team', 'WRONG')).toMatchObject(
      ended(8, `Next: data-import-sdk retry ${corrected} --run ${folder} --team <name from the operator>\n`),
    );
  });
});

test('a canary that was drained continues as a canary', async () => {
  await openService();
  const path = inputFile('three.jsonl', ...THREE);
  const folder = at('drained');
  expect(await runIn(signalInSession('SIGINT'), 'run', path, '--run', folder, '--canary', '2')).toMatchObject(
    ended(130, `Next: data-import-sdk run ${path} --run ${folder} --canary 2\n`),
  );
});

test('while the question is open, the folder is locked: a second run ends with code 11', { tags: 'long' }, async () => {
  await openService();
  const path = inputFile('three.jsonl', ...THREE);
  const second: number[] = [];
  const { ask } = answering('n', async () => {
    second.push((await run('run', path, '--run', at('taken'))).code);
    second.push((await run('report', '--run', at('taken'))).code);
    second.push((await run('pause', '--run', at('taken'))).code);
  });
  await runIn({ ask }, 'run', path, '--run', at('taken'), '--canary', '1');
  expect(second).toEqual([11, 11, 2]);
});
