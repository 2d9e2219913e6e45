/** rejected.csv as a correction sheet: people fill in "new value" in a spreadsheet, and `retry` reads it. */

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, onTestFinished, test, vi } from 'vitest';
import {
  account,
  copiesOf,
  ended,
  line,
  openFolder,
  openImportService,
  openService as openSandbox,
  refused,
  run,
} from '../typed.js';

const { at, inputFile } = openFolder();

/** A run with these records; resolves with its folder and the rows of its rejected.csv, without the header. */
async function rejectedRun(name: string, records: Record<string, unknown>[], ...flags: string[]) {
  const folder = at(name);
  expect((await run('run', inputFile(`${name}.jsonl`, ...records), '--run', folder, ...flags)).code).toBe(3);
  const rows = readFileSync(`${folder}/rejected.csv`, 'utf8').trimEnd().split('\r\n').slice(1);
  return { folder, rows };
}

const HEADER = 'file;line;key;field;new value;hash';

/** A sheet with these rows: file, line, key, field and new value; the run in `folder` has their hashes. */
function sheet(name: string, folder: string, ...rows: string[]): string {
  const path = at(name);
  const hashes = hashesOf(folder);
  const withHashes = rows.map((row) => {
    const [, place = ''] = row.split(';');
    return row.split(';').length < 5 ? row : `${row};${hashes.get(place) ?? 'x0'}`;
  });
  writeFileSync(path, [HEADER, ...withHashes].join('\r\n'));
  return path;
}

/** The column hash of rejected.csv, by line. */
function hashesOf(folder: string): ReadonlyMap<string, string> {
  const rows = readFileSync(`${folder}/rejected.csv`, 'utf8').trimEnd().split('\r\n').slice(1);
  return new Map(rows.map((row) => [row.split(';')[1] ?? '', row.split(';').at(-1) ?? '']));
}

const WRONG_AMOUNT = {
  type: 'CHARGE',
  transaction_id: 'T',
  transaction_date: '2026-01-01',
  reason: 'R',
  amount: true,
};

test('the new values of a sheet are sent, as text, number or boolean, as the field needs it', async () => {
  const sandbox = await openSandbox();
  const { folder, rows } = await rejectedRun('types', [
    account('A-1', { customers: [{ landline: '12' }] }),
    { ...account('A-2'), transactions: [WRONG_AMOUNT] },
    account('A-3', { shoe_size: 44 }),
  ]);
  expect(rows.map((row) => row.split(';').slice(1, 6))).toEqual([
    ['1', 'A-1', 'account.customers.0.landline', '', 'invalid_phone_number'],
    ['2', 'A-2', 'transactions.0.amount', '', 'invalid_type'],
    ['3', 'A-3', '"account.*"', '', 'unknown_field'],
  ]);
  const input = at('types.jsonl');
  // As an English spreadsheet writes it: commas, in any order, with the apostrophe of a text that begins with +.
  const path = at('corrected.csv');
  const hashes = hashesOf(folder);
  writeFileSync(
    path,
    [
      'hash,key,file,line,field,new value',
      `${hashes.get('3')},A-3,${input},3,account.shoe_size,<remove>`,
      `${hashes.get('2')},A-2,${input},2,transactions.0.amount,12.5`,
      `${hashes.get('1')},A-1,${input},1,account.customers.0.landline,'+33123456789`,
    ].join('\n'),
  );
  const { code, out, err } = await run('retry', path, '--run', folder);
  expect(err).toContain('Read the new values of 3 records from');
  expect(out).toContain('3 created + 0 already imported + 0 rejected + 0 skipped + 0 unknown = 3\n');
  expect(code).toBe(0);
  const accounts = sandbox.state.suppliers[0]?.accounts ?? [];
  expect(accounts[1]?.imported?.transactions).toMatchObject([{ sent: { amount: 12.5 } }]);
  expect(JSON.stringify(accounts)).toContain('"customers":[{"landline":"+33123456789"}]');
  expect(JSON.stringify(accounts)).not.toContain('shoe_size');
  // The corrected entries remain, as the input of the command.
  expect(readdirSync(folder).filter((name) => /^retried-\d+T\d+Z-1-rejected\.jsonl$/.test(name))).toHaveLength(1);
});

test('a number which has two meanings is refused', async () => {
  const service = await openImportService();
  const { folder } = await rejectedRun('two', [{ ...account('A-1'), transactions: [WRONG_AMOUNT] }]);
  const sent = service.requests.length;
  for (const text of ['1,234', '-1.234', '12.500', '1.234-']) {
    const path = sheet('thousands.csv', folder, `${at('two.jsonl')};1;A-1;transactions.0.amount;${text}`);
    expect(await run('retry', path, '--run', folder)).toMatchObject(
      refused(`thousands.csv:2: ${text} may be a thousand times as much`),
    );
  }
  expect(service.requests).toHaveLength(sent);
});

