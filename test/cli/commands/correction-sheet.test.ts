/** rejected.csv as a correction sheet: people fill in "new value" in a spreadsheet, and `retry` reads it. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { expect, onTestFinished, test, vi } from 'vitest';
import { startImportService } from '../../support/import-service.js';
import { account, line, openFolder, openService as openSandbox, run } from '../typed.js';

const { at, inputFile } = openFolder();

async function openService() {
  const service = await startImportService();
  onTestFinished(() => service.close());
  vi.stubEnv('DATA_IMPORT_TOKEN', 'token');
  vi.stubEnv('DATA_IMPORT_TEAM', 'NORTH');
  vi.stubEnv('DATA_IMPORT_BASE_URL', service.url);
  onTestFinished(() => void vi.unstubAllEnvs());
  return service;
}

/** A run with these records; resolves with its folder and the rows of its rejected.csv, without the header. */
async function rejectedRun(name: string, records: Record<string, unknown>[], ...flags: string[]) {
  const folder = at(name);
  const ran = await run('run', inputFile(`${name}.jsonl`, ...records), '--run', folder, ...flags);
  expect(ran.code).toBe(3);
  const rows = readFileSync(`${folder}/rejected.csv`, 'utf8').trimEnd().split('\r\n').slice(1);
  return { folder, rows };
}

const HEADER = 'file;line;key;field;new value';

/** A sheet with these rows: file, line, key, field and new value. */
function sheet(name: string, ...rows: string[]): string {
  const path = at(name);
  writeFileSync(path, [HEADER, ...rows].join('\r\n'));
  return path;
}

test('the new values of a sheet are sent, as text, number or boolean, as the field needs it', async () => {
  const sandbox = await openSandbox();
  const transaction = {
    type: 'CHARGE',
    transaction_id: 'T',
    transaction_date: '2026-01-01',
    reason: 'R',
    amount: true,
  };
  const { folder, rows } = await rejectedRun('types', [
    account('A-1', { customers: [{ landline: '12' }] }),
    { ...account('A-2'), transactions: [transaction] },
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
  writeFileSync(
    path,
    [
      'key,file,line,field,new value',
      `A-3,${input},3,account.shoe_size,<remove>`,
      `A-2,${input},2,transactions.0.amount,12.5`,
      `A-1,${input},1,account.customers.0.landline,'+33123456789`,
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

test.each(['1,234', '-1.234', '12.500'])('the number %s, which has two meanings, is refused', async (text) => {
  const service = await openService();
  const transaction = {
    type: 'CHARGE',
    transaction_id: 'T',
    transaction_date: '2026-01-01',
    reason: 'R',
    amount: true,
  };
  const name = `thousands${text}`;
  const { folder } = await rejectedRun(name, [{ ...account('A-1'), transactions: [transaction] }]);
  const sent = service.requests.length;
  const path = sheet('thousands.csv', `${at(`${name}.jsonl`)};1;A-1;transactions.0.amount;${text}`);
  const { code, err } = await run('retry', path, '--run', folder);
  expect([code, err]).toEqual([2, expect.stringContaining(`thousands.csv:2: ${text} may be a thousand times as much`)]);
  expect(service.requests).toHaveLength(sent);
});

test('values are in the sheet and in the report only if the run may show personal data', async () => {
  await openService();
  const records = [account('A-1', { customers: [{ landline: '12' }] })];
  const { folder, rows } = await rejectedRun('hidden', records);
  expect(rows[0]).toMatch(/;;$/);
  expect(readFileSync(`${folder}/report.html`, 'utf8')).toContain('<span class="mono">hidden.jsonl:1</span>');

  const shown = await rejectedRun('shown', records, '--show-personal-data');
  expect(shown.rows[0]).toMatch(/;12;$/);
  expect(readFileSync(`${shown.folder}/report.html`, 'utf8')).toContain('<span class="mono">shown.jsonl:1: 12</span>');
  // The places stay when the report is written again.
  await run('report', '--run', shown.folder);
  expect(readFileSync(`${shown.folder}/report.html`, 'utf8')).toContain('<span class="mono">shown.jsonl:1: 12</span>');
});

test('a retry that is continued has the corrections, although rejected.csv was written again', async () => {
  await openService();
  const { folder } = await rejectedRun('again', [account('A-1', { customers: [{ landline: '12' }] })]);
  const path = sheet('again.csv', `${at('again.jsonl')};1;A-1;account.customers.0.landline;13`);
  await run('retry', path, '--run', folder);
  const [corrected = ''] = readdirSync(folder).filter((name) => /^retried-\S+-1-rejected\.jsonl$/.test(name));
  expect(readFileSync(`${folder}/${corrected}`, 'utf8')).toContain('13');
  expect(readFileSync(`${folder}/rejected.csv`, 'utf8')).not.toContain(';13');
});

test.each([
  ['no new value', '$;1;A-1;account.customers.0.landline;', 'the column "new value" is empty in every row.'],
  ['another record', '$;9;A-1;account.customers.0.landline;1', 'has no record with this file, line and key.'],
  [
    'a field without a place',
    '$;1;A-1;account.meters.0.number;1',
    'the record has no place for account.meters.0.number.',
  ],
  ['no field', '$;1;A-1;;1', 'the record has no place for a value without a field.'],
  ['a hidden name', '$;1;A-1;account.*;1', 'the record has no place for account.*.'],
  ['a line without a record', '$;2;;;1', 'the line has no record to correct.'],
  [
    'two new values',
    '$;1;A-1;account.billing_name;1\n$;1;A-1;account.billing_name;2',
    'row 2 has another new value for this field.',
  ],
  ['too few cells', '$;1;A-1', 'expected as many cells as the header has.'],
])('%s: one message with the row, and nothing is sent', async (name, rows, message) => {
  const service = await openService();
  const folder = at(`bad ${name}`);
  const input = at('bad.jsonl');
  writeFileSync(input, `${line(account('A-1', { customers: [{ landline: '12' }] }))}{"account":\n`);
  await run('run', input, '--run', folder);
  const sent = service.requests.length;
  const path = sheet('bad.csv', ...rows.replaceAll('$', input).split('\n'));
  const { code, err } = await run('retry', path, '--run', folder);
  expect(err).toContain(message);
  expect(err).toMatch(/^data-import-sdk: .*bad\.csv(:\d+)?: /);
  expect(code).toBe(2);
  expect(service.requests).toHaveLength(sent);
  expect(readdirSync(folder).filter((file) => file.startsWith('retried-'))).toEqual([]);
});
