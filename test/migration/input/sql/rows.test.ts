/** Rows of a source: a query reads the rows that a mapping reads, and each other row is a rejected line with its place and cause. */
import { basename } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type OpenInputOptions, openInput } from '../../../../src/migration/input/open-input.js';
import { seed } from '../../../helpers/seed.js';
import { openSqlFolder, windows1252 } from './sql-folder.js';

const { write, messageOf, spoolFolder } = openSqlFolder();

/** Rows as lists of their cells, and the problem of each other line as `a.csv:3 invalid_csv`. */
interface Found {
  rows: string[][];
  problems: string[];
}

async function foundIn(path: string, options: OpenInputOptions, rowOf: (record: object) => string[]): Promise<Found> {
  const found: Found = { rows: [], problems: [] };
  const input = await openInput([path], { spoolFolder, ...options });
  for await (const line of input) {
    const read = line.read();
    if ('record' in read) found.rows.push(rowOf(read.record));
    else found.problems.push(`${basename(line.source)}:${line.line} ${read.problem.code}`);
  }
  await input.close();
  found.rows.sort((one, other) => (one.join('\u0000') < other.join('\u0000') ? -1 : 1));
  found.problems.sort();
  return found;
}

/** As a query reads a source with the columns a, b and c. An empty cell is NULL, and is left out. */
function byQuery(content: string | Buffer, declaration = 'a.csv', options: OpenInputOptions = {}): Promise<Found> {
  write('a.csv', content);
  const query = `-- source s: ${declaration}\nSELECT { cells: [coalesce(a, ''), coalesce(b, ''), coalesce(c, '')] } AS account FROM s`;
  return foundIn(
    write('query.sql', query),
    options,
    (record) => (record as { account: { cells: string[] } }).account.cells,
  );
}

function byMapping(content: string | Buffer, format: object = {}, options: OpenInputOptions = {}): Promise<Found> {
  const map = (row: Record<string, string>) => ({ account: { cells: [row['a'], row['b'], row['c']] } }) as never;
  return foundIn(
    write('a.csv', content),
    { map: { ...format, map }, ...options },
    (record) => (record as { account: { cells: string[] } }).account.cells,
  );
}

describe('a row with another number of fields than the header is a rejected line, and the others are read', () => {
  test.each([
    ['a surplus that is empty', 'a,b,c\n1,2,3\n4,5,6,\n7,8,9\n'],
    ['several that are empty', 'a,b,c\n1,2,3\n4,5,6,,,\n7,8,9\n'],
    ['an empty one in quotes', 'a;b;c\n1;2;3\n"4";"5";"6";""\n7;8;9\n'],
    ['a text', 'a\tb\tc\n1\t2\t3\n4\t5\t6\tx\n7\t8\t9\n'],
    ['a delimiter in a text without quotes', 'a,b,c\r\n1,2,3\r\n4,5, 6,\r\n7,8,9\r\n'],
    ['one too few', 'a|b|c\n1|2|3\n4|5\n7|8|9\n'],
    ['one too few, in quotes', 'a;b;c\n1;2;3\n"4";"5"\n7;8;9\n'],
    ['a quote that is not closed', 'a;b;c\n1;2;3\n4;"5;6\n7;8;9\n'],
    ['text after a quote', 'a;b;c\n1;2;3\n4;"5"x;6\n7;8;9\n'],
    ['bytes that are not in UTF-8', Buffer.from('a;b;c\n1;2;3\n4;Zo\xeb;6\n7;8;9\n', 'latin1')],
  ])('%s', { tags: 'long' }, async (what, content) => {
    // Bytes in the first part of a file end the command with the plausible encodings.
    const late = Buffer.concat([Buffer.from('a;b;c\n'), Buffer.from('0;0;0\n'.repeat(20_000))]);
    const isByte = what.startsWith('bytes');
    const found = await byQuery(isByte ? Buffer.concat([late, (content as Buffer).subarray(6)]) : content);
    expect(found.problems).toEqual([isByte ? 'a.csv:20003 invalid_encoding' : 'a.csv:3 invalid_csv']);
    expect(found.rows.filter(([first]) => first !== '0')).toEqual([
      ['1', '2', '3'],
      ['7', '8', '9'],
    ]);
  });

  test('a debit does not become a credit', async () => {
    write(
      'ops.csv',
      'numero,libelle,debit,credit\r\nC-1,Abonnement,10.00,\r\nC-2,Frais, relance,12.50,\r\nC-3,Avoir,,7.00\r\n',
    );
    const query = write(
      'ops.sql',
      '-- source ops: ops.csv\nSELECT { external_account_number: numero, debit: debit, credit: credit } AS account FROM ops',
    );
    expect(await foundIn(query, {}, (record) => [JSON.stringify(record)])).toEqual({
      rows: [
        ['{"account":{"external_account_number":"C-1","debit":"10.00"}}'],
        ['{"account":{"external_account_number":"C-3","credit":"7.00"}}'],
      ],
      problems: ['ops.csv:3 invalid_csv'],
    });
  });
});