test('a number that begins with zero has decimals after either mark', async () => {
  const sandbox = await openSandbox();
  const { folder } = await rejectedRun('zero', [{ ...account('A-1'), transactions: [WRONG_AMOUNT] }]);
  const path = sheet('zero.csv', folder, `${at('zero.jsonl')};1;A-1;transactions.0.amount;0,125`);
  expect((await run('retry', path, '--run', folder)).code).toBe(0);
  expect(sandbox.state.suppliers[0]?.accounts[0]?.imported?.transactions).toMatchObject([{ sent: { amount: 0.125 } }]);
});

test('a number with more digits than JavaScript has is not rounded', async () => {
  await openImportService();
  const { folder } = await rejectedRun('digits', [{ ...account('A-1'), transactions: [WRONG_AMOUNT] }]);
  const path = sheet('digits.csv', folder, `${at('digits.jsonl')};1;A-1;transactions.0.amount;12345678901234,567`);
  expect(await run('retry', path, '--run', folder)).toMatchObject(
    ended(3, '0 created + 0 already imported + 1 rejected'),
  );
});

test('two columns of one name: neither is taken', async () => {
  const service = await openImportService();
  const { folder } = await rejectedRun('columns', [{ ...account('A-1'), transactions: [WRONG_AMOUNT] }]);
  const sent = service.requests.length;
  const path = sheet('columns.csv', folder, `${at('columns.jsonl')};1;A-1;transactions.0.amount;12`);
  const [header, row] = readFileSync(path, 'utf8').split('\r\n');
  writeFileSync(path, [`${header};new value`, `${row};13`].join('\r\n'));
  expect(await run('retry', path, '--run', folder)).toMatchObject(
    refused('columns 5 and 7 have the same name "new value". Rename one.'),
  );
  expect(service.requests).toHaveLength(sent);
});

test('values are in the sheet and in the report only if the run may show personal data', async () => {
  await openImportService();
  const records = [account('A-1', { customers: [{ landline: '12' }] })];
  const { folder, rows } = await rejectedRun('hidden', records);
  expect(rows[0]).toMatch(/;;;x[0-9a-f]{16}$/);
  expect(readFileSync(`${folder}/report.html`, 'utf8')).toContain('<span class="mono">hidden.jsonl:1</span>');

  const shown = await rejectedRun('shown', records, '--show-personal-data');
  expect(shown.rows[0]).toMatch(/;12;;x[0-9a-f]{16}$/);
  expect(readFileSync(`${shown.folder}/report.html`, 'utf8')).toContain('<span class="mono">shown.jsonl:1: 12</span>');
  // The places stay when the report is written again.
  await run('report', '--run', shown.folder);
  expect(readFileSync(`${shown.folder}/report.html`, 'utf8')).toContain('<span class="mono">shown.jsonl:1: 12</span>');
});

test('a retry that is continued has the corrections, although rejected.csv was written again', async () => {
  await openImportService();
  const { folder } = await rejectedRun('again', [account('A-1', { customers: [{ landline: '12' }] })]);
  const path = sheet('again.csv', folder, `${at('again.jsonl')};1;A-1;account.customers.0.landline;13`);
  await run('retry', path, '--run', folder);
  const [corrected = ''] = readdirSync(folder).filter((name) => /^retried-\S+-1-rejected\.jsonl$/.test(name));
  expect(readFileSync(`${folder}/${corrected}`, 'utf8')).toContain('13');
  expect(readFileSync(`${folder}/rejected.csv`, 'utf8')).not.toContain(';13');
});

const copyRejected = copiesOf((folder) => {
  const records = [line(account('A-1', { customers: [{ landline: '12' }] })), '{"account":\n'];
  writeFileSync(at('bad.jsonl'), records.join(''));
  return run('run', at('bad.jsonl'), '--run', folder);
});

