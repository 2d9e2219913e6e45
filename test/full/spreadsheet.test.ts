/** ok.csv and rejected.csv in LibreOffice, with the separator of the file and with others: no cell becomes a formula. */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { hasProgram } from '../helpers/debian.js';
import { newFolder } from '../helpers/folder.js';
import { CHARACTERS, fileOf, PLACED, writeResultFiles } from '../support/formula-cells.js';

const SOFFICE = '/usr/bin/soffice';
const hasOffice = hasProgram(SOFFICE, 'libreoffice-calc-nogui', 'the CSV files of a run in LibreOffice');

/** Codes of characters, as the filter for CSV takes them; several are used together. */
const SEPARATORS = { semicolon: '59', comma: '44', tab: '9', 'semicolon, comma and tab': '59/44/9' };
const UTF_8 = 76;
const QUOTE = 34;

/** Returns the formulas of the document that LibreOffice makes of the texts. */
function formulasIn(text: string, separators: string): string[] {
  const folder = newFolder('spreadsheet-');
  writeFileSync(join(folder, 'file.csv'), text);
  const args = [
    ...[`-env:UserInstallation=file://${folder}/profile`, '--headless'],
    ...[`--infilter=CSV:${separators},${QUOTE},${UTF_8},1`, '--convert-to', 'fods', '--outdir', folder],
  ];
  execFileSync(SOFFICE, [...args, join(folder, 'file.csv')], { stdio: 'ignore' });
  const document = readFileSync(join(folder, 'file.fods'), 'utf8');
  expect(document).toContain('<table:table-cell');
  return [...document.matchAll(/table:formula="([^"]*)"/g)].map(([, formula = '']) => formula);
}

describe.skipIf(!hasOffice)('in LibreOffice', () => {
  test('a formula that is written as it is becomes one', () => {
    const text = 'a;=1+1\r\nb,"c;=1+2;d"\r\n"e";"\u0000=1+3"\r\n';
    expect(formulasIn(text, SEPARATORS.semicolon)).toEqual(['of:=1+1', 'of:=1+2', 'of:=1+3']);
  });

  describe.each(Object.entries(SEPARATORS))('read with %s', (_, separators) => {
    test('the files of a run have no formula', async () => {
      const { ok, rejected } = await writeResultFiles(PLACED);
      expect(formulasIn(ok, separators)).toEqual([]);
      expect(formulasIn(rejected, separators)).toEqual([]);
    });

    test('a file has no formula after any character of the Basic Multilingual Plane', () => {
      const cells = CHARACTERS.flatMap((character) => [`${character}=1+1`, `A;${character}=1+1`]);
      expect(formulasIn(fileOf(cells), separators)).toEqual([]);
    });
  });
});
