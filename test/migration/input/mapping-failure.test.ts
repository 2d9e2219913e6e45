/** What is reported of a row for which the mapping throws: kind, place and words of the code, and no word of the row. */
import { describe, expect, test } from 'vitest';
import { loadMap } from '../../../src/migration/input/csv/load-mapping.js';
import { InputError } from '../../../src/migration/input/input-error.js';
import { type OpenInputOptions, openInput } from '../../../src/migration/input/open-input.js';
import { describeItems, folderWith } from './reading.js';

const ROW = 'A-1;Brumelle-Dorval;"{""a"":Estrelin}"';
const CSV = `number;name;tariff\n${ROW}\n`;

/** The problem of the first row, for a mapping module with this body. */
async function problemOf(body: string, options: OpenInputOptions = {}, { csv = CSV, name = 'map.mjs' } = {}) {
  const { at } = await folderWith({ [name]: `export default function map(row) {\n${body}\n}\n`, 'input.csv': csv });
  const input = await openInput([at('input.csv')], { map: await loadMap(at(name)), ...options });
  for await (const item of input) {
    const found = item.read();
    if ('problem' in found) return { ...found.problem, text: item.text };
  }
  throw new Error('no problem was found');
}

describe('an exception', () => {
  test('of JavaScript shows its message, the property that was read, and file and line', async () => {
    expect(await problemOf("\n  return row.get('telephone').replace(/ /g, '');")).toEqual({
      code: 'map_failed',
      attr: 'map.mjs:3',
      detail:
        "The mapping threw TypeError: Cannot read properties of undefined (reading 'replace'). The code there: return row.get('telephone').replace(/ /g, '');",
      text: ROW,
    });
  });

  test('for a column that the file does not have names the columns', async () => {
    await expect(problemOf("return row['Number'];")).rejects.toThrow(
      '.csv:2: the mapping reads a column that does not exist, at map.mjs:2: There is no column "Number" (columns: number, name, tariff); did you mean "number"? Read a column that not every file has with row.get.',
    );
  });

  test.each([
    [
      'its own words are shown, and the values of the row are not',
      'throw new RangeError("no tariff for " + row.name + " (" + row.number + ")");',
      'The mapping threw RangeError: no tariff for * (*).',
    ],
    [
      'values that were changed are not shown',
      'throw new Error("bad: " + row.name.toUpperCase());',
      'The mapping threw Error: bad: *.',
    ],
    [
      'parts of values are not shown',
      'throw new Error(row.name.slice(0, 3) + " is bad");',
      'The mapping threw Error: * is bad.',
    ],
    [
      'several values become one star',
      'throw new Error(["bad", row.name, row.number, row.name].join(" "));',
      'The mapping threw Error: bad *.',
    ],
    [
      'a quoted value of JSON is not shown',
      'return JSON.parse(row.tariff);',
      `The mapping threw SyntaxError: Unexpected token '*', "{"*}" is not valid JSON.`,
    ],
    [
      'a value that looks like a place is none',
      'throw new Error("no\\n    at x (" + row.name + ":1:1)");',
      'The mapping threw Error: no at x (*).',
    ],
    [
      'a number of the code is shown, a date with it is not',
      'if (row.name.length > 14) throw new Error("14 expected, 14/7/1983 " + row.number)',
      'The mapping threw Error: 14 expected, 14/7/1983 *.',
    ],
    [
      'a date of which only parts are in the code is not shown',
      'throw new Error("bad date " + [10, 11, 1983].join("/"));',
      'The mapping threw Error: bad date *.',
    ],
    ['without a message', 'throw new RangeError();', 'The mapping threw RangeError.'],
    [
      'of a class of the module',
      'class NoTariff extends Error {}; throw new NoTariff(row.name);',
      'The mapping threw NoTariff: *.',
    ],
    ['that is no Error', 'throw row.name;', 'The mapping threw something that is not an Error.'],
    [
      'whose stack was removed',
      'throw Object.assign(new RangeError(row.name), { stack: 7 });',
      'The mapping threw RangeError: *.',
    ],
    [
      'whose message was replaced',
      'const e = new RangeError(row.name); e.stack; e.message = row.number; throw e;',
      'The mapping threw RangeError: *.',
    ],
    [
      'whose message is no text',
      'throw Object.assign(new Error(), { message: { a: row.name } });',
      'The mapping threw Error.',
    ],
  ])('%s', async (_, body, expected) => {
    const { detail } = await problemOf(body);
    expect(detail.replace(/ The code there: .*$/, '')).toContain(expected);
    expect(detail.replace(/ The code there: .*$/, '')).not.toMatch(/Brum|Dorv|Estr|A-1/i);
  });

  test('whose words are in the code and in the row shows none of them, not in the line of the code either', async () => {
    const { detail } = await problemOf(
      'if (row.name === "Brumelle-Dorval") throw new Error("no tariff for " + row.name);',
    );
    expect(detail).toBe(
      'The mapping threw Error: no tariff for *. The code there: if (row.name === "*-*") throw new Error("no tariff for " + row.name);',
    );
  });

  test.each([
    ['null.x', "Cannot read properties of null (reading 'x')."],
    ['undefined.x = 1', "Cannot set properties of undefined (setting 'x')."],
    ['row.name.trims()', 'row.name.trims is not a function.'],
    ['row.get("tel").split()', "Cannot read properties of undefined (reading 'split')."],
    ['for (const x of row) x', 'row is not iterable.'],
    ['new Date(row.name).toISOString()', 'Invalid time value.'],
    ['BigInt(row.name)', 'Cannot convert * to a BigInt.'],
    ['missing(row)', 'missing is not defined.'],
    ['new Intl.NumberFormat("fr", { style: "currency", currency: row.name })', 'Invalid currency code : *.'],
    ['row.name.repeat(-1)', 'Invalid count value: -1.'],
    ['(1.5).toFixed(200)', 'toFixed() digits argument must be between 0 and *.'],
    ['decodeURIComponent("%")', 'URI malformed.'],
    ['new RegExp("(" + row.name)', 'Invalid regular expression: /(*/: Unterminated group.'],
    ['[].reduce((a, b) => a)', 'Reduce of empty array with no initial value.'],
    ['new Array(-1)', 'Invalid array length.'],
    ['1n + 1', 'Cannot mix BigInt and other types, use explicit conversions.'],
    ['const { a } = undefined', "Cannot destructure property 'a' of 'undefined' as it is undefined."],
    ['"x" in row.name', "Cannot use 'in' operator to search for 'x' in *."],
    ['Object.freeze([]).push(1)', 'Cannot add property 0, object is not extensible.'],
    ['structuredClone(() => {})', '() => {} could not be cloned.'],
    ['new URL(row.name)', 'Invalid URL.'],
    ['(function f() { f(); })()', 'Maximum call stack size exceeded.'],
  ])('of JavaScript, %s: %s', async (code, message) => {
    const { detail } = await problemOf(code);
    expect(detail.replace(/ The code there: .*$/, '').replace(/^The mapping threw \w+: /, '')).toBe(message);
  });

  test('in a helper module is reported there, and one in a library at the call in the mapping', async () => {
    const files = {
      'map.mjs': "import { tariff } from './tariffs.mjs';\nexport default (row) => tariff(row.name);",
      'tariffs.mjs':
        "import { look } from 'lib';\nexport const tariff = (code) => {\n  if (code) return look(code);\n};",
      'node_modules/lib/package.json': '{"type":"module","exports":"./index.js"}',
      'node_modules/lib/index.js': 'export const look = (code) => { throw new Error("cannot look up " + code); };',
      'input.csv': CSV,
    };
    const { at } = await folderWith(files);
    const input = await openInput([at('input.csv')], { map: await loadMap(at('map.mjs')) });
    for await (const item of input) {
      expect(item.read()).toEqual({
        problem: {
          code: 'map_failed',
          attr: 'tariffs.mjs:3',
          detail: 'The mapping threw Error: cannot look up *. The code there: if (code) return look(code);',
        },
      });
    }
  });

  test('in CommonJS, and in a folder whose name has blanks and brackets, is placed too', async () => {
    const { at } = await folderWith({
      'my maps (1)/map.cjs': 'module.exports = (row) => {\n  throw new Error("no " + row.name);\n};',
      'input.csv': CSV,
    });
    const input = await openInput([at('input.csv')], { map: await loadMap(at('my maps (1)/map.cjs')) });
    for await (const item of input) {
      expect(item.read()).toMatchObject({
        problem: { attr: 'map.cjs:2', detail: expect.stringContaining('Error: no *. The code there: throw') },
      });
    }
  });

  test('the name of a column that the mapping computed from the row is not shown', async () => {
    await expect(problemOf('return row[row.name + "_1"];')).rejects.toThrow(
      'There is no column "*" (columns: number, name, tariff). ',
    );
  });

  test('with showPersonalData the message is shown unchanged', async () => {
    const shown = { showPersonalData: true };
    expect((await problemOf('throw new Error("no tariff for " + row.name);', shown)).detail).toContain(
      'The mapping threw Error: no tariff for Brumelle-Dorval.',
    );
    expect((await problemOf('throw row.name;', shown)).detail).toBe(
      'The mapping threw Brumelle-Dorval, which is not an Error.',
    );
    await expect(problemOf('return row[row.name];', shown)).rejects.toThrow('no column "Brumelle-Dorval"');
    expect((await problemOf('if (row.name === "Brumelle-Dorval") null.x;', shown)).detail).toContain(
      '"Brumelle-Dorval"',
    );
    const noHeader = { csv: '69003;alix@example.com\n69004;basile@example.com\n' };
    await expect(problemOf('return row.name;', shown, noHeader)).rejects.toThrow('(columns: 69003, alix@example.com)');
    await expect(problemOf('return row.name;', {}, noHeader)).rejects.toThrow(/\(2 columns whose names look like data/);
  });

  test('a long message is cut', async () => {
    expect((await problemOf("throw new Error('bad '.repeat(100000));")).detail.length).toBeLessThan(500);
  });
});

describe('a mapping that fails in the same way from the first row of a file on', () => {
  const rows = (count: number) => Array.from({ length: count }, (_, index) => `A-${index};x\n`).join('');

  async function reading(body: string, files: Record<string, string>) {
    const all = { 'map.mjs': `export default function map(row, { line }) {\n${body}\n}\n`, ...files };
    const { at } = await folderWith(all);
    const input = await openInput(Object.keys(files).map(at), { map: await loadMap(at('map.mjs')) });
    return { at, lines: describeItems(input) };
  }

  test.each([
    [10, 'all 10 rows'],
    [99, 'all 99 rows'],
    [500, 'each of the first 100 rows'],
  ])('ends the reading of %i rows with one message', async (count, which) => {
    const { at, lines } = await reading('return null.x;', { 'input.csv': `number;name\n${rows(count)}` });
    await expect(lines).rejects.toBeInstanceOf(InputError);
    await expect(lines).rejects.toThrow(
      `${at('input.csv')}:2: the mapping failed in the same way for ${which}, at map.mjs:2: The mapping threw TypeError: Cannot read properties of null`,
    );
  });

  test.each<[string, string, Record<string, string>]>([
    ['there are 9 rows', 'return null.x;', { 'input.csv': `number;name\n${rows(9)}` }],
    [
      'one row of them is mapped',
      'if (line === 90) return undefined; return null.x;',
      { 'input.csv': `number;name\n${rows(500)}` },
    ],
    [
      'they fail in different places',
      'if (line % 2) return null.a;\nreturn null.b;',
      { 'input.csv': `number;name\n${rows(500)}` },
    ],
    [
      'they fail with different kinds of error',
      'throw line % 2 ? new TypeError() : new RangeError();',
      { 'input.csv': `number;name\n${rows(500)}` },
    ],
    [
      'they come after rows that were mapped',
      'if (line > 5) return null.x;',
      { 'input.csv': `number;name\n${rows(500)}` },
    ],
  ])('does not where %s', async (_, body, files) => {
    const { lines } = await reading(body, files);
    expect((await lines).filter((text) => text.endsWith('map_failed')).length).toBeGreaterThanOrEqual(9);
  });

  test('ends it also after another file', async () => {
    const { at, lines } = await reading('if (!("other" in row)) return undefined; return null.x;', {
      'a.csv': `number;name\n${rows(200)}`,
      'b.csv': `number;other\n${rows(20)}`,
    });
    await expect(lines).rejects.toThrow(`${at('b.csv')}:2: the mapping failed`);
  });
});