test.each([
  ['no new value', '$;1;A-1;account.customers.0.landline;', 'the column "new value" is empty in every row.'],
  ['another record', '$;9;A-1;account.customers.0.landline;1', 'has no entry of the line that was at '],
  [
    'a field without a place',
    '$;1;A-1;account.meters.0.number;1',
    'with field account.customers.0.landline, and the row has field account.meters.0.number. ',
  ],
  ['no field', '$;1;A-1;;1', 'with field account.customers.0.landline, and the row has no field. '],
  [
    'a hidden name',
    '$;1;A-1;account.*;1',
    'with field account.customers.0.landline, and the row has field account.*. ',
  ],
  ['a line without a record', '$;2;;;1', 'the line has no record to correct.'],
  [
    'two new values',
    '$;1;A-1;account.customers.0.landline;1\n$;1;A-1;account.customers.0.landline;2',
    'row 2 has another new value for this field.',
  ],
  [
    'the header again with another order',
    'file;line;key;new value;field\n$;1;A-1;1;account.billing_name',
    'bad.csv:2: From line 2 on, the file has other columns than line 1, or another order: column 4 is "new value", and not "field".',
  ],
  ['too few cells', '$;1;A-1', 'The row has 3 fields, and the header 6 columns. Correct the row:'],
])('%s: one message with the row, and nothing is sent', async (name, rows, message) => {
  const folder = at(`bad ${name}`);
  const input = at('bad.jsonl');
  const service = copyRejected(folder);
  const sent = service.requests().length;
  const path = sheet('bad.csv', folder, ...rows.replaceAll('$', input).split('\n'));
  const { code, err } = await run('retry', path, '--run', folder);
  expect(err).toContain(message);
  expect(err).toMatch(/^data-import-sdk: .*bad\.csv(:\d+)?: /);
  expect(code).toBe(2);
  expect(service.requests()).toHaveLength(sent);
  expect(readdirSync(folder).filter((file) => file.startsWith('retried-'))).toEqual([]);
});

test('a row that cannot be used leaves out its record, and no other', async () => {
  const sandbox = await openSandbox();
  const wrong = { customers: [{ landline: '12' }] };
  const { folder } = await rejectedRun('one bad', [
    account('A-1', { shoe_size: 44, ...wrong }),
    account('A-2', wrong),
    account('A-3', wrong),
    account('A-4', wrong),
  ]);
  const input = at('one bad.jsonl');
  const path = sheet(
    ...(['one-bad.csv', folder] as const),
    `${input};1;A-1;account.*;45`,
    `${input};1;A-1;account.customers.0.landline;+33123456781`,
    `${input};2;A-2;account.customers.0.landline;+33123456782`,
    `${input};3;A-3;account.customers.0.landline;+33123456783`,
    `${input};3;A-3;account.customers.0.landline;+33123456784`,
    `${input};9;A-9;account.customers.0.landline;+33123456785`,
  );
  const { code, out, err } = await run('retry', path, '--run', folder);
  expect(err).toContain(
    'one-bad.csv:2: account.*: the name of this field is not shown, so that it can only be removed. Write <remove>, or correct the entry in rejected.jsonl, and give that to retry.\n',
  );
  expect(err).toContain('one-bad.csv:6: row 5 has another new value for this field. Keep one of them.\n');
  expect(err).toMatch(/one-bad\.csv:7: .* has no entry of the line that was at /);
  expect(err).toContain(
    'Left out 3 records: correct the rows in the rejected.csv that this session writes, and give that to retry.\n',
  );
  expect(err).toContain('Read the new values of 1 record from');
  expect(out).toContain('1 created + 0 already imported + 3 rejected');
  expect(code).toBe(3);
  expect(JSON.stringify(sandbox.state.suppliers[0]?.accounts)).toMatch(/^(?!.*A-[134]).*A-2/);
});

test('the progress of a retry ends with all records and lines of the run', async () => {
  await openSandbox();
  const folder = at('to the end');
  const input = at('end.jsonl');
  writeFileSync(
    input,
    `${line(account('A-1', { customers: [{ landline: '12' }] }))}{"account":\n${line(account('A-2'))}`,
  );
  await run('run', input, '--run', folder);
  const path = sheet('end.csv', folder, `${input};1;A-1;account.customers.0.landline;+33123456781`);
  const shown: string[] = [];
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => shown.push(String(text)) > 0);
  onTestFinished(() => void vi.restoreAllMocks());
  await run('retry', path, '--run', folder);
  expect(shown.join('').trimEnd().split('\n').at(-1)).toMatch(/^3 of 3 done \(100 %\) · 2 created, 1 rejected/);
});

