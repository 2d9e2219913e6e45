/** rejected.csv: the rejected records and lines for people with a spreadsheet, written together with rejected.jsonl. */
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { problemItem } from '../../../src/migration/input/text/parse-record.js';
import type { LedgerError } from '../../../src/migration/ledger/ledger.js';
import { openRunFolder } from '../../../src/migration/report/folder/run-folder.js';
import { newFolder } from '../../helpers/folder.js';
import { business, ledgerOf, record } from '../ledger/records.js';

const HEADER = '\uFEFFfile;line;key;field;column;code;reason;"what to do";value;"new value";hash\r\n';

async function openFolder() {
  const parent = newFolder('rejected-csv-');
  const path = join(parent, 'run');
  /** With a mark in place of each hash. */
  const csv = async () => (await readFile(join(path, 'rejected.csv'), 'utf8')).replace(/;x[0-9a-f]{16}\r\n/g, ';#\r\n');
  return { path, csv };
}

const rejected = (number: string, ...errors: LedgerError[]) =>
  record(number, { outcome: 'rejected', errors, source: 'customers.csv', line: 7 });
const PHONE: LedgerError = { step: 'check', code: 'invalid_phone_number', attr: 'account.customers.0.mobile' };

test('one row for each error of a record and of a line, with reason and remedy; only the owner may read it', async () => {
  const { path, csv } = await openFolder();
  const { lines, writeOutcome, at } = await openRunFolder(path);
  const unknown: LedgerError = {
    step: 'check',
    code: 'unknown_field',
    attr: 'account.biling_postcode',
    didYouMean: 'billing_postcode',
  };
  const ledger = await ledgerOf([
    rejected('A-1', PHONE, unknown),
    record('A-2', { outcome: 'created' }),
    business('B-1', { outcome: 'rejected', errors: [], source: 'businesses.csv', line: 2 }),
  ]);
  const problem = {
    code: 'map_failed',
    attr: 'map.mjs:12',
    detail: 'parseDate: expected a day. Column "born".',
  } as const;
  lines.add(problemItem('customers.csv', 9, 'A-4;x', { problem }), { as: 'rejected', ...problem });
  lines.add(problemItem('customers.csv', 10, 'A-1;', { problem }), {
    as: 'skipped',
    code: 'duplicate_record',
    attr: '',
  });
  await writeOutcome(ledger);
  expect((await csv()).split('\r\n')).toEqual([
    HEADER.trimEnd(),
    'customers.csv;7;A-1;account.customers.0.mobile;;invalid_phone_number;"The telephone number is not in international form.";"Write it like +33612345678, or leave it out.";;;#',
    'customers.csv;7;A-1;account.biling_postcode;;unknown_field;"The API specification does not have this field.";"Correct its name, remove it, or name it in a profile if the operator agreed to it. A name is printed as * because it may be personal data: check and run show it with --show-personal-data. (did you mean `billing_postcode`?)";;;#',
    'businesses.csv;2;B-1;;;;;;;;#',
    'customers.csv;9;;map.mjs:12;;map_failed;"parseDate: expected a day. Column ""born"".";"Correct the module or the row, and run the same command again.";;;#',
    '',
  ]);
  expect((await stat(at('rejected.csv'))).mode & 0o777).toBe(0o600);
});

test.each([
  ['=HYPERLINK("https://example.com")', '"\'=HYPERLINK(""https://example.com"")"'],
  ['+33612345678', '"\'+33612345678"'],
  ['-1', '"\'-1"'],
  ['@SUM(A1)', '"\'@SUM(A1)"'],
  ['\tA', '"\tA"'],
  ['\rA', '"\rA"'],
  ['A-1', 'A-1'],
  ['0012', '0012'],
  ['a,b', '"a,b"'],
  ['Noël', '"Noël"'],
])('a number such as %j is a cell, and no formula', async (number, cell) => {
  const { path, csv } = await openFolder();
  const { writeOutcome } = await openRunFolder(path);
  await writeOutcome(await ledgerOf([rejected(number)]));
  expect(await csv()).toBe(`${HEADER}customers.csv;7;${cell};;;;;;;;#\r\n`);
});

test('a field, a file and a detail that are formulas are cells too', async () => {
  const { path, csv } = await openFolder();
  const { lines, writeOutcome } = await openRunFolder(path);
  const problem = { code: 'map_failed', attr: '=1+1', detail: '@SUM(A1)' } as const;
  lines.add(problemItem('-x.csv', 2, 'A-4', { problem }), { as: 'rejected', ...problem });
  await writeOutcome(await ledgerOf([]));
  expect(await csv()).toContain(`"'-x.csv";2;;"'=1+1";;map_failed;"'@SUM(A1)";`);
});

test('each session writes it again: a record that was corrected is no longer in it', async () => {
  const { path, csv } = await openFolder();
  const first = await openRunFolder(path);
  await first.writeOutcome(await ledgerOf([rejected('A-1'), rejected('A-2')]));
  const second = await openRunFolder(path);
  await second.writeOutcome(await ledgerOf([record('A-1', { outcome: 'created' }), rejected('A-2')]));
  expect(await csv()).toBe(`${HEADER}customers.csv;7;A-2;;;;;;;;#\r\n`);
});

test('a record that the ledger no longer has is removed from both files', async () => {
  const { path, csv } = await openFolder();
  const { writeOutcome, dropForgotten, at } = await openRunFolder(path);
  await writeOutcome(await ledgerOf([rejected('A-1'), rejected('A-2')]));
  await dropForgotten(await ledgerOf([rejected('A-2')]));
  expect(await csv()).toBe(`${HEADER}customers.csv;7;A-2;;;;;;;;#\r\n`);
  expect((await readFile(at('rejected.jsonl'), 'utf8')).split('\n')).toHaveLength(2);
});

test('nothing rejected: the header only', async () => {
  const { path, csv } = await openFolder();
  const { writeOutcome } = await openRunFolder(path);
  await writeOutcome(await ledgerOf([record('A-1', { outcome: 'created' })]));
  expect(await csv()).toBe(HEADER);
});

test('a ledger that fails while it is written leaves the former file whole', async () => {
  const { path, csv } = await openFolder();
  const { writeOutcome, at } = await openRunFolder(path);
  await writeFile(at('rejected.csv'), 'the former one');
  const broken = await ledgerOf([rejected('A-1')]);
  broken.line = () => Promise.reject(new Error('the disk is gone'));
  await expect(writeOutcome(broken)).rejects.toThrow('the disk is gone');
  expect(await csv()).toBe('the former one');
});
