/** Inputs that code hands over. */
import { Readable } from 'node:stream';
import { ReadableStream } from 'node:stream/web';
import { describe, expect, test } from 'vitest';
import { InputError } from '../../../src/migration/input/input-error.js';
import { inputFromRecords } from '../../../src/migration/input/records-input.js';
import type { InputLine } from '../../../src/migration/input/source.js';
import { describeItems } from './reading.js';

const account = (number: string) => ({ account: { import_supplier: 'SUP', external_account_number: number } });

function* generate() {
  yield account('A-1');
  yield account('A-2');
}

async function* generateSlowly() {
  yield* generate();
}

describe('what can be read again', () => {
  test.each([
    ['an array', [account('A-1'), account('A-2')]],
    ['a set', new Set([account('A-1'), account('A-2')])],
    ['an object that iterates anew', { [Symbol.iterator]: generate }],
    ['an object that iterates anew, later', { [Symbol.asyncIterator]: generateSlowly }],
    ['a generator function', generate],
    ['an asynchronous generator function', generateSlowly],
    ['a function that opens a stream', () => Readable.from(generate())],
  ])('%s', async (_, records) => {
    const input = inputFromRecords(records);
    expect(await describeItems(input)).toEqual(['1 A-1', '2 A-2']);
    expect(await describeItems(input)).toEqual(['1 A-1', '2 A-2']);
  });

  test('each record has the text and the hash of its JSON, and the source `input`', async () => {
    const [item] = await itemsOf([account('A-1')]);
    expect(item).toMatchObject({
      source: 'input',
      line: 1,
      text: '{"account":{"import_supplier":"SUP","external_account_number":"A-1"}}',
      // printf '%s' "$text" | sha256sum
      hash: '60a128b4509fb8cbb1fb1ffa928f95731295e3c87fde01405e828d6bfa5e30c2',
    });
  });

  test('later changes of a record by code have no effect', async () => {
    const record = account('A-1');
    const [item] = await itemsOf([record]);
    record.account.external_account_number = 'A-2';
    expect(item?.read()).toEqual({ record: account('A-1') });
  });

  test('what is undefined is left out (C9)', async () => {
    const [item] = await itemsOf([{ ...account('A-1'), business: undefined, notes: undefined }]);
    expect(item?.read()).toEqual({ record: account('A-1') });
  });
});

describe('what can be read once', () => {
  test.each([
    ['a generator', () => generate()],
    ['an asynchronous generator', () => generateSlowly()],
    ['an iterator of an array', () => [account('A-1'), account('A-2')].values()],
    ['a stream', () => Readable.from([account('A-1'), account('A-2')])],
    ['a stream of the web', () => ReadableStream.from([account('A-1'), account('A-2')])],
  ])('%s: a second reading says what to do', async (_, make) => {
    const input = inputFromRecords(make());
    expect(await describeItems(input)).toEqual(['1 A-1', '2 A-2']);
    const second = describeItems(input);
    await expect(second).rejects.toThrow(
      'inputFromRecords: the iterable can be read only once, and was read; expected records that can be read again. Give a function that returns a new iterable: inputFromRecords(() => records()).',
    );
    await expect(second).rejects.toBeInstanceOf(InputError);
  });
});

describe('what is no record', () => {
  const circle: Record<string, unknown> = {};
  circle['account'] = circle;
  test.each([
    ['undefined', undefined, 'invalid_type'],
    ['null', null, 'invalid_type'],
    ['a function', () => 1, 'invalid_type'],
    ['an array', [account('A-1')], 'invalid_type'],
    ['a circle', circle, 'invalid_json_value'],
    ['a bigint', { account: { amount: 1n } }, 'invalid_json_value'],
    [
      'a getter that throws',
      {
        get account() {
          throw new Error('Brumelle');
        },
      },
      'invalid_json_value',
    ],
  ])('%s is a problem, and the next record is read', async (_, record, code) => {
    expect(await describeItems(inputFromRecords([record, account('A-2')]))).toEqual([`1 ${code}`, '2 A-2']);
    expect(JSON.stringify((await itemsOf([record]))[0]?.read())).not.toContain('Brumelle');
  });

  test('an iterable that fails ends the reading with its own error', async () => {
    const input = inputFromRecords(function* () {
      yield account('A-1');
      throw new Error('the database went away');
    });
    await expect(describeItems(input)).rejects.toThrow('the database went away');
  });

  test.each([
    [undefined, 'undefined'],
    [null, 'null'],
    [7, 'number'],
    ['A-1', 'string'],
    [account('A-1'), 'object'],
  ])('%j is refused at once', (records, kind) => {
    expect(() => inputFromRecords(records as never)).toThrow(
      `inputFromRecords: got ${kind}; expected records: an array, another iterable, or a function that returns one.`,
    );
  });
});

async function itemsOf(records: readonly unknown[]): Promise<InputLine[]> {
  const items: InputLine[] = [];
  for await (const item of inputFromRecords(records)) items.push(item);
  return items;
}
