/**
 * Exports `writeWithCsv`, which writes rejected.csv in addition to rejected.jsonl: one row for each error, for people with a spreadsheet, who
 * can fill in its column `new value` and give the sheet to `retry`.
 */
import { KNOWN_ERRORS, type KnownErrorCode } from '../../../errors/known-errors.js';
import { placeInWords } from '../../shared/place.js';
import { jsonIn } from '../../shared/regular-file.js';
import { byPlace, createGroups, hintOf } from '../summary/error-groups.js';
import { remedyOf } from '../summary/remedies.js';
import { csvHeader, csvRow } from './csv-cell.js';
import { type LineError, scalarAt } from './input-column.js';
import type { LineEntry } from './original-lines.js';

export const REJECTED_CSV = 'rejected.csv';

type Write = (text: string) => Promise<void>;

const HEADER = csvHeader([
  ...['file', 'line', 'key', 'field', 'column', 'code', 'reason', 'what to do', 'value', 'new value'],
]);

/** Writes the header to `csv`. `areValuesShown`: whether the run may store values (`showPersonalData`). */
export async function writeWithCsv(jsonl: Write, csv: Write, areValuesShown: boolean) {
  await csv(HEADER);
  const groups = createGroups([], byPlace);
  return {
    async write(entry: string): Promise<void> {
      await jsonl(entry);
      const { source, line, number, original, errors } = JSON.parse(entry) as LineEntry;
      const record = areValuesShown && original !== null ? jsonIn(original) : undefined;
      const found = errors.map((error) => ({ ...error, value: scalarAt(error.attr, record) ?? null }));
      await csv(rowsOf([source, String(line), number], found));
      for (const error of found) groups.add(placeOfValue({ source, line }, error), [error]);
    },
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

function rowsOf(place: readonly (string | null)[], errors: readonly Found[]): string {
  if (errors.length === 0) return csvRow([...place, null, null, null, null, null, null, null]);
  return errors
    .map(({ code, attr, detail, didYouMean, column = null, value }) => {
      const cause = causeOf(code);
      const remedy = column === null ? remedyOf(code) : (IN_A_COLUMN[code] ?? remedyOf(code));
      const whatToDo = cause !== '' && remedy.startsWith(cause) ? remedy.slice(cause.length).trim() : remedy;
      const why = [code, detail ?? cause, `${whatToDo}${hintOf(didYouMean)}`];
      return csvRow([...place, attr, column, ...why, value, null]);
    })
    .join('');
}

function causeOf(code: string): string {
  return Object.hasOwn(KNOWN_ERRORS, code) ? KNOWN_ERRORS[code as KnownErrorCode].cause : '';
}
