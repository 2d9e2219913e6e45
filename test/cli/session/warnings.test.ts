/** The warnings of the local check, and what is in the fields, in the output and the report of a run. */
import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { account, ended, openFolder, run, valueIn } from '../typed.js';

const { at, inputFile } = openFolder();

const charge = (amount: number) => ({
  ...{ type: 'CHARGE', transaction_id: `T${amount}`, transaction_date: '2026-01-05', amount },
});
const records = [
  { ...account('A-1'), transactions: [charge(10)] },
  { ...account('A-2', { customers: [{ email: 'alix at home' }] }), transactions: [charge(-3), charge(-4)] },
  { ...account('A-3', { last_billed_to_date: '2026-01-31' }), transactions: [charge(-5)] },
  { ...account('A-4', { customers: [{ landline: 'x' }], favourite: 1 }), transactions: [charge(-6)] },
];

describe('of a run', () => {
  const rehearse = (name: string, ...flags: string[]) =>
    run('run', inputFile('input.jsonl', ...records), '--sandbox', '--run', at(name), ...flags);
  const WARNINGS = `Warnings of the local check, which keep no record from being sent:
        4  negative_amount at transactions.*.amount: The type tells the direction of a transaction; a negative amount turns it round. (input.jsonl:2 transactions.0.amount, input.jsonl:3 transactions.0.amount, input.jsonl:4 transactions.0.amount, …)
        1  email_in_unusual_form at account.customers.*.email: Expected one e-mail address without spaces. (input.jsonl:2 account.customers.0.email)
        1  transaction_before_open_period at transactions.*.transaction_date: Dated before the open statement period, which begins after the last billed day. The service moves these transactions into it and pins a note, or rejects them with --no-force-current-statement. (input.jsonl:3 transactions.0.transaction_date)
`;

  test('warnings are printed by code and field, with their number and one place, as check counts them', async () => {
    const { code, out } = await rehearse('printed');
    expect(code).toBe(3);
    expect(out).toContain(WARNINGS);
    expect(out).not.toContain('alix');
    const checked = (await run('check', at('input.jsonl'))).out;
    for (const line of ['4  warning negative_amount at', '1  warning email_in_unusual_form at'])
      expect(checked).toContain(line);
  });

  test('--json and report.json have them, also those of an earlier session, each record once', {
    tags: 'long',
  }, async () => {
    await rehearse('sessions', '--canary', '2');
    const { out } = await rehearse('sessions', '--json');
    const warnings = [
      { step: 'check', code: 'negative_amount', attr: 'transactions.*.amount', count: 4 },
      { code: 'email_in_unusual_form', count: 1, samples: ['input.jsonl:2 account.customers.0.email'] },
      { code: 'transaction_before_open_period', count: 1, samples: ['input.jsonl:3 transactions.0.transaction_date'] },
    ];
    expect(JSON.parse(out).warnings).toMatchObject(warnings);
    const report = () => valueIn(at('sessions/report.json')).summary;
    expect(report().warnings).toMatchObject(warnings);
    await rehearse('sessions');
    expect(report().warnings).toMatchObject(warnings);
  });

  test('report.html shows the warnings, the amounts and each field, without a value of a person', async () => {
    await rehearse('page');
    const html = readFileSync(at('page/report.html'), 'utf8');
    expect(html).toContain('<h2 id="warnings">');
    expect(html).toContain('negative_amount <span class="attr">transactions.*.amount</span>');
    expect(html).toContain(
      '<tr><th scope="row">CHARGE</th><td data-name="sums">10.00 (1), -18.00 (4)</td><td data-name="net sum" class="n">-8.00</td><td data-name="lowest" class="n">-6.00</td><td data-name="highest" class="n">10.00</td></tr>',
    );
    expect(html).toContain(
      '<tr><th scope="row" class="mono">transactions.*.type</th><td data-name="filled" class="n">100.0%</td><td data-name="values">CHARGE 5</td></tr>',
    );
    expect(html).toContain(
      '<tr><th scope="row" class="mono">account.customers.*.email</th><td data-name="filled" class="n">50.0%</td><td data-name="values">12 characters</td></tr>',
    );
    expect(html).not.toMatch(/alix|favourite/);
  });

  test('the profile of two sessions is that of profile', async () => {
    await rehearse('profiled', '--canary', '1');
    await rehearse('profiled');
    const { amounts, fields } = JSON.parse((await run('profile', at('input.jsonl'), '--json')).out);
    expect(valueIn(at('profiled/report.json')).input.profile).toEqual({ amounts, fields });
  });

  test('an input without warnings has none in the output and in the report', async () => {
    const { out } = await run('run', inputFile('none.jsonl', account('A-1')), '--sandbox', '--run', at('none'));
    expect(out).not.toContain('Warnings');
    expect(readFileSync(at('none/report.html'), 'utf8')).not.toContain('id="warnings"');
  });

  test('what a deployment profile decides is no warning', async () => {
    const profile = inputFile('profile.json', {
      values: { TransactionsPayload: { 'transactions.*.reason': ['OF_OURS'] } },
    });
    const one = { ...account('A-1'), transactions: [{ ...charge(1), reason: 'OF_OURS' }] };
    const path = inputFile('reasons.jsonl', one);
    const flags = ['--sandbox', '--run'];
    expect((await run('run', path, ...flags, at('without'))).out).toContain(
      'value_never_seen at transactions.*.reason',
    );
    expect((await run('run', path, ...flags, at('with'), '--profile', profile)).out).not.toContain('value_never_seen');
  });
});

