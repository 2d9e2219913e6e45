/** `data-import-sdk profile`, as typed: what is in an input, field by field, and no value of a person. */
import { writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { account, ended, openFolder, run } from '../typed.js';

const { at, inputFile } = openFolder();

const customer = (more: Record<string, unknown>) => ({ given_name: 'Alix', family_name: 'Arbois', ...more });

const records = [
  {
    ...account('A-1', {
      account_type: 'DOMESTIC',
      billing_address1: '1 rue',
      last_billed_to_date: '2025-12-31',
      customers: [
        customer({ email: 'alix@example.com', date_of_birth: '1962-03-04', mobile: '+33612345678' }),
        customer({ email: '', date_of_birth: '1990-07-01' }),
      ],
    }),
    transactions: [
      { type: 'CHARGE', amount: 0.1, transaction_date: '2025-11-02' },
      { type: 'CHARGE', amount: 0.2, transaction_date: '2026-01-05' },
      { type: 'CHARGE', amount: -5 },
      { type: 'PAYMENT' },
      { type: 'GIFT', amount: 0 },
    ],
  },
  {
    ...account('A-22', { account_type: 'Domestic Mrs Arbois', last_billed_to_date: '31/12/2025', favourite: 'blue' }),
    statements: [{ gross_amount: 12_345.5 }],
  },
];

test('lengths are those of texts only, and a share is rounded, but 100 % only if every one is filled', async () => {
  const path = inputFile(
    'numbers.jsonl',
    ...Array.from({ length: 3 }, (_, index) =>
      account(`A-${index}`, {
        billing_postcode: index === 1 ? '123456' : 7,
        ...(index < 2 && { billing_address1: 'x' }),
      }),
    ),
  );
  const { out } = await run('profile', path);
  expect(out).toContain('66.7%  billing_address1               1 character\n');
  expect(out).toMatch(/billing_postcode +6 characters/);
});

describe('of accounts', () => {
  const path = () => inputFile('accounts.jsonl', ...records);

  test('each object has its fields, with shares, codes, dates and lengths', async () => {
    const { code, out } = await run('profile', path());
    expect(code).toBe(0);
    expect(out).toContain(`account
   100.0%  external_account_number        3 to 4 characters
   100.0%  import_supplier                SANDBOX_SUPPLIER 2
   100.0%  account_type                   DOMESTIC 1; 1 other value
    50.0%  billing_address1               5 characters
   100.0%  last_billed_to_date            2025-12-31; 1 value without a date
        1  *                              4 characters
           never filled: `);
    expect(out).toContain(`account.customers.*
   100.0%  given_name                     4 characters
   100.0%  family_name                    6 characters
    50.0%  email                          16 characters
    50.0%  mobile                         12 characters
   100.0%  date_of_birth                  1962 to 1990
`);
    expect(out).toContain(`transactions.*
   100.0%  type                           CHARGE 3, GIFT 1, PAYMENT 1
    40.0%  transaction_date               2025-11-02 to 2026-01-05
`);
    expect(out).toContain(`Amounts
  CHARGE: 0.30 (2), -5.00 (1); net -4.70; from -5.00 to 0.20
  PAYMENT: without an amount (1)
  statements: 12,345.50 (1); net 12,345.50; from 12,345.50 to 12,345.50
  transactions of an unknown type: 0.00 (1); net 0.00; from 0.00 to 0.00

2 accounts in 2 lines; 0 payment instructions, 1 statement, 5 transactions, 0
notes
`);
  });

  test('no value of a person is in the text or in the JSON', async () => {
    for (const args of [[], ['--json']]) {
      const { out } = await run('profile', path(), ...args);
      for (const value of [
        'Alix',
        'Arbois',
        'example.com',
        '336',
        '1962-03',
        '1 rue',
        'blue',
        'favourite',
        'A-1"',
        'A-22',
      ])
        expect(out).not.toContain(value);
    }
  });

  test('--json has the same as one line', async () => {
    const { out } = await run('profile', path(), '--json');
    const { fields, amounts, ...counts } = JSON.parse(out);
    expect(counts).toMatchObject({
      lines: 2,
      unread: 0,
      accounts: 2,
      items: { transactions: 5, statements: 1 },
      files: [{}],
    });
    expect(fields).toContainEqual({ path: 'transactions.*.amount', filled: 4, of: 5 });
    expect(fields).toContainEqual({
      path: 'account.customers.*.email',
      filled: 1,
      of: 2,
      lengths: { least: 16, most: 16 },
    });
    expect(fields).toContainEqual({
      path: 'account.account_type',
      filled: 2,
      of: 2,
      values: { DOMESTIC: 1 },
      otherValues: 1,
    });
    expect(amounts[0]).toEqual({
      ...{ type: 'CHARGE', positive: { count: 2, sum: '0.3' }, negative: { count: 1, sum: '-5' }, zero: 0, without: 0 },
      ...{ net: '-4.7', least: '-5', most: '0.2' },
    });
  });
});

test('a sample with every field fits into 80 columns', async () => {
  const { out: sample } = await run('sample', '--accounts', '60');
  writeFileSync(at('sample.jsonl'), sample);
  const { code, out } = await run('profile', at('sample.jsonl'));
  expect(code).toBe(0);
  const isFileName = (line: string) => line.includes('sample.jsonl');
  expect(out.split('\n').filter((line) => line.length > 80 && !isFileName(line))).toEqual([]);
  expect(out).toContain('CHARACTERISTIC_OVERRIDE ');
});

test('of a CSV file, the columns that the mapping never reads are named', async () => {
  writeFileSync(at('export.csv'), 'NUMERO,SOLDE\nA-1,12\nA-2,13\n');
  writeFileSync(
    at('map.mjs'),
    "export default (row) => ({ account: { import_supplier: 'S', external_account_number: row.NUMERO } });\n",
  );
  const { code, out } = await run('profile', at('export.csv'), '--map', at('map.mjs'));
  expect([code, out.replaceAll('\n', ' ')]).toEqual([0, expect.stringContaining('never reads 1 column of 2: SOLDE')]);
});

test('a module is an input as well, and lines without a record are counted', async () => {
  writeFileSync(at('records.mjs'), `export default () => [${JSON.stringify(account('A-1'))}];\n`);
  expect((await run('profile', at('records.mjs'))).out).toContain('1 account in 1 line;');
  writeFileSync(at('broken.jsonl'), '{"account": 1\n');
  expect(await run('profile', at('broken.jsonl'))).toMatchObject(
    ended(3, '1 line without a record: data-import-sdk check names them.'),
  );
});
