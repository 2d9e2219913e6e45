/** How `data-import-sdk check` lists findings: errors before warnings, equal warnings together, values only if they are asked for. */
import { expect, test } from 'vitest';
import { account, openFolder, run } from '../typed.js';

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
  return out.split('\n').flatMap((text) => {
    const [, count, warning] = /^ +(\d+) {2}warning (.*)$/.exec(text.replaceAll(path, 'in')) ?? [];
    return warning === undefined ? [] : [`${count}  ${warning}`];
  });
}

test('an error is listed; 1,200 warnings of one kind are one line of the summary, with their number and the first places', async () => {
  const numbers = Array.from({ length: 1200 }, (_, index) => index);
  const path = inputFile(
    'many.jsonl',
    ...numbers.map((index) => account(`A-${index}`, { customers: [{ email: `${index} at home` }] })),
    account('A-late', { last_billed_to_date: '31/12/2024' }),
  );
  expect(await findingsOf(path)).toEqual([
    'in:1201: error account.last_billed_to_date invalid_date: Expected a calendar date, YYYY-MM-DD.',
  ]);
  const { out } = await run('check', path);
  expect(out.replaceAll(path, 'in').split('\n').slice(-4)).toEqual([
    '        1  error invalid_date at account.last_billed_to_date',
    '     1200  warning email_without_at at account.customers.*.email: An e-mail address has an @. (in:1 account.customers.0.email, in:2 account.customers.0.email, in:3 account.customers.0.email, …)',
    '1,201 lines, 1 error, 1,200 warnings',
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
  expect(out).toMatch(/\n13 lines, 13 errors\n$/);
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
  expect(
    out
      .split('\n')
      .slice(0, 2)
      .map((text) => JSON.parse(text)),
  ).toMatchObject([
    { line: 1, code: 'email_without_at' },
    { line: 2, code: 'email_without_at' },
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
  const hidden = await findingsOf(path);
  expect(hidden.join('\n')).not.toMatch(/Value|ask Ada|ada at|C-9/);
  expect(await findingsOf(path, '--show-personal-data')).toEqual([
    'in:1: error account.customers.0.landline invalid_phone_number: Expected a telephone number, best in international form such as +33612345678. Value: "ask Ada".',
    'in:2: error account.customers.0.family_name invalid_type: Expected a string, found a number. Value: 7.',
  ]);
  expect(await warningsOf(path, '--show-personal-data')).toEqual([
    '2  email_without_at at account.customers.*.email: An e-mail address has an @. (in:1 account.customers.1.email: "ada at home", in:2 account.customers.0.email: "ada at work")',
    '1  contract_not_in_input at account.business.business_contract_identifier: No business of the input declares a contract with this identifier; it must exist before the account. (in:3: "C-9")',
  ]);
  const [first] = (await run('check', path, '--json', '--show-personal-data')).out.split('\n');
  expect(JSON.parse(first ?? '')).toMatchObject({ code: 'invalid_phone_number', value: '"ask Ada"' });
});

test('a long value is cut', async () => {
  const path = inputFile('long.jsonl', account('A-1', { customers: [{ landline: 'x'.repeat(500) }] }));
  const [found = ''] = await findingsOf(path, '--show-personal-data');
  expect(found).toMatch(/Value: "x{199}…\.$/);
});