test('two customers whose numbers became 1.23E+13 are both rejected for it, and retry sends them with their own numbers', async () => {
  const path = inputFile(
    'rounded.jsonl',
    account('1.23E+13'),
    account('1.23E+13', { customers: [{}] }),
    account('A-3'),
  );
  const { code, out } = await run('run', path, '--sandbox', '--run', at('rounded'));
  expect([code, out]).toEqual([
    3,
    expect.stringContaining('2  read scientific_notation at account.external_account_number'),
  ]);
  expect(out).not.toContain('contradicting_record');
  const rejected = readFileSync(at('rounded/rejected.jsonl'), 'utf8');
  writeFileSync(
    at('corrected.jsonl'),
    rejected.replace('1.23E+13', '12300000000001').replace('1.23E+13', '12300000000002'),
  );
  expect(await run('retry', at('corrected.jsonl'), '--sandbox', '--run', at('rounded'))).toMatchObject(
    ended(0, '3 created'),
  );
});

test('the warnings of a corrected record are gone, and those of the others are still there', async () => {
  const wrong = (number: string) => account(number, { customers: [{ given_name: 'NoÃ«l', landline: 'x' }] });
  const path = inputFile('garbled.jsonl', wrong('A-1'), account('A-2', { customers: [{ given_name: 'NoÃ«l' }] }));
  const warned = (count: number, places: string) =>
    `${count}  garbled_text at account.customers.*.given_name: The text was probably read in the wrong encoding, such as Ã© for é. Export it in UTF-8, or name its encoding. (${places})`;
  const first = await run('run', path, '--sandbox', '--run', at('garbled'));
  const of = (line: number) => `garbled.jsonl:${line} account.customers.0.given_name`;
  expect(first.out).toContain(warned(2, `${of(1)}, ${of(2)}`));
  const rejected = readFileSync(at('garbled/rejected.jsonl'), 'utf8');
  writeFileSync(
    at('corrected-again.jsonl'),
    rejected.replaceAll('NoÃ«l', 'Noël').replace('\\"landline\\":\\"x\\"', '\\"title\\":\\"M\\"'),
  );
  expect(await run('retry', at('corrected-again.jsonl'), '--sandbox', '--run', at('garbled'))).toMatchObject(
    ended(0, warned(1, of(2))),
  );
  const { summary } = valueIn(at('garbled/report.json'));
  expect(summary.warnings).toMatchObject([{ code: 'garbled_text', count: 1, samples: [of(2)] }]);
});

test('a run also compares its records: numbers that are equal but for zeros, and a contact of hundreds', async () => {
  const customers = [{ email: 'none@example.com' }];
  const many = Array.from({ length: 100 }, (_, index) => account(`A-${index}`, { customers }));
  const path = inputFile('compared.jsonl', account('0123'), account('123'), ...many);
  const { out } = await run('run', path, '--sandbox', '--run', at('compared'));
  expect(out).toContain(
    '      100  contact_of_many_customers at account.customers.*.email: A hundred customers or more have this one: a program may have filled it in. (compared.jsonl:3 account.customers.0.email, compared.jsonl:4 account.customers.0.email, compared.jsonl:5 account.customers.0.email, …)\n',
  );
  expect(out).toContain('        1  equal_but_for_zeros at account.external_account_number: ');
  expect(out).toContain('(compared.jsonl:2)');
  expect(out).not.toContain('none@');
});

