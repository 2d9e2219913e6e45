/** `data-import-sdk verify --extract`, as typed: the amounts of the ledger and those of the operator's extract, for each account and type. */
import { readFileSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import { account, ended, openFolder, refused, run } from '../typed.js';

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
    expect(await verify(extractFile(...lines))).toMatchObject(ended(0, '= 3 accounts agree, 0 differ;'));
  });

  test('service account numbers, semicolons and other columns', async () => {
    const rows = SAME.map((row) => {
      const [number = '', type, amount] = row.split(',');
      return `"A; B";${type};${amount};${serviceNumber(number)}`;
    });
    const path = extractFile('"Name";type;amount;service_account_number', ...rows);
    expect(await verify(path)).toMatchObject(ended(0, '= 3 accounts agree, 0 differ;'));
  });

  test('gzip and another encoding', async () => {
    const path = at('extract.csv.gz');
    writeFileSync(
      path,
      gzipSync(Buffer.from([`${HEADER},Stra\u00dfe`, ...SAME.map((row) => `${row},Caf\u00e9`)].join('\r\n'), 'latin1')),
    );
    expect(await verify(path)).toMatchObject(refused('--encoding windows-1252'));
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
      `      ${2 - form}  + In the extract, and not in the ledger. Another run or a person has imported them; or they are no accounts, such as rows of totals.\n`,
    );
  },
);

describe('an extract with both account numbers', () => {
  const BOTH = 'external_account_number;service_account_number;type;count;amount';
  const file = (one: string, other: string) =>
    extractFile(BOTH, `${one};CHARGE;2;0,30`, `${other};CHARGE;1;1000,00`, 'A-2;;PAYMENT;1;-30,00');

  test('agrees if both are those of the ledger, and if a row has only one of them', async () => {
    for (const [one, other] of [
      [`A-1;${serviceNumber('A-1')}`, `A-3;${serviceNumber('A-3')}`],
      [`;${serviceNumber('A-1')}`, 'A-3;'],
    ] as const) {
      expect(await verify(file(one, other))).toMatchObject(ended(0, '= 3 accounts agree, 0 differ; 3 rows read'));
    }
  });

  test('differs if a row has the service account number of another account, whatever its amounts are: code 5', async () => {
    const [first, third] = [serviceNumber('A-1'), serviceNumber('A-3')];
    const path = file(`A-1;${third}`, `A-3;${first}`);
    const { code, out } = await verify(path);
    expect(code).toBe(5);
    expect(out).toContain(
      `! SANDBOX_SUPPLIER A-1: service account number ${first} in the ledger, ${third} in the extract
! SANDBOX_SUPPLIER A-3: service account number ${third} in the ledger, ${first} in the extract
      2  ! Another service account number in the extract than in the ledger. Ask the operator which one is correct.
`,
    );
    expect(out).toContain('= 1 account agrees, 2 differ; 3 rows read\n');
    expect(differences()).toEqual([
      `SANDBOX_SUPPLIER;A-1;${first};;;;;;;2;"another service account number: ${third}"`,
      `SANDBOX_SUPPLIER;A-3;${third};;;;;;;3;"another service account number: ${first}"`,
    ]);
    expect(JSON.parse((await verify(path, '--json')).out)).toMatchObject({
      ...{ same: 1, differing: 2, otherNumber: 2, different: 0 },
      first: [{ problem: 'another service account number', account: 'A-1', ledger: first, extract: third }, {}],
    });
  });

  test('a number that no account has, with the right one, differs too', async () => {
    expect(await verify(file('A-1;999', 'A-3;'))).toMatchObject(
      ended(5, `service account number ${serviceNumber('A-1')} in the ledger, 999 in the extract`),
    );
  });

  test('a row without any is named', async () => {
    expect((await verify(file(';', 'A-3;'))).out).toContain(
      'The first is line 2: expected an account number in external_account_number or service_account_number.',
    );
  });
});

describe('what a spreadsheet has rounded is a row that cannot be read, with its cause', () => {
  const cause = (column: string) =>
    `The first is line 2: a spreadsheet has written ${column} in scientific notation, such as 6.32773E+15, and its last digits are lost; export the column as text.`;

  test.each([
    ['an account number', 'the account number', '6,32773E+15;;CHARGE;1;1,50'],
    ['the second of two account numbers', 'service_account_number', 'A-1;6,32773E+15;CHARGE;2;0,30'],
    ['a sum', 'amount', 'A-1;;CHARGE;2;1,2E+12'],
    ['a count', 'count', 'A-1;;CHARGE;2E+05;0,30'],
  ])('%s', async (_, column, row) => {
    const { code, out } = await verify(
      extractFile('external_account_number;service_account_number;type;count;amount', row),
    );
    expect([code, out]).toEqual([5, expect.stringContaining(cause(column))]);
    expect(out).not.toContain('in the ledger');
  });
});

