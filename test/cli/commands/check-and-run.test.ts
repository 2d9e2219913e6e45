/** What `run` refuses before it sends anything, `check` reports as an error, with the same code and field. */
import { writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { account, line, openFolder, refused, run, valueIn, valuesIn, valuesOf } from '../typed.js';

const { at, inputFile } = openFolder();

const ofAccount = (fields: object) => ({
  account: { import_supplier: 'S', external_account_number: 'A-1', ...fields },
});
const ofBusiness = (fields: object) => ({
  business: { import_supplier_code: 'S', external_business_identifier: 'B-1', business: {}, ...fields },
});

interface Found {
  code: string;
  attr: string;
}

type Placed = Found & { line: number };

const foundByCheck = async (path: string): Promise<Placed[]> => {
  const { code, out } = await run('check', path, '--json');
  expect(code).toBe(3);
  return valuesOf(out).filter(({ severity }) => severity === 'error');
};

const foundByRun = async (path: string, name: string, file: string): Promise<Placed[]> => {
  expect((await run('run', path, '--sandbox', '--run', at(name))).code).toBe(3);
  return valuesIn(at(`${name}/${file}`)).flatMap(({ line, errors }) =>
    errors.map((error: Found) => ({ line, ...error })),
  );
};

const inShort = ({ code, attr }: Found) => ({ code, attr });
const errorsOfCheck = async (path: string) => (await foundByCheck(path)).map(inShort);
const errorsOfRun = async (path: string, name: string, file: string) =>
  (await foundByRun(path, name, file)).map(inShort);

describe('a line longer than --longest-line', () => {
  const long = { account: { ...account('A-1').account, notes: 'x'.repeat(600_000) } };

  test('is an error of check and of run, unless the option allows it', async () => {
    const path = inputFile('long.jsonl', long);
    const { out } = await run('check', path, '--json', '--longest-line', '0.5');
    expect(JSON.parse(out.split('\n')[0] ?? '')).toMatchObject({ code: 'line_too_long', attr: '' });
    expect((await run('check', path, '--json', '--longest-line', '1')).out).not.toContain('line_too_long');
    expect((await run('run', path, '--sandbox', '--run', at('long'), '--longest-line', '0.5')).code).toBe(3);
  });

  test('is a problem of its line in a CSV with a line break in quotes as well', async () => {
    const cell = Array(3).fill('x'.repeat(300_000)).join('\n');
    writeFileSync(at('long.csv'), `number,note\nA-1,"${cell}"\n`);
    writeFileSync(at('map.mjs'), 'export default (row) => ({ account: { external_account_number: row.number } });');
    const check = (longest: string) =>
      run('check', at('long.csv'), '--map', at('map.mjs'), '--json', '--longest-line', longest);
    expect((await check('0.5')).out).toContain('"invalid_csv"');
    expect((await check('1')).out).not.toContain('"invalid_csv"');
  });

  test('is refused if the option is not a number of MiB above 0', async () => {
    expect(await run('check', inputFile('short.jsonl', account('A-1')), '--longest-line', '0')).toMatchObject(
      refused('Expected a number above 0 in digits, such as 20 or 0.5.'),
    );
  });
});

test('a record without a key is rejected by run, and an error of check', async () => {
  const NUMBER = 'account.external_account_number';
  const empty = (attr: string) => ({ code: 'identifier_empty', attr });
  const rows: readonly [string, object, Found][] = [
    ['an empty account number', ofAccount({ external_account_number: '' }), empty(NUMBER)],
    ['a blank account number', ofAccount({ external_account_number: ' \u00a0' }), empty(NUMBER)],
    ['an empty supplier of an account', ofAccount({ import_supplier: '' }), empty('account.import_supplier')],
    [
      'an empty business identifier',
      ofBusiness({ external_business_identifier: '' }),
      empty('business.external_business_identifier'),
    ],
    [
      'an empty supplier of a business',
      ofBusiness({ import_supplier_code: '' }),
      empty('business.import_supplier_code'),
    ],
    ['no account number', ofAccount({ external_account_number: undefined }), { code: 'required', attr: NUMBER }],
    ['a number that is not text', ofAccount({ external_account_number: 5 }), { code: 'invalid_type', attr: NUMBER }],
    ...['..', '2024/001', 'A\\1', 'A\t1'].map((number, index): [string, object, Found] => [
      `a number that a path cannot hold (${index + 1})`,
      ofAccount({ external_account_number: number }),
      { code: 'invalid', attr: NUMBER },
    ]),
    [
      'half a character in the number',
      ofAccount({ external_account_number: 'A\ud800' }),
      { code: 'invalid_unicode', attr: NUMBER },
    ],
  ];
  const path = inputFile('keyless.jsonl', ...rows.map(([, record]) => record));
  const errors = Object.fromEntries(rows.map(([name, , error]) => [name, [error]]));
  const byName = (found: readonly Placed[]) =>
    Object.fromEntries(
      rows.map(([name], index) => {
        const ofLine = found.filter(({ line }) => line === index + 1);
        return [name, ofLine.map(inShort)];
      }),
    );
  expect(byName(await foundByCheck(path))).toEqual(errors);
  expect(byName(await foundByRun(path, 'keyless', 'rejected.jsonl'))).toEqual(errors);
});

test('an empty account number is reported, also with other errors of the account', async () => {
  const path = inputFile('two.jsonl', { other: 1, ...ofAccount({ external_account_number: '' }) });
  const error = { code: 'identifier_empty', attr: 'account.external_account_number' };
  expect(await errorsOfCheck(path)).toContainEqual(error);
  expect(await errorsOfRun(path, 'two', 'rejected.jsonl')).toEqual([error]);
});

test('an empty identifier is one error, and no warning besides', async () => {
  const path = inputFile('once.jsonl', account(''));
  expect((await run('check', path)).out.replaceAll(path, 'in').replaceAll(/\n {11}(?=in)/g, ' ')).toBe(
    `in:1: error account.external_account_number identifier_empty: Empty: it identifies the record. Expected a code or number.
1 line, 1 error
        1  error identifier_empty at account.external_account_number
           First: in:1
Values are hidden: --show-personal-data shows them.
`,
  );
});

test('a transaction that contradicts or repeats an earlier one is not sent by run, and an error of check', async () => {
  const transaction = { transaction_id: 'T-1', type: 'CREDIT', transaction_date: '2026-01-05', amount: 1 };
  const path = inputFile('contradicting.jsonl', {
    ...account('A-1'),
    transactions: [transaction, { ...transaction, amount: 2 }, { ...transaction }],
  });
  const errors = [
    { code: 'contradicting_transaction', attr: 'transactions.1' },
    { code: 'duplicate_transaction', attr: 'transactions.2' },
  ];
  expect(await errorsOfCheck(path)).toEqual(errors);
  expect(await errorsOfRun(path, 'contradicting', 'incomplete.jsonl')).toEqual(errors);
  expect((await run('check', path)).out.split('\n').filter((text) => text.startsWith(path))).toEqual([
    `${path}:1: error transactions.1 contradicting_transaction: An earlier transaction of the account has the same transaction_id and different content: only the earlier one is sent.`,
    `${path}:1: error transactions.2 duplicate_transaction: An earlier transaction of the account has the same transaction_id and the same content: only the earlier one is sent.`,
  ]);
});

test('rounded identifiers of two transactions are two errors: they say nothing about each other', async () => {
  const transaction = { transaction_id: '4.711E+12', type: 'CREDIT', transaction_date: '2026-01-05', amount: 1 };
  const path = inputFile('rounded.jsonl', {
    ...account('A-1'),
    transactions: [transaction, { ...transaction, amount: 2 }],
  });
  const errors = [0, 1].map((at) => ({ code: 'scientific_notation', attr: `transactions.${at}.transaction_id` }));
  expect(await errorsOfCheck(path)).toEqual(errors);
});

test('a business that is in the input twice with other content is skipped by run, and an error of both', async () => {
  const path = inputFile(
    'twice.jsonl',
    ofBusiness({}),
    ofBusiness({ business: { company_name: 'Boulangerie Arbois' } }),
  );
  expect(await errorsOfCheck(path)).toEqual([
    { code: 'contradicting_record', attr: 'business.external_business_identifier' },
  ]);
  await run('run', path, '--sandbox', '--run', at('twice'));
  expect(valueIn(at('twice/skipped.jsonl')).errors).toMatchObject([{ code: 'contradicting_record' }]);
});

test('contradicting lines end with code 3; skipped.jsonl has the number and the imported line, and distinguishes equal ones', async () => {
  const other = account('A-1', { sales_channel: 'X' });
  const path = inputFile('second-lines.jsonl', account('A-1'), account('A-1'), other);
  const { code, out } = await run('run', path, '--sandbox', '--run', at('second-lines'));
  expect(code).toBe(3);
  const ofA1 = { supplier: 'SANDBOX_SUPPLIER', kind: 'account', number: 'A-1', taken: { source: path, line: 1 } };
  const detail = 'second-lines.jsonl:1 was taken.';
  expect(valuesIn(at('second-lines/skipped.jsonl'))).toMatchObject([
    { ...ofA1, line: 2, errors: [{ step: 'read', code: 'duplicate_record', attr: '', detail }] },
    { ...ofA1, line: 3, errors: [{ step: 'read', code: 'contradicting_record', attr: '', detail }] },
  ]);
  expect(out).toContain(`      1  read contradicting_record
         The input has another record with this number and other content, and that one was taken. Decide which one is right, and remove the other from the export. If both are parts of one record, such as rows of one customer, let the mapping join them (groupRows, docs/mapping.md). If the one that was taken is wrong and its record was created, ask the operator: an import cannot change it. Example (second-lines.jsonl:3): second-lines.jsonl:1 was taken.
      1  read duplicate_record
         The same record was read twice and was taken once: nothing is missing, and nothing is to do. Example (second-lines.jsonl:2): second-lines.jsonl:1 was taken.
`);
  expect(out).toContain(
    'Next (1 skipped: another line has the number and other content): the first line with the number was taken, and its record may exist now (skipped.jsonl has that line under "taken"). If it is the right one, remove the lines that skipped.jsonl lists as contradicting_record (of a file that is gone for good: their entries in skipped.jsonl), and run again; those listed as duplicate_record need nothing. If another one is right and the record was created, ask the operator: an import cannot change what exists.\n',
  );
});

test('a line that is in the input twice: check and run end with code 0, and name the other line', async () => {
  const path = inputFile('same-lines.jsonl', account('A-1'), account('A-1'), ofBusiness({}), ofBusiness({}));
  const checked = await run('check', path);
  expect(checked.code).toBe(0);
  expect(checked.out.replaceAll(/\n {11}/g, ' ')).toContain(
    `1  warning duplicate_record at account.external_account_number An earlier record has the same number and the same content: it is sent once, and nothing is missing. First: ${path}:2 as ${path}:1\n`,
  );
  const { code, out } = await run('run', path, '--sandbox', '--run', at('same-lines'));
  expect(out).toContain('2 created + 0 already imported + 0 rejected + 2 skipped + 0 unknown = 4\n');
  expect(out).toContain(
    'nothing is missing, and nothing is to do. Example (same-lines.jsonl:2): same-lines.jsonl:1 was taken.\n',
  );
  expect(out).not.toMatch(/^Next|^To run again/m);
  expect(code).toBe(0);
  expect((await run('report', '--sandbox', '--run', at('same-lines'))).code).toBe(0);
});

test('the same business identifier of two suppliers is two businesses', async () => {
  const path = inputFile('two-suppliers.jsonl', ofBusiness({}), ofBusiness({ import_supplier_code: 'T' }));
  expect((await run('check', path)).code).toBe(0);
});

test.each([1, 2])(
  'of a sample with many mistakes (seed %i) both name the same lines',
  { tags: 'long' },
  async (seed) => {
    const path = at(`sample-${seed}.jsonl`);
    const sample = await run('sample', '--accounts', '120', '--mistakes', '0.6', '--seed', String(seed));
    const business = line(ofBusiness({ import_supplier_code: 'SANDBOX_SUPPLIER' }));
    writeFileSync(path, `${sample.out}${line(account(''))}{"account":\n${business}${business}`);
    const { out } = await run('check', path, '--json', '--no-warnings');
    const ofCheck = valuesOf(out).flatMap((found) => found.line ?? []);
    await run('run', path, '--sandbox', '--run', at(`sample-${seed}`), '--process-concurrency', '8');
    const ofRun = ['rejected.jsonl', 'skipped.jsonl'].flatMap((name) =>
      valuesIn(at(`sample-${seed}/${name}`))
        .filter(({ errors }) => errors.some(({ step }: { step: string }) => step === 'check' || step === 'read'))
        // A warning of check.
        .filter(({ errors: [{ code }] }) => code !== 'duplicate_record')
        .map((entry) => entry.line),
    );
    expect(ofRun.length).toBeGreaterThan(10);
    expect([...new Set(ofCheck)].sort()).toEqual([...new Set(ofRun)].sort());
  },
);
