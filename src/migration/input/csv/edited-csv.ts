/** Exports `openSheet`: a CSV file that a person has written or edited in a spreadsheet, whichever separator that uses; and `inCell`. */
import { stat } from 'node:fs/promises';
import { withoutApostrophes } from '../../report/result-files/csv-cell.js';
import { InputError, whyNotRead } from '../input-error.js';
import { encodingOf } from '../text/code-pages.js';
import { openText } from '../text/open-text.js';
import { detailOf } from '../text/parse-record.js';
import { readChunks } from '../text/read-chunks.js';
import { createRowReader } from './check-rows.js';
import { csvLines } from './line-ends.js';
import { splitRows } from './split-rows.js';

export interface SheetRow {
  line: number;
  /** Returns the text of a column as `inCell`; '' for one that the sheet does not have. */
  cell(column: string): string;
  /** Why its cells cannot be read, as a sentence. */
  flaw?: string;
}

/**
 * Opens the file and reads its header, as that of any CSV input. Rejects with an `InputError` for a file that cannot be read. Leaves out rows
 * without data.
 */
export async function openSheet(path: string, encoding?: string) {
  const rows = splitRows(await linesOf(path, encoding))[Symbol.asyncIterator]();
  let header: readonly string[] | undefined;
  const read = createRowReader(path);
  const first = await rows.next();
  if (!first.done) {
    const found = read({ ...first.value, fields: first.value.fields?.map((name) => name.trim()) });
    if ('problem' in found) throw new InputError(`${path}: ${detailOf(found.problem)}`);
    if ('columns' in found) header = found.columns;
  }
  async function* readRows(): AsyncGenerator<SheetRow> {
    for (let next = await rows.next(); !next.done; next = await rows.next()) {
      const found = read(next.value);
      const line = next.value.lines[0].number;
      if ('problem' in found) yield { line, cell: () => '', flaw: detailOf(found.problem) };
      if (!('fields' in found)) continue;
      const { fields } = found;
      const cell = (column: string) => {
        const place = header?.indexOf(column) ?? -1;
        return place < 0 ? '' : inCell(fields[place] ?? '');
      };
      yield { line, cell };
    }
  }
  return { header, rows: readRows() };
}

/** Returns a text as it is read from a cell: without spaces around it, and without the apostrophe before a formula. */
export function inCell(text: string): string {
  return withoutApostrophes(text.trim());
}

async function linesOf(path: string, given: string | undefined) {
  const file = await stat(path).catch((error: unknown) => whyNotRead(error));
  if (typeof file === 'string' || !file.isFile()) {
    throw new InputError(
      `${path}: ${typeof file === 'string' ? `it cannot be read (${file})` : 'it is no file'}; expected a CSV file.`,
    );
  }
  const named = given && encodingOf(given, '--encoding');
  const unread = { name: path, format: 'csv', given: named } as const;
  const { encoding, chunks } = await openText(unread, () => readChunks(path));
  return csvLines(path, chunks(), { encoding });
}