test('a row without the code of a supplier, in an extract with the column, is named', async () => {
  const { out } = await verify(extractFile(`import_supplier,${HEADER}`, ',A-3,CHARGE,1000'));
  expect(out).toContain('The first is line 2: expected the code of the supplier in import_supplier.');
});

test('a row of totals is said to be one, perhaps', async () => {
  const { out } = await verify(extractFile(HEADER, ...SAME, 'Total,CHARGE,1000.30'));
  expect(out).toContain('or they are no accounts, such as rows of totals.\n');
});

describe('most differences of one kind are explained in one line', () => {
  test.each([
    [
      'the opposite sign',
      ['A-1,CHARGE,-0.10', 'A-1,CHARGE,-0.20', 'A-2,PAYMENT,30', 'A-3,CHARGE,1'],
      'Differing sums with the opposite sign in the extract: 2 of 3. Amounts are sent as positive numbers, and the type has the sign: ask the operator to export them so.',
    ],
    [
      'hundredths in the extract',
      ['A-1,CHARGE,10', 'A-1,CHARGE,20', 'A-2,PAYMENT,-3000', 'A-3,CHARGE,100000'],
      'Differing sums that are a hundred times as high in the extract: 3 of 3. One side has hundredths: ask the operator for the unit of the service.',
    ],
    [
      'hundredths in the ledger',
      ['A-1,CHARGE,0.001', 'A-1,CHARGE,0.002', 'A-2,PAYMENT,-30', 'A-3,CHARGE,1000'],
      'Differing sums that are a hundredth in the extract: 1 of 1. One side has hundredths: ask the operator for the unit of the service.',
    ],
  ])('%s', async (_, rows, hint) => {
    expect((await verify(extractFile(HEADER, ...rows))).out).toContain(`${hint}\n`);
  });

  test('accounts that one side lacks are none of them, and neither are sums of nothing', async () => {
    const { out } = await verify(extractFile(HEADER, 'A-1,CHARGE,-0.10', 'A-1,CHARGE,-0.20', 'B-9,CHARGE,1'));
    expect(out).toContain('Differing sums with the opposite sign in the extract: 1 of 1. ');
    const path = inputFile('nothing.jsonl', { ...account('A-1'), transactions: [transaction('1', 'CHARGE', 0)] });
    await run('run', path, '--sandbox', '--run', at('nothing'));
    const nothing = extractFile(HEADER, 'A-1,CHARGE,0', 'A-1,CHARGE,0');
    expect(await run('verify', '--extract', nothing, '--run', at('nothing'))).toMatchObject({
      code: 5,
      out: expect.not.stringContaining('Differing sums'),
    });
  });

  test('half of them is no kind', async () => {
    const rows = ['A-1,CHARGE,-0.10', 'A-1,CHARGE,-0.20', 'A-2,PAYMENT,-30', 'A-3,CHARGE,1'];
    expect((await verify(extractFile(HEADER, ...rows))).out).not.toContain('Differing sums');
  });
});

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
      1  + In the extract, and not in the ledger. Another run or a person has imported them; or they are no accounts, such as rows of totals.
      3  ? Rows that cannot be read. The first is line 6: expected a number such as 1234.50 or 1234,50 in amount.
      1  ? Accounts that are not compared, because one of their rows cannot be read.
