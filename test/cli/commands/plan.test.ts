/** `data-import-sdk plan`: what it foresees is what a run then sends, and it sends nothing itself. */
import { existsSync, writeFileSync } from 'node:fs';
import { describe, expect, test, vi } from 'vitest';
import { account, openFolder, openService, refused, run } from '../typed.js';

const { at, inputFile } = openFolder();

const plan = async (...args: string[]) => {
  const { code, out, err } = await run('plan', ...args, '--json');
  return { code, err, planned: out === '' ? undefined : JSON.parse(out) };
};

/** By the service's own log. */
const sent = (sandbox: Awaited<ReturnType<typeof openService>>) => {
  const counts: Record<string, number> = {};
  for (const { operation } of sandbox.requests()) if (operation) counts[operation] = (counts[operation] ?? 0) + 1;
  return counts;
};

const business = (identifier: string, more: Record<string, unknown> = {}) => ({
  business: {
    import_supplier_code: 'SANDBOX_SUPPLIER',
    external_business_identifier: identifier,
    business: { business_contracts: [{ identifier: `C-${identifier}` }], ...more },
  },
});

const ofContract = (number: string, contract: string) =>
  account(number, { account_type: 'BUSINESS', business: { business_contract_identifier: contract } });

const charges = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    type: 'CHARGE',
    transaction_id: `T-${index}`,
    transaction_date: '2026-01-05',
    amount: 1,
    reason: 'IMPORTED_CHARGE',
  }));

test('counts records, items, rejections of the check, and the requests of the rest', async () => {
  const sandbox = await openService();
  const path = inputFile(
    'all.jsonl',
    business('B-1'),
    business('B-2', { siret: 5 }),
    ofContract('A-1', 'C-B-1'),
    ofContract('A-2', 'C-B-2'),
    { ...account('A-3'), transactions: charges(5), notes: [{ body: 'n' }, { body: 'm' }] },
    {
      ...account('A-4'),
      statements: [{ statement_id: 'S-1' }],
      payment_instruction: { vendor: 'VENDOR-1', reference: 'R', type: 'CARD' },
    },
    account('A-4'),
    { ...account('A-5', { customers: [{ landline: 'x' }] }), transactions: charges(2) },
    { statement: 1 },
  );
  expect(await plan(path, '--run', at('none'), '--transactions-at-once', '2')).toEqual({
    code: 3,
    err: '',
    planned: {
      lines: 9,
      businesses: 2,
      accounts: 5,
      items: { paymentInstructions: 1, statements: 1, transactions: 7, notes: 2 },
      itemsNotSent: { paymentInstructions: 0, statements: 0, transactions: 2, notes: 0 },
      transactionsBeforeOpenPeriod: 0,
      rejected: 3,
      skipped: 1,
      waiting: 1,
      ended: 0,
      requests: {
        'businesses.create': 1,
        'accounts.stage': 3,
        'accounts.dryRun': 1,
        'accounts.process': 3,
        'paymentInstructions.create': 1,
        'historicalStatements.create': 1,
        'transactions.create': 3,
        'notes.create': 1,
      },
      input: {
        files: [{ source: path, bytes: expect.any(Number), sha256: expect.stringMatching(/^[0-9a-f]{64}$/) }],
      },
      probe: null,
      duration: null,
    },
  });
  expect(sandbox.requests()).toEqual([]);
  expect(existsSync(at('none'))).toBe(false);
  expect((await run('plan', path, '--run', at('none'))).out).toContain(
    '1 account skipped: the business is invalid\nNot sent with these records: 0 payment instructions, 0 statements, 2\ntransactions, 0 notes\n',
  );
});

test('names what check and run find between records: a supply point of two accounts, and numbers that differ in zeros', async () => {
  const at = { supply_addresses: [{ supply_points: [{ identifier: '01234567890123', supply_type: 'GAS' }] }] };
  const path = inputFile('compared.jsonl', account('0071', at), account('71', at));
  const { code, out } = await run('plan', path, '--run', 'none');
  expect(code).toBe(0);
  expect(out).toContain('2 of 2 lines to send, in 5 requests, 0 errors, 2 warnings\n');
  expect(out).toContain(' 1  warning supply_point_of_other_record at\n');
  expect(out).toContain(' 1  warning equal_but_for_zeros at account.external_account_number\n');
});

