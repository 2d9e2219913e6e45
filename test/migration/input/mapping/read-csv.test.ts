/** readCsv and groupRows: the rows of related files, for a mapping or a module that is an input. */
import { basename } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { CsvRow } from '../../../../src/migration/input/csv/csv-row.js';
import { loadMap } from '../../../../src/migration/input/csv/load-mapping.js';
import { MappingError } from '../../../../src/migration/input/csv/mapping/mapping-error.js';
import { groupRows, readCsv } from '../../../../src/migration/input/csv/mapping/read-csv.js';
import { watchRelatedFiles } from '../../../../src/migration/input/csv/mapping/related-files.js';
import { openInput } from '../../../../src/migration/input/open-input.js';
import { unreadInWords } from '../../../../src/migration/report/summary/input-report.js';
import { folderWith } from '../reading.js';
import { windows1252 } from '../sql/sql-folder.js';

/** Until the end of the test. */
function watched() {
  const related = watchRelatedFiles();
  onTestFinished(related.end);
  return related;
}

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
    const relatedTo = watched();
    const meters = await groupRows(readCsv(at('meters.csv')), 'number');
    expect(meters.get('A-1')?.map((meter) => meter['point'])).toEqual(['001', '002']);
    expect(relatedTo.files([])).toEqual([
      {
        ...{ source: at('meters.csv'), bytes: 57, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
        csv: { columns: 3, rows: 3, neverRead: ['colour'] },
      },
    ]);
    expect(unreadInWords(relatedTo.files([]))).toEqual([
      `${at('meters.csv')}: in 3 rows the mapping never reads 1 column of 3: colour`,
    ]);
  });

  const PAYMENTS = 'number;id\nA-1;P-1\nA-9;P-2\nA-1;P-3\nA-9;P-4\nA-8;P-5\n';

  /** The lines of the rows that are rejected because the mapping never asked for them. */
  async function unaskedAfter(ask: (groups: Map<string, CsvRow[]>) => void) {
    const { at } = await folderWith({ 'payments.csv': PAYMENTS });
    const relatedTo = watched();
    ask(await groupRows(readCsv(at('payments.csv')), 'number'));
    return relatedTo.unasked([]).map(({ line }) => line);
  }

  test('reject the rows that the mapping never asked for', async () => {
    expect(await unaskedAfter(() => {})).toEqual([2, 3, 4, 5, 6]);
    expect(await unaskedAfter((groups) => groups.get('A-1'))).toEqual([3, 5, 6]);
    expect(await unaskedAfter((groups) => groups.get('A-9'))).toEqual([2, 4, 6]);
    expect(await unaskedAfter((groups) => groups.get('A-7'))).toEqual([2, 3, 4, 5, 6]);
  });

  test.each<[string, (groups: Map<string, CsvRow[]>) => unknown]>([
    ['get', (groups) => ['A-1', 'A-8', 'A-9'].map((key) => groups.get(key))],
    ['has', (groups) => ['A-1', 'A-8', 'A-9'].map((key) => groups.has(key))],
    ['for of', (groups) => [...groups]],
    ['entries', (groups) => [...groups.entries()]],
    ['values', (groups) => [...groups.values()]],
    ['forEach', (groups) => groups.forEach(() => {})],
  ])('reject none if it asked for all of them with %s', async (_, ask) => {
    expect(await unaskedAfter((groups) => void ask(groups))).toEqual([]);
  });

  test('reject them also if the mapping has only listed their keys', async () => {
    expect(await unaskedAfter((groups) => void [...groups.keys(), groups.size])).toEqual([2, 3, 4, 5, 6]);
  });

  test('do not show a column that looks like data, and no value', async () => {
    const { at } = await folderWith({ 'payments.csv': '10041;alix@example.com\n10042;noa@example.com\n' });
    const relatedTo = watched();
    await groupRows(readCsv(at('payments.csv')), '10041');
    expect(relatedTo.unasked([]).map((row) => row.read())).toEqual([
      {
        problem: expect.objectContaining({
          detail: expect.stringMatching(/ the mapping never asked for its key\.$/),
        }),
      },
    ]);
  });

  test('that are grouped again in each pass count what any pass asked for', async () => {
    const { at } = await folderWith({ 'payments.csv': PAYMENTS });
    const relatedTo = watched();
    (await groupRows(readCsv(at('payments.csv')), 'number')).get('A-1');
    (await groupRows(readCsv(at('payments.csv')), 'number')).get('A-9');
    expect(relatedTo.unasked([]).map(({ line }) => line)).toEqual([6]);
  });

  test('do not have the files of the input, and one without a row is no empty input', async () => {
    const { at } = await folderWith({ 'customers.csv': 'number;name\nA-1;x\n', 'none.csv': 'number\n' });
    const relatedTo = watched();
    await rowsOf(readCsv(at('customers.csv')));
    await rowsOf(readCsv(at('none.csv')));
    expect(relatedTo.files([at('customers.csv')]).map(({ source, empty }) => [source, empty])).toEqual([
      [at('none.csv'), undefined],
    ]);
  });
});