describe('a file that a mapping reads', () => {
  const expected = { rows: [['1', 'x', 'y']], problems: [] };

  const FILES: [what: string, content: string | Buffer, declaration: string, cells: string[]][] = [
    ['a line break in the first row, as Excel writes it', 'a;b;c\r\n1;"x\nx";y\r\n', 'a.csv', ['1', 'x\nx', 'y']],
    ['a CR outside quotes', 'a;b;c\n1;x\rx;y\n', 'a.csv', ['1', 'x\rx', 'y']],
    ['a quote in a text', 'a;b;c\n1;12" x;y\n', 'a.csv', ['1', '12" x', 'y']],
    ['quotes that are text', 'a;b;c\n1;"x;y\n', 'a.csv, quote none', ['1', '"x', 'y']],
    ['another quote', "a;b;c\n1;'x;x';y\n", "a.csv, quote '", ['1', 'x;x', 'y']],
    ['lines above the header', 'Export of today\n\na;b;c\n1;x;y\n', 'a.csv, skipLines 2', ['1', 'x', 'y']],
    ['a delimiter at the end of each line', 'a;b;c;\n1;x;y;\n', 'a.csv', ['1', 'x', 'y']],
    ['a formula that keeps zeros', 'a;b;c\n="001";x;y\n', 'a.csv', ['001', 'x', 'y']],
    ['rows of delimiters, and the header again', 'a;b;c\n;;\n1;x;y\na;b;c\n ; ;\n', 'a.csv', ['1', 'x', 'y']],
    [
      'the columns in cp850',
      Buffer.from('a;b;c\n1;No\x89l;y\n', 'latin1'),
      'a.csv, encoding cp850',
      ['1', 'Noël', 'y'],
    ],
    ['UTF-16 with quotes', Buffer.from('\ufeffa;b;c\r\n1;"é\r\n;";y\r\n', 'utf16le'), 'a.csv', ['1', 'é\n;', 'y']],
    ['a byte 0', 'a;b;c\n1;x\u0000x;y\n', 'a.csv', ['1', 'x\u0000x', 'y']],
    ['the sign that separates the copy', 'a;b;c\n1;x\u0001x;y\n', 'a.csv', ['1', 'x\u0001x', 'y']],
    ['blanks around a text', 'a;b;c\n1; x ;y\n', 'a.csv', ['1', ' x ', 'y']],
  ];
  let read: Promise<Found> | undefined;

  /** All of them by one query, since each opens DuckDB: the number of the file is the first cell of its rows. */
  function byOneQuery(): Promise<Found> {
    const sources = FILES.map(([, content, declaration], index) => {
      write(`${index}.csv`, content);
      return `-- source s${index}: ${declaration.replace('a.csv', `${index}.csv`)}`;
    });
    const rows = FILES.map((_, index) => `SELECT { cells: ['${index}', a, b, c] } AS account FROM s${index}`);
    return foundIn(
      write('files.sql', [...sources, rows.join(' UNION ALL ')].join('\n')),
      {},
      (record) => (record as { account: { cells: string[] } }).account.cells,
    );
  }

  test.each(FILES.map(([what, , , cells], index) => [what, cells, `${index}`] as const))(
    '%s',
    async (_, cells, index) => {
      read ??= byOneQuery();
      const { rows, problems } = await read;
      expect([rows.filter(([of]) => of === index), problems]).toEqual([[[index, ...cells]], []]);
    },
  );

  test('lines that end partly with LF and partly with CRLF', async () => {
    const lines = Array.from({ length: 2000 }, () => '1;x;y\n').join('');
    const { rows, problems } = await byQuery(`a;b;c\n${lines}2;x;y\r\n`);
    expect([rows.length, rows.at(-1), problems]).toEqual([2001, ['2', 'x', 'y'], []]);
  });

  test('a row as long as the longest one, and a longer one is a rejected line', { tags: 'long' }, async () => {
    const longest = 4 * 1024 * 1024;
    const { rows, problems } = await byQuery(
      `a;b;c\n1;x;y\n2;x;${'é'.repeat(longest / 2 - 2)}\n3;${'x'.repeat(longest)};y\n`,
    );
    expect(rows.map(([first]) => first)).toEqual(['1', '2']);
    expect(problems).toEqual(['a.csv:4 line_too_long']);
  });

  test('a longer row with longestLine', { tags: 'long' }, async () => {
    const { rows, problems } = await byQuery(`a;b;c\n1;${'"'}${'""'.repeat(3e6)}${'"'};y\n`, 'a.csv', {
      longestLine: 2e7,
    });
    expect([rows[0]?.[1]?.length, problems]).toEqual([3e6, []]);
  });

  test('any file: the same rows and the same rejected lines', { tags: 'long' }, async () => {
    const parts = [
      'a',
      'é',
      '"',
      '""',
      ';',
      ',',
      '\n',
      '\r\n',
      '\r',
      ' ',
      '1',
      '\u0000',
      '\u0001',
      '\u2028',
      '\\',
      "'",
    ];
    // A file with NUL bytes at its end was cut off, which refuses the whole query.
    const file = fc.record({
      text: fc
        .array(fc.constantFrom(...parts, ';x;', '\n1;2;3\n'), { maxLength: 25 })
        .map((some) => some.join(''))
        .filter((text) => !text.replace(/\r+$/, '').endsWith('\0')),
      // After ten lines, rows without a quote are read together.
      before: fc.constantFrom(0, 12),
      end: fc.constantFrom('\n', '\r\n', '\r'),
      encoding: fc.constantFrom('utf-8', 'windows-1252', 'utf-16le'),
    });
    await fc.assert(
      fc.asyncProperty(file, async ({ text, before, end, encoding }) => {
        const whole = `a;b;c${end}${`0;0;0${end}`.repeat(before)}0;${text}`;
        const content =
          encoding === 'utf-16le'
            ? Buffer.from(`\ufeff${whole}`, 'utf16le')
            : encoding === 'utf-8'
              ? Buffer.from(whole)
              : windows1252(whole.replaceAll('\u2028', '€'));
        const options = encoding === 'windows-1252' ? { encoding } : {};
        const read = await byQuery(content, 'a.csv, delimiter ;', options);
        expect(read).toEqual(await byMapping(content, { delimiter: ';' }, options));
      }),
      { seed, numRuns: 100 },
    );
  });

  test('is read as one of a mapping', async () => {
    expect(await byMapping('a;b;c\n1;x;y\n')).toEqual(expected);
  });
});