describe('ends with the answer, and with the kinds of findings', () => {
  const faulty = (name: string) =>
    inputFile(
      name,
      account('A-1'),
      account('A-1'),
      account('A-1', { customers: [{ first_name: 'Ada' }] }),
      ...[2, 3, 4, 5].map((index) => account(`A-${index}`, { customers: [{ landline: 'secret' }] })),
      business('B-1', { siret: 5 }),
      ofContract('A-6', 'C-B-1'),
      { note: 1 },
      { ...account('A-7', { last_billed_to_date: '2026-03-31' }), transactions: charges(2) },
    );
  const endOf = (out: string) => out.slice(out.indexOf('Time: '));

  test('by number, each with its first places', async () => {
    const path = faulty('kinds.jsonl');
    const { code, out } = await run('plan', path, '--run', at('none'));
    expect(code).toBe(3);
    const whole = endOf(out)
      .replaceAll(/\n {11}/g, ' ')
      .replaceAll(path, 'kinds.jsonl');
    expect(whole).toBe(`Time: unknown. Give --rps 20 or --probe 20 for an estimate
2 of 11 lines to send, in 6 requests, 7 errors, 2 warnings
        4  error invalid_phone_number at account.customers.*.landline First: kinds.jsonl:4, kinds.jsonl:5, kinds.jsonl:6, …
        1  error contradicting_record at account.external_account_number First: kinds.jsonl:3
        1  error invalid_type First: kinds.jsonl:10
        1  error invalid_type at business.business.siret First: kinds.jsonl:8
        2  warning transaction_before_open_period at transactions.*.transaction_date 2 transactions of 1 account are dated before the open statement period, which begins after the last billed day. The service moves them into it and pins a note, or rejects them with --no-force-current-statement. First: kinds.jsonl:11, …
        1  warning duplicate_record at account.external_account_number An earlier record has the same number and the same content: it is sent once, and nothing is missing. First: kinds.jsonl:2
Values are hidden: --show-personal-data shows them.
`);
  });

  test('with values only on demand', async () => {
    const shown = await run('plan', faulty('shown.jsonl'), '--run', at('none'), '--show-personal-data');
    expect(shown.out.replaceAll(/\n {11}/g, ' ')).toContain('shown.jsonl:4: "secret"');
    expect(shown.out).not.toContain('Values are hidden');
    expect((await run('plan', faulty('hidden.jsonl'), '--run', at('none'))).out).not.toContain('secret');
  });

  test('at most ten, in 80 columns', async () => {
    const path = inputFile(
      'many.jsonl',
      ...Array.from({ length: 12 }, (_, index) => account(`A-${index}`, { [`unknown_${'x'.repeat(60)}_${index}`]: 1 })),
      account('B', {
        customers: [{ landline: 'x', mobile: 'x', date_of_birth: 'x', email: null, first_name: 1, title: 1 }],
      }),
      account('C', {
        account_type: 1,
        supply_addresses: 1,
        last_billed_to_date: 'x',
        billing_postcode: 1,
        billing_name: 1,
      }),
    );
    const { out } = await run('plan', path, '--run', at('none'));
    expect(out.match(/^ +\d+ {2}(?:error|warning) /gm)).toHaveLength(10);
    expect(out).toMatch(/^… and \d+ more kinds? of findings\. data-import-sdk check prints all\.$/m);
    expect(
      out
        .replaceAll(path, 'm')
        .split('\n')
        .filter((line) => line.length > 80),
    ).toEqual([]);
  });

  test('for a valid input, only with the answer', async () => {
    const { out } = await run('plan', inputFile('valid.jsonl', account('A-1')), '--run', at('none'));
    expect(out.split('\n').slice(-2)).toEqual(['1 of 1 line to send, in 3 requests, 0 errors', '']);
  });
});

test.each([
  ['with the default flags', []],
  ['with everything tried before', ['--dry-run', 'all', '--validate', '--transactions-at-once', '3']],
])('foresees every request of a run over a sample input, %s', { tags: 'long' }, async (_, flags) => {
  const sandbox = await openService();
  writeFileSync(at('sample.jsonl'), (await run('sample', '--accounts', '30', '--mistakes', '0')).out);
  const folder = at(`sample-${flags.length}`);
  const { code, planned } = await plan(at('sample.jsonl'), '--run', folder, ...flags);
  expect(code).toBe(0);
  expect((await run('run', at('sample.jsonl'), '--run', folder, '--process-concurrency', '8', ...flags)).code).toBe(0);
  // The sandbox knows dry runs by the operation that they are.
  const { 'accounts.dryRun': dryRuns = 0, 'accounts.process': processes, ...rest } = planned.requests;
  // Not foreseen: the checks before the first record, a status query and one validate for the import supplier.
  const validates = (rest['accounts.validate'] ?? 0) + 1;
  const checks = { 'imports.status': 1, 'accounts.validate': validates };
  expect({ ...rest, ...checks, 'accounts.process': processes + dryRuns }).toEqual(sent(sandbox));
});

