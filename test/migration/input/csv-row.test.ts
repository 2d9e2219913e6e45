/** The row that a mapping function receives: its columns, and what happens at a column that the file does not have. */
import { inspect, isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from 'vitest';
import { type CsvRow, createRows, UnknownColumnError } from '../../../src/migration/input/csv/csv-row.js';

function rowOf(cells: Record<string, string>, read = new Set<string>()): CsvRow {
  return createRows(Object.keys(cells), read)(Object.values(cells));
}

const CUSTOMER = { 'N° client': '10041', Nom: 'Arbois', Téléphone: '' };

describe('a column of the file', () => {
  test('is text, also for an empty cell', () => {
    const row = rowOf(CUSTOMER);
    expect([row['N° client'], row['Nom'], row['Téléphone']]).toEqual(['10041', 'Arbois', '']);
    expect([row.get('Nom'), row.get('Téléphone')]).toEqual(['Arbois', '']);
  });

  test('is an own property: in, keys, destructuring, spread, JSON, printing', () => {
    const row = rowOf(CUSTOMER);
    expect(['Nom' in row, 'Tel' in row, 'get' in row]).toEqual([true, false, false]);
    expect(Object.keys(row)).toEqual(['N° client', 'Nom', 'Téléphone']);
    expect(Object.entries(row)[1]).toEqual(['Nom', 'Arbois']);
    const { Nom, ...rest } = row;
    expect([Nom, rest]).toEqual(['Arbois', { 'N° client': '10041', Téléphone: '' }]);
    expect({ ...row }).toEqual(CUSTOMER);
    expect(JSON.stringify(row)).toBe('{"N° client":"10041","Nom":"Arbois","Téléphone":""}');
    expect(inspect(row)).toBe("{ 'N° client': '10041', Nom: 'Arbois', 'Téléphone': '' }");
    expect(row).toEqual(CUSTOMER);
    expect(isDeepStrictEqual({ ...row }, CUSTOMER)).toBe(true);
    expect(Object.hasOwn(row, 'Nom') && !Object.hasOwn(row, 'Tel')).toBe(true);
  });

  test.each(['constructor', 'toString', '__proto__', 'then', 'toJSON', 'hasOwnProperty', '2024', 'then '])(
    'may be named %j',
    (name) => {
      const row = rowOf(
        Object.fromEntries([
          ['Nom', 'Arbois'],
          [name, 'x'],
        ]),
      );
      expect([row[name], row.get(name), Object.keys(row).sort()]).toEqual(['x', 'x', ['Nom', name].sort()]);
    },
  );

  test('may be named get: row.get is its text then, and `in` finds optional columns', () => {
    const row = rowOf({ get: 'x', Nom: 'Arbois' }) as unknown as Record<string, string>;
    expect([row['get'], 'Tel' in row, { ...row }]).toEqual(['x', false, { get: 'x', Nom: 'Arbois' }]);
  });

  test('may be replaced, and properties added, as of any object', () => {
    const row = rowOf(CUSTOMER);
    for (const name of Object.keys(row)) row[name] = (row[name] ?? '').toLowerCase();
    row['full'] = `${row['Nom']}!`;
    expect([row['Nom'], row['full'], Object.keys(row).length]).toEqual(['arbois', 'arbois!', 4]);
  });
});

describe('a column that the file does not have', () => {
  const failing = (read: (row: CsvRow) => unknown, cells: Record<string, string> = CUSTOMER): UnknownColumnError => {
    try {
      read(rowOf(cells));
    } catch (error) {
      return error as UnknownColumnError;
    }
    throw new Error('nothing was thrown');
  };

  test('throws, with the columns and the most similar one', () => {
    const error = failing((row) => row['Telephone']);
    expect(error).toBeInstanceOf(UnknownColumnError);
    expect(error.message).toBe(
      'There is no column "Telephone" (columns: N° client, Nom, Téléphone); did you mean "Téléphone"? Read a column that not every file has with row.get.',
    );
  });

  test('throws also in destructuring, with and without a default', () => {
    expect(failing(({ Prénom }) => Prénom).column).toBe('Prénom');
    expect(failing(({ Prénom = 'x' }) => Prénom).message).toBe(
      'There is no column "Prénom" (columns: N° client, Nom, Téléphone). Read a column that not every file has with row.get.',
    );
  });

  test('is undefined for row.get', () => {
    expect(rowOf(CUSTOMER).get('Prénom')).toBeUndefined();
    expect(rowOf(CUSTOMER).get('constructor')).toBeUndefined();
  });

  test('the first place of its stack is the code that read the column', () => {
    const [, first = ''] = failing((row) => row['Tel']).stack?.split('\n') ?? [];
    expect(first).toContain('csv-row.test.ts');
  });

  test('a file with many columns names the first 60', () => {
    const cells = Object.fromEntries(Array.from({ length: 63 }, (_, index) => [`c${index}`, 'x']));
    expect(failing((row) => row['none'], cells).message).toContain('c58, c59, … 3 more)');
  });

  test('columns that look like data are not named: the file may have no header', () => {
    expect(failing((row) => row['Nom'], { 'alix.arbois@example.com': 'x', Arboi: 'y', Nomm: 'z' }).message).toBe(
      'There is no column "Nom" (3 columns whose names look like data: the file may have no header). Read a column that not every file has with row.get.',
    );
  });
});

test('properties that JavaScript and test libraries read of every object do not throw', async () => {
  const row = rowOf(CUSTOMER);
  const asked = row as unknown as Record<PropertyKey, unknown>;
  for (const name of ['then', 'toJSON', Symbol.toPrimitive, Symbol.iterator, Symbol.toStringTag]) {
    expect(asked[name]).toBeUndefined();
  }
  expect(await row).toBe(row);
  expect(`${row}`).toBe('[object Object]');
  expect(() => [...(asked as unknown as Iterable<unknown>)]).toThrow(TypeError);
  expect(() => expect(row).toEqual({ other: 'x' })).toThrow('deeply equal');
});

describe('the columns that were read', () => {
  const readBy = (read: (row: CsvRow) => unknown): string[] => {
    const names = new Set<string>();
    read(rowOf(CUSTOMER, names));
    return [...names];
  };

  test.each<[string, (row: CsvRow) => unknown, string[]]>([
    ['by its name', (row) => row['Nom'], ['Nom']],
    ['with get', (row) => [row.get('Nom'), row.get('Tel')], ['Nom']],
    ['by destructuring', ({ Nom, Téléphone }) => [Nom, Téléphone], ['Nom', 'Téléphone']],
    ['by a copy: all', (row) => ({ ...row }), ['N° client', 'Nom', 'Téléphone']],
    ['by its keys or in: none', (row) => ['Nom' in row, Object.keys(row), inspect(row)], []],
  ])('%s', (_, read, expected) => {
    expect(readBy(read)).toEqual(expected);
  });
});