test('a value of a related file has the name of that file and its column; of two rows with it, both have the same', async () => {
  const entry = pathToFileURL(resolve('src/migration/input/csv/mapping/index.ts')).href;
  writeFileSync(at('customers.csv'), 'no,name\nA-1,x\nA-2,y\nA-3,z,\n');
  writeFileSync(at('contacts.csv'), 'of,Fixed line,Other\nA-1,12,1\nA-2,13,13\n');
  writeFileSync(
    at('contacts.mjs'),
    `import { groupRows, readCsv } from '${entry}';
const contactsOf = await groupRows(readCsv(new URL('contacts.csv', import.meta.url)), 'of');
export default (row) => ({
  account: {
    import_supplier: 'SANDBOX_SUPPLIER',
    external_account_number: row.no,
    customers: contactsOf.get(row.no)?.map((one) => ({ landline: one['Fixed line'] })),
  },
});
`,
  );
  const folder = at('related');
  const words = [at('customers.csv'), '--map', at('contacts.mjs'), '--sandbox', '--run', folder];
  expect((await run('run', ...words)).code).toBe(3);
  const rows = readFileSync(`${folder}/rejected.csv`, 'utf8').trimEnd().split('\r\n').slice(1);
  expect(rows.map((row) => row.split(';').slice(1, 6))).toEqual([
    ['2', 'A-1', 'account.customers.0.landline', '"contacts.csv: Fixed line"', 'invalid_phone_number'],
    ['3', 'A-2', 'account.customers.0.landline', '"contacts.csv: Fixed line"', 'invalid_phone_number'],
    ['4', '', '', '', 'invalid_csv'],
  ]);
  expect(rows[2]).toContain(
    ';invalid_csv;"The row has 3 fields, and the header 2 columns; the last one is empty.";"If each row ends with the delimiter, write it at the end of the header too; otherwise put a text with the delimiter in quotes. Correct the row in the export, and run the same command again.";',
  );
});

const amounts = (...values: unknown[]) =>
  values.map((amount, index) => ({
    ...{ type: 'CHARGE', transaction_id: `T-${index}`, transaction_date: '2026-01-01', reason: 'R', amount },
  }));

test('<remove> removes the fields of which only * is shown', async () => {
  const sandbox = await openSandbox();
  const { folder, rows } = await rejectedRun('names', [account('A-1', { shoe_size: 44, hat: 3, billing_name: 'B' })]);
  const fields = rows.map((row) => row.split(';')[3]);
  expect(fields).toContain('"account.*"');
  const filled = fields.map((field) => `${at('names.jsonl')};1;A-1;${field};<remove>`);
  const { code, err } = await run('retry', sheet('names.csv', folder, ...filled.slice(1)), '--run', folder);
  expect([code, err]).toEqual([
    2,
    expect.stringMatching(
      /names\.csv:2: account\.\*: the record has \d fields of which only \* is shown, and the sheet removes \d\./,
    ),
  ]);
  expect(await run('retry', sheet('names.csv', folder, ...filled), '--run', folder)).toMatchObject({ code: 0 });
  const [created] = sandbox.state.suppliers[0]?.accounts ?? [];
  expect(JSON.stringify(created)).not.toMatch(/shoe_size|hat/);
});

test('<Remove> with a capital, as a spreadsheet program changes it, removes the field', async () => {
  const sandbox = await openSandbox();
  const { folder } = await rejectedRun('capital', [account('A-1', { billing_postcode: 69003 })]);
  const path = sheet('capital.csv', folder, `${at('capital.jsonl')};1;A-1;account.billing_postcode;<Remove>`);
  expect(await run('retry', path, '--run', folder)).toMatchObject({ code: 0 });
  const [created] = sandbox.state.suppliers[0]?.accounts ?? [];
  expect(created?.data).not.toHaveProperty('billing_postcode');
});

test('an identifier with decimals is refused', async () => {
  const service = await openImportService();
  const points = (identifier: unknown) => ({ supply_addresses: [{ supply_points: [{ identifier }] }] });
  const { folder } = await rejectedRun('decimals', [account('A-1', points(12345678901234))]);
  const sent = service.requests.length;
  const field = 'account.supply_addresses.0.supply_points.0.identifier';
  const filled = (value: string) => sheet('decimals.csv', folder, `${at('decimals.jsonl')};1;A-1;${field};${value}`);
  for (const text of ['12345678901234,00', '12345678901234.0']) {
    expect(await run('retry', filled(text), '--run', folder)).toMatchObject(
      refused(`decimals.csv:2: ${text} has the decimals of a number`),
    );
    expect(service.requests).toHaveLength(sent);
  }
  expect(await run('retry', filled('12345678901234'), '--run', folder)).toMatchObject({ code: 0 });
});

test('<remove> of several items removes those, and each once', async () => {
  const sandbox = await openSandbox();
  const wrong = amounts(1, 'x', 2, 'y', 'z').map((one, index) => (index === 1 ? { ...one, type: 'NONE' } : one));
  const { folder } = await rejectedRun('items', [{ ...account('A-1'), transactions: wrong }]);
  const input = at('items.jsonl');
  const path = sheet(
    ...(['items.csv', folder] as const),
    ...['transactions.1', 'transactions.3', 'transactions.1'].map((field) => `${input};1;A-1;${field};<remove>`),
    `${input};1;A-1;transactions.4.amount;4`,
  );
  expect(await run('retry', path, '--run', folder)).toMatchObject({ code: 0 });
  const [created] = sandbox.state.suppliers[0]?.accounts ?? [];
  expect(created?.imported?.transactions.map(({ sent }) => [sent.transaction_id, sent.amount])).toEqual([
    ['T-0', 1],
    ['T-2', 2],
    ['T-4', 4],
  ]);
});

