/** Twenty mistakes in a query or in its sources: each ends in one message with the place in the SQL file or in the source. */
import { describe, expect, test } from 'vitest';
import { openSqlFolder, windows1252 } from './sql-folder.js';

const { write, messageOf } = openSqlFolder();

write('good.csv', 'numero;nom;montant\nA-1;Zoé;12,50\nA-2;Max;7\n');
write('dated.csv', 'Export of;15/01/2026\nnumero;nom\nA-1;Max\n');
const GOOD = '-- source good: good.csv';
const ACCOUNT = '{ external_account_number: numero } AS account';

describe('in the query', () => {
  test.each([
    [
      'a misspelt column',
      `${GOOD}\nSELECT\n  { external_account_number: numro } AS account FROM good`,
      `query.sql:3:30: no column "numro"; did you mean "numero", "nom"?\n  3 |   { external_account_number: numro } AS account FROM good\n${' '.repeat(35)}^`,
    ],
    [
      'a column of a file with a date above its header',
      `-- source dated: dated.csv, delimiter ;\nSELECT ${ACCOUNT} FROM dated`,
      'no column "numero"; dated has 2 columns, whose names look like data. If lines stand above the header of a file, skip them with skipLines',
    ],
    [
      'a misspelt source',
      `${GOOD}\nSELECT ${ACCOUNT} FROM goods`,
      'query.sql:2:60: no source "goods"; the sources are good. Declare it at the head of the file: -- source goods: <file>',
    ],
    [
      'a misspelt function',
      `${GOOD}\nSELECT { external_account_number: date_dmi(nom) } AS account FROM good`,
      'date_dmy',
    ],
    [
      'a syntax error behind an accent',
      `${GOOD}\n-- é€\nSELECT ${ACCOUNT} FORM good`,
      'query.sql:3:55: syntax error at or near "FORM"',
    ],
    [
      'a column that is not grouped',
      `${GOOD}\nSELECT ${ACCOUNT}, json_list({ body: nom }) AS notes FROM good`,
      'query.sql:2:',
    ],
    [
      'an unknown type',
      `${GOOD}\nSELECT { external_account_number: numero::TEXTE } AS account FROM good`,
      'query.sql:2:',
    ],
    ['two statements', `SELECT 1; SELECT 2`, 'query.sql: must hold one SELECT; found 2 statements.'],
    ['another statement', `COPY (SELECT 1) TO 'x.csv'`, 'query.sql: must hold one SELECT; found COPY.'],
    ['a reading of a file', `SELECT { a: 1 } AS account FROM read_text('/etc/hostname')`, 'query.sql'],
    ['an ATTACH', "ATTACH ':memory:' AS other", 'query.sql: must hold one SELECT; found ATTACH.'],
    [
      'a DELETE after WITH',
      `${GOOD}\nWITH a AS (SELECT 1) DELETE FROM x`,
      'query.sql: must hold one SELECT; found another statement.',
    ],
    ['a DESCRIBE', `${GOOD}\nDESCRIBE good`, 'query.sql: the result has a column "column_name"; expected columns of'],
    [
      'a column of the result that no record has',
      `${GOOD}\nSELECT ${ACCOUNT}, [] AS note FROM good`,
      'query.sql: the result has a column "note"; expected columns of populate, business, account, payment_instruction, notes, transactions, statements, payment_instructions. Did you mean notes?',
    ],
    [
      'no record',
      `${GOOD}\nSELECT [{ body: nom }] AS notes FROM good`,
      'query.sql: the result has none of the columns populate, business, account; expected one, with what each record is.',
    ],
    [
      'a text in place of a structure',
      `${GOOD}\nSELECT numero AS account FROM good`,
      'query.sql: the column "account" is VARCHAR; expected a STRUCT or JSON.',
    ],
    ...[
      'json_list({ body: nom }) FILTER (WHERE nom IS NOT NULL)',
      'json_list(DISTINCT { body: nom })',
      'json_list({ body: nom } ORDER BY nom)',
      'json_list({ body: nom }) OVER ()',
    ].map((code) => [
      code,
      `${GOOD}\nSELECT { external_account_number: numero } AS account, ${code} AS notes FROM good GROUP BY ALL`,
      'take no FILTER, DISTINCT, ORDER BY or OVER. An item that is NULL is left out: write json_list(CASE WHEN <condition> THEN { … } END)',
    ]),
    ['a parameter', `${GOOD}\nSELECT ${ACCOUNT} FROM good WHERE nom = ?`, 'query.sql: the query has parameters'],
    ['no statement', `${GOOD}\n`, 'query.sql: must hold one SELECT; found none.'],
  ])('%s', async (_, sql, expected) => {
    const message = await messageOf(sql);
    expect(message).toContain(expected);
    expect(message.split('\n').length).toBeLessThan(7);
  });

  test.each([
    ['DROP', 'DROP TABLE x'],
    ['DROP', '/* of */ drop table good -- now'],
    ['DELETE', 'DELETE FROM x'],
    ['INSERT', 'INSERT INTO x VALUES (1)'],
    ['UPDATE', 'UPDATE x SET a = 1'],
    ['CREATE', 'CREATE VIEW v AS FROM x'],
    ['TRUNCATE', 'TRUNCATE x'],
    ['CALL', 'CALL nothing()'],
    ['PRAGMA', 'PRAGMA table_info(x)'],
    ['MERGE', 'MERGE INTO x USING good ON x.a = good.numero WHEN MATCHED THEN DELETE'],
    ['EXPLAIN', 'EXPLAIN SELECT 1'],
  ])('another statement, %s, whatever it names: %s', async (found, statement) => {
    expect(await messageOf(`${GOOD}\n${statement}`)).toBe(`query.sql: must hold one SELECT; found ${found}.`);
  });

  test.each([
    ['a cast', 'montant::INTEGER', 'number_comma, number_point, date_dmy or date_as', 'try_cast'],
    ['a type that is too small', "replace(montant, ',', '')::INTEGER::TINYINT", 'number_comma', 'try_cast'],
    ['a date', "strptime(nom, '%d')::VARCHAR", 'date_dmy, date_dmyy or date_as', 'try_strptime'],
  ])('%s that fails names the functions that keep the value', async (_, code, functions, leavesOut) => {
    const message = await messageOf(
      `${GOOD}\nSELECT { external_account_number: numero, a: ${code} } AS account FROM good`,
    );
    expect(message).toContain(`Use ${functions}`);
    expect(message).toContain('which mark such a value, so that only its record is rejected');
    expect(message).toContain(`${leavesOut} would leave it out`);
  });

  test('a cast that fails shows the value only on request', async () => {
    const sql = `${GOOD}\nSELECT { external_account_number: numero, amount: montant::INTEGER } AS account FROM good`;
    expect(await messageOf(sql)).toContain('query.sql');
    expect(await messageOf(sql)).not.toContain('12,50');
    expect(await messageOf(sql, { showPersonalData: true })).toContain('12,50');
  });
});

