/** How `data-import-sdk check` lists findings: errors before warnings, equal warnings together, values only if they are asked for. */
import { expect, test } from 'vitest';
import { account, openFolder, run, valuesOf } from '../typed.js';

const { inputFile } = openFolder();

const onPoint = (number: string, identifier: string) =>
  account(number, { supply_addresses: [{ supply_points: [{ identifier, supply_type: 'ELECTRICITY' }] }] });

/** The lines of findings, without the path. */
async function findingsOf(path: string, ...flags: string[]) {
  const { out } = await run('check', path, ...flags);
  return out
    .split('\n')
    .filter((text) => text.startsWith(path))
    .map((text) => text.replaceAll(path, 'in'));
}

/** The warnings of the summary, without the path. */
async function warningsOf(path: string, ...flags: string[]) {
  const { out } = await run('check', path, ...flags);
  const whole = out.replaceAll(/\n {11}/g, ' ').replaceAll(path, 'in');
  return whole.split('\n').flatMap((text) => {
    const [, count, warning] = /^ +(\d+) {2}warning (.*)$/.exec(text) ?? [];
    return warning === undefined ? [] : [`${count}  ${warning}`];
  });
}

test('the first places of a warning name a line once, also if it has the warning twice', async () => {
  const twice = [{ email: 'ada at home' }, { email: 'ada at work' }];
  const numbers = ['A-1', 'A-2', 'A-3', 'A-4'];
  const path = inputFile('twice.jsonl', ...numbers.map((number) => account(number, { customers: twice })));
  expect(await warningsOf(path)).toEqual([
    '8  email_in_unusual_form at account.customers.*.email Expected one e-mail address without spaces. First: in:1, in:2, in:3, …',
  ]);
});

test('an error is listed; 1,200 warnings of one kind are one line of the summary, with their number and the first places', {
  tags: 'long',
}, async () => {
  const numbers = Array.from({ length: 1200 }, (_, index) => index);
  const path = inputFile(
    'many.jsonl',
    ...numbers.map((index) => account(`A-${index}`, { customers: [{ email: `${index} at home` }] })),
    account('A-1200', { last_billed_to_date: '31/12/2024', customers: [{ email: 'a@example.com' }] }),
  );
  expect(await findingsOf(path)).toEqual([
    'in:1201: error account.last_billed_to_date invalid_date: Expected a calendar date, YYYY-MM-DD.',
  ]);
  const { out } = await run('check', path);
  expect(
    out
      .replaceAll(/\n {11}/g, ' ')
      .replaceAll(path, 'in')
      .split('\n')
      .slice(-5),
  ).toEqual([
    '1,201 lines, 1 error, 1,200 warnings',
    '        1  error invalid_date at account.last_billed_to_date First: in:1201',
    '    1,200  warning email_in_unusual_form at account.customers.*.email Expected one e-mail address without spaces. First: in:1, in:2, in:3, …',
    'Values are hidden: --show-personal-data shows them.',
    '',
  ]);
});

