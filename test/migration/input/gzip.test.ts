/** Compressed inputs, whole and damaged. */
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { openInput } from '../../../src/migration/input/open-input.js';
import { accountLine, describeItems, folderWith } from './reading.js';

/** Hard to compress, so that a part of the file holds a part of the lines. */
function manyLines(count: number): string {
  let state = 7;
  const noise = () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return state.toString(36);
  };
  return Array.from(
    { length: count },
    (_, index) =>
      `{"account":{"external_account_number":"A-${index + 1}","billing_address1":"${Array.from({ length: 40 }, noise).join('')}"}}\n`,
  ).join('');
}

async function openCompressed(content: Uint8Array) {
  const { at } = await folderWith({ 'input.jsonl.gz': content });
  return openInput([at('input.jsonl.gz')]);
}

test('is read as if it were not compressed', async () => {
  const input = await openCompressed(gzipSync(`${accountLine('A-1')}\n${accountLine('A-2')}`));
  expect(await describeItems(input)).toEqual(['1 A-1', '2 A-2']);
  expect(await describeItems(input)).toEqual(['1 A-1', '2 A-2']);
});

test('may consist of several that were put together', async () => {
  const parts = [gzipSync(`${accountLine('A-1')}\n`), gzipSync(`${accountLine('A-2')}\n`)];
  expect(await describeItems(await openCompressed(Buffer.concat(parts)))).toEqual(['1 A-1', '2 A-2']);
});

test('an aborted pass does not affect another one', async () => {
  const input = await openCompressed(gzipSync(manyLines(3000)));
  for await (const { line } of input) if (line === 2) break;
  const all = await describeItems(input);
  expect([all.length, all[2999]]).toEqual([3000, '3000 A-3000']);
});

describe('a file that is cut off', () => {
  const TEXT = manyLines(3000);
  const WHOLE = gzipSync(TEXT);

  test('returns all complete records, and then an error with the line of the missing part', async () => {
    const lines = await describeItems(await openCompressed(WHOLE.subarray(0, WHOLE.length / 2)));
    const last = lines.length;
    expect(last).toBeGreaterThan(1000);
    expect(last).toBeLessThan(2000);
    expect(lines.slice(0, -1)).toEqual(Array.from({ length: last - 1 }, (_, index) => `${index + 1} A-${index + 1}`));
    expect(lines[last - 1]).toBe(`${last} damaged_file`);
  });

  test('keeps the readable part of the line, with a remedy', async () => {
    // The bytes of a stored block can be counted: the last four characters and the trailer are missing.
    const stored = gzipSync(`${accountLine('A-1')}\n${accountLine('A-2')}`, { level: 0 });
    const items = [];
    for await (const item of await openCompressed(stored.subarray(0, -12))) items.push(item);
    expect(items.map(({ line, text }) => [line, text])).toEqual([
      [1, accountLine('A-1')],
      [2, '{"account":{"import_supplier":"SUP","external_account_number":"A-'],
    ]);
    expect(items[1]?.read()).toEqual({
      problem: {
        code: 'damaged_file',
        attr: '',
        detail: expect.stringMatching(/incomplete or damaged.*Create the file again/),
      },
    });
  });

  test('reports that only the checksum at its end is missing', async () => {
    const lines = await describeItems(await openCompressed(gzipSync(`${accountLine('A-1')}\n`).subarray(0, -8)));
    expect(lines).toEqual(['1 A-1', '2 damaged_file']);
  });
});

test('the first bytes of a compressed file are damaged at the first line', async () => {
  expect(await describeItems(await openCompressed(gzipSync('x').subarray(0, 5)))).toEqual(['1 damaged_file']);
});

test('a file that is not compressed, whatever its name, is read as it is', async () => {
  expect(await describeItems(await openCompressed(Buffer.from(accountLine('A-1'))))).toEqual(['1 A-1']);
  expect(await describeItems(await openCompressed(Buffer.alloc(0)))).toEqual([]);
});

test('a wrong check sum is reported', async () => {
  const content = gzipSync(manyLines(3000));
  content.writeUInt32LE(0, content.length - 8);
  expect((await describeItems(await openCompressed(content))).at(-1)).toMatch(/^\d+ damaged_file$/);
});

describe('the readable part is returned before the damage is reported', () => {
  const TEXT = manyLines(3000);
  const WHOLE = gzipSync(TEXT);
  const all = (count: number) => Array.from({ length: count }, (_, index) => `${index + 1} A-${index + 1}`);

  test.each([
    ['a few lines', manyLines(63), 63],
    ['many', TEXT, 3000],
  ])('all of %s, where something else follows them', async (_, text, count) => {
    const content = Buffer.concat([gzipSync(text), Buffer.from('and more\n'.repeat(20_000))]);
    expect(await describeItems(await openCompressed(content))).toEqual([...all(count), `${count + 1} damaged_file`]);
  });

  test('reports that only its checksum is wrong', async () => {
    const content = Buffer.from(WHOLE);
    content.writeUInt32LE(0, content.length - 8);
    expect(await describeItems(await openCompressed(content))).toEqual([...all(3000), '3001 damaged_file']);
  });
});

describe('without .gz in its name', () => {
  test('a file is recognised by its content', async () => {
    const { at } = await folderWith({ 'input.jsonl': gzipSync(`${accountLine('A-1')}\n${accountLine('A-2')}`) });
    const input = await openInput([at('input.jsonl')]);
    expect(await describeItems(input)).toEqual(['1 A-1', '2 A-2']);
  });

  test('standard input in any chunks, and CSV, are recognised too', async () => {
    const { folder } = await folderWith({});
    const bytes = gzipSync('number\nA-1\nA-2\n');
    const stdin = Readable.from([bytes.subarray(0, 1), bytes.subarray(1)]);
    const map = (row: Record<string, string>) => ({
      account: { import_supplier: 'SUP', external_account_number: row['number'] ?? '' },
    });
    const input = await openInput(['-'], { stdin, spoolFolder: folder, map });
    expect(await describeItems(input)).toEqual(['2 A-1', '3 A-2']);
    expect(await describeItems(input)).toEqual(['2 A-1', '3 A-2']);
    await input.close();
  });
});
