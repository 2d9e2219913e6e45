/** Exports `refuseIncomplete`: a record is not sent without a row that seems to belong to it and that cannot be read. */
import { keyedRecord } from '../record/record-key.js';
import { placeInWords } from '../shared/place.js';
import type { InputLine } from './source.js';
import { problem } from './text/parse-record.js';

/**
 * Returns a function that returns an item, or a rejected line in its place, if a text of an unreadable row is the number of its record, or a
 * cell of its row that the number has, such as `17` in `C-0017`. `unreadable` may grow. `row`: the row of the item, for correction.
 */
export function refuseIncomplete(
  unreadable: readonly InputLine[],
): (item: InputLine, row?: { text: string; cells: readonly string[] }) => InputLine {
  const byText = new Map<string, InputLine>();
  let read = 0;
  return (item, row = { text: '', cells: [] }) => {
    for (; read < unreadable.length; read++) {
      const line = unreadable[read] as InputLine;
      for (const text of line.texts?.() ?? []) if (!byText.has(text.trim())) byText.set(text.trim(), line);
    }
    if (byText.size === 0) return item;
    const { number = '' } = keyedRecord(item)?.key ?? {};
    const cell = [number, ...row.cells].find((text) => byText.has(text) && isMainPart(text, number));
    const missing = cell === undefined ? undefined : byText.get(cell);
    if (missing === undefined) return item;
    const { source, line, label, hash } = item;
    const found = problem('incomplete_record', incompleteInWords(placeInWords(missing)));
    return { source, line, hash, text: row.text, read: () => found, ...(label !== undefined && { label }) };
  };
}

/** Returns whether the text is the number, or all of it but zeros and signs that are no digits. */
function isMainPart(text: string, number: string): boolean {
  if (text === '' || number === '') return false;
  if (text === number) return true;
  return /[1-9]/.test(text) && number.includes(text) && !/[1-9]/.test(number.replace(text, ''));
}

/** `place`: of the row that cannot be read. */
export function incompleteInWords(place: string): string {
  return `${place}: a row that seems to belong to this record cannot be read, and the record is not sent without it. Correct the row, which is listed as rejected.`;
}
