/** readCsv and groupRows: the rows of related files, for a mapping or a module that is an input. */
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { CsvRow } from '../../../../src/migration/input/csv/csv-row.js';
import { MappingError } from '../../../../src/migration/input/csv/mapping/mapping-error.js';
import { groupRows, readCsv } from '../../../../src/migration/input/csv/mapping/read-csv.js';
import { watchRelatedFiles } from '../../../../src/migration/input/csv/mapping/related-files.js';
import { unreadColumnsInWords } from '../../../../src/migration/report/summary/input-report.js';
import { folderWith } from '../reading.js';
import { windows1252 } from '../sql/sql-folder.js';

async function rowsOf(rows: AsyncIterable<CsvRow>): Promise<Record<string, string>[]> {
  const all: Record<string, string>[] = [];
  for await (const row of rows) all.push({ ...row });
  return all;
}

const METERS = 'number;point\nA-1;"001;a"\n\nA-2;\nA-1;"line\nbreak"\n';
const ROWS = [
  { number: 'A-1', point: '001;a' },
  { number: 'A-2', point: '' },
  { number: 'A-1', point: 'line\nbreak' },
];

describe('the related files of a command', () => {
  test('are those that readCsv has read since its start, with the columns that were never read', async () => {
    const { at } = await folderWith({
      'earlier.csv': METERS,
      'meters.csv': 'number;point;colour\nA-1;001;red\nA-1;002;blue\nA-9;003;red\n',
    });
    await rowsOf(readCsv(at('earlier.csv')));
    const relatedTo = watchRelatedFiles();
    const meters = await groupRows(readCsv(at('meters.csv')), 'number');
    expect(meters.get('A-1')?.map((meter) => meter['point'])).toEqual(['001', '002']);
    expect(relatedTo([])).toEqual([
      {
        ...{ source: at('meters.csv'), bytes: 57, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
        csv: { columns: 3, rows: 3, neverRead: ['colour'] },
      },
    ]);
    expect(unreadColumnsInWords(relatedTo([]))).toEqual([
      `${at('meters.csv')}: in 3 rows the mapping never reads 1 column of 3: colour`,
    ]);
  });

  test('do not have the files of the input, and one without a row is no empty input', async () => {
    const { at } = await folderWith({ 'customers.csv': 'number;name\nA-1;x\n', 'none.csv': 'number\n' });
    const relatedTo = watchRelatedFiles();
    await rowsOf(readCsv(at('customers.csv')));
    await rowsOf(readCsv(at('none.csv')));
    expect(relatedTo([at('customers.csv')]).map(({ source, empty }) => [source, empty])).toEqual([
      [at('none.csv'), undefined],
    ]);
  });
});

describe('readCsv', () => {
  test('yields the rows by column names: quotes, empty cells, leading zeros, and no row for a blank line', async () => {
    const { at } = await folderWith({ 'meters.csv': METERS });
    expect(await rowsOf(readCsv(at('meters.csv')))).toEqual(ROWS);
    expect(await rowsOf(readCsv(pathToFileURL(at('meters.csv'))))).toEqual(ROWS);
  });

  test.each([
    ['commas and CRLF', 'number,point\r\nA-1,Noël\r\n'],
    ['tabs', 'number\tpoint\nA-1\tNoël\n'],
    ['a line that names the delimiter', 'sep=;\nnumber;point\nA-1;Noël\n'],
    ['CR as line end', 'number;point\rA-1;Noël\r'],
    ['a byte order mark', '\ufeffnumber;point\nA-1;Noël\n'],
    ['no line end after the last row', 'number;point\nA-1;Noël'],
  ])('reads a file with %s', async (_, text) => {
    const { at } = await folderWith({ 'meters.csv': text });
    expect(await rowsOf(readCsv(at('meters.csv')))).toEqual([{ number: 'A-1', point: 'Noël' }]);
  });

  test('reads another encoding, and a compressed file', async () => {
    const text = windows1252('number;point\nA-1;5 €\n');
    const { at } = await folderWith({ 'meters.csv': text, 'meters.csv.gz': gzipSync(text) });
    for (const name of ['meters.csv', 'meters.csv.gz']) {
      expect(await rowsOf(readCsv(at(name), { encoding: 'windows-1252' }))).toEqual([{ number: 'A-1', point: '5 €' }]);
    }
  });

  test('a column that the file does not have throws, with those that it has', async () => {
    const { at } = await folderWith({ 'meters.csv': METERS });
    for await (const row of readCsv(at('meters.csv'))) {
      expect(() => row['nmuber']).toThrow(
        'There is no column "nmuber" (columns: number, point); did you mean "number"? Read a column that not every file has with row.get.',
      );
      expect(row.get('nmuber')).toBeUndefined();
    }
  });

  test('a file without rows yields none', async () => {
    const { at } = await folderWith({ 'header.csv': 'number;point\n', 'empty.csv': '' });
    expect(await rowsOf(readCsv(at('header.csv')))).toEqual([]);
    await expect(rowsOf(readCsv(at('empty.csv')))).rejects.toThrow(`readCsv: ${at('empty.csv')}: the file is empty`);
  });

  test.each([
    ['with too few fields', 'number;point\nA-1;x\nBrumelle\n', ':3: The row has 1 fields, and the header 2 columns.'],
    ['with a quote that is not closed', 'number;point\nA-1;"Brumelle\n', ':2: The quotes of the row are unbalanced'],
    ['that repeats a column name', 'number;number\nA-1;x\n', ':1: The header is invalid'],
    [
      'that is in another encoding after its beginning',
      windows1252(`number;point\n${'A-1;x\n'.repeat(12_000)}A;é\n`),
      ':12002: ',
    ],
  ])('a row %s ends the reading, with file and line and without its text', async (_, content, message) => {
    const { at } = await folderWith({ 'meters.csv': content });
    const error = await rowsOf(readCsv(at('meters.csv'))).catch((failure: unknown) => failure);
    expect(error).toBeInstanceOf(MappingError);
    expect((error as Error).message).toContain(`readCsv: ${at('meters.csv')}${message}`);
    expect((error as Error).message).not.toContain('Brumelle');
  });

  test.each([
    ['no-such.csv', {}, 'there is no such file or folder'],
    ['meters.jsonl', {}, 'expected a .csv or .csv.gz file'],
    ['.', {}, 'expected a .csv or .csv.gz file'],
    ['meters.csv', { encoding: 'ebcdic' }, 'encoding "ebcdic": unknown'],
    ['accents.csv', {}, 'the file is not in UTF-8; it is probably in windows-1252'],
  ])('%s with %j is an error before the first row', async (name, options, message) => {
    const files = { 'meters.csv': METERS, 'meters.jsonl': '{}\n', 'accents.csv': windows1252('number;point\nA;é\n') };
    const { at } = await folderWith(files);
    await expect(rowsOf(readCsv(at(name), options))).rejects.toThrow(message);
  });
});

describe('groupRows', () => {
  test('has the rows of each text of the column, in their order', async () => {
    const { at } = await folderWith({ 'meters.csv': METERS });
    const groups = await groupRows(readCsv(at('meters.csv')), 'number');
    expect([...groups.keys()]).toEqual(['A-1', 'A-2']);
    expect(groups.get('A-1')?.map(({ point }) => point)).toEqual(['001;a', 'line\nbreak']);
    expect(groups.get('A-3')).toBeUndefined();
  });

  test('a column that the file does not have throws', async () => {
    const { at } = await folderWith({ 'meters.csv': METERS });
    await expect(groupRows(readCsv(at('meters.csv')), 'numero')).rejects.toThrow('There is no column "numero"');
  });
});
