/** A query fails on a cell: the message has cause, place and expression, and the cell only on request. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterAll, describe, expect, test } from 'vitest';
import { openInput } from '../../src/migration/input/open-input.js';
import { run } from '../cli/typed.js';
import { newFolder } from '../helpers/folder.js';
import { shortAndLong } from '../helpers/short-and-long.js';

const folder = newFolder('query-errors-', afterAll);
const at = (name: string) => join(folder, name);

/** Also as DuckDB changes it: in hexadecimal digits, in capitals, as a part of a list. */
const MARKER = 'Wiktoria';
const TRACES = /wiktoria|76696b746f726961|57696b746f726961/i;

writeFileSync(at('m.csv'), `a;n;z;j\n${MARKER};${MARKER}123;0;[1,"${MARKER}\n`);

function write(expression: string): string {
  writeFileSync(
    at('m.sql'),
    `-- source m: m.csv\nSELECT { external_account_number: 'A', x: ${expression} } AS account FROM m`,
  );
  return at('m.sql');
}

async function errorOf(expression: string, showPersonalData = false): Promise<Error> {
  try {
    const input = await openInput([write(expression)], { showPersonalData });
    try {
      for await (const line of input) line.read();
    } finally {
      await input.close();
    }
  } catch (error) {
    return error as Error;
  }
  throw new Error(`${expression} does not fail`);
}

const CASTS = [
  ...['INTEGER', 'BOOLEAN', 'DATE', 'TIMESTAMP', 'TIMESTAMPTZ', 'TIMESTAMP_NS', 'TIME', 'INTERVAL', 'UUID', 'BIT'],
  ...['DECIMAL(3,1)', 'TINYINT', 'UTINYINT', 'DOUBLE', 'FLOAT', 'HUGEINT', 'UHUGEINT', 'BIGNUM', 'JSON', "ENUM('x')"],
  ...['STRUCT(x INT)', 'INTEGER[]', 'INTEGER[1]', 'MAP(INT, INT)'],
].map((type) => `a::${type}`);

const CALLS = [
  "strptime(a, '%d/%m/%Y')",
  "strptime(a, ['%d/%m/%Y', '%Y'])",
  'error(a)',
  "error('no ' || a)",
  "regexp_matches('x', a || '(')",
  "regexp_replace(a, a || '(', 'x')",
  "a ~ (a || '*+(')",
  "a SIMILAR TO (a || '[')",
  "a LIKE 'x' ESCAPE a",
  'from_hex(a)',
  'unhex(a)',
  'from_binary(a)',
  "from_base64(a || '!')",
  "('\\x' || a)::BLOB",
  "decode('\\xFF'::BLOB || a::BLOB)",
  "json_extract(j, '$.x')",
  "j->'$.x'",
  "j->>'x'",
  'json(j)',
  'json_array_length(j)',
  'json_keys(j)',
  'json_type(j)',
  `json_transform(j, '{"x":"INT"}')`,
  `json_transform_strict('{"x":"' || a || '"}', '{"x":"INT"}')`,
  `from_json(j, '{"x":"INT"}')`,
  "json_merge_patch(j, '{}')",
  "json_contains(j, '1')",
  "json_extract('{}', '$.' || a || '[')",
  "date_part(a, DATE '2020-01-01')",
  "date_trunc(a, DATE '2020-01-01')",
  "date_diff(a, DATE '2020-01-01', DATE '2020-01-02')",
  "date_sub(a, DATE '2020-01-01', DATE '2020-01-02')",
  "DATE '2020-01-01' + a::INTERVAL",
  "timezone(a, TIMESTAMP '2020-01-01')",
  "TIMESTAMP '2020-01-01' AT TIME ZONE a",
  "datetime_local('01/01/2020', a)",
  'phone_e164(a, a)',
  'age(a::TIMESTAMP)',
  'make_date(substr(n, 9)::INT, 99, 99)',
  "format('{:d}', a)",
  "format(a || '{', 1)",
  "printf('%d', a)",
  "printf(a || '%', 1)",
  'map([a, a], [1, 2])',
  'map_from_entries([(a, 1), (a, 2)])',
  'list_value(1)[a::INT]',
  'list_extract([1], a::INT)',
  'element_at(map { 1: 2 }, a::INT)',
  'list_transform([a], x -> x::INT)',
  '[x::INT FOR x IN [a]]',
  '[a]::INT[]',
  '{ x: a }::STRUCT(x INT)',
  "array_cosine_similarity([1, 2]::FLOAT[2], (['1', a])::FLOAT[2])",
  "enum_code(a::ENUM('x'))",
  'hex(a)::INT',
  'concat(a, n)::INT',
  'greatest(a::INT, 1)',
  'coalesce(try_cast(a AS INT), n::INT)',
  'CASE WHEN a THEN 1 END',
  'a::GEOMETRY',
  'bitstring(a, 3)',
  'set_bit(a::BIT, 99, 1)',
  'to_base(substr(n, 9)::INT, z::INT)',
  'substr(n, 9)::BIGINT * 9223372036854775807',
  'sqrt(-substr(n, 9)::INT)',
  '(SELECT x FROM (VALUES (a), (n)) given(x))',
  '(SELECT unnest([a, n]))',
];

