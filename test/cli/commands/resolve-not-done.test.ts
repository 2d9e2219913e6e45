/** `resolve --as not-done`: what it prints sends the step, once. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { openSqliteLedger } from '../../../src/migration/index.js';
import { shortAndLong } from '../../helpers/short-and-long.js';
import type { ServiceRequest } from '../../support/import-service.js';
import { account, line, openFolder, openImportService, resolveWhenQuiet, run } from '../typed.js';

const { at, inputFile } = openFolder();

const WRONG = { customers: [{ landline: '12' }] };
const ITEMS = { statements: [{ statement_id: 'S-1' }], payment_instruction: { vendor: 'v', reference: 'R-1' } };

let runs = 0;

type Step = 'statements' | 'paymentInstruction';

/** An account one of whose steps is unknown since `run`, or since a `retry` that corrected it; then it is resolved as not done. */
async function resolved(step: Step, since: 'run' | 'retry') {
  let isLost = false;
  const its = step === 'statements' ? 'statements' : 'instruction';
  const fault = ({ path }: ServiceRequest) => (isLost && path.includes(its) ? 'reset' : undefined);
  const service = await openImportService({ fault }, { TIMEOUT: '0.3', IN_FLIGHT_GRACE: '0' });
  const name = `${step}-${since}-${++runs}`;
  const folder = at(name);
  const input = inputFile(`${name}.jsonl`, { ...account('A-1', since === 'retry' ? WRONG : {}), ...ITEMS });
  const corrected = inputFile(`${name}-corrected.jsonl`, { ...account('A-1'), ...ITEMS });
  isLost = since === 'run';
  const first = await run('run', input, '--run', folder);
  isLost = true;
  const last = since === 'run' ? first : await run('retry', corrected, '--run', folder);
  isLost = false;
  expect(last.code).toBe(4);
  const { code, out } = await resolveWhenQuiet('--all', '--step', step, '--as', 'not-done', '--run', folder);
  expect(code).toBe(0);
  const commands = [...out.matchAll(/data-import-sdk ((?:run|retry) .*)$/gm)].map(([, words = '']) => words);
  const sent = () => {
    const { statements = [], instructions = [] } = service.accounts.get('SANDBOX_SUPPLIER/A-1') ?? {};
    return [statements, instructions];
  };
  return { out, commands, input, corrected, folder, sent };
}

const words = { statements: 'statements', paymentInstruction: 'payment instruction' };

test('the time that requests of the run may take stays as the run has stored it', async () => {
  const { folder } = await resolved('statements', 'run');
  vi.stubEnv('DATA_IMPORT_TIMEOUT', undefined);
  const stored = async () => {
    const ledger = await openSqliteLedger(join(folder, 'ledger.sqlite'), { readOnly: true });
    return ledger.fact('process_runs_for_ms').finally(() => ledger.close());
  };
  const before = await stored();
  expect(Number(before)).toBeLessThan(60_000);
  expect(await run('resolve', '--run', folder)).toMatchObject({ code: 0 });
  expect(await stored()).toBe(before);
});

for (const [rows, options] of shortAndLong<[Step, since: 'run' | 'retry', what: string]>(
  [
    ['statements', 'run', 'the printed run'],
    ['paymentInstruction', 'run', 'the printed run'],
  ],
  [
    ['statements', 'run', 'a retry with its line'],
    ['paymentInstruction', 'run', 'a retry with its line'],
    ['statements', 'retry', 'the printed run'],
    ['paymentInstruction', 'retry', 'the printed run'],
  ],
))
  test.each(rows)('%s unknown since a %s: %s sends it', options, async (step, since, what) => {
    const { out, commands, input, folder, sent } = await resolved(step, since);
    expect(out).toContain(`Resolved by the operator: account A-1 ${words[step]} not done: the next run sends it\n`);
    expect(commands).toEqual([`run ${input} --run ${folder}`]);
    const typed = what === 'the printed run' ? (commands[0] ?? '').split(' ') : ['retry', input, '--run', folder];
    expect(await run(...typed)).toMatchObject({ code: 0 });
    expect(sent()).toEqual([['S-1'], ['R-1']]);
  });

test('what was not sent of a removed line is given up if a person accepts that of its account, and sent if the line comes back', async () => {
  const { commands, input, folder, sent } = await resolved('statements', 'run');
  const again = async () => (await run(...(commands[0] ?? '').split(' '))).code;
  const whole = readFileSync(input, 'utf8');
  writeFileSync(input, line(account('B-2')));
  expect(await again()).toBe(9);
  const accept = (...words: string[]) => run('resolve', '--accept', 'removed', '--run', folder, ...words);
  expect((await accept()).out).toContain('Accepted that 0 records are no longer in the input.');
  expect(await again()).toBe(9);

  expect((await accept('--account', 'A-1')).out).toContain('Accepted that 1 record is no longer in the input.');
  const { code, out } = await run(...(commands[0] ?? '').split(' '));
  expect(out).toContain('1 created + 0 already imported + 0 rejected + 0 skipped + 0 unknown = 1\n');
  expect(out).toContain('Accepted with resolve: 1 record no longer in the input.');
  expect(out).not.toContain('Next');
  expect(code).toBe(0);
  expect(readFileSync(`${folder}/unfinished.jsonl`, 'utf8')).toBe('');
  expect(sent()).toEqual([[], ['R-1']]);

  writeFileSync(input, whole + line(account('B-2')));
  expect(await again()).toBe(0);
  expect(sent()).toEqual([['S-1'], ['R-1']]);
});

test.each([
  ['payment instruction', 'paymentInstruction'],
  ['Payment-Instruction', 'paymentInstruction'],
  ['historical statements', 'statements'],
  ['create business', 'create'],
])('--step "%s", as the list of unknown outcomes prints it, is %s', async (printed, name) => {
  const folder = at(`named ${printed}`);
  await run('run', inputFile('named.jsonl', account('A-1')), '--sandbox', '--run', folder);
  const typed = (step: string) => run('resolve', '--all', '--step', step, '--as', 'done', '--sandbox', '--run', folder);
  const { err } = await typed(printed);
  expect(err).not.toContain('Allowed choices');
  expect(err).toBe((await typed(name)).err);
  expect((await typed('instruction')).err).toContain('Allowed choices are check, populate,');
});