test('rows of a related file that cannot be read are rejected lines of the input whose mapping reads it, each with its text', async () => {
  const { at } = await folderWith({
    'payments.csv': 'number;amount\nA-1;1\nA-1\nA-1;2;3\nA-2;"4\nA-2;5\n',
    'customers.csv': 'number\nA-1\nA-2\n',
    'map.mjs': `import { groupRows, readCsv } from ${JSON.stringify(new URL('../../../../src/migration/input/csv/mapping/index.ts', import.meta.url).href)};
      const payments = await groupRows(readCsv(new URL('payments.csv', import.meta.url)), 'number');
      export default (row) => ({ account: { import_supplier: 'S', external_account_number: row.number, billing_address1: String(payments.get(row.number).length) } });`,
  });
  for (const _ of ['first', 'second, of the same module']) {
    const input = await openInput([at('customers.csv')], { map: await loadMap(at('map.mjs')) });
    const lines: string[] = [];
    for await (const line of input) lines.push(`${basename(line.source)}:${line.line} ${line.text}`);
    expect(lines).toEqual([
      // Not sent without the rows that cannot be read.
      ...['customers.csv:2 A-1', 'customers.csv:3 A-2'],
      ...['payments.csv:3 A-1', 'payments.csv:4 A-1;2;3', 'payments.csv:5 A-2;"4'],
    ]);
  }
});