test('a file whose header cannot be read ends the command with the cause', async () => {
  const query = (declaration: string) => `-- source s: ${declaration}\nSELECT { a: a } AS account FROM s`;
  write('a.csv', 'a;;c\n1;2;3\n');
  expect(await messageOf(query('a.csv'))).toContain(
    'a.csv:1: The header is invalid, and the file was not read: column 2 has no name.',
  );
  write('a.csv', '\n\n"a;b\n1;2\n');
  expect(await messageOf(query('a.csv'))).toContain(
    'a.csv:3: The header is invalid, and the file was not read: the quote at the beginning of field 1',
  );
});

test('rows without data are counted in the facts of the file', async () => {
  write('a.csv', 'a;b\n1;2\n;\n;\na;b\n');
  const input = await openInput([write('q.sql', '-- source s: a.csv\nSELECT { a: a } AS account FROM s')], {
    spoolFolder,
  });
  expect(input.files().map(({ csv }) => csv)).toEqual([
    undefined,
    { columns: 2, rows: 1, rowsWithoutData: { rows: 3, lines: [3, 4, 5] }, neverRead: ['b'], reader: 'query' },
  ]);
  await input.close();
});

describe('a row with names of the columns, among rows that are read together', () => {
  const before = `a;b;c\n${'0;x;y\n'.repeat(12)}`;
  const HEADERS: [what: string, again: string, isSame: boolean][] = [
    ['the header', 'a;b;c', true],
    ['in capitals', 'A;B;C', true],
    ['with spaces and accents', ' a;b;\u00c7', true],
    ['in quotes', '"a";"B";c', true],
    ['in another order', 'a;c;b', false],
    ['in quotes and another order', '"a";"c";"b"', false],
    ['with another name', 'x;b;c', false],
    ['with a column more', 'a;b;x;c', false],
  ];

  test.each(HEADERS)('%s', async (_, again, isSame) => {
    const content = `${before}${again}\n1;x;y\n2;x;y\na;b;c\n3;x;y\n`;
    const found = await byQuery(content, 'a.csv, delimiter ;');
    const rows = isSame ? ['1', '2', '3'] : ['3'];
    expect(found.rows.map(([first]) => first).filter((first) => first !== '0')).toEqual(rows);
    expect(found.problems).toEqual(isSame ? [] : [14, 15, 16].map((line) => `a.csv:${line} invalid_csv`));
    expect(found).toEqual(await byMapping(content, { delimiter: ';' }));
  });
});

