/** Inputs of several kinds: a mapping for each CSV file, modules that export records, and the first line that Excel writes. */
import { describe, expect, test } from 'vitest';
import { InputError } from '../../../src/migration/input/input-error.js';
import { openInput } from '../../../src/migration/input/open-input.js';
import { accountLine, businessLine, describeItems, folderWith } from './reading.js';

const account = (number: string) => ({ account: { import_supplier: 'SUP', external_account_number: number } });
const business = (number: string) => ({
  business: { import_supplier_code: 'SUP', external_business_identifier: number, name: 'Boulangerie' },
});

describe('a mapping for each CSV file', () => {
  const files = { 'firms.csv': 'id\nB-1\n', 'customers.csv': 'number\nA-1\nA-2\n' };
  const maps = {
    'firms.csv': (row: Record<string, string>) => business(row['id'] ?? ''),
    'customers.csv': (row: Record<string, string>) => account(row['number'] ?? ''),
  };

  test('gets the rows of its file', async () => {
    const { at } = await folderWith(files);
    expect(await describeItems(await openInput([at('firms.csv'), at('customers.csv')], { map: maps }))).toEqual([
      '2 B-1',
      '2 A-1',
      '3 A-2',
    ]);
  });

  test('gets the place of each row', async () => {
    const { at } = await folderWith(files);
    const places: unknown[] = [];
    const map = (row: Record<string, string>, place: { file: string; line: number }) => {
      places.push(place);
      return account(row['number'] ?? '');
    };
    await describeItems(await openInput([at('customers.csv')], { map: { [at('customers.csv')]: map } }));
    expect(places).toEqual([
      { file: at('customers.csv'), line: 2 },
      { file: at('customers.csv'), line: 3 },
    ]);
  });

  test('is missing for a file: one error that names it', async () => {
    const { at } = await folderWith(files);
    const opening = openInput([at('firms.csv'), at('customers.csv')], { map: { 'firms.csv': maps['firms.csv'] } });
    await expect(opening).rejects.toBeInstanceOf(InputError);
    await expect(opening).rejects.toThrow(
      `${at('customers.csv')}: CSV needs a mapping module, which converts rows to records. Give one with --map <path>, or one for each file with --map customers.csv=<path>.`,
    );
  });

  test('has the name of no file: one error that lists the files', async () => {
    const { at } = await folderWith(files);
    const opening = openInput([at('firms.csv')], { map: { ...maps, 'costumers.csv': maps['customers.csv'] } });
    await expect(opening).rejects.toThrow(
      `the mapping of customers.csv: no CSV file of the input has this name (${at('firms.csv')}). Correct the name, or add the file.`,
    );
  });
});

describe('a module that exports records', () => {
  const read = async (code: string) => {
    const { at } = await folderWith({ 'records.mjs': code });
    return describeItems(await openInput([at('records.mjs')]));
  };

  test.each([
    ['an array', `export default [${accountLine('A-1')}, ${accountLine('A-2')}];`],
    ['a function that returns an array', `export default () => [${accountLine('A-1')}, ${accountLine('A-2')}];`],
    [
      'a generator function',
      `export default function* () { yield ${accountLine('A-1')}; yield ${accountLine('A-2')}; }`,
    ],
    [
      'an async generator function',
      `export default async function* () { yield ${accountLine('A-1')}; yield ${accountLine('A-2')}; }`,
    ],
    ['an async function', `export default async () => [${accountLine('A-1')}, ${accountLine('A-2')}];`],
  ])('%s', async (_, code) => {
    expect(await read(code)).toEqual(['1 A-1', '2 A-2']);
  });

  test('is read from its beginning each time, and combined with files', async () => {
    const { at } = await folderWith({
      'firms.jsonl': `${businessLine('B-1')}\n`,
      'records.mjs': `export default function* () { yield ${accountLine('A-1')}; }`,
    });
    const input = await openInput([at('firms.jsonl'), at('records.mjs')]);
    expect(await describeItems(input)).toEqual(['1 B-1', '1 A-1']);
    expect(await describeItems(input)).toEqual(['1 B-1', '1 A-1']);
  });

  test('its lines have the name of the module', async () => {
    const { at } = await folderWith({ 'records.mjs': `export default [${accountLine('A-1')}];` });
    for await (const { source, line } of await openInput([at('records.mjs')])) {
      expect([source, line]).toEqual([at('records.mjs'), 1]);
    }
  });

  test.each([
    [
      'nothing',
      'export const records = [];',
      'the default export is missing; expected a module whose default export is a function that returns records',
    ],
    ['text', 'export default "customers";', 'the default export is string'],
    [
      'a generator',
      'export default (function* () {})();',
      'the default export can be read only once, and a run reads its input several times',
    ],
    ['code that is no JavaScript', 'export default (', 'it cannot be loaded'],
  ])('that exports %s is one error', async (_, code, message) => {
    const reading = read(code);
    await expect(reading).rejects.toBeInstanceOf(InputError);
    await expect(reading).rejects.toThrow(message);
  });

  test('that throws while it is read names the module, the place and the last record', async () => {
    const code = `export default function* () {\n  yield ${accountLine('A-1')};\n  throw new RangeError();\n}`;
    await expect(read(code)).rejects.toThrow(
      /records\.mjs: reading stopped after record 1 \(records\.mjs:3\)\. The module threw RangeError\. .*Correct it and run the same command again\.$/,
    );
  });

  test('whose function returns no records is reported', async () => {
    await expect(read('export default () => 7;')).rejects.toThrow(
      'records.mjs: the function returned number; expected a module whose default export is a function that returns records',
    );
  });

  test('in a folder of input files is refused, because its code would run unasked', async () => {
    const { folder } = await folderWith({ 'a.jsonl': accountLine('A-1'), 'records.mjs': 'throw new Error();' });
    await expect(openInput([folder])).rejects.toThrow('records.mjs cannot be part of');
  });
});

describe('a first line sep=, as Excel writes it,', () => {
  test.each([
    [';', 'sep=;\nnumber;name\nA-1;x, y, z\n'],
    [',', '"sep=,"\r\nnumber,name\r\nA-1,x;y\r\n'],
    ['tab', 'SEP=\t\nnumber\tname\nA-1\tx;y,z\n'],
  ])('names the delimiter and is no header: %s', async (_, content) => {
    const { at } = await folderWith({ 'a.csv': content });
    const map = (row: Record<string, string>) => account(row['number'] ?? '');
    expect(await describeItems(await openInput([at('a.csv')], { map }))).toEqual(['3 A-1']);
  });
});