test('of equal errors the first ten are printed, then their number; --limit sets how many, 0 prints all', async () => {
  const wrong = (number: number) => account(`A-${number}`, { last_billed_to_date: `${number}/12/2024` });
  const path = inputFile(
    'equal.jsonl',
    ...Array.from({ length: 12 }, (_, index) => wrong(index + 1)),
    account('A-13', { customers: [{ landline: 'x' }] }),
  );
  const date = (line: number) =>
    `in:${line}: error account.last_billed_to_date invalid_date: Expected a calendar date, YYYY-MM-DD.`;
  const phone = expect.stringContaining('in:13: error account.customers.0.landline invalid_phone_number');
  expect(await findingsOf(path)).toEqual([...[1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map(date), phone]);
  const more = (count: string, at: number) =>
    `\n… and ${count} invalid_date at account.last_billed_to_date, the first at ${path}:${at}. --limit 0 prints all.\n`;
  const { code, out } = await run('check', path);
  expect([code, out]).toEqual([3, expect.stringContaining(more('2 more equal errors', 11))]);
  expect(out).toContain('\n13 lines, 13 errors\n');
  expect((await run('check', path, '--limit', '11')).out).toContain(more('1 more equal error', 12));
  expect(await findingsOf(path, '--limit', '0')).toHaveLength(13);
  expect((await run('check', path, '--json')).out.split('\n')).toHaveLength(15);
});

test('--json has each finding as it is found', async () => {
  const path = inputFile(
    'json.jsonl',
    ...['A-1', 'A-2'].map((number) => account(number, { customers: [{ email: 'x' }] })),
  );
  const { out } = await run('check', path, '--json');
  const warning = { code: 'email_in_unusual_form' };
  expect(valuesOf(out).slice(0, 2)).toMatchObject([
    { line: 1, ...warning },
    { line: 2, ...warning },
  ]);
});

test('ids of another country give no warning', async () => {
  // 13 digits, as in Great Britain.
  const path = inputFile(
    'mpan.jsonl',
    ...Array.from({ length: 30 }, (_, n) => onPoint(`A-${n}`, `12000000000${n + 10}`)),
  );
  expect(await warningsOf(path)).toEqual([]);
});

test('few ids have no usual length', async () => {
  const path = inputFile('few.jsonl', onPoint('A-1', '12345678901234'), onPoint('A-2', '1234567890123'));
  expect(await warningsOf(path)).toEqual([]);
});

test('--show-personal-data shows the value of each finding, also of one at the end; without it no value is shown', async () => {
  const business = { business_type: 'X', business_contract_identifier: 'C-9' };
  const path = inputFile(
    'values.jsonl',
    account('A-1', { customers: [{ landline: 'ask Ada' }, { email: 'ada at home' }] }),
    account('A-2', { customers: [{ family_name: 7, email: 'ada at work' }] }),
    account('A-3', { account_type: 'BUSINESS', business }),
    account('A-4'),
  );
  expect((await findingsOf(path)).join('\n')).not.toMatch(/Value|ask Ada|ada at|C-9/);
  expect(await findingsOf(path, '--show-personal-data')).toEqual([
    'in:1: error account.customers.0.landline invalid_phone_number: Expected a telephone number, best in international form such as +33612345678. Value: "ask Ada".',
    'in:2: error account.customers.0.family_name invalid_type: Expected a string, found a number. Value: 7.',
  ]);
  expect(await warningsOf(path, '--show-personal-data')).toEqual([
    '2  email_in_unusual_form at account.customers.*.email Expected one e-mail address without spaces. First: in:1: "ada at home", in:2: "ada at work"',
    '1  contract_not_in_input at account.business.business_contract_identifier No business of the input declares a contract with this identifier; it must exist before the account. First: in:3: "C-9"',
  ]);
  const [first] = (await run('check', path, '--json', '--show-personal-data')).out.split('\n');
  expect(JSON.parse(first ?? '')).toMatchObject({ code: 'invalid_phone_number', value: '"ask Ada"' });
});

test('eleven kinds of findings: ten are listed at the end, at most 80 columns wide, and the answer is before them', async () => {
  const names = ['landline', 'mobile', 'email', 'family_name', 'given_name', 'title', 'date_of_birth'];
  const customer = Object.fromEntries(names.map((name) => [name, 7]));
  const more = { sales_channel: 7, last_billed_to_date: 7, account_type: 7, supply_addresses: 7 };
  const path = inputFile('kinds.jsonl', account('A-1', { customers: [customer], ...more }));
  const { out } = await run('check', path);
  const lines = out.split('\n').slice(out.split('\n').indexOf('1 line, 11 errors'));
  expect(lines[0]).toBe('1 line, 11 errors');
  expect(lines.filter((text) => /^ +1 {2}error /.test(text))).toHaveLength(10);
  expect(lines).toContain('… and 1 more kind of findings. --limit 0 prints all.');
  expect(out).not.toContain('Fields, by');
  const all = await run('check', path, '--limit', '0');
  expect(all.out.split('\n').filter((text) => /^ +1 {2}error /.test(text))).toHaveLength(11);
  expect(all.out).not.toContain('more kind');
});

test('warnings about money are before more frequent ones, and eleven kinds of errors do not displace them', async () => {
  const customers = [{ email: 'ada at home' }, { email: 'ada at work' }];
  const point = { identifier: '01234567890123', supply_type: 'ELECTRICITY', payment_schedules: [{ amount: 0 }] };
  const transactions = [
    { type: 'CHARGE', transaction_id: 'T-1', transaction_date: '2024-01-01', amount: -12, display_note: 'x' },
  ];
  const names = ['landline', 'mobile', 'family_name', 'given_name', 'title', 'date_of_birth'];
  const wrong = { customers: [Object.fromEntries(names.map((name) => [name, 7]))], billing_address1: 7 };
  const more = { sales_channel: 7, last_billed_to_date: 7, sales_subchannel: 7, billing_postcode: 7 };
  const path = inputFile(
    'money.jsonl',
    { ...account('A-1', { customers, supply_addresses: [{ supply_points: [point] }] }), transactions },
    account('A-2', { ...wrong, ...more }),
  );
  const { out } = await run('check', path);
  expect(out.split('\n').flatMap((text) => /^ +\d+ {2}(warning \w+|error)/.exec(text)?.[1] ?? [])).toEqual([
    ...Array.from({ length: 8 }, () => 'error'),
    'warning negative_amount',
    'warning schedule_collects_nothing',
  ]);
  expect(out).toContain('… and 4 more kinds of findings.');
});

test('a long value is cut', async () => {
  const path = inputFile('long.jsonl', account('A-1', { customers: [{ landline: 'x'.repeat(500) }] }));
  const [found = ''] = await findingsOf(path, '--show-personal-data');
  expect(found).toMatch(/Value: "x{199}…\.$/);
});
