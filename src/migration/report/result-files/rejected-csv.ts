/** Exports `writeWithCsv`, which writes rejected.csv in addition to rejected.jsonl: one row for each error, for people with a spreadsheet. */
import { KNOWN_ERRORS, type KnownErrorCode } from '../../../errors/known-errors.js';
import { hintOf } from '../summary/error-groups.js';
import { remedyOf } from '../summary/remedies.js';
import { csvHeader, csvRow } from './csv-cell.js';
import type { LineEntry } from './original-lines.js';

export const REJECTED_CSV = 'rejected.csv';

type Write = (text: string) => Promise<void>;

const HEADER = csvHeader(['file', 'line', 'key', 'field', 'column', 'code', 'reason', 'what to do']);

/** Writes the header to `csv`. Resolves with a function that writes an entry of rejected.jsonl to `jsonl`, and its rows to `csv`. */
export async function writeWithCsv(jsonl: Write, csv: Write): Promise<Write> {
  await csv(HEADER);
  return async (entry) => {
    await jsonl(entry);
    await csv(rowsOf(JSON.parse(entry)));
  };
}

/** Remedies for a value that a CSV file has and that the mapping has not changed. */
const IN_A_COLUMN: Readonly<Record<string, string | undefined>> = {
  invalid_date:
    'Correct the date, in the form that the column has. If the mapping does not convert that form yet, use parseDate of data-import-sdk/mapping in it.',
  invalid_type:
    'Correct the value. If it is a number that the mapping does not convert yet, use parseDecimal of data-import-sdk/mapping in it.',
  invalid_phone_number:
    'Correct the number. If only the country code is missing, use parsePhone of data-import-sdk/mapping in the mapping.',
};

type Rejected = Pick<LineEntry, 'source' | 'line' | 'number' | 'errors'>;

function rowsOf({ source, line, number, errors }: Rejected): string {
  const place = [source, String(line), number];
  if (errors.length === 0) return csvRow([...place, null, null, null, null, null]);
  return errors
    .map(({ code, attr, detail, didYouMean, column = null }) => {
      const cause = causeOf(code);
      const remedy = column === null ? remedyOf(code) : (IN_A_COLUMN[code] ?? remedyOf(code));
      const whatToDo = cause !== '' && remedy.startsWith(cause) ? remedy.slice(cause.length).trim() : remedy;
      return csvRow([...place, attr, column, code, detail ?? cause, `${whatToDo}${hintOf(didYouMean)}`]);
    })
    .join('');
}

function causeOf(code: string): string {
  return Object.hasOwn(KNOWN_ERRORS, code) ? KNOWN_ERRORS[code as KnownErrorCode].cause : '';
}
