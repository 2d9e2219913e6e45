/**
 * Whatever texts a CSV file has, and however it is written: reading what was written gives the same, but for a row of several lines of which
 * the first and the last one look like rows, which may be rejected.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openInput } from '../../../src/migration/input/open-input.js';
import { seed } from '../../helpers/seed.js';
import { folderWith } from './reading.js';

const cell = fc
  .array(fc.constantFrom('a', 'B', '0', 'é', 'Ü', '€', '"', ';', ',', '\t', '|', ' ', '\n', "'", '12,5'), {
    maxLength: 6,
  })
  .map((parts) => parts.join(''))
  .filter((text) => !/^="/.test(text));
const file = fc.record({
  rows: fc.array(fc.tuple(cell, cell), { minLength: 1, maxLength: 12 }),
  delimiter: fc.constantFrom(';', ',', '\t', '|'),
  lineEnd: fc.constantFrom('\n', '\r\n'),
  isAllQuoted: fc.boolean(),
  encoding: fc.constantFrom('utf-8', 'utf-16le'),
  hasMark: fc.boolean(),
});

test('for any texts, delimiter, quoting, line end and encoding', { tags: 'long' }, async () => {
  await fc.assert(
    fc.asyncProperty(file, async ({ rows, delimiter, lineEnd, isAllQuoted, encoding, hasMark }) => {
      const written = (text: string) =>
        isAllQuoted || text.includes(delimiter) || /["\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
      const lines = [['number', 'n', 'm'], ...rows.map((row, at) => [`A-${at}`, ...row])];
      const text = `${hasMark ? '\ufeff' : ''}${lines.map((row) => row.map(written).join(delimiter)).join(lineEnd)}`;
      const content = Buffer.from(text, encoding === 'utf-8' ? 'utf8' : 'utf16le');
      const { at } = await folderWith({ 'a.csv': content });
      const read: string[][] = [];
      const map = (row: Record<string, string>) => {
        read.push(Object.values(row));
        return [];
      };
      const fieldsIn = (line = '') => line.split(delimiter).length;
      const mayBeSeveral = (row: string) => {
        const [first, ...others] = row.split('\n');
        return !isAllQuoted && others.length > 0 && fieldsIn(first) >= 3 && fieldsIn(others.at(-1)) >= 3;
      };
      const rejected: string[] = [];
      for await (const line of await openInput([at('a.csv')], { encoding, map: { delimiter, map } })) {
        expect(line.read()).toMatchObject({
          problem: { detail: expect.stringContaining('lines may be several rows') },
        });
        expect(line.text).toSatisfy(mayBeSeveral);
        rejected.push(line.text);
      }
      expect(read).toEqual(lines.slice(1).filter((row) => !rejected.includes(row.map(written).join(delimiter))));
    }),
    { seed, numRuns: 150 },
  );
});
