/** Whatever is in a file: records and problems come of it, at the right lines, and never an error. */
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { RowPlace } from '../../../src/migration/input/csv/load-mapping.js';
import { readCsvRecords } from '../../../src/migration/input/csv/map-rows.js';
import { splitRows } from '../../../src/migration/input/csv/split-rows.js';
import { createFileFacts } from '../../../src/migration/input/input-file.js';
import type { InputLine } from '../../../src/migration/input/source.js';
import { readJsonLines } from '../../../src/migration/input/text/json-lines.js';
import { decompressed } from '../../../src/migration/input/text/read-chunks.js';
import { splitLines } from '../../../src/migration/input/text/split-lines.js';
import { seed } from '../../helpers/seed.js';
import { describeItems, oneByOne } from './reading.js';

const LONGEST = 60;

/** Bytes that mean something to a reader, more often than chance would have them. */
// biome-ignore format: one thing after another
const telling = fc.constantFrom(
  '\n', '\r\n', '\r', '\ufeff', ' ', '"', '""', ',', ';', '{', '}', '[', 'null', '{"account":{}}', '{"business":{}}',
  '{"account":{"external_account_number":"A-1"}}', '\u2028', 'é', 'number,name\n', 'A-1,"x\ny"\n', 'x'.repeat(LONGEST),
);
const anyBytes = fc
  .array(
    fc.oneof(
      telling.map((text) => Buffer.from(text)),
      fc.uint8Array({ maxLength: 8 }),
    ),
    { maxLength: 40 },
  )
  .map((parts) => Buffer.concat(parts));

/** Where a stream of the bytes may be cut. */
const cuts = fc.infiniteStream(fc.integer({ min: 1, max: 20 }));

async function* inParts(bytes: Buffer, sizes: Iterator<number>): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; ) {
    const size = sizes.next().value as number;
    yield bytes.subarray(at, at + size);
    at += size;
  }
}

/** Each byte is a character: nothing is decoded, and lines are as the bytes have them. */
function linesThatHoldSomething(bytes: Buffer): number[] {
  return bytes
    .toString('latin1')
    .split('\n')
    .flatMap((line, index) => {
      const isBlank = !line.includes('\0') && !/[^\0-\u0020]/.test(line.replace(/^(?:\u00ef\u00bb\u00bf)+/, ''));
      return isBlank ? [] : [index + 1];
    });
}

const describeBatches = (items: AsyncIterable<InputLine[]>) => describeItems(oneByOne(items));

const parameters = { seed, numRuns: 1000 };

test('JSON Lines: one item for each line that is not blank, with its line number', async () => {
  await fc.assert(
    fc.asyncProperty(anyBytes, cuts, async (bytes, sizes) => {
      const items = await describeBatches(readJsonLines('input', splitLines(inParts(bytes, sizes), LONGEST)));
      expect(items.map((item) => Number(item.split(' ')[0]))).toEqual(linesThatHoldSomething(bytes));
    }),
    parameters,
  );
});

test('the size of the chunks has no effect', async () => {
  await fc.assert(
    fc.asyncProperty(anyBytes, cuts, cuts, async (bytes, sizes, otherSizes) => {
      const read = async (parts: Iterator<number>) => {
        const items: [number, string, string][] = [];
        for await (const item of oneByOne(readJsonLines('input', splitLines(inParts(bytes, parts), LONGEST)))) {
          items.push([item.line, item.text, item.hash]);
        }
        return items;
      };
      expect(await read(sizes)).toEqual(await read(otherSizes));
    }),
    parameters,
  );
});

test('an incomplete compressed file returns the first items of the whole file, and an error with the line', async () => {
  await fc.assert(
    fc.asyncProperty(
      anyBytes,
      fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
      cuts,
      async (bytes, share, sizes) => {
        const whole = await describeBatches(readJsonLines('input', splitLines(inParts(bytes, sizes), LONGEST)));
        const compressed = gzipSync(bytes);
        const cut = compressed.subarray(0, Math.floor(compressed.length * share));
        const items = await describeBatches(
          readJsonLines(
            'input',
            splitLines(
              decompressed(() => inParts(cut, sizes)),
              LONGEST,
            ),
          ),
        );
        expect(items.at(-1)).toMatch(/^\d+ damaged_file$/);
        expect(whole.slice(0, items.length - 1)).toEqual(items.slice(0, -1));
      },
    ),
    { ...parameters, numRuns: 300 },
  );
});

test('any bytes as a compressed file: items, at lines that go up, and never an error', { tags: 'long' }, async () => {
  await fc.assert(
    fc.asyncProperty(anyBytes, cuts, async (bytes, sizes) => {
      const items = await describeBatches(
        readJsonLines(
          'input',
          splitLines(
            decompressed(() => inParts(bytes, sizes)),
            LONGEST,
          ),
        ),
      );
      // Nothing that is made here is gzip by chance.
      expect(items).toEqual(['1 damaged_file']);
    }),
    { ...parameters, numRuns: 300 },
  );
});

test('CSV: records and problems begin on lines that hold something, each on its own', { tags: 'long' }, async () => {
  await fc.assert(
    fc.asyncProperty(anyBytes, cuts, async (bytes, sizes) => {
      const mapped: number[] = [];
      const map = (row: Record<string, string>, { line }: RowPlace) => {
        mapped.push(line);
        return { account: { import_supplier: 'SUP', external_account_number: Object.values(row).join() } };
      };
      const mapping = { map, showPersonalData: false };
      const reading = createFileFacts('input', false).beginReading();
      const items = await describeBatches(
        readCsvRecords('input', splitLines(inParts(bytes, sizes), LONGEST), mapping, reading),
      );
      const numbers = items.map((item) => Number(item.split(' ')[0]));
      expect(numbers).toEqual([...new Set(numbers)].sort((one, other) => one - other));
      expect(linesThatHoldSomething(bytes)).toEqual(expect.arrayContaining(numbers));
      expect(numbers).toEqual(expect.arrayContaining(mapped));
    }),
    parameters,
  );
});

/** Text of CSV in which quotes, delimiters and line ends are frequent. */
const quotedText = fc
  .array(fc.constantFrom('a', 'é', '"', '""', ';', '\n', '\r\n', ' ', '"x;y"', 'b;c'), { maxLength: 60 })
  .map((parts) => Buffer.from(`n;m\n${parts.join('')}`));

test('CSV: rows that are parsed in one block are the rows that are parsed one by one', async () => {
  // The header comes first by itself: a block is parsed at once if the header is known.
  const rowsIn = async (bytes: Buffer, size: number) => {
    const rows: unknown[] = [];
    for await (const { lines, text, fields } of splitRows(splitLines(inParts(bytes, headerThen(size)), LONGEST), {
      longest: LONGEST,
    })) {
      rows.push([lines.map(({ number }) => number), text, fields]);
    }
    return rows;
  };
  await fc.assert(
    fc.asyncProperty(quotedText, async (bytes) => {
      expect(await rowsIn(bytes, bytes.length)).toEqual(await rowsIn(bytes, 1));
    }),
    { ...parameters, numRuns: 1000 },
  );
});

function* headerThen(size: number): Generator<number> {
  yield 'n;m\n'.length;
  for (;;) yield size;
}
