/** Cells that a spreadsheet may take for formulas, written into ok.csv and rejected.csv of a run. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openRunFolder } from '../../src/migration/report/folder/run-folder.js';
import { csvRow } from '../../src/migration/report/result-files/csv-cell.js';
import { newFolder } from '../helpers/folder.js';
import { ledgerOf, record } from '../migration/ledger/records.js';

/** Every character of the Basic Multilingual Plane but surrogates, which no UTF-8 has. */
export const CHARACTERS = Array.from({ length: 0x10000 }, (_, code) => code)
  .filter((code) => code < 0xd800 || code > 0xdfff)
  .map((code) => String.fromCharCode(code));

/** What a spreadsheet shows as 2 if it computes the cell. */
const FORMULAS = ['=1+1', '+1+1', '-1+3', '@SUM(1,1)'];

/** Cells with a formula at their beginning, after another separator, or after what only seems to end a quoted cell. */
const BEFORE = [
  ...['', 'A;', 'A,', 'A\t', 'A|', 'A\n', 'A\r', 'A\r\n', '"', 'A";', 'A,"', 'A;""', '";', ' ', '\u0000', ';\u0000'],
  ...[',\uFEFF '],
];

export const PLACED = BEFORE.flatMap((before) => FORMULAS.map((formula) => before + formula));

/** A file of many cells, written as those of a run are. */
export const fileOf = (cells: readonly string[]) => cells.map((cell) => csvRow(['A-1', cell, 'B'])).join('');

/** Writes both files, with each cell as the number of a record, in its file and in its errors. Returns their texts. */
export async function writeResultFiles(cells: readonly string[]): Promise<{ ok: string; rejected: string }> {
  const folder = newFolder('formula-cells-');
  const written = (name: string) => readFileSync(join(folder, name, `${name}.csv`), 'utf8');
  const ok = await openRunFolder(join(folder, 'ok'));
  const created = { outcome: 'created' } as const;
  await ok.writeOutcome(await ledgerOf(cells.map((cell) => record(cell, { ...created, serviceNumber: cell }))));
  const rejected = await openRunFolder(join(folder, 'rejected'));
  const refused = cells.map((cell) =>
    record(cell, {
      outcome: 'rejected',
      source: cell,
      errors: [{ step: 'stage', code: cell, attr: cell, detail: cell }],
    }),
  );
  await rejected.writeOutcome(await ledgerOf(refused));
  return { ok: written('ok'), rejected: written('rejected') };
}