describe('in a source', () => {
  const query = (declaration: string) =>
    `-- source s: ${declaration}\nSELECT { external_account_number: numero } AS account FROM s`;

  test.each([
    [
      'a missing file',
      undefined,
      'none.csv',
      'query.sql:1: source s: none.csv: there is no such file; expected the path of a file, from the folder of the declaration.',
    ],
    [
      'an empty file',
      '',
      'a.csv',
      'query.sql:1: source s: a.csv is an empty file; expected a header with the names of its columns.',
    ],
    ['a file of blank lines', '\n\n', 'a.csv', 'a.csv: the file has no header; expected the names of its columns.'],
    [
      'two columns of one name',
      'numero;nom;NOM\nA;B;C\n',
      'a.csv',
      'a.csv:1: the header has two columns "NOM" (2 and 3); expected different names',
    ],
    [
      'another delimiter',
      'numero,nom\nA,B\n',
      'a.csv, delimiter ;',
      'a.csv:1: the header has 1 column with the delimiter ";"; expected several. Declare "delimiter comma".',
    ],
    [
      'another encoding',
      windows1252('numero;nom\nA;Zoé\n'),
      'a.csv',
      'a.csv:2: the file is not in UTF-8; it is probably in windows-1252: byte 0xe9 is "é" in windows-1252. Declare it: "-- source s: a.csv, encoding windows-1252"',
    ],
    ['an unknown encoding', 'numero\nA\n', 'a.csv, encoding cp-1252x', 'encoding "cp-1252x": unknown'],
    [
      'UTF-16 without a mark',
      Buffer.from('numero;nom\nA;B\n', 'utf16le'),
      'a.csv',
      'it is probably in utf-16le. Declare it',
    ],
    [
      'a workbook of Excel',
      Buffer.from('PK\x03\x04 and more'),
      'a.csv',
      'a.csv: the file is an Excel workbook (.xlsx) or another ZIP archive',
    ],
    [
      'broken JSON',
      '{"numero": "A"}\n{"numero": }\n',
      'a.jsonl',
      'a.jsonl: value 2 is not JSON. Correct it, or export the file again.',
    ],
    [
      'a name twice in an object of JSON',
      '{"numero": "A"}\n{"numero": "B", "nom": {"x": 1, "x": 2}}\n',
      'a.jsonl',
      'a.jsonl: value 2 has a name twice in an object, or a value that no type fits. Correct it.',
    ],
    ['a file that is no Parquet', 'numero\nA\n', 'a.parquet', 'a.parquet is not a Parquet file.'],
  ])('%s', async (_, content, declaration, expected) => {
    const [file = ''] = declaration.split(',');
    if (content !== undefined) write(file, content);
    expect(await messageOf(query(declaration))).toContain(expected);
  });

  test.each([
    [
      '-- source 2: a.csv',
      'query.sql:1: the source cannot be read; expected -- source <name>: <file>, encoding <name>, delimiter <character>, skipLines <number>, quote <character or none>.',
    ],
    ['-- source a: a.csv, encodin utf-8', 'query.sql:1: found ", encodin utf-8" after the file; expected'],
    [
      '-- source a: a.csv, delimiter semicolon, quote ;',
      'query.sql:1: quote: expected another character than that of delimiter.',
    ],
    ['-- source a: a.csv, skipLines x', 'query.sql:1: skipLines: expected a whole number from 0 up, found NaN.'],
    [
      '-- source a: a.csv, quote ab',
      "query.sql:1: quote: expected one sign of ASCII such as \"'\", or '' for none, found string.",
    ],
    [
      '-- source a: a.csv\n-- source A: b.csv',
      'query.sql:2: the source A is declared twice; the other is at query.sql:1. Remove one.',
    ],
    [`${GOOD}\n-- slices by number`, 'query.sql:2: slices by number: no source has this column.'],
    [
      '-- slices 0 by numero',
      'query.sql:1: the slices cannot be read; expected -- slices by <column>, or -- slices <number> by <column>.',
    ],
  ])('the declaration %j', async (head, expected) => {
    expect(await messageOf(`${head}\nSELECT { external_account_number: 'A' } AS account`)).toContain(expected);
  });
});

describe('a header that looks like a row', () => {
  test('is shown in no message', async () => {
    write('row.csv', 'jean.dupont@example.com;A-1\n');
    const message = await messageOf(
      '-- source s: row.csv\nSELECT { external_account_number: numero } AS account FROM s',
    );
    expect(message).toContain('no column "numero"');
    expect(message).not.toContain('dupont');
  });
});