test.each([
  ['a JSON source', '{"a": "1", "b": ', '}'],
  ['an array', '[{"a": "1", "b": ', '}]'],
])('%s of 50,000 levels is refused before DuckDB, which would end the process', async (_, before, after) => {
  write('deep.json', `${before}${'['.repeat(50_000)}${']'.repeat(50_000)}${after}`);
  expect(await messageOf('-- source s: deep.json\nSELECT { a: a } AS account FROM s')).toBe(
    'deep.json: a value is nested deeper than 500 levels, and no record is. Remove it from the file.',
  );
});

test.each([
  ['in quotes', '"'],
  ['without quotes', ''],
])('a cell of a million levels %s is a rejected line: DuckDB would end the process', async (_, quote) => {
  const deep = `${quote}${'['.repeat(1e6)}${']'.repeat(1e6)}${quote}`;
  const plain = '0;0;0\n'.repeat(12);
  write('a.csv', `a;b;c\n${plain}1;${deep};y\n2;x;y\n`);
  const query =
    "-- source s: a.csv\nSELECT { cells: [a] } AS account FROM s WHERE a <> '0' AND json_structure(CASE WHEN b LIKE '[%' THEN b ELSE '1' END) IS NOT NULL";
  const found = await foundIn(
    write('query.sql', query),
    {},
    (record) => (record as { account: { cells: string[] } }).account.cells,
  );
  expect(found).toEqual({ rows: [['2']], problems: ['a.csv:14 too_deep'] });
});

describe('long integers of a JSON source', () => {
  const query = '-- source s: n.jsonl\nSELECT { external_account_number: a, id: id } AS account FROM s';

  test('are refused where DuckDB would round them, among decimals', async () => {
    write('n.jsonl', '{"a":"1","id":9007199254740993}\n{"a":"2","id":1.5}\n');
    expect(await messageOf(query)).toBe(
      'n.jsonl: an integer has more than 15 digits, and the numbers of the column "id" would be rounded. Write such integers as texts.',
    );
  });

  test.each([
    ['among integers', '{"a":"1","id":9007199254740993}\n', '9007199254740993'],
    ['in a text', '{"a":"1","id":0.5,"t":"9007199254740993 \\" 90071992547409930"}\n', '0.5'],
    ['as decimal places', '{"a":"1","id":48.85661400000001}\n', '48.85661400000001'],
  ])('are kept %s', async (_, content, id) => {
    write('n.jsonl', content);
    const input = await openInput([write('query.sql', query)], { spoolFolder });
    for await (const { text } of input) expect(text).toBe(`{"account":{"external_account_number":"1","id":${id}}}`);
    await input.close();
  });
});

describe('a number of a JSON source with more digits than a DOUBLE has is refused, with its line', () => {
  const query =
    '-- source s: n.jsonl\nSELECT { external_account_number: a } AS account, [{ amount: n }] AS transactions FROM s';

  test.each([
    ['among numbers', '1.5', '1234567890123.4567'],
    ['among integers', '15', '12345678901234567.12'],
    ['among texts, where DuckDB keeps JSON', '"1.50"', '12345678901234567.12'],
    ['in an object', '{"a":1}', '{"a":-0.12345678901234567}'],
    ['with an exponent', '1.5', '1.2345678901234567891E+3'],
  ])('%s', async (_, other, number) => {
    write('n.jsonl', `{"a":"1","t":"1234567890123.4567","n":${other}}\n{"a":"2","n":${number}}\n`);
    expect(await messageOf(query)).toBe(
      'n.jsonl:2: a number with decimals has more digits than DuckDB can hold, and would be rounded. Write it as a text, or with at most 15 digits.',
    );
  });
});
