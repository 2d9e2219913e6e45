/** The two query parameters of transactions, and transactions before the open statement period (issue 18, G). */
import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, test, vi } from 'vitest';
import { account, openFolder, openService, refusal, run, valueIn, valuesIn } from '../typed.js';

const { at, inputFile } = openFolder();

const charge = (id: string, date: string) => ({
  type: 'CHARGE',
  transaction_id: id,
  transaction_date: date,
  amount: 1,
  reason: 'IMPORTED_CHARGE',
});

/** An account that was billed up to a day, with a transaction on each of these dates. */
const billedTo = (number: string, date: string, ...dates: string[]) => ({
  ...account(number, { last_billed_to_date: date }),
  transactions: dates.map((day, index) => charge(`${number}-${index}`, day)),
});

const queriesOf = (sandbox: Awaited<ReturnType<typeof openService>>) =>
  sandbox
    .requests()
    .flatMap(({ operation, path }) => (operation === 'transactions.create' ? [path.split('?')[1]] : []));

const report = (name: string) => valueIn(at(`${name}/report.json`));

describe('run', () => {
  test('sends neither by default: the service takes both for true', async () => {
    const sandbox = await openService();
    const path = inputFile('default.jsonl', billedTo('A-1', '2023-12-31', '2024-01-05'));
    expect((await run('run', path, '--run', at('default'))).code).toBe(0);
    expect(queriesOf(sandbox)).toEqual([undefined]);
    expect(report('default').run.transactionsQuery).toEqual({
      check_previously_added: [true],
      force_add_to_current_statement: [true],
    });
  });

  test('sends both with the flags, and the report shows it', async () => {
    const sandbox = await openService();
    const path = inputFile('flags.jsonl', billedTo('A-1', '2023-12-31', '2024-01-05'));
    const flags = ['--no-force-current-statement', '--no-check-previously-added'];
    expect((await run('run', path, '--run', at('flags'), ...flags)).code).toBe(0);
    expect(queriesOf(sandbox)).toEqual(['check_previously_added=false&force_add_to_current_statement=false']);
    expect(report('flags').run.transactionsQuery).toEqual({
      check_previously_added: [false],
      force_add_to_current_statement: [false],
    });
    expect(readFileSync(at('flags/report.html'), 'utf8')).toContain('transactions.create: check_previously_added');
    expect(readFileSync(at('flags/audit.log'), 'utf8')).toContain(
      'transactions.create with check_previously_added=false and force_add_to_current_statement=false',
    );
  });

  test('is refused with --set-aside, which repeats transactions that the service may have stored of a refused request', async () => {
    const sandbox = await openService();
    const path = inputFile('aside.jsonl', billedTo('A-1', '2023-12-31', '2024-01-05'));
    expect(await run('run', path, '--run', at('aside'), '--set-aside', '--no-check-previously-added')).toEqual(
      refusal(
        '--set-aside and --no-check-previously-added contradict each other: the other transactions of a rejected request are sent again, and the service would add those twice that it kept. Leave out one of them.',
      ),
    );
    expect(sandbox.requests()).toEqual([]);
  });

  test('takes them from the environment and from the config file', async () => {
    const sandbox = await openService();
    const path = inputFile('settings.jsonl', billedTo('A-1', '2023-12-31', '2024-01-05'));
    writeFileSync(at('settings.json'), JSON.stringify({ forceCurrentStatement: false }));
    vi.stubEnv('DATA_IMPORT_CHECK_PREVIOUSLY_ADDED', 'false');
    expect((await run('run', path, '--run', at('settings'), '--config', at('settings.json'))).code).toBe(0);
    expect(queriesOf(sandbox)).toEqual(['check_previously_added=false&force_add_to_current_statement=false']);
  });
});

describe('a transaction before the open statement period', () => {
  const records = [
    billedTo('A-1', '2023-12-31', '2024-01-01', '2024-01-05'),
    billedTo('A-2', '2023-12-31', '2024-01-02', '2023-12-31', '2023-06-01'),
    // By the end of the last statement, of the account or of the record.
    {
      ...account('A-3', { statements: [{ bill_period_to_date: '2023-11-30' }] }),
      statements: [{ statement_id: 'S-1', bill_period_to_date: '2023-12-15' }],
      transactions: [charge('A-3-0', '2023-12-16'), charge('A-3-1', '2023-12-15')],
    },
    billedTo('A-4', '2023-12-31', '2023-01-01'),
    billedTo('A-5', '2023-12-31', '2023-01-01'),
    // Nothing says when its period begins.
    { ...account('A-6'), transactions: [charge('A-6-0', '2020-01-01')] },
  ];

  const WARNING =
    '        5  warning transaction_before_open_period at transactions.*.transaction_date 5 transactions of 4 accounts are dated before the open statement period, which begins after the last billed day. The service moves them into it and pins a note, or rejects them with --no-force-current-statement. First: input:2, input:3, input:4, …';

  test('check warns once, with the number and the first places', async () => {
    const path = inputFile('check.jsonl', ...records);
    const { code, out } = await run('check', path);
    expect(code).toBe(0);
    const whole = out.replaceAll(/\n {11}/g, ' ').replaceAll(path, 'input');
    expect(whole.split('\n').filter((line) => line.includes('transaction_before_open_period'))).toEqual([WARNING]);
  });

  test('check --json gives it as one line with its count, and --no-warnings gives none', async () => {
    const path = inputFile('json.jsonl', ...records);
    const lines = (await run('check', path, '--json')).out.split('\n').filter((line) => line.includes('open_period'));
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      expect.objectContaining({ source: path, line: 2, code: 'transaction_before_open_period', count: 5 }),
    ]);
    expect((await run('check', path, '--no-warnings')).out).not.toContain('open_period');
  });

  test('plan warns as check does, and has the number of transactions as JSON', async () => {
    const path = inputFile('plan.jsonl', ...records);
    const { out } = await run('plan', path, '--run', at('none'));
    expect(out.replaceAll(/\n {11}/g, ' ').replaceAll(path, 'input')).toContain(`${WARNING}\n`);
    expect(JSON.parse((await run('plan', path, '--run', at('none'), '--json')).out)).toMatchObject({
      transactionsBeforeOpenPeriod: 5,
    });
  });

  test('plan counts one request for each account without the check', async () => {
    const path = inputFile('requests.jsonl', ...records);
    const plan = async (...flags: string[]) =>
      JSON.parse((await run('plan', path, '--run', at('none'), '--json', '--transactions-at-once', '1', ...flags)).out);
    expect((await plan()).requests['transactions.create']).toBe(10);
    expect((await plan('--no-check-previously-added')).requests['transactions.create']).toBe(6);
  });

  test('is rejected with its place if the service may not move it', async () => {
    await openService();
    const path = inputFile('rejected.jsonl', ...records);
    expect((await run('run', path, '--run', at('rejected'), '--no-force-current-statement')).code).toBe(3);
    expect(valuesIn(at('rejected/incomplete.jsonl')).map(({ number, errors }) => [number, errors])).toEqual([
      ['A-2', [{ step: 'transactions', code: 'transaction_import_error', attr: 'transactions.1' }]],
      ['A-3', [{ step: 'transactions', code: 'transaction_import_error', attr: 'transactions.1' }]],
      ['A-4', [{ step: 'transactions', code: 'transaction_import_error', attr: 'transactions.0' }]],
      ['A-5', [{ step: 'transactions', code: 'transaction_import_error', attr: 'transactions.0' }]],
    ]);
  });
});
