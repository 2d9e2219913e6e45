/** What DuckDB does silently, or would allow, and what the import does instead. */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { DuckDBInstance } from '@duckdb/node-api';
import { describe, expect, test } from 'vitest';
import { openInput } from '../../../../src/migration/input/open-input.js';
import { openSqlFolder, windows1252 } from './sql-folder.js';

const { at, write, recordsOf, messageOf, spoolFolder } = openSqlFolder();

/** The records of a source with the columns numero and nom, as [number, name]. */
async function rowsOf(declaration: string): Promise<unknown[]> {
  const records = await recordsOf(
    `-- source s: ${declaration}\nSELECT { external_account_number: numero, name: nom } AS account FROM s`,
  );
  return records.map((record) => Object.values((record as { account: object }).account));
}

describe('a text of a source keeps its characters', () => {
  const text = 'numero;nom\r\n007;Œuvre à 5 €\r\n';

  const TEXTS: [what: string, bytes: string | Buffer, more: string][] = [
    ['UTF-8', Buffer.from(text), ''],
    ['UTF-8 with a byte order mark', Buffer.from(`\ufeff${text}`), ''],
    ['Windows-1252, whose euro sign ISO 8859-1 does not have', windows1252(text), ', encoding windows-1252'],
    ['UTF-16, little endian', Buffer.from(`\ufeff${text}`, 'utf16le'), ''],
    ['UTF-16, big endian', Buffer.from(`\ufeff${text}`, 'utf16le').swap16(), ''],
    ['gzip', gzipSync(text), ''],
    ['the line that Excel writes first', Buffer.from(`sep=;\r\n${text}`), ''],
    ['blank lines before the header', Buffer.from(`\r\n\r\n${text}`), ''],
    ['lines that end with CR', Buffer.from(text.replaceAll('\n', '')), ''],
    ['no line break at the end', Buffer.from(text.trimEnd()), ''],
    ['a header in quotes', Buffer.from(text.replace('numero;nom', '"numero";"nom"')), ''],
    ['delimiter tab', text.replaceAll(';', '\t'), ', delimiter tab'],
    ['delimiter comma', text.replaceAll(';', ','), ', delimiter comma'],
    ['delimiter |', text.replaceAll(';', '|'), ', delimiter |'],
    ['delimiter ~', text.replaceAll(';', '~'), ', delimiter ~'],
    ['a delimiter of two characters', text.replaceAll(';', '~~'), ', delimiter ~~'],
  ];
  let rows: Promise<unknown[][]> | undefined;

  /** Of all of them by one query, since each opens DuckDB, with the number of the text before the cells of its rows. */
  async function rowsOfTexts(): Promise<unknown[][]> {
    const sources = TEXTS.map(([, bytes, more], index) => {
      write(`text-${index}.csv`, bytes);
      return `-- source s${index}: text-${index}.csv${more}`;
    });
    const selected = TEXTS.map(
      (_, index) => `SELECT { i: '${index}', number: numero, name: nom } AS account FROM s${index}`,
    );
    const records = await recordsOf([...sources, selected.join(' UNION ALL ')].join('\n'));
    return records.map((record) => Object.values((record as { account: object }).account));
  }

  test.each(TEXTS.map(([what], index) => [what, `${index}`] as const))('%s', async (_, index) => {
    rows ??= rowsOfTexts();
    expect((await rows).filter(([of]) => of === index)).toEqual([[index, '007', 'Œuvre à 5 €']]);
  });

  test('line breaks and doubled quotes in quotes, empty fields, an empty text in quotes', async () => {
    write('quotes.csv', 'numero;nom\nA;"two\nlines ""and"" a ;"\nB;\nC;""\n');
    expect(await rowsOf('quotes.csv')).toEqual([['A', 'two\nlines "and" a ;'], ['B'], ['C']]);
  });

  test('a column without a name, as trailing delimiters make one', async () => {
    write('trailing.csv', 'numero;nom;\nA;B;\n');
    expect(await rowsOf('trailing.csv')).toEqual([['A', 'B']]);
  });

  test('a header without a row is an empty table, and is reported', async () => {
    write('header.csv', 'numero;nom\n');
    const input = await openInput([write('h.sql', "-- source s: header.csv\nSELECT { a: 'x' } AS account FROM s")], {
      spoolFolder,
    });
    expect(input.files().map(({ source, empty }) => [source, empty])).toEqual([
      [at('h.sql'), undefined],
      [at('header.csv'), 'a header and no row'],
    ]);
    await input.close();
  });
});

describe('other formats', () => {
  test('JSON: a value per line or an array; dates and long numbers stay as they are written', async () => {
    const query = (file: string) =>
      `-- source s: ${file}\nSELECT { external_account_number: numero, born: born, seen: seen } AS account FROM s`;
    const value = { numero: '0012', born: '1980-12-31', seen: '2024-12-31 08:00:00' };
    const expected = [
      { account: { external_account_number: '0012', born: '1980-12-31', seen: '2024-12-31 08:00:00' } },
    ];
    write('lines.jsonl', `${JSON.stringify(value)}\n`);
    write('array.json', JSON.stringify([value], undefined, 2));
    expect(await recordsOf(query('lines.jsonl'))).toEqual(expected);
    expect(await recordsOf(query('array.json'))).toEqual(expected);
  });

  test('Parquet, under any name', async () => {
    const instance = await DuckDBInstance.create(':memory:');
    const connection = await instance.connect();
    await connection.run(`COPY (SELECT '007' AS numero, 'Zoé' AS nom) TO '${at('rows.parquet')}' (FORMAT parquet)`);
    await connection.run(`COPY (SELECT '008' AS numero, 'Max' AS nom) TO '${at('rows.dat')}' (FORMAT parquet)`);
    connection.closeSync();
    instance.closeSync();
    expect(await rowsOf('rows.parquet')).toEqual([['007', 'Zoé']]);
    expect(await rowsOf('rows.dat')).toEqual([['008', 'Max']]);
  });
});

