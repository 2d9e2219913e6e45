/** Rows of CSV: which lines each has, and its fields; the same however many lines come at a time. */
import { describe, expect, test } from 'vitest';
import { splitRows } from '../../../src/migration/input/csv/split-rows.js';
import type { Line } from '../../../src/migration/input/text/split-lines.js';
import { rowsOf as tableOf } from '../../helpers/rows.js';

const linesOf = (text: string): Line[] =>
  text.split('\n').map((line, index) => ({ number: index + 1, bytes: Buffer.from(line) }));

/** Groups of lines, as parts of a file bring them. */
const GROUPINGS: Record<string, (lines: Line[]) => Line[][]> = {
  'all at once': (lines) => [lines],
  'the header first, then all others': ([header, ...others]) => [header === undefined ? [] : [header], others],
  'one by one': (lines) => lines.map((line) => [line]),
  'two by two': (lines) => lines.flatMap((_, at) => (at % 2 === 0 ? [lines.slice(at, at + 2)] : [])),
};

async function rowsOf(groups: Line[][], longest?: number): Promise<[lines: number[], fields: string[] | undefined][]> {
  const rows: [number[], string[] | undefined][] = [];
  async function* inGroups() {
    yield* groups;
  }
  for await (const { lines, fields } of splitRows(inGroups(), { longest }))
    rows.push([lines.map(({ number }) => number), fields]);
  return rows;
}

const HEADER: [number[], string[]] = [[1], ['n', 'm']];

describe.each(Object.entries(GROUPINGS))('lines that come %s', (_, group) => {
  // Of the last one both quotes are stray ones: together they would be a row of one field.
  test.each(tableOf<[what: string, text: string, rows: [lines: number[], fields: string[] | null][]]>`
    plain rows | "n;m\nA;1\nB;2" | [[[2],["A","1"]],[[3],["B","2"]]]
    blank lines between them | "n;m\n\nA;1\n \nB;2\n" | [[[3],["A","1"]],[[5],["B","2"]]]
    quotes around delimiters and quotes | "n;m\n\"A;B\";\"say \"\"x\"\"\"\nC;3" | [[[2],["A;B","say \"x\""]],[[3],["C","3"]]]
    a field of two lines | "n;m\nA;\"one\ntwo\"\nB;2" | [[[2,3],["A","one\ntwo"]],[[4],["B","2"]]]
    a row with too few fields and one with too many | "n;m\nA\nB;2;3\nC;4" | [[[2],["A"]],[[3],["B","2","3"]],[[4],["C","4"]]]
    a quote within a field | "n;m\nA\"x\";1\nB;2" | [[[2],["A\"x\"","1"]],[[3],["B","2"]]]
    a quote that is never closed | "n;m\nA;\"1\nB;2\nC;3" | [[[2],null],[[3],["B","2"]],[[4],["C","3"]]]
    quotes of two lines that do not belong together | "n;m\n\"A\nB\"\nC;3" | [[[2],null],[[3],["B\""]],[[4],["C","3"]]]
    two rows that the stray quotes of one column would join | "n;m\n1;\"A\n2;B\"\n3;C" | [[[2,3],null],[[4],["3","C"]]]
    and the rows between them | "n;m\n1;\"A\n2;B\nC\n4;\n5;D\"\n6;E" | [[[2,3,4,5,6],null],[[7],["6","E"]]]
    a text of two lines with a quote that is written twice | "n;m\nA;\"one\nsay \"\"x\"\";two\"\nB;2" | [[[2,3],["A","one\nsay \"x\";two"]],[[4],["B","2"]]]
    a text of two lines with delimiters | "n;m\n1;\"one\ntwo;three\"\n2;B" | [[[2,3],["1","one\ntwo;three"]],[[4],["2","B"]]]
  `)('%s', async (_, text, rows) => {
    expect(await rowsOf(group(linesOf(text)))).toEqual([
      HEADER,
      ...rows.map(([lines, fields]) => [lines, fields ?? undefined]),
    ]);
  });

  test.each(tableOf<[what: string, text: string, rows: [lines: number[], fields: string[] | null][]]>`
    two rows that stray quotes would join, and empty fields | "n;m;k;l\n1;\"A;;\n2;B\";x;y" | [[[1],["n","m","k","l"]],[[2,3],null]]
    two rows that the stray quotes of the first column would join | "n;m;k\n\"A;1;x\nB\";2;\n3;4;z" | [[[1],["n","m","k"]],[[2,3],null],[[4],["3","4","z"]]]
    two rows that stray quotes would join, with quotes of other fields | "n;m;k;l\n1;\"x;y\";\"A;5\n2;C;D\";\"y;z\"" | [[[1],["n","m","k","l"]],[[2,3],null]]
    a text of two lines with a space after its delimiters | "n;m;k\nA;\"one; two\nthree; four\";B" | [[[1],["n","m","k"]],[[2,3],["A","one; two\nthree; four","B"]]]
    two rows that stray quotes would join, and another form of one column in two | "n;m;k\n1;\"A;12\n2;B\";12 b" | [[[1],["n","m","k"]],[[2,3],null]]
    a text of two lines with delimiters, where each field is in quotes | "n;m;k\n\"A\";\"one;two\nthree;four\";\"B\"" | [[[1],["n","m","k"]],[[2,3],["A","one;two\nthree;four","B"]]]
    a text of two lines that begins with a quote and ends with delimiters, where each field is in quotes | "n;m;k\n\"A\";\"\";\"\n\"\";;\"" | [[[1],["n","m","k"]],[[2,3],["A","","\n\";;"]]]
    such a text with a word between its delimiters, where each field is in quotes | "n;m;k\n\"A\";\"B\";\"\n\"\";C;\"" | [[[1],["n","m","k"]],[[2,3],["A","B","\n\";C;"]]]
    a text of two lines with a delimiter and no other text in the row | "n;m\n;\"\n;\"" | [[[1],["n","m"]],[[2,3],["","\n;"]]]
    a text of two lines in a file of one column | "n\n\"one\ntwo\"" | [[[1],["n"]],[[2,3],["one\ntwo"]]]
    a column whose name has two lines | "\"n\nm\";k\nA;1" | [[[1,2],["n\nm","k"]],[[3],["A","1"]]]
  `)('%s', async (_, text, rows) => {
    expect(await rowsOf(group(linesOf(text)))).toEqual(rows.map(([lines, fields]) => [lines, fields ?? undefined]));
  });

  test('a row that is longer than a row may be, because its quote is never closed', async () => {
    const text = `n;m\nA;"1\n${'B;2\n'.repeat(4)}C;3`;
    expect(await rowsOf(group(linesOf(text)), 10)).toEqual([
      HEADER,
      [[2], undefined],
      [[3], ['B', '2']],
      [[4], ['B', '2']],
      [[5], ['B', '2']],
      [[6], ['B', '2']],
      [[7], ['C', '3']],
    ]);
  });

  test('a row that is longer than a row may be, although its quote is closed', async () => {
    expect(await rowsOf(group(linesOf('n;m\nA;"1\nBBBBBBBB;2\nC;3"')), 10)).toEqual([
      HEADER,
      [[2], undefined],
      [[3], ['BBBBBBBB', '2']],
      [[4], ['C', '3"']],
    ]);
  });
});
