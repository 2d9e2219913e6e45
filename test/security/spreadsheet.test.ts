/**
 * The CSV files of a run in a spreadsheet, whose rules are emulated: with any separator, and whatever it drops before a sign, no cell
 * begins like a formula. test/full/spreadsheet.test.ts opens the files in LibreOffice.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readCsv } from '../../src/migration/input/csv/mapping/index.js';
import { newFolder } from '../helpers/folder.js';
import { CHARACTERS, fileOf, PLACED, writeResultFiles } from '../support/formula-cells.js';

/** What a spreadsheet may use as separator, or as several, which LibreOffice offers. */
const SEPARATORS = [';', ',', '\t', '|', ';,\t'];

/** Splits as spreadsheets do: a quote counts only at the beginning of a cell, and what follows its end belongs to the cell. */
function cellsOf(text: string, separators: string, quote: string): string[] {
  const cells: string[] = [];
  const ends = `${separators}\r\n`;
  for (let at = 0; at < text.length; at++) {
    let cell = '';
    if (text[at] === quote) {
      for (at++; at < text.length; at++) {
        if (text[at] !== quote) cell += text[at];
        else if (text[at + 1] === quote) cell += text[at++];
        else break;
      }
      at++;
    }
    for (; at < text.length && !ends.includes(text[at] ?? ''); at++) cell += text[at];
    cells.push(cell);
  }
  return cells;
}

/** Whether the first character that can be seen is, in any form of Unicode, a sign that begins a formula. */
function isFormula(cell: string): boolean {
  const first = /[\p{L}\p{N}\p{P}\p{S}]/u.exec(cell.replaceAll(/["\p{Default_Ignorable_Code_Point}]/gu, ''))?.[0] ?? '';
  return /^[=+\-@\u2212]/.test(first.normalize('NFKC'));
}

/** The formulas of a text, read in each way. A number is none, as a difference of amounts. */
const formulasOf = (text: string) => {
  const ways = SEPARATORS.flatMap((separators) => ['"', ''].flatMap((quote) => cellsOf(text, separators, quote)));
  return [...new Set(ways)].filter((cell) => isFormula(cell) && !/^-[\d,]+$/.test(cell));
};

describe('the emulated rules', () => {
  test.each([
    ['a;=1+1\r\n', '=1+1'],
    ['"a;=1+1";b\r\n', '=1+1"'],
    ['"a";"b,=1+1"\r\n', '=1+1"'],
    ['"a";"b,""=1+1"\r\n', '=1+1"'],
    ['"a\n=1+1"\r\n', '=1+1"'],
    ['\u0000=1+1\r\n', '\u0000=1+1'],
    ['\u200b\uff1d1+1\r\n', '\u200b\uff1d1+1'],
  ])('find the formula in %j', (text, formula) => {
    expect(formulasOf(text)).toContain(formula);
  });
});

describe.each(['ok', 'rejected'] as const)('%s.csv', (name) => {
  test('has no formula at the beginning of a cell, after another separator, or after a quote', async () => {
    const text = (await writeResultFiles(PLACED))[name];
    expect(text).toContain("'=1+1");
    expect(formulasOf(text)).toEqual([]);
  });
});

describe('a file that a run writes', () => {
  test('has no formula after any character of the Basic Multilingual Plane', { tags: 'long' }, () => {
    expect(formulasOf(fileOf(CHARACTERS.map((character) => `${character}=1+1`)))).toEqual([]);
  });

  test('has no formula that begins with another form of a sign', { tags: 'long' }, () => {
    const text = fileOf(CHARACTERS.map((character) => `${character}1+1`));
    expect(text).toContain(`"'\uff1d1+1"`);
    expect(formulasOf(text)).toEqual([]);
  });
});

test('rejected.csv is read again by this program as it is: the same cells, the formulas with an apostrophe', async () => {
  const folder = newFolder('spreadsheet-');
  const path = join(folder, 'rejected.csv');
  writeFileSync(path, (await writeResultFiles(['=1+1', 'A;=1', 'a "b", c', 'é\nf', 'A-1'])).rejected);
  const cells: unknown[] = [];
  for await (const row of readCsv(path)) cells.push([row['key'], row['reason']]);
  expect(cells).toEqual([
    ["'=1+1", "'=1+1"],
    ["A;'=1", "A;'=1"],
    ['a "b", c', 'a "b", c'],
    ['é\nf', 'é\nf'],
    ['A-1', 'A-1'],
  ]);
});
