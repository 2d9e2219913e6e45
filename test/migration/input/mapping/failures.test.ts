/** What `check` and `run` say about a row whose mapping throws a `MappingError`: the whole message, the column, and no text of the row. */
import { fileURLToPath } from 'node:url';
import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { loadMap } from '../../../../src/migration/input/csv/load-mapping.js';
import { MappingError } from '../../../../src/migration/input/csv/mapping/mapping-error.js';
import { openInput } from '../../../../src/migration/input/open-input.js';
import { inputFromModule } from '../../../../src/migration/input/records-input.js';
import { folderWith } from '../reading.js';

const ENTRY = fileURLToPath(new URL('../../../../src/migration/input/csv/mapping/index.ts', import.meta.url));
const CSV = 'number;born;moved;phone\nA-1;31/02/1980;;see file\n';

/** The problem of the first row of a file, for a mapping with this body. */
async function problemOf(body: string, { csv = CSV, showPersonalData = false } = {}) {
  const { at } = await folderWith({
    'input.csv': csv,
    'map.mjs': `import { keepInvalid, MappingError, parseDate, parseDecimal, parsePhone } from '${ENTRY}';\nexport default function map(row) {\n${body}\n}\n`,
  });
  const input = await openInput([at('input.csv')], { map: await loadMap(at('map.mjs')), showPersonalData });
  for await (const item of input) {
    const found = item.read();
    if ('problem' in found) return { line: item.line, ...found.problem };
  }
  throw new Error('no problem was found');
}

const EXPECTED = 'parseDate: expected a day of the calendar in the form DD/MM/YYYY, such as 31/12/2024.';

test('the message is shown whole, with the column, the line of the file and the line of the mapping', async () => {
  expect(await problemOf("parseDate(row.born, 'DD/MM/YYYY');")).toEqual({
    line: 2,
    code: 'map_failed',
    attr: 'map.mjs:3',
    detail: `${EXPECTED} Column "born".`,
  });
  expect(await problemOf("\nparsePhone(row.phone, 'FR');")).toMatchObject({
    attr: 'map.mjs:4',
    detail:
      'parsePhone: expected one telephone number of FR, or one with + and its country code, such as +33612345678. Column "phone".',
  });
});

test.each([
  [
    'of a column that was read before others',
    "const { born, phone } = row; parseDate(born, 'DD/MM/YYYY');",
    ' Column "born".',
  ],
  ['that the mapping changed names no column', "parseDate(row.born.slice(3), 'DD/MM/YYYY');", ''],
  ['that is not of the row names no column', "parseDate('x', 'DD/MM/YYYY');", ''],
])('a text %s', async (_, body, column) => {
  expect((await problemOf(body)).detail).toBe(EXPECTED + column);
});

test('a text that several columns have names all of them', async () => {
  const csv = 'number;born;moved;phone\nA-1;N/A;N/A;\n';
  expect((await problemOf("parseDate(row.moved, 'DD/MM/YYYY');", { csv })).detail).toBe(
    `${EXPECTED} One of the columns "born", "moved".`,
  );
});

test('a file whose first line looks like data has no names of columns to show', async () => {
  const csv = '10041;31/12/1980\n10042;31/02/1980\n';
  expect((await problemOf("parseDate(Object.values(row)[1], 'DD/MM/YYYY');", { csv })).detail).toBe(EXPECTED);
});

test('with showPersonalData the text is shown', async () => {
  const { detail } = await problemOf("parseDate(row.born, 'DD/MM/YYYY');", { showPersonalData: true });
  expect(detail).toBe(`${EXPECTED} Column "born". Value: "31/02/1980".`);
});

test('an invalid form names neither column nor text', async () => {
  expect((await problemOf("parseDate(row.born, 'dd/mm/yyyy');", { showPersonalData: true })).detail).toBe(
    'parseDate: the form "dd/mm/yyyy" is invalid: it has "d". Expected one of DD and D, of MM and M, and of YYYY and YY, such as DD/MM/YYYY.',
  );
});

test('a MappingError of the mapping itself is shown whole as well', async () => {
  expect((await problemOf("throw new MappingError('tariff: expected BASE or HC.', row.phone);")).detail).toBe(
    'tariff: expected BASE or HC. Column "phone".',
  );
});

test('in a module that is an input, the reading ends with the message', async () => {
  const { at } = await folderWith({
    'input.mjs': `import { parseDate } from '${ENTRY}';\nexport default function* records() {\n  yield { account: {} };\n  yield parseDate('31/02/1980', 'DD/MM/YYYY');\n}\n`,
  });
  const read = async () => {
    for await (const _ of (await inputFromModule(at('input.mjs'), false)).lines());
  };
  await expect(read()).rejects.toThrow(
    `${at('input.mjs')}: reading stopped after record 1 (input.mjs:4). ${EXPECTED} Correct it and run the same command again.`,
  );
});

test('a row of a related file that cannot be read is a rejected line of such a module, with the file and the line', async () => {
  const { at } = await folderWith({
    'meters.csv': 'number;point\nA-1\n',
    'input.mjs': `import { readCsv } from '${ENTRY}';\nexport default async function* records() {\n  for await (const row of readCsv(new URL('meters.csv', import.meta.url))) yield { account: row };\n}\n`,
  });
  const lines: unknown[] = [];
  for await (const items of (await inputFromModule(at('input.mjs'), false)).lines()) {
    for (const { source, line, text, read } of items) lines.push({ source, line, text, ...read() });
  }
  expect(lines).toMatchObject([
    {
      source: at('meters.csv'),
      line: 2,
      text: 'A-1',
      problem: {
        code: 'invalid_csv',
        detail: expect.stringContaining('The row has 1 field, and the header 2 columns.'),
      },
    },
  ]);
});

test('a missing package ends the reading: it concerns every row', async () => {
  const { at } = await folderWith({
    'input.csv': CSV,
    'map.mjs': `import { loadPhoneLibrary } from '${ENTRY.replace('index.ts', 'parse-phone.ts')}';\nexport default () => loadPhoneLibrary('/no/such/folder/map.mjs');\n`,
  });
  const input = await openInput([at('input.csv')], { map: await loadMap(at('map.mjs')) });
  const read = async () => {
    for await (const _ of input);
  };
  await expect(read()).rejects.toThrow('parsePhone: it needs the package libphonenumber-js, which is not installed.');
});

test('the text of an error is in no part of it that is printed', () => {
  const error = new MappingError('expected BASE or HC.', 'Brumelle');
  expect(error.value).toBe('Brumelle');
  expect(inspect(error, { showHidden: true, depth: 5 }) + JSON.stringify(error)).not.toContain('Brumelle');
});