test('a sheet corrects the record that it was written for, also after other lines have moved it', async () => {
  const service = await openImportService();
  const wrong = (number: string) => account(number, { customers: [{ landline: '12' }] });
  const { folder } = await rejectedRun('moved', [account('A-0'), wrong('A-1'), wrong('A-2')]);
  const input = at('moved.jsonl');
  const path = sheet('moved.csv', folder, `${input};3;A-2;account.customers.0.landline;+33123456789`);
  inputFile('moved.jsonl', account('A-0'), wrong('A-2'), wrong('A-3'));
  await run('run', input, '--run', folder);
  await run('retry', path, '--run', folder);
  expect([...service.accounts.keys()]).toEqual(['SANDBOX_SUPPLIER/A-0', 'SANDBOX_SUPPLIER/A-2']);
});

test('a row of a line that is another one by now is refused with its place', async () => {
  const service = await openImportService();
  const folder = at('stale');
  const input = at('stale.jsonl');
  const noNumber = (landline: string) => ({
    account: { import_supplier: 'SANDBOX_SUPPLIER', customers: [{ landline }] },
  });
  writeFileSync(input, line(account('A-1')) + line(noNumber('+33123456781')) + line(noNumber('+33123456782')));
  await run('run', input, '--run', folder);
  const path = sheet('stale.csv', folder, `${input};2;;account.external_account_number;A-2`);
  // The line above is deleted: another line without a number is line 2 now.
  writeFileSync(input, line(account('A-1')) + line(noNumber('+33123456782')));
  await run('run', input, '--run', folder);
  const sent = service.requests.length;
  const { code, err } = await run('retry', path, '--run', folder);
  expect(code).toBe(2);
  expect(err).toMatch(
    /stale\.csv:2: .*rejected\.jsonl has no entry of the line that was at .*stale\.jsonl:2 \(hash x[0-9a-f]{16}\): it was corrected or changed since the sheet was written\./,
  );
  expect(service.requests).toHaveLength(sent);
});

test.each(['hash', 'file', 'line'])('a sheet without its column %s is refused', async (missing) => {
  const folder = at(`bare-${missing}`);
  copyRejected(folder);
  const cells = { hash: 'x0', file: 'bare.jsonl', line: '1', field: 'account.customers.0.landline', 'new value': '1' };
  const left = Object.entries(cells).filter(([name]) => name !== missing);
  writeFileSync(at('bare.csv'), [0, 1].map((index) => `${left.map((cell) => cell[index]).join(';')}\n`).join(''));
  expect(await run('retry', at('bare.csv'), '--run', folder)).toMatchObject(
    refused(`bare.csv: the column "${missing}" is missing`),
  );
});

test.each([
  ['utf8', ''],
  ['utf16le', 'sep=;\r\n'],
] as const)(
  'a sheet that a German spreadsheet has saved again in %s: numbers, dates and the account numbers are as it writes them',
  async (encoding, above) => {
    const typed = { '0012': '1.234,56', '0013': '12,50-', '0014': '1.234,50 -' };
    const sandbox = await openSandbox();
    const [one] = amounts(true).map((transaction) => ({ ...transaction, transaction_date: '1.1.' }));
    const records = Object.keys(typed).map((number) => ({ ...account(number), transactions: [one] }));
    const { folder } = await rejectedRun(`german-${encoding}`, records);
    const rows = readFileSync(`${folder}/rejected.csv`, 'utf8').trimEnd().split('\r\n');
    const saved = rows.slice(1).map((row) => {
      const cells = row.split(';');
      const fill: Record<string, string> = {
        'transactions.0.amount': typed[cells[2] as keyof typeof typed],
        'transactions.0.transaction_date': '31.01.2026',
      };
      return cells
        .with(2, String(Number(cells[2])))
        .with(-2, fill[cells[3] ?? ''] ?? '')
        .join(';');
    });
    const path = at('german.csv');
    const lines = [(rows[0] ?? '').replace('\uFEFF', ''), ...saved, ';'.repeat(10)];
    writeFileSync(path, `\uFEFF${above}${lines.join('\r\n')}\r\n`, encoding);
    expect(await run('retry', path, '--run', folder)).toMatchObject({ code: 0 });
    const created = sandbox.state.suppliers[0]?.accounts ?? [];
    expect(
      created.flatMap(({ external_account_number: number, imported }) =>
        (imported?.transactions ?? []).map(({ sent }) => [number, sent.amount, sent.transaction_date]),
      ),
    ).toEqual([
      ['0012', 1234.56, '2026-01-31'],
      ['0013', -12.5, '2026-01-31'],
      ['0014', -1234.5, '2026-01-31'],
    ]);
  },
);