describe('two records with one supply point', () => {
  const of = (number: string, identifier: string, supply_type = 'ELECTRICITY') =>
    account(number, { supply_addresses: [{ supply_points: [{ identifier, supply_type }] }] });
  const [ONE, OTHER] = ['01234567890123', '09876543210987'];
  const named = (...numbers: number[]) => {
    const places = numbers.map(
      (number) => `points.jsonl:${number} account.supply_addresses.0.supply_points.0.identifier`,
    );
    return `
        ${numbers.length}  supply_point_of_other_record at account.supply_addresses.*.supply_points.*.identifier: Another record of the input names the same supply point: one customer may be there under two numbers, and be billed twice. (${places.join(', ')})
`;
  };
  const rehearse = (name: string, ...lines: unknown[]) =>
    run('run', inputFile('points.jsonl', ...lines), '--sandbox', '--run', at(name));

  test('are named by each run that has a new one of them, whatever their order', async () => {
    const first = await rehearse('points', of('A-1', ONE), of('A-2', OTHER), of('A-3', OTHER, 'GAS'));
    expect([first.code, first.out]).toEqual([0, expect.not.stringContaining('supply_point_of_other_record')]);
    expect(
      await rehearse('points', of('A-9', ONE), of('A-1', ONE), of('A-2', OTHER), of('A-3', OTHER, 'GAS')),
    ).toMatchObject(ended(0, named(1)));
    const again = await rehearse('points', of('A-9', ONE), of('A-1', ONE), of('A-2', OTHER), of('A-3', OTHER, 'GAS'));
    expect(again.out).toContain(named(1));
  });

  test('are both named if both are new', async () => {
    expect((await rehearse('new-points', of('A-1', ONE), of('A-2', OTHER), of('A-3', ONE))).out).toContain(named(1, 3));
  });
});

describe('two records that are equal but for the spelling of their numbers', () => {
  const customers = [{ given_name: 'Al', family_name: 'Arbois', date_of_birth: '1980-01-02' }];
  const [one, other] = [account('H-1', { customers }), account('H1', { customers })];
  const business = (number: string, company_name: string) => ({
    business: {
      ...{ import_supplier_code: 'SANDBOX_SUPPLIER', external_business_identifier: number },
      business: { company_name, business_contracts: [{ identifier: 'F-1' }] },
    },
  });
  const rehearse = (name: string, ...lines: unknown[]) =>
    run('run', inputFile('spelled.jsonl', ...lines), '--sandbox', '--run', at(name));
  const named = (count: number, code: string, places: string) =>
    expect.stringMatching(`\n +${count}  ${code} at .* \\(${places}\\)\n`);
  const [first, second] = ['spelled.jsonl:1', 'spelled.jsonl:2'];

  test('are both named by a run in which both are new', async () => {
    const { code, out } = await rehearse('spelled', one, other);
    expect([code, out]).toEqual([0, named(2, 'equal_but_for_spelling', `${first}, ${second}`)]);
  });

  test('are named if one of them is new and the other one is still in the input', async () => {
    expect((await rehearse('one-new', one)).out).not.toContain('equal_but_for');
    const { code, out } = await rehearse('one-new', one, other);
    expect([code, out]).toEqual([0, named(1, 'equal_but_for_spelling', second)]);
  });

  test('and numbers that differ in zeros only are named as such', async () => {
    const digits = ['0123', '123'].map((number) => account(number, { customers }));
    expect((await rehearse('digits', ...digits)).out).not.toContain('equal_but_for_spelling');
    const { out } = await rehearse('digits-and-signs', ...digits, account('12-3', { customers }));
    expect(out).toContain('  3  equal_but_for_spelling at');
  });

  test('and businesses by a contract that both declare', async () => {
    const { out } = await rehearse('contracts', business('B-1', 'Regie Un'), business('C-7', 'Regie Deux'));
    const at = 'business.business.business_contracts.0.identifier';
    expect(out).toEqual(named(2, 'contract_of_other_business', `${first} ${at}, ${second} ${at}`));
    const contracts = [{ identifier: 'F-2' }, { identifier: 'F-2' }];
    const { out: twice } = await rehearse('twice', {
      business: { ...business('B-1', '').business, business: { business_contracts: contracts } },
    });
    expect(twice).not.toContain('contract_of_other_business');
    const { out: spelled } = await rehearse('businesses', business('B-1', 'Regie'), business('b1', 'REGIE'));
    expect(spelled).toEqual(named(2, 'equal_but_for_spelling', `${first}, ${second}`));
  });
});