describe('rows that do not come from readCsv directly', () => {
  const MAPPING = JSON.stringify(new URL('../../../../src/migration/input/csv/mapping/index.ts', import.meta.url).href);

  /** The lines of an input whose mapping has this code for `paymentsOf`. A line of payments.csv is a row in no record. */
  async function linesWith(code: string, payments: string): Promise<string[]> {
    const { at } = await folderWith({
      'payments.csv': payments,
      'more.csv': 'number;id\nA-1;M-1\nA-98;M-2\n',
      'customers.csv': 'number\nA-1\na-2 \n',
      'map.mjs': `import { groupRows, readCsv } from ${MAPPING};
        const rows = (name = 'payments.csv') => readCsv(new URL(name, import.meta.url));
        const key = (text) => text.trim().toUpperCase();
        const copy = (row) => ({ ...row, number: key(row.number) });
        async function* made(of, from = rows()) { for await (const row of from) yield* of(row); }
        ${code}
        export default (row) => ({ account: { import_supplier: 'S', external_account_number: row.number,
          billing_address1: paymentsOf.get(key(row.number))?.map(({ id }) => id).join() } });`,
    });
    const input = await openInput([at('customers.csv')], { map: await loadMap(at('map.mjs')) });
    const lines: string[] = [];
    for await (const line of input) {
      const read = line.read();
      const what = 'problem' in read ? read.problem.code : JSON.parse(line.text).account.billing_address1;
      lines.push(`${basename(line.source)}:${line.line} ${what}`);
    }
    return lines;
  }

  const PAYMENTS = 'number;id\nA-99;P-1\nA-1;P-2\na-1 ;P-3\nA-2;P-4\na-97;P-5\n';
  const RECORDS = ['customers.csv:2 P-2,P-3', 'customers.csv:3 P-4'];
  const NONE = ['payments.csv:2 row_in_no_record', 'payments.csv:6 row_in_no_record'];

  test.each([
    ['a function for the key', 'const paymentsOf = await groupRows(rows(), (row) => key(row.number));'],
    ['copies of a generator', "const paymentsOf = await groupRows(made((row) => [copy(row)]), 'number');"],
    [
      'copies that are other objects',
      "const paymentsOf = await groupRows(made((row) => [Object.fromEntries(Object.entries(row).map(([name, text]) => [name, name === 'id' ? text : key(text)]))]), 'number');",
    ],
    [
      'rows that were changed',
      "const paymentsOf = await groupRows(made((row) => [Object.assign(row, { number: key(row.number) })]), 'number');",
    ],
    [
      'copies of some rows',
      "const paymentsOf = await groupRows(made((row) => [row.number === key(row.number) ? row : copy(row)]), 'number');",
    ],
    [
      'a column of the generator',
      "const paymentsOf = await groupRows(made((row) => [{ key: key(row.number), id: row.id }]), 'key');",
    ],
    [
      'a list of rows',
      'const list = []; for await (const row of rows()) list.push(row); const paymentsOf = await groupRows(list, (row) => key(row.number));',
    ],
    [
      'sorted rows',
      `async function* sorted() { const list = []; for await (const row of rows()) list.push(row); yield* list.sort((one, other) => one.id < other.id ? -1 : 1); }
        const paymentsOf = await groupRows(sorted(), (row) => key(row.number));`,
    ],
    [
      'copies that are made after all rows were read',
      `async function* late() { const list = []; for await (const row of rows()) list.push(row); for (const row of list) yield copy(row); }
        const paymentsOf = await groupRows(late(), 'number');`,
    ],
    [
      'a generator whose first row was read before',
      `const from = rows(); const { value } = await from.next();
        async function* all() { yield value; yield* from; }
        const paymentsOf = await groupRows(all(), (row) => key(row.number));`,
    ],
  ])('%s: rows in no record are rejected lines', async (_, code) => {
    expect(await linesWith(code, PAYMENTS)).toEqual([...RECORDS, ...NONE]);
  });

  test('rows that a generator leaves out are not, and two rows that it makes of one are', async () => {
    const code =
      "const paymentsOf = await groupRows(made((row) => row.id === 'P-1' ? [] : row.id === 'P-4' ? [row] : row.id === 'P-5' ? [copy(row), { number: 'A-96', id: '' }] : [copy(row)]), 'number');";
    expect(await linesWith(code, PAYMENTS)).toEqual([...RECORDS, 'payments.csv:6 row_in_no_record']);
    const ofLast = code.replace('? [copy(row), {', "? [{ number: 'A-1', id: 'P-6' }, {");
    expect(await linesWith(ofLast, PAYMENTS)).toEqual([
      'customers.csv:2 P-2,P-3,P-6',
      'customers.csv:3 P-4',
      'payments.csv:6 row_in_no_record',
    ]);
  });

  test('rows of two files, and of two groups that are made at the same time, have their own places', async () => {
    const both = `async function* both() { yield* made((row) => [copy(row)]); yield* made((row) => [copy(row)], rows('more.csv')); }
      const paymentsOf = await groupRows(both(), 'number');`;
    const expected = ['customers.csv:2 P-2,P-3,M-1', 'customers.csv:3 P-4', ...NONE, 'more.csv:3 row_in_no_record'];
    expect(await linesWith(both, PAYMENTS)).toEqual(expected);
    const each = `const [one, other] = await Promise.all([rows(), rows('more.csv')].map((from) => groupRows(made((row) => [copy(row)], from), 'number')));
      const paymentsOf = { get: (text) => [one.get(text), other.get(text)].flatMap((some) => some ?? []) };`;
    expect(await linesWith(each, PAYMENTS)).toEqual(expected);
  });

  test.each([
    ['a function', 'const paymentsOf = await groupRows(rows(), (row) => key(row.number));'],
    [
      'a function that fails for other texts',
      "const paymentsOf = await groupRows(rows(), (row) => { if (row.id === 'P-7') throw new Error(); return key(row.number); });",
    ],
  ])('a row that cannot be read keeps its record back, with %s for the key', async (_, code) => {
    expect(await linesWith(code, 'number;id\nA-1;P-1\n a-2;P-7;x\n')).toEqual([
      'customers.csv:2 P-1',
      'customers.csv:3 incomplete_record',
      'payments.csv:3 invalid_csv',
    ]);
  });

  test('a row that cannot be read keeps its record back also if a generator names the column', async () => {
    const code = "const paymentsOf = await groupRows(made((row) => [{ key: row.number, id: row.id }]), 'key');";
    expect(await linesWith(code, 'number;id\nA-2;P-7;x\n')).toEqual([
      'customers.csv:2 undefined',
      'customers.csv:3 incomplete_record',
      'payments.csv:2 invalid_csv',
    ]);
  });

  test.each([
    ['a column', "const paymentsOf = await groupRows(made((row) => [copy(row)]), 'number');"],
    ['a function', 'const paymentsOf = await groupRows(rows(), (row) => key(row.number));'],
  ])('a row after a header with another order keeps its record back, with %s for the key', async (_, code) => {
    expect(await linesWith(code, 'number;id\nA-1;P-1\nid;number\nP-7;A-2\n')).toEqual([
      'customers.csv:2 P-1',
      'customers.csv:3 incomplete_record',
      'payments.csv:3 invalid_csv',
      'payments.csv:4 invalid_csv',
    ]);
  });

  test('a row that neither of two functions asked for is rejected', async () => {
    const { at } = await folderWith({ 'payments.csv': 'number;part;id\nA;1;x\nA;2;x\n' });
    const relatedTo = watched();
    const by = (...columns: string[]) =>
      groupRows(readCsv(at('payments.csv')), (row) => columns.map((column) => row[column]).join('-'));
    expect((await by('number', 'part')).get('A-2')).toHaveLength(1);
    await by('part');
    await groupRows([{ number: 'A-3' }] as unknown as CsvRow[], 'number');
    expect(relatedTo.unasked([]).map((row) => [row.line, row.read()])).toEqual([
      [2, { problem: expect.objectContaining({ detail: expect.stringMatching(/ never asked for its key\.$/) }) }],
    ]);
  });
});