describe('values', () => {
  /** The only record, as text. */
  async function lineOf(account: string): Promise<string> {
    const input = await openInput([write('one.sql', `SELECT ${account} AS account`)], { spoolFolder });
    for await (const { text } of input) {
      await input.close();
      return text;
    }
    throw new Error('no record');
  }

  test('decimals are exact', async () => {
    expect(await lineOf('{ a: 12345678901234567.89, b: 10.00::DECIMAL(18,2), c: 0.1::DECIMAL(18,2) + 0.2 }')).toBe(
      '{"account":{"a":12345678901234567.89,"b":10.00,"c":0.30}}',
    );
  });

  test('an empty text stays, and NULL is left out', async () => {
    expect(await lineOf("{ a: '', b: NULL }")).toBe('{"account":{"a":""}}');
  });

  test('line breaks, quotes and control characters do not break a line', async () => {
    expect(await lineOf("{ a: 'x' || chr(10) || chr(1) || '\"' || chr(92) || '\u2028' }")).toBe(
      '{"account":{"a":"x\\n\\u0001\\"\\\\\u2028"}}',
    );
  });

  test('a number and a text of one column are both text', async () => {
    const records = await recordsOf(
      "SELECT { external_account_number: 'A', x: 1 } AS account UNION ALL BY NAME SELECT { external_account_number: 'B', x: 'y' } AS account",
    );
    expect(records.map((record) => (record as { account: { x: unknown } }).account.x)).toEqual(['1', 'y']);
  });

  test('JSON columns and structures give the same record', async () => {
    expect(await lineOf(`'{"external_account_number":"A"}'::JSON`)).toBe('{"account":{"external_account_number":"A"}}');
  });
});

describe('the text of a query', () => {
  test.each([
    ['a comment behind the last semicolon', "SELECT { a: 'x' } AS account; -- done"],
    ['a comment in the last line', "SELECT { a: 'x' } AS account -- done"],
    ['a semicolon in a text', "SELECT { a: 'x' } AS account WHERE ';' <> ''"],
    ['line breaks of Windows', "-- a comment\r\nSELECT\r\n{ a: 'x' } AS account\r\n"],
    ['FROM before SELECT', "FROM (SELECT 'x' AS n) SELECT { a: n } AS account"],
    ['a byte order mark', "\ufeffSELECT { a: 'x' } AS account"],
  ])('%s', async (_, sql) => {
    expect(await recordsOf(sql)).toEqual([{ account: { a: 'x' } }]);
  });

  test('a dynamic PIVOT is two statements', async () => {
    write('p.csv', 'numero;nom\nA;B\n');
    expect(await messageOf('-- source p: p.csv\nPIVOT p ON nom USING first(numero)')).toContain('query.sql');
  });
});

describe('a query reads its sources only', () => {
  test.each([
    ["SELECT { a: content } AS account FROM read_text('/etc/hostname')"],
    ["SELECT { a: 'x' } AS account FROM read_csv('/etc/passwd')"],
    ["SELECT { a: 'x' } AS account FROM '/etc/passwd.csv'"],
    ["SELECT { a: file } AS account FROM glob('/etc/*')"],
    ["SELECT { a: 'x' } AS account FROM read_csv('https://example.com/x.csv')"],
    ["COPY (SELECT 1) TO 'x.csv'"],
    ["ATTACH 'x.db'"],
    ["EXPORT DATABASE 'x'"],
    ['INSTALL httpfs'],
    ['LOAD httpfs'],
    ["SET memory_limit = '1GB'"],
    ['PRAGMA version'],
    ['SHOW TABLES'],
    ['CREATE TABLE t (a INTEGER)'],
  ])('refuses the query %s', async (sql) => {
    expect(await messageOf(sql)).toMatch(/^query\.sql/);
  });
});

test('temporary files are readable only by their owner, without the original names, and are removed at the end', async () => {
  write('many.csv', `numero;nom\n${Array.from({ length: 20 }, (_, row) => `A-${row};x`).join('\n')}\n`);
  const sql =
    '-- source s: many.csv\n-- slices 4 by numero\nSELECT { external_account_number: numero } AS account FROM s';
  const input = await openInput([write('many.sql', sql)], { spoolFolder });
  const [folder = ''] = readdirSync(spoolFolder);
  expect(statSync(join(spoolFolder, folder)).mode & 0o777).toBe(0o700);
  const read = async () => {
    const numbers: string[] = [];
    for await (const { label } of input) numbers.push(label ?? '');
    return numbers;
  };
  const [one, other] = await Promise.all([read(), read()]);
  expect(one).toHaveLength(20);
  expect(other).toEqual(one);
  expect(readdirSync(join(spoolFolder, folder))).toEqual([]);
  await input.close();
  expect(readdirSync(spoolFolder)).toEqual([]);
});
