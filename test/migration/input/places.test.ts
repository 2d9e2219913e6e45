/** The place of a line in its file: the bytes at that place are exactly the line. */
import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { openInput } from '../../../src/migration/input/open-input.js';
import { inputFromRecords } from '../../../src/migration/input/records-input.js';
import type { Input, InputLine } from '../../../src/migration/input/source.js';
import { readJsonLines } from '../../../src/migration/input/text/json-lines.js';
import { splitLines } from '../../../src/migration/input/text/split-lines.js';
import { seed } from '../../helpers/seed.js';
import { accountLine, folderWith, oneByOne } from './reading.js';

async function allOf(source: Input): Promise<InputLine[]> {
  const items: InputLine[] = [];
  for await (const item of source) items.push(item);
  return items;
}

const placesOf = async (source: Input) => (await allOf(source)).map(({ place }) => place);

describe('a line of a plain file', () => {
  test.each([
    // {"a":1} has 7 bytes, {"b":"é"} has 10.
    ['LF', '{"a":1}\n{"b":"é"}\n', [0, 7], [8, 10]],
    ['CRLF', '{"a":1}\r\n{"b":"é"}\r\n', [0, 7], [9, 10]],
    ['no end of the last line', '{"b":"é"}\n{"a":1}', [0, 10], [11, 7]],
    ['a byte order mark', '\ufeff{"a":1}\n{"b":"é"}\n', [3, 7], [11, 10]],
    ['a byte order mark and CRLF', '\ufeff{"a":1}\r\n{"b":"é"}', [3, 7], [12, 10]],
    ['blank lines', '\n{"a":1}\n\r\n  \n\n{"b":"é"}\n', [1, 7], [15, 10]],
    ['blanks around it, which are its own', ' {"a":1}\t\n{"b":"é"}', [0, 9], [10, 10]],
  ])('is where it is with %s', async (_, content, ...places) => {
    const { at } = await folderWith({ 'input.jsonl': content });
    const expected = places.map(([start, length]) => ({ start, length }));
    expect(await placesOf(await openInput([at('input.jsonl')]))).toEqual(expected);
  });

  test('is correct in the second file of an input, and beyond the first chunk', async () => {
    const long = `{"account":{"given_name":"${'é'.repeat(700_000)}"}}`;
    const { at } = await folderWith({ '1.jsonl': '{"a":1}\n', '2.jsonl': `${long}\n{"b":2}\n` });
    expect(await placesOf(await openInput([at('1.jsonl'), at('2.jsonl')]))).toEqual([
      { start: 0, length: 7 },
      { start: 0, length: 1_400_029 },
      { start: 1_400_030, length: 7 },
    ]);
  });

  test('has no place if it is longer than a line may be: its stored text differs from the file', async () => {
    const { at } = await folderWith({ 'input.jsonl': `{"a":"${'x'.repeat(100)}"}\n{"b":2}\n` });
    const input = await openInput([at('input.jsonl')], { longestLine: 50 });
    expect(await placesOf(input)).toEqual([undefined, { start: 109, length: 7 }]);
  });
});

describe('no place', () => {
  const line = `${accountLine('A-1')}\n`;

  test('in a compressed file', async () => {
    const { at } = await folderWith({ 'input.jsonl.gz': gzipSync(line) });
    expect(await placesOf(await openInput([at('input.jsonl.gz')]))).toEqual([undefined]);
  });

  test('in CSV', async () => {
    const { at } = await folderWith({ 'input.csv': 'number\nA-1\n' });
    const map = () => ({ account: { import_supplier: 'SUP', external_account_number: 'A-1' } });
    expect(await placesOf(await openInput([at('input.csv')], { map }))).toEqual([undefined]);
  });

  test('in standard input', async () => {
    const input = await openInput(['-'], { stdin: Readable.from([Buffer.from(line)]) });
    expect(await placesOf(input)).toEqual([undefined]);
    await input.close();
  });

  test('in records from code', async () => {
    expect(await placesOf(inputFromRecords([{ account: {} }]))).toEqual([undefined]);
  });
});

// biome-ignore format: one thing after another
const telling = fc.constantFrom(
  '\n', '\n', '\r\n', '\r', '\ufeff', ' ', '\t', '{"account":{}}', '{"a":"é"}', '"😀"', '\u2028', 'x'.repeat(30), '\u0000',
);
const anyBytes = fc
  .tuple(
    fc.constantFrom('', '\ufeff'),
    fc.array(fc.oneof(telling, fc.string({ maxLength: 5 })), { maxLength: 60, size: 'max' }),
  )
  .map(([mark, parts]) => Buffer.from(mark + parts.join('')));

async function* inParts(bytes: Buffer, sizes: Iterator<number>): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; ) {
    const size = sizes.next().value as number;
    yield bytes.subarray(at, at + size);
    at += size;
  }
}

const LF = 0x0a;

describe('for any content and any chunks of a file', () => {
  test('the bytes at the place of each line have its hash, and begin at the beginning of a line', async () => {
    let seen = 0;
    await fc.assert(
      fc.asyncProperty(anyBytes, fc.infiniteStream(fc.integer({ min: 1, max: 20 })), async (bytes, sizes) => {
        const items = await allOf(
          oneByOne(readJsonLines('input.jsonl', splitLines(inParts(bytes, sizes)), { isPlain: true })),
        );
        let end = 0;
        for (const { place, hash: expected, line } of items) {
          const { start, length } = place ?? { start: -1, length: 0 };
          expect(hash('sha256', bytes.subarray(start, start + length))).toBe(expected);
          expect(start).toBeGreaterThanOrEqual(end);
          // A byte order mark may stand between the line end and the line.
          if (line > 1) expect([LF, 0xbf]).toContain(bytes[start - 1]);
          end = start + length;
          seen++;
        }
      }),
      { seed, numRuns: 500 },
    );
    expect(seen).toBeGreaterThan(1000);
  });

  test('so it is when the file is read from the disk', async () => {
    const text = `\ufeff${accountLine('A-1')}\r\n\n${accountLine('Ä-2')}\n${accountLine('A-3')}`;
    const { at } = await folderWith({ 'input.jsonl': text });
    const bytes = await readFile(at('input.jsonl'));
    const items = await allOf(await openInput([at('input.jsonl')]));
    const sliced = items.map(({ place }) =>
      bytes.toString('utf8', place?.start, (place?.start ?? 0) + (place?.length ?? 0)),
    );
    expect(sliced).toEqual([accountLine('A-1'), accountLine('Ä-2'), accountLine('A-3')]);
  });
});