test('without such an input they are one error after the last row, which names all of them', async () => {
  const { at } = await folderWith({ 'payments.csv': 'number;amount\nA-1;1\nA-1\nA-1;2;3\nA-2;5\n' });
  const rows: unknown[] = [];
  const read = async () => {
    for await (const row of readCsv(at('payments.csv'))) rows.push(row['amount']);
  };
  await expect(read()).rejects.toThrow(
    /payments\.csv:3: The row has 1 field, .* 1 other rows cannot be read either: .*payments\.csv:4\.$/,
  );
  expect(rows).toEqual(['1', '5']);
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
        'meters.csv has no column "nmuber" (columns: number, point); did you mean "number"? Read a column that not every file has with row.get.',
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
    ['with too few fields', 'number;point\nA-1;x\nBrumelle\n', ':3: The row has 1 field, and the header 2 columns.'],
    [
      'with a quote that is not closed',
      'number;point\nA-1;"Brumelle\n',
      ':2: The quote at the beginning of field 2 is not closed',
    ],
    [
      'with the columns in another order',
      'number;point\nA-1;x\npoint;number\nx;Brumelle\n',
      ':3: From line 3 on, the file has other columns than line 1, or another order: column 1 is "point", and not "number".',
    ],
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
    ['accents.csv', {}, 'accents.csv:2: the file is not in UTF-8;'],
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
    await expect(groupRows(readCsv(at('meters.csv')), 'numero')).rejects.toThrow('meters.csv has no column "numero"');
  });
});