describe('the cell is in no part of the error', () => {
  // One of each kind of message in `npm test`: each opens DuckDB, and all of them take ten seconds.
  const FIRST = [
    ...['a::INTEGER', 'a::DATE', 'a::TIMESTAMPTZ', 'a::DECIMAL(3,1)', 'a::JSON', "a::ENUM('x')", 'a::STRUCT(x INT)'],
    ...[
      "strptime(a, '%d/%m/%Y')",
      'error(a)',
      "regexp_matches('x', a || '(')",
      'from_hex(a)',
      "j->'$.x'",
      '[a]::INT[]',
    ],
    ...["date_part(a, DATE '2020-01-01')", "printf('%d', a)", 'map([a, a], [1, 2])', 'sqrt(-substr(n, 9)::INT)'],
    ...['phone_e164(a, a)', 'make_date(substr(n, 9)::INT, 99, 99)', 'substr(n, 9)::BIGINT * 9223372036854775807'],
  ];
  const OTHERS = [...CASTS, ...CALLS].filter((expression) => !FIRST.includes(expression));
  for (const [expressions, options] of shortAndLong(FIRST, OTHERS))
    test.each(expressions)('%s is shown without the cell', options, async (expression) => {
      const error = await errorOf(expression);
      expect(error.name).toBe('InputError');
      expect(inspect(error, { depth: 9, showHidden: true }).replaceAll(expression, '')).not.toMatch(TRACES);
      expect(error.message).toMatch(
        /m\.sql(?::2:\d+)?: [^\n]+\. [^\n]+; --show-personal-data adds the message of DuckDB/,
      );
    });

  test('and it is there on request', { tags: 'long' }, async () => {
    for (const expression of ["strptime(a, '%d/%m/%Y')", 'a::INTEGER', 'error(a)'])
      expect((await errorOf(expression, true)).message).toMatch(TRACES);
  });
});

test('the message has cause, place and expression', async () => {
  expect((await errorOf("strptime(a, '%d/%m/%Y')")).message.replace(`${folder}/`, '')).toBe(
    [
      'm.sql:2:43: a value is not in the format that strptime is given. Use date_dmy, date_dmyy or date_as, which mark such a value, so that only its record is rejected (docs/sql-input.md). try_strptime would leave it out; --show-personal-data adds the message of DuckDB, which may quote the value.',
      "  2 | SELECT { external_account_number: 'A', x: strptime(a, '%d/%m/%Y') } AS account FROM m",
      '                                                ^',
    ].join('\n'),
  );
});

test('a text that the query itself gives to error() is shown', async () => {
  expect((await errorOf("CASE WHEN a <> '' THEN error('no tariff: it''s empty') END")).message).toContain(
    "m.sql:2:66: no tariff: it's empty. ",
  );
});

test('the names of a header that is a row are not shown, while the query is checked', async () => {
  writeFileSync(at('m2.csv'), `${MARKER}@example.com;1\nx;y\n`);
  for (const expression of ['b', 'a + 1', 'm.b', 'sum(a)', 'COLUMNS(x)']) {
    writeFileSync(
      at('m2.sql'),
      `-- source m: m2.csv\nSELECT { external_account_number: 'A', x: ${expression} } AS account FROM m`,
    );
    const error = await openInput([at('m2.sql')]).catch((thrown: Error) => thrown);
    expect((error as Error).message).not.toMatch(TRACES);
  }
});

test.each([['check'], ['run', '--sandbox'], ['run', '--sandbox', '--json'], ['profile'], ['plan', '--sandbox']])(
  '%s %s %s prints no cell',
  async (command, ...flags) => {
    const ended = await run(
      command,
      write("strptime(a, '%d/%m/%Y')"),
      ...flags,
      ...(command === 'run' ? ['--run', at('run')] : []),
    );
    expect(ended.out + ended.err).toContain('m.sql:2:43: a value is not in the format');
    expect(ended.out + ended.err).not.toMatch(TRACES);
    expect(ended.code).toBe(2);
  },
);