Statements are not compared: the extract has none.
Differences by account: ${at('run/extract-differences.csv')}
= 0 accounts agree, 3 differ; 7 rows read
`);
  expect(differences()).toEqual([
    ';;;;;;;;;6;"expected a number such as 1234.50 or 1234,50 in amount"',
    ';;;;;;;;;7;"expected one of CHARGE, CREDIT, PAYMENT, REPAYMENT, SUPPLY_CHARGE, STATEMENT, OTHER in type"',
    ';;;;;;;;;8;"The row has 1 field, and the header 3 columns. Correct the row: a delimiter is missing, or a text with a line break is not in quotes"',
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
    ['9'.repeat(500), 'expected a number such as 1234.50 or 1234,50 in amount'],
  ])('%s: the row is named, and its account is not said to be missing', async (amount, problem) => {
    const path = extractFile('external_account_number;type;amount', `A-3;CHARGE;${amount}`, 'A-2;PAYMENT;-30');
    const { code, out } = await verify(path);
    expect(code).toBe(5);
    expect(out).toContain(`      1  ? Rows that cannot be read. The first is line 2: ${problem}.\n`);
    expect(out).toContain('      1  ? Accounts that are not compared, because one of their rows cannot be read.\n');
    expect(out).not.toContain('A-3');
  });

  test.each([
    ['after a decimal comma', ['A-2;PAYMENT;-30,00', 'A-1;CHARGE;0,3', 'A-3;CHARGE;1.000'], 4],
    ['before a decimal comma', ['A-3;CHARGE;1.000', 'A-2;PAYMENT;-30,00', 'A-1;CHARGE;0,3'], 2],
    ['where no other amount has a mark', ['A-3;CHARGE;1.000', 'A-2;PAYMENT;-30'], 2],
    ['where others have both', ['A-3;CHARGE;1.000', 'A-2;PAYMENT;-30.00', 'A-1;CHARGE;0,3'], 2],
  ])('%s, a point before three digits is unclear', async (_, rows, line) => {
    expect(await verify(extractFile('external_account_number;type;amount', ...rows))).toMatchObject(
      ended(
        5,
        `      1  ? Rows that cannot be read. The first is line ${line}: three digits after the mark in amount may be thousands or decimals`,
      ),
    );
  });

  test.each([
    ['points', ['A-2;PAYMENT;-30.000', 'A-1;CHARGE;0.300', 'A-3;CHARGE;1000.000']],
    ['points, of which others have two', ['A-2;PAYMENT;-30.000', 'A-1;CHARGE;0.30', 'A-3;CHARGE;1000']],
    ['commas', ['A-2;PAYMENT;-30,000', 'A-1;CHARGE;0,300', 'A-3;CHARGE;1000,000']],
  ])('three decimals after %s are read where the others show that mark', async (_, rows) => {
    for (const ordered of [rows, rows.toReversed()]) {
      const path = extractFile('external_account_number;type;count;amount', ...ordered.map(withCount));
      expect(await verify(path)).toMatchObject(ended(0, '= 3 accounts agree, 0 differ; 3 rows read'));
    }
  });

  test('a row with an unclear amount and a type that is none is named once', async () => {
    const { out } = await verify(extractFile('external_account_number;type;amount', 'A-3;GIFT;1.000', 'A-3;GIFT;1'));
    expect(out).toContain('      2  ? Rows that cannot be read. The first is line 2: expected one of CHARGE');
    expect(out).toContain('; 2 rows read\n');
  });
});

function withCount(row: string): string {
  return row.replace(/;(?=[^;]*$)/, row.startsWith('A-1') ? ';2;' : ';1;');
}

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
  expect(await verify(at('sample.csv'))).toMatchObject(ended(0, '= 3 accounts agree, 0 differ; 4 rows read'));
  expect(await verify(at('sample.csv'), '--extract-sample')).toMatchObject(refused('give one of them'));
});

test('an extract in UTF-16 with quoted numbers, and delimiters at the ends of lines', async () => {
  const rows = SAME.map((row) => `"${row.split(',').join('";"')}";`);
  const path = at('utf-16.csv');
  writeFileSync(
    path,
    Buffer.from(`\ufeff${['external_account_number;type;amount;', ...rows, ';;;'].join('\r\n')}`, 'utf16le'),
  );
  expect(await verify(path)).toMatchObject(ended(0, '= 3 accounts agree, 0 differ; 4 rows read'));
});

describe('statements and transactions whose outcome is unknown in the ledger', { tags: 'long' }, () => {
  beforeAll(async () => {
    const drop = (operation: string) => ({
      ...{ match: { operation }, when: 'every', effect: 'drop', phase: 'afterCommit' },
    });
    const settings = at('lost.json');
    writeFileSync(settings, JSON.stringify({ faults: [drop('historicalStatements.create')] }));
    const path = inputFile('lost.jsonl', {
      ...{ ...account('A-2'), transactions: [transaction('1', 'CHARGE', 7)], statements: [{ gross_amount: 14250 }] },
    });
    const args = ['--sandbox', '--sandbox-settings', settings, '--max-retries', '0', '--run', at('lost')];
    expect((await run('run', path, ...args)).code).toBe(4);
  });
  const verifyLost = (...rows: string[]) =>
    run('verify', '--sandbox', '--extract', extractFile(HEADER, ...rows), '--run', at('lost'));
  const next = (words: string, decision: string) =>
    `\nNext: SANDBOX_SUPPLIER A-2, statements: the outcome is unknown in the ledger. ${words}: data-import-sdk resolve ${decision}--sandbox --run ${at('lost')}\n`;

  test('the extract has them as they were sent: it says so, with the command, and ends with code 5', async () => {
    const { code, out } = await verifyLost('A-2,CHARGE,7', 'A-2,STATEMENT,14250');
    expect(code).toBe(5);
    expect(out).toContain(
      '      1  ? Only items whose outcome is unknown in the ledger, and which the extract has as they were sent.\n',
    );
    expect(out).not.toContain('Ask the operator which one is correct.');
    expect(out).toContain(
      next(
        'The extract has the items that were sent, so they were added. Store that',
        '--account A-2 --step statements --as done ',
      ),
    );
  });

  test('the extract has other statements: they are not called the ones that were sent', async () => {
    const { code, out } = await verifyLost('A-2,CHARGE,7', 'A-2,STATEMENT,1');
    expect(code).toBe(5);
    expect(out).toContain('Ask the operator which one is correct.');
    expect(out).toContain(
      next('The extract has other amounts than those that were sent. Ask the operator what was added, then', ''),
    );
  });

  test('the extract has statements of other accounts only: they were not added if it is newer', async () => {
    const { out } = await verifyLost('A-2,CHARGE,7', 'B-9,STATEMENT,1');
    expect(out).toContain('= 1 account agrees, 1 differ;');
    expect(out).toContain(
      next(
        'The extract does not have the items that were sent. If it is newer than the request, they were not added. Store that',
        '--account A-2 --step statements --as not-done ',
      ),
    );
  });

  test('--limit is the number of those that are printed, and --json has them', async () => {
    const path = inputFile(
      'lost-2.jsonl',
      ...['A-2', 'A-3'].map((name) => ({ ...account(name), statements: [{ gross_amount: 5 }] })),
    );
    const args = ['--sandbox', '--sandbox-settings', at('lost.json'), '--max-retries', '0', '--run', at('lost-2')];
    expect((await run('run', path, ...args)).code).toBe(4);
    const verifyTwo = (...more: string[]) =>
      run(
        'verify',
        '--extract',
        extractFile(HEADER, 'A-2,STATEMENT,5', 'A-3,STATEMENT,5'),
        '--run',
        at('lost-2'),
        ...more,
      );
    const { out } = await verifyTwo('--limit', '1');
    expect(out.match(/^Next: /gm)).toHaveLength(1);
    expect(out).toContain(`\n… and 1 more unknown outcome: data-import-sdk resolve --run ${at('lost-2')}\n`);
    expect(JSON.parse((await verifyTwo('--json')).out)).toMatchObject({
      ...{ unknownInExtract: 2, different: 0, differing: 2, answered: 2 },
      answers: [
        { supplier: 'SANDBOX_SUPPLIER', account: 'A-2', step: 'statements', as: 'done' },
        { account: 'A-3', as: 'done' },
      ],
    });
  });

  test('the extract has no statements: nothing is said about them', async () => {
    expect(await verifyLost('A-2,CHARGE,7')).toMatchObject({ code: 0, out: expect.not.stringContaining('Next') });
  });
});

test('a transaction that the line has twice is in the extract once', async () => {
  const twice = [transaction('1', 'CHARGE', 10), transaction('1', 'CHARGE', 10)];
  const path = inputFile('twice.jsonl', { ...account('A-1'), transactions: twice });
  await run('run', path, '--sandbox', '--run', at('twice'));
  const extract = extractFile(HEADER, 'A-1,CHARGE,10');
  expect(await run('verify', '--extract', extract, '--run', at('twice'))).toMatchObject(
    ended(0, 'CHARGE: 10.00 (1) confirmed, 10.00 (1) in the extract'),
  );
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
    [
      'two columns of one name',
      'external_account_number;type;amount; amount',
      'The header is invalid, and the file was not read: columns 3 and 4 have the same name "amount". Rename one.',
    ],
    ['no line', '', 'it has no line; expected a header with external_account_number'],
  ])('%s is code 2, and the message names what is expected', async (_, header, message) => {
    expect(await verify(extractFile(header))).toMatchObject(refused(message));
  });

  test('a file that does not exist, a workbook, and --follow are code 2', async () => {
    expect(await verify(at('none.csv'))).toMatchObject(refused('cannot be read (there is no such file)'));
    const workbook = at('extract.xlsx');
    writeFileSync(workbook, Buffer.from([0x50, 0x4b, 0x03, 0x04]));
    expect(await verify(workbook)).toMatchObject(refused('an Excel workbook'));
    expect(await verify(extractFile(HEADER), '--follow')).toMatchObject(refused('separate command'));
  });
});