test('counts the remaining records of a run folder, and those that are retried', async () => {
  await openService();
  const refused = ofContract('A-3', 'C-NONE');
  const path = inputFile('left.jsonl', account('A-1'), account('A-2'), refused, account('A-4'), account('A-5'));
  expect((await run('run', path, '--run', at('left'), '--canary', '3')).code).toBe(7);
  expect(await plan(path, '--run', at('left'))).toMatchObject({
    code: 0,
    planned: { lines: 5, accounts: 5, ended: 3, requests: { 'accounts.stage': 2, 'accounts.process': 2 } },
  });
  expect(await plan(path, '--run', at('left'), '--retry-rejected')).toMatchObject({
    planned: { ended: 2, requests: { 'accounts.stage': 3, 'accounts.process': 3 } },
  });
});

test('for an existing account, only the missing items are retried', async () => {
  const sandbox = await openService();
  const payment_instruction = { vendor: 'VENDOR-1', reference: 'sbx-vendor-persistent', type: 'CARD' };
  const path = inputFile('lacking.jsonl', { ...account('A-1'), payment_instruction, notes: [{ body: 'n' }] });
  expect((await run('run', path, '--run', at('lacking'))).code).toBe(3);
  const { planned } = await plan(path, '--run', at('lacking'), '--retry-rejected');
  expect(planned).toMatchObject({ ended: 0, requests: { 'paymentInstructions.create': 1 } });
  const before = sandbox.requests().length;
  await run('run', path, '--run', at('lacking'), '--retry-rejected');
  expect(
    sandbox
      .requests()
      .slice(before)
      .map(({ operation }) => operation),
  ).toEqual(['paymentInstructions.create']);
});

describe('the duration', () => {
  test('by the cap on requests per second, in words', async () => {
    await openService();
    const path = inputFile('words.jsonl', account('A-1'), account('A-2'));
    expect(await run('plan', path, '--run', at('none'), '--rps', '0.05')).toEqual({
      code: 0,
      err: '',
      out: `2 lines: 0 businesses, 2 accounts with 0 payment instructions, 0 statements, 0
transactions, 0 notes
        2  accounts.stage
        1  accounts.dryRun
        2  accounts.process
Time: about 2 min (at most 0.05 requests per second)
2 of 2 lines to send, in 5 requests, 0 errors
`,
    });
  });

  test('of a few requests is less than a second, and not none', async () => {
    await openService();
    const { out } = await run('plan', inputFile('few.jsonl', account('A-1')), '--run', at('none'), '--rps', '40');
    expect(out.split('\n').at(-3)).toBe('Time: less than a second (at most 40 requests per second)');
  });

  test('by a probe, which changes nothing and sends no account that the check rejects or that belongs to a business', async () => {
    const sandbox = await openService();
    const path = inputFile(
      'probe.jsonl',
      business('B-1'),
      account('A-0', { customers: [{ landline: 'x' }] }),
      ofContract('A-WAITS', 'C-B-1'),
      account('A-1', { import_supplier: 'NONE' }),
      account('A-2'),
      account('A-3'),
    );
    const before = sandbox.snapshot().state;
    const { code, planned } = await plan(path, '--run', at('none'), '--probe', '2');
    expect(code).toBe(3);
    expect(planned.probe).toMatchObject({ calls: 2, refused: 1 });
    expect(planned.duration.fromMs).toBeLessThanOrEqual(planned.duration.toMs);
    expect(sandbox.requests().map(({ operation, account: number }) => [operation, number])).toEqual([
      ['accounts.validate', 'A-1'],
      ['accounts.validate', 'A-2'],
    ]);
    expect(sandbox.snapshot().state.suppliers).toEqual(before.suppliers);
  });

  test('a token that is not accepted ends a probe with code 8', async () => {
    await openService();
    vi.stubEnv('DATA_IMPORT_TOKEN', 'not-the-one');
    const path = inputFile('token.jsonl', account('A-1'));
    const { code, err } = await plan(path, '--run', at('none'), '--probe', '1');
    expect(code).toBe(8);
    expect(err).toMatch(/^data-import-sdk: accounts\.validate: 401 .*\n$/);
  });
});

test.each<[string, string[], string]>([
  ['no such input', ['/none.jsonl'], '/none.jsonl'],
  ['a probe without a service', ['INPUT', '--probe', '1'], 'no service: give --base-url'],
  ['a probe that is no number', ['INPUT', '--probe', 'some'], 'Expected a whole number'],
  ['nothing at once', ['INPUT', '--transactions-at-once', '0'], 'Expected a whole number from 1 up'],
])('%s ends in one line and code 2', async (_, args, message) => {
  const path = inputFile('usage.jsonl', account('A-1'));
  expect(await run('plan', ...args.map((word) => (word === 'INPUT' ? path : word)))).toMatchObject(refused(message));
});