test('the next commands name rejected.jsonl if the sheet can correct no record', async () => {
  await openImportService();
  writeFileSync(at('none.jsonl'), `${line(account('A-1'))}{"account":\n`);
  expect((await run('run', at('none.jsonl'), '--run', at('none'))).out).toMatch(
    /^Next \(1 rejected\): .*correct the entries of rejected\.jsonl, and: data-import-sdk retry \S+none\/rejected\.jsonl /m,
  );
});

/** A run with two rejected customers. `filled`: writes its rejected.csv, with corrections and as a person has changed it; returns the path. */
async function twoCustomers(name: string, ...flags: string[]) {
  const sandbox = await openSandbox();
  const wrong = (number: string, text: string) => ({
    ...account(number, { customers: [{ landline: text }] }),
    transactions: [{ ...WRONG_AMOUNT, amount: text }],
  });
  const input = at(`${name}.jsonl`);
  const { folder } = await rejectedRun(name, [wrong('0002', 'two'), wrong('0001', 'one')], ...flags);
  const [header = '', ...written] = readFileSync(`${folder}/rejected.csv`, 'utf8').trimEnd().split('\r\n');
  const columns = header.replace('\uFEFF', '').replaceAll('"', '').split(';');
  const place = (column: string) => columns.indexOf(column);
  return {
    folder,
    input,
    columns,
    retry: (path: string) => run('retry', path, '--run', folder),
    sent: () =>
      (sandbox.state.suppliers[0]?.accounts ?? [])
        .filter(({ imported }) => imported !== undefined)
        .map(({ external_account_number: number, data, imported }) => [
          number,
          JSON.stringify(data).match(/\+\d+/)?.[0],
          imported?.transactions[0]?.sent.amount,
        ]),
    filled(change: (rows: string[][], place: (column: string) => number) => string[][], encoding?: 'latin1') {
      const rows = written.map((row) => {
        const cells = row.split(';');
        const number = Number(cells[place('key')]);
        const value = cells[place('field')]?.endsWith('amount') ? `${number}0` : `+3312345678${number}`;
        return cells.with(place('new value'), value);
      });
      const path = at(`${name}-filled.csv`);
      const lines = [columns, ...change(rows, place)].map((cells) => cells.join(';'));
      writeFileSync(path, lines.join('\r\n'), encoding);
      return path;
    },
  };
}

const CORRECTED = [
  ['0002', '+33123456782', 20],
  ['0001', '+33123456781', 10],
];

/** As if only these columns had been sorted. */
const reversed = (rows: string[][], places: readonly number[]) =>
  rows.map((cells, index) => cells.map((cell, at) => (places.includes(at) ? (rows.at(-1 - index)?.[at] ?? '') : cell)));

