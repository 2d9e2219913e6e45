/**
 * Exports `writeWithCsv`, which writes rejected.csv in addition to rejected.jsonl: one row for each error, for people with a spreadsheet, who
 * can fill in its column `new value` and give the sheet to `retry`.
 */
import { placeInWords } from '../../shared/place.js';
import { jsonIn } from '../../shared/regular-file.js';
import { byPlace, createGroups, hintOf } from '../summary/error-groups.js';
import { remedyOf } from '../summary/remedies.js';
import { csvHeader, csvRow } from './csv-cell.js';
import { type LineError, scalarAt } from './input-column.js';
import type { LineEntry } from './rejected-and-missing-lines.js';

export const REJECTED_CSV = 'rejected.csv';

/** The column that identifies the line of a row, wherever it is by now. */
export const HASH = 'hash';

type Write = (text: string) => Promise<void>;

const HEADER = csvHeader([
  ...['file', 'line', 'key', 'field', 'column', 'code', 'reason', 'what to do', 'value', 'new value', HASH],
]);

/** Returns what the column has for the hash of a line. It begins with a letter: a spreadsheet would round digits, also those of `1e5`. */
export function contentMark(hash: string): string {
  return `x${hash.slice(0, 16)}`;
}

/** Writes the header to `csv`. `areValuesShown`: whether the run may store values (`showPersonalData`). */
export async function writeWithCsv(jsonl: Write, csv: Write, areValuesShown: boolean) {
  await csv(HEADER);
  const groups = createGroups([], byPlace);
  return {
    /** Writes an entry of rejected.jsonl, and its rows of rejected.csv. */
    async write(entry: string): Promise<void> {
      await jsonl(entry);
      const { source, line, number, hash, original, errors } = JSON.parse(entry) as LineEntry;
      const record = areValuesShown && original !== null ? jsonIn(original) : undefined;
      const found = errors.map((error) => ({ ...error, value: scalarAt(error.attr, record) ?? null }));
      await csv(rowsOf([source, String(line), number], found, contentMark(hash)));
      for (const error of found) groups.add(placeOfValue({ source, line }, error), [error]);
    },
    /** Returns the errors by kind, with the first places, each with its column and its value if that is shown. */
    errors: groups.list,
  };
}

function placeOfValue(place: Pick<LineEntry, 'source' | 'line'>, { column, value }: Found): string {
  const ofColumn = column === undefined ? '' : ` column "${column}"`;
  return `${placeInWords(place)}${ofColumn}${value === null ? '' : `: ${value}`}`;
}

/** An error with its value, if that may be shown. */
type Found = LineError & { value: string | null };

/** Remedies for a value that a CSV file has and that the mapping has not changed. */
const IN_A_COLUMN: Readonly<Record<string, string | undefined>> = {
  invalid_date:
    'Correct the date: in the export in the form of its column, in this sheet as YYYY-MM-DD. If the mapping does not convert that form yet, use parseDate of data-import-sdk/mapping in it.',
  invalid_type:
    'Correct the value. If it is a number that the mapping does not convert yet, use parseDecimal of data-import-sdk/mapping in it.',
  invalid_phone_number:
    'Correct the number: in this sheet with + and the country code. If only the country code is missing, use parsePhone of data-import-sdk/mapping in the mapping.',
};

function rowsOf(place: readonly (string | null)[], errors: readonly Found[], mark: string): string {
  if (errors.length === 0) return csvRow([...place, null, null, null, null, null, null, null, mark]);
  return errors
    .map(({ code, attr, detail, didYouMean, column = null, value }) => {
      const [cause, action] = atFirstSentence(remedyOf(code));
      // Of the details of a row, the sentences after the first one say how to correct it.
      const [reason, correction] = code === 'invalid_csv' ? atFirstSentence(detail ?? '') : [detail, ''];
      const remedy = (column === null ? undefined : IN_A_COLUMN[code]) ?? action;
      const whatToDo = `${[correction, remedy].filter((text) => text !== '').join(' ')}${hintOf(didYouMean)}`;
      return csvRow([...place, attr, column, code, reason || cause, whatToDo, value, null, mark]);
    })
    .join('');
}

/** Returns the first sentence of a remedy, which is the cause, and the others; a remedy of one sentence has no cause. */
function atFirstSentence(text: string): [cause: string, action: string] {
  const [, cause = '', action = text] = /^(.*?\.) (.+)$/s.exec(text) ?? [];
  return [cause, action];
}
