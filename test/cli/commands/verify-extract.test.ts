/** `data-import-sdk verify --extract`, as typed: the amounts of the ledger and those of the operator's extract, for each account and type. */
import { readFileSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import { account, openFolder, run } from '../typed.js';

const { at, inputFile } = openFolder();

const transaction = (transaction_id: string, type: string, amount: number) => ({ transaction_id, type, amount });

/** A rehearsal with amounts for, and none for A-4. */
beforeAll(async () => {
  const path = inputFile(
    'run.jsonl',
    { ...account('A-1'), transactions: [transaction('1', 'CHARGE', 0.1), transaction('2', 'CHARGE', 0.2)] },
    { ...account('A-2'), transactions: [transaction('3', 'PAYMENT', -30)], statements: [{ gross_amount: 5 }] },
    { ...account('A-3'), transactions: [transaction('4', 'CHARGE', 1000)] },
    account('A-4'),
  );
  expect((await run('run', path, '--sandbox', '--team', 'EAST', '--run', at('run'))).code).toBe(0);
});

/** The account number of the service. */
function serviceNumber(number: string): string {
  const row = readFileSync(at('run/ok.csv'), 'utf8')
    .split('\r\n')
    .find((text) => text.startsWith(`${number};`));
  return row?.split(';')[1] ?? '';
}

const HEADER = 'external_account_number,type,amount';
const SAME = ['A-1,CHARGE,0.20', 'A-2,PAYMENT,-30.00', 'A-1,CHARGE,0.1', 'A-3,CHARGE,1000'];

let files = 0;
function extractFile(...lines: string[]): string {
  const path = at(`extract-${++files}.csv`);
  writeFileSync(path, `${lines.join('\n')}\n`);
  return path;
}

const verify = (path: string, ...args: string[]) => run('verify', '--extract', path, '--run', at('run'), ...args);
const differences = () => readFileSync(at('run/extract-differences.csv'), 'utf8').split('\r\n').slice(1, -1);

describe('an extract', () => {
  test('with the same transactions in any order agrees: code 0, without a service', async () => {
    expect(await verify(extractFile(HEADER, ...SAME))).toEqual({
      code: 0,
      err: '',
      out: `CHARGE: 1,000.30 (3) confirmed, 1,000.30 (3) in the extract
PAYMENT: -30.00 (1) confirmed, -30.00 (1) in the extract
Statements are not compared: the extract has none.
= 3 accounts agree, 0 differ; 4 rows read
`,
    });
    expect(differences()).toEqual([]);
    expect(readFileSync(at('run/audit.log'), 'utf8').trim().split('\n').at(-1)).toMatch(
      /^\d{4}-\S+Z operator verify --extract: 3 accounts agree, 0 differ; 4 rows read$/,
    );
  });

  test.each([
    [
      'one row per account and type',
      ['external_account_number,type,count,amount', 'A-1,CHARGE,2,0.30', 'A-2,PAYMENT,1,-30', 'A-3,CHARGE,1,1000.00'],
    ],
    ['statements', [HEADER, ...SAME, 'A-2,STATEMENT,5.00']],
    ['apostrophes before signs', [HEADER, ...SAME.map((row) => row.replace(',-30', ",'-30"))]],
  ])('%s', async (_, lines) => {
    expect(await verify(extractFile(...lines))).toMatchObject({
      code: 0,
      out: expect.stringContaining('= 3 accounts agree, 0 differ;'),
    });
  });

  test('service account numbers, semicolons and other columns', async () => {
    const rows = SAME.map((row) => {
      const [number = '', type, amount] = row.split(',');
      return `"A; B";${type};${amount};${serviceNumber(number)}`;
    });
    const path = extractFile('"Name";type;amount;service_account_number', ...rows);
    expect(await verify(path)).toMatchObject({
      code: 0,
      out: expect.stringContaining('= 3 accounts agree, 0 differ;'),
    });
  });

  test('gzip and another encoding', async () => {
    const path = at('extract.csv.gz');
    writeFileSync(
      path,
      gzipSync(Buffer.from([`${HEADER},Stra\u00dfe`, ...SAME.map((row) => `${row},Caf\u00e9`)].join('\r\n'), 'latin1')),
    );
    expect(await verify(path)).toMatchObject({ code: 2, err: expect.stringContaining('--encoding windows-1252') });
    expect(await verify(path, '--encoding', 'windows-1252')).toMatchObject({ code: 0 });
  });
});

test.each(['a-1', 'A-01', '００A1'])(
  'a number that the ledger has in another form (%s) is named with its cause',
  async (number) => {
    const { code, out } = await verify(extractFile(HEADER, ...SAME.slice(1), `${number},CHARGE,0.20`, 'B-9,CHARGE,4'));
    const form = number === 'A-01' ? 0 : 1;
    expect(code).toBe(5);
    const cause = `      1  + In the extract with a number that the ledger has with other zeros, letter case or signs, such as 1 for 001. A spreadsheet may have changed it: export the column as text.\n`;
    expect(out.split(cause)).toHaveLength(1 + form);
    expect(out).toContain(
      `      ${2 - form}  + In the extract, and not in the ledger. Another run or a person has imported them.\n`,
    );
  },
);

test.each(['0', '', '1.5', '-1', '9999999999'])('count %j is no number of transactions', async (count) => {
  const path = extractFile('external_account_number,type,amount,count', `A-1,CHARGE,0.3,${count}`);
  expect((await verify(path)).out).toContain('line 2: expected a whole number above 0 in count.');
});

test('differences are counted, and listed by account in the run folder: code 5', async () => {
  const path = extractFile(
    HEADER,
    'A-1,CHARGE,0.31',
    'A-2,PAYMENT,-30',
    'A-2,CREDIT,7',
    'B-9,CHARGE,4',
    'A-2,PAYMENT,EUR 1',
    'A-2,GIFT,1',
    'A-2',
  );
  const { code, out } = await verify(path);
  expect(code).toBe(5);
  expect(out).toBe(`CHARGE: 1,000.30 (3) confirmed, 4.31 (2) in the extract
These sums leave out 1 account that is not compared.
! SANDBOX_SUPPLIER A-1 CHARGE: 0.30 (2) confirmed, 0.31 (1) in the extract, difference 0.01
- SANDBOX_SUPPLIER A-3 CHARGE: 1,000.00 (1) confirmed, 0.00 (0) in the extract, difference -1,000.00
+ B-9 CHARGE: 0.00 (0) confirmed, 4.00 (1) in the extract, difference 4.00
      1  ! Another number or sum of amounts in the extract. Ask the operator which one is correct.
      1  - Confirmed by the service, and not in the extract. Ask the operator whether the extract is complete.
      1  + In the extract, and not in the ledger. Another run or a person has imported them.
      3  ? Rows that cannot be read. The first is line 6: expected a number such as 1234.50 or 1234,50 in amount.
      1  ? Accounts that are not compared, because one of their rows cannot be read.
Statements are not compared: the extract has none.
Differences by account: ${at('run/extract-differences.csv')}
= 0 accounts agree, 3 differ; 7 rows read
`);
  expect(differences()).toEqual([
    ';;;;;;;;;6;"expected a number such as 1234.50 or 1234,50 in amount"',
    ';;;;;;;;;7;"expected one of CHARGE, CREDIT, PAYMENT, REPAYMENT, SUPPLY_CHARGE, STATEMENT, OTHER in type"',
    ';;;;;;;;;8;"expected 3 fields, as in the header"',
    `SANDBOX_SUPPLIER;A-1;${serviceNumber('A-1')};CHARGE;2;0,3;1;0,31;0,01;;different`,
    `SANDBOX_SUPPLIER;A-3;${serviceNumber('A-3')};CHARGE;1;1000;0;0;-1000;;"not in the extract"`,
    ';B-9;;CHARGE;0;0;1;4;4;;"not in the ledger"',
  ]);
  expect(JSON.parse((await verify(path, '--json')).out)).toMatchObject({
    ...{ rows: 7, same: 0, differing: 3, different: 1, notInExtract: 1, notInLedger: 1, withUnreadRow: 1, unread: 3 },
    totals: [{ type: 'CHARGE', ledger: { count: 3, sum: '1000.3' }, extract: { count: 2, sum: '4.31' } }],
    found: 3,
    first: [
      {
        ...{ problem: 'different', supplier: 'SANDBOX_SUPPLIER', account: 'A-1', type: 'CHARGE', difference: '0.01' },
        ...{ ledger: { count: 2, sum: '0.3' }, extract: { count: 1, sum: '0.31' } },
      },
      { account: 'A-3' },
      { account: 'B-9' },
    ],
  });
});

test('the first ten differences are printed, and the number of the others; --limit prints more', async () => {
  const others = Array.from({ length: 12 }, (_, index) => `B-${index},CHARGE,1`);
  const path = extractFile(HEADER, ...SAME, ...others);
  const { out } = await verify(path);
  expect(out.match(/^\+ B-/gm)).toHaveLength(10);
  expect(out).toContain('\n… and 2 more in extract-differences.csv\n');
  const all = (await verify(path, '--limit', '0')).out;
  expect(all.match(/^\+ B-/gm)).toHaveLength(12);
  expect(all).not.toContain('more in');
});

describe('amounts', () => {
  test.each([
    ['a decimal comma', ['A-1;CHARGE;0,20', 'A-1;CHARGE;0,1', 'A-2;PAYMENT;-30,00', 'A-3;CHARGE;1000,00']],
    ['groups and a comma', ['A-1;CHARGE;0,3', 'A-1;CHARGE;0', 'A-2;PAYMENT;-30', 'A-3;CHARGE;1.000,00']],
    ['spaces and a comma', ['A-1;CHARGE;0,3', 'A-1;CHARGE;0', 'A-2;PAYMENT;-30', 'A-3;CHARGE;1\u00a0000,0000']],
    ['groups and a point', ['A-1;CHARGE;0.3', 'A-1;CHARGE;0', 'A-2;PAYMENT;-30', 'A-3;CHARGE;1,000.00']],
  ])('with %s are read', async (_, rows) => {
    expect((await verify(extractFile('external_account_number;type;amount', ...rows))).code).toBe(0);
  });

  test.each([
    ['1,000', 'three digits after the mark in amount may be thousands or decimals; expected 1234.00 or 1.2340'],
    ['1.0,5', 'expected a number such as 1234.50 or 1234,50 in amount'],
    ['1,00,000.5', 'expected a number such as 1234.50 or 1234,50 in amount'],
  ])('%s: the row is named, and its account is not said to be missing', async (amount, problem) => {
    const path = extractFile('external_account_number;type;amount', `A-3;CHARGE;${amount}`, 'A-2;PAYMENT;-30');
    const { code, out } = await verify(path);
    expect(code).toBe(5);
    expect(out).toContain(`      1  ? Rows that cannot be read. The first is line 2: ${problem}.\n`);
    expect(out).toContain('      1  ? Accounts that are not compared, because one of their rows cannot be read.\n');
    expect(out).not.toContain('A-3');
  });

  test('after a decimal comma, a point before three digits is unclear', async () => {
    const rows = ['A-2;PAYMENT;-30,00', 'A-1;CHARGE;0,3', 'A-3;CHARGE;1.000'];
    const { out } = await verify(extractFile('external_account_number;type;amount', ...rows));
    expect(out).toContain('The first is line 4: three digits after the mark in amount may be thousands or decimals');
  });
});

test('--extract-sample prints a file with the confirmed amounts, which agrees', async () => {
  const { code, out } = await run('verify', '--extract-sample', '--run', at('run'));
  expect([code, out.split('\r\n')]).toEqual([
    0,
    [
      'import_supplier;external_account_number;service_account_number;type;count;amount',
      `SANDBOX_SUPPLIER;A-1;${serviceNumber('A-1')};CHARGE;2;0,3`,
      `SANDBOX_SUPPLIER;A-2;${serviceNumber('A-2')};PAYMENT;1;-30`,
      `SANDBOX_SUPPLIER;A-2;${serviceNumber('A-2')};STATEMENT;1;5`,
      `SANDBOX_SUPPLIER;A-3;${serviceNumber('A-3')};CHARGE;1;1000`,
      '',
    ],
  ]);
  writeFileSync(at('sample.csv'), out);
  expect(await verify(at('sample.csv'))).toMatchObject({
    code: 0,
    out: expect.stringContaining('= 3 accounts agree, 0 differ; 4 rows read'),
  });
  const both = await verify(at('sample.csv'), '--extract-sample');
  expect([both.code, both.err]).toEqual([2, expect.stringContaining('give one of them')]);
});

test('a transaction that the line has twice is in the extract once', async () => {
  const twice = [transaction('1', 'CHARGE', 10), transaction('1', 'CHARGE', 10)];
  const path = inputFile('twice.jsonl', { ...account('A-1'), transactions: twice });
  await run('run', path, '--sandbox', '--run', at('twice'));
  const extract = extractFile(HEADER, 'A-1,CHARGE,10');
  expect(await run('verify', '--extract', extract, '--run', at('twice'))).toMatchObject({
    code: 0,
    out: expect.stringContaining('CHARGE: 10.00 (1) confirmed, 10.00 (1) in the extract'),
  });
});

describe('a file that cannot be used', () => {
  test.each([
    [
      'a misspelt column',
      'external_account_number,type,ammount',
      'no column amount; its columns are external_account_number, type, ammount. Rename ammount to amount. It needs external_account_number or service_account_number, type and amount; optional: import_supplier, count.',
    ],
    [
      'no account number',
      'account,type,amount',
      'no column external_account_number; its columns are account, type, amount. It needs',
    ],
    ['no header', 'A-1,2026-01-01,12.50', 'the first line looks like data and not like a header'],
    ['no line', '', 'it has no line; expected a header with external_account_number'],
  ])('%s is code 2, and the message names what is expected', async (_, header, message) => {
    const { code, err } = await verify(extractFile(header));
    expect([code, err]).toEqual([2, expect.stringContaining(message)]);
  });

  test('a file that does not exist, a workbook, and --follow are code 2', async () => {
    expect(await verify(at('none.csv'))).toMatchObject({
      code: 2,
      err: expect.stringContaining('cannot be read (there is no such file)'),
    });
    const workbook = at('extract.xlsx');
    writeFileSync(workbook, Buffer.from([0x50, 0x4b, 0x03, 0x04]));
    expect(await verify(workbook)).toMatchObject({ code: 2, err: expect.stringContaining('an Excel workbook') });
    expect(await verify(extractFile(HEADER), '--follow')).toMatchObject({
      code: 2,
      err: expect.stringContaining('separate command'),
    });
  });
});