test.each<[string, (rows: string[][], place: (column: string) => number) => string[][], string[]]>([
  [
    'the hash stays where it was',
    (rows, place) => reversed(rows, [place('hash')]),
    [
      '2: the hash is that of account 0001 at $:2, and the row has key 0002 at $:1.',
      '5: the hash is that of account 0002 at $:1, and the row has key 0001 at $:2.',
    ],
  ],
  [
    'the key stays where it was',
    (rows, place) => reversed(rows, [place('key')]),
    ['2: the hash is that of account 0002 at $:1, and the row has key 0001 at $:1.'],
  ],
  [
    'file, line and key stay where they were',
    (rows, place) => reversed(rows, [place('file'), place('line'), place('key')]),
    ['5: the hash is that of account 0001 at $:2, and the row has key 0002 at $:1.'],
  ],
  [
    'the key is filled down',
    (rows, place) => rows.map((cells) => cells.with(place('key'), '0002')),
    ['4: the hash is that of account 0001 at $:2, and the row has key 0002 at $:2.'],
  ],
  [
    'the hash is filled down',
    (rows, place) => rows.map((cells) => cells.with(place('hash'), rows[0]?.[place('hash')] ?? '')),
    ['4: the hash is that of account 0002 at $:1, and the row has key 0001 at $:2.'],
  ],
  [
    'the key is another one',
    (rows, place) => rows.map((cells) => cells.with(place('key'), cells[place('key')]?.replace('0001', '9001') ?? '')),
    ['4: the hash is that of account 0001 at $:2, and the row has key 9001 at $:2.'],
  ],
  [
    'a row is copied for a new account',
    (rows, place) => [...rows, (rows[2] ?? []).with(place('key'), '0001-B')],
    ['6: the hash is that of account 0001 at $:2, and the row has key 0001-B at $:2.'],
  ],
  [
    'the fields are shifted by one row',
    (rows, place) => rows.map((cells, index) => cells.with(place('field'), rows.at(index - 1)?.[place('field')] ?? '')),
    ['2: the hash is that of account 0002 at $:1 with code invalid_type, and the row has code invalid_phone_number.'],
  ],
  [
    'a field that was not rejected',
    (rows, place) => [...rows, (rows[0] ?? []).with(place('field'), 'account.billing_name')],
    [
      '6: the hash is that of account 0002 at $:1 with field account.customers.0.landline, transactions.0.amount, and the row has field account.billing_name.',
    ],
  ],
  [
    'the codes are shifted by one row',
    (rows, place) => rows.map((cells, index) => cells.with(place('code'), rows.at(index - 1)?.[place('code')] ?? '')),
    ['2: the hash is that of account 0002 at $:1 with code'],
  ],
  [
    'no key, and another place',
    (rows, place) => reversed(rows, [place('hash')]).map((cells) => cells.with(place('key'), '')),
    ['2: the hash is that of account 0001 at $:2, and the row has $:1.'],
  ],
  [
    'no zeros, and a place without a record',
    (rows, place) => rows.map((cells) => cells.with(place('key'), '2').with(place('line'), '9')).slice(0, 2),
    ['2: the hash is that of account 0002 at $:1, and the row has key 2 at $:9.'],
  ],
])('%s: no row of the sheet is used', async (name, change, messages) => {
  const { input, filled, retry, sent } = await twoCustomers(name);
  const path = filled(change);
  const { code, err } = await retry(path);
  expect(err).toMatch(
    /^data-import-sdk: .*-filled\.csv: \d rows? cannot be used, so that no row of the sheet is used\./,
  );
  for (const message of messages) expect(err).toContain(`${path}:${message.replaceAll('$', input)}`);
  expect(err).toContain(' has the rows as they belong together: data-import-sdk report writes it again.');
  expect([code, sent()]).toEqual([2, []]);
  expect(readdirSync(at(name)).filter((file) => file.startsWith('retried-'))).toEqual([]);
});

test.each<[string, (rows: string[][], place: (column: string) => number) => string[][]]>([
  ['numbers without zeros', (rows, place) => rows.map((cells) => cells.with(2, String(Number(cells[place('key')]))))],
  ['no keys', (rows, place) => rows.map((cells) => cells.with(place('key'), ''))],
  ['numbers with decimals', (rows, place) => rows.map((cells) => cells.with(2, `${Number(cells[place('key')])},00`))],
  ['rows sorted and copied', (rows) => [...rows.toReversed(), ...rows]],
  [
    'another folder and no zeros',
    (rows, place) =>
      rows.map((cells) => [
        '/elsewhere/another folder and no zeros.jsonl',
        cells[1] ?? '',
        String(Number(cells[place('key')])),
        ...cells.slice(3),
      ]),
  ],
])('%s, as a spreadsheet and a person leave them: the sheet is used', async (name, change) => {
  const { filled, retry, sent } = await twoCustomers(name);
  expect(await retry(filled(change))).toMatchObject({ code: 0 });
  expect(sent()).toEqual(CORRECTED);
});

test('long numbers and dates, as a spreadsheet shows them, are the numbers of their records', async () => {
  const shown = {
    '12345678901234567': '1,23457E+16',
    '12345678901234568': '12345678901234500',
    '1-2': '01-Feb',
    '3.2026': 'Mar 26',
  };
  const sandbox = await openSandbox();
  const records = Object.keys(shown).map((number) => account(number, { customers: [{ landline: '12' }] }));
  const { folder } = await rejectedRun('shown-numbers', records);
  const rows = Object.values(shown).map(
    (key, index) => `${at('shown-numbers.jsonl')};${index + 1};${key};account.customers.0.landline;+33123456789`,
  );
  expect(await run('retry', sheet('shown-numbers.csv', folder, ...rows), '--run', folder)).toMatchObject({ code: 0 });
  expect(sandbox.state.suppliers[0]?.accounts).toHaveLength(4);
  const other = await rejectedRun(
    'other-numbers',
    records.map(({ account: one }) => ({
      account: { ...one, external_account_number: `${one.external_account_number}1` },
    })),
  );
  const changed = ['1,23457E+16', '12345678901234500', '1-3', '02-2026'].map(
    (key, index) => `${at('other-numbers.jsonl')};${index + 1};${key};account.customers.0.landline;+33123456789`,
  );
  expect(await run('retry', sheet('other-numbers.csv', other.folder, ...changed), '--run', other.folder)).toMatchObject(
    refused('4 rows cannot be used, so that no row of the sheet is used.'),
  );
});

test('the same number at two suppliers: a hash at the place of the other one is refused', async () => {
  await openImportService();
  const wrong = (supplier: string) => account('A-1', { import_supplier: supplier, customers: [{ landline: '12' }] });
  const { folder } = await rejectedRun('suppliers', [wrong('ONE'), wrong('TWO')]);
  const input = at('suppliers.jsonl');
  const path = sheet('suppliers.csv', folder, `${input};1;A-1;account.customers.0.landline;+33123456789`);
  const hashes = hashesOf(folder);
  writeFileSync(path, readFileSync(path, 'utf8').replace(hashes.get('1') ?? '', hashes.get('2') ?? ''));
  expect(await run('retry', path, '--run', folder)).toMatchObject(
    refused(`suppliers.csv:2: the hash is that of account A-1 at ${input}:2, and the row has key A-1 at ${input}:1. `),
  );
});

test('values that are shown and shifted by one row are refused, without showing them', async () => {
  const { input, filled, retry, sent } = await twoCustomers('values', '--show-personal-data');
  const shifted = filled((rows, place) => reversed(rows, [place('value')]).filter((_, index) => index === 0));
  const { code, err } = await retry(shifted);
  expect(err).toContain(
    `values-filled.csv:2: the hash is that of account 0002 at ${input}:1 with value of account.customers.0.landline, and the row has value of ${input}:2 transactions.0.amount. `,
  );
  expect(err).not.toContain('value of one');
  expect([code, sent()]).toEqual([2, []]);
  // A value that a spreadsheet or a person has changed is that of no other row.
  expect(await retry(filled((rows, place) => rows.map((cells) => cells.with(place('value'), 'old'))))).toMatchObject({
    code: 0,
  });
  expect(sent()).toEqual(CORRECTED);
});

test('a damaged sheet is still a sheet: the message is about its encoding, or the column that is missing', async () => {
  const { filled, retry, columns } = await twoCustomers('damaged');
  const accented = filled((rows, place) => rows.map((cells) => cells.with(place('reason'), 'numéro erroné')), 'latin1');
  expect(await retry(accented)).toMatchObject(refused('--encoding windows-1252'));
  const path = at('damaged-filled.csv');
  for (const column of ['field', 'new value', 'hash', 'file', 'line']) {
    filled((rows) => rows);
    const lines = readFileSync(path, 'utf8').split('\r\n');
    const gone = columns.indexOf(column);
    writeFileSync(path, lines.map((line) => line.split(';').toSpliced(gone, 1).join(';')).join('\r\n'));
    expect(await retry(path)).toMatchObject(refused(`damaged-filled.csv: the column "${column}" is missing`));
  }
  // Another CSV file is no sheet.
  writeFileSync(path, 'file;line;key\r\n1;2;3\r\n');
  expect(await retry(path)).toMatchObject(refused('CSV needs a mapping module'));
});

test('a second sheet for records that are corrected by now: all of them are counted, and the first places listed', async () => {
  const { input, filled, retry } = await twoCustomers('second');
  const path = filled((rows) => rows);
  expect(await retry(path)).toMatchObject({ code: 0 });
  const { code, err } = await retry(path);
  expect(err).toContain(`data-import-sdk: ${path}: 2 rows cannot be used, so that no row of the sheet is used. `);
  expect(err).toMatch(/second-filled\.csv:2: \S+rejected\.jsonl has no entry of the line that was at /);
  expect(err).toMatch(/second-filled\.csv:4: \S+rejected\.jsonl has no entry of the line that was at /);
  expect(err).toContain(`${input}:2 (hash x`);
  expect(code).toBe(2);
});

test('two lines with the same content and no number: a row of either one is used', async () => {
  const service = await openImportService();
  const none = { account: { import_supplier: 'SANDBOX_SUPPLIER', customers: [{ landline: '+33123456781' }] } };
  const { folder } = await rejectedRun('same', [none, none]);
  for (const [number, place] of ['1', '2'].entries()) {
    const field = 'account.external_account_number';
    const path = sheet('same.csv', folder, `${at('same.jsonl')};${place};;${field};N-${number}`);
    const { err } = await run('retry', path, '--run', folder);
    if (number === 0) expect(err).toContain('Read the new values of ');
    expect(err).not.toContain('the hash is that of');
  }
  expect([...service.accounts.keys()]).toContain('SANDBOX_SUPPLIER/N-0');
});
