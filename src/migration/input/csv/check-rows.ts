/**
 * Exports `createRowReader`, which finds the header of a CSV file, the rows that have its columns, and the problem of each other row. A
 * mapping and `readCsv` read their files with it.
 */
import { isUtf8 } from 'node:buffer';
import { counted } from '../../shared/format.js';
import type { InputLine, ReadRecord } from '../source.js';
import { flawedItem, NOT_UTF8 } from '../text/json-lines.js';
import { problem, problemItem } from '../text/parse-record.js';
import { lookLikeData } from './csv-row.js';
import { findNamesAgain } from './names-again.js';
import type { Row } from './split-rows.js';

/** What a row is: the names of the columns, fields, or a problem; `isWithoutData`: only delimiters and spaces, or the header again. */
export type ReadRow =
  | { columns: readonly string[] }
  | { fields: readonly string[] }
  | { problem: InputLine; isWholeFile: boolean }
  | { isWithoutData: true };

/**
 * Returns a function to call with each row of a file. A problem of the header is one of the whole file: without column names no row can
 * be read.
 */
export function createRowReader(source: string): (row: Row) => ReadRow {
  let header: Header | undefined;
  let otherColumns: ReadRecord | undefined;
  return (row) => {
    const { fields = [], text } = row;
    const [first] = row.lines;
    const isWholeFile = header === undefined;
    if (first.flaw !== undefined) {
      const problem = flawedItem(source, first);
      return { problem: { ...problem, texts: () => textsIn(problem.text) }, isWholeFile };
    }
    if (header !== undefined) {
      const names = header.names.in(fields);
      if (names === 'same') otherColumns = undefined;
      if (names === 'other') otherColumns = otherColumnsFrom(first.number, fields, header);
      if (names === 'same' || isWithoutData(fields)) return { isWithoutData: true };
    }
    const found = otherColumns ?? (header === undefined ? headerOf(row) : problemOfRow(row, header));
    if (found === undefined) {
      const columns = header?.columns.length ?? 0;
      return { fields: columns === fields.length ? fields : fields.slice(0, columns) };
    }
    if ('columns' in found) {
      header = found;
      return { columns: found.columns };
    }
    const problem = problemItem(source, first.number, text, found);
    return { problem: { ...problem, texts: () => row.fields ?? textsIn(text) }, isWholeFile };
  };
}

/** Returns the texts that may be cells of a row that cannot be split: between the delimiters and quotes that files have. */
function textsIn(row: string): string[] {
  return row.split(/[,;\t|~^"\n]+/).filter((text) => text.trim() !== '');
}

function isWithoutData(fields: readonly string[]): boolean {
  return fields.length > 0 && fields.every((field) => field.trim() === '');
}

/** The first row of a file. */
interface Header {
  columns: readonly string[];
  /** With the fields without a name at its end, after which no row has a text: each line of the file ends with the delimiter. */
  fields: readonly string[];
  line: number;
  names: ReturnType<typeof findNamesAgain>;
}

const LINES_ABOVE = 'If lines stand above the header, skip them with skipLines (docs/mapping.md, docs/sql-input.md).';

function headerOf(row: Row): Header | ReadRecord {
  const { fields, flaw, lines } = row;
  if (!lines.every(({ bytes }) => isUtf8(bytes)))
    return badHeader('it is not in UTF-8. Name the encoding of the file with --encoding (encoding of openInput).');
  if (fields === undefined) return badHeader(`${flawInWords(flaw, lines.length)}. ${LINES_ABOVE}`);
  let named = fields.length;
  while (named > 0 && fields[named - 1]?.trim() === '') named--;
  // One field with many delimiters is the title of a spreadsheet.
  const columns = named > 1 || fields.length - named < 2 ? fields.slice(0, named) : fields;
  const unnamed = columns.flatMap((name, at) => (name.trim() === '' ? [at + 1] : []));
  if (unnamed.length > 0 || columns.length === 0)
    return badHeader(`${columnsInWords(unnamed)} no name. Give each column a name. ${LINES_ABOVE}`);
  const [at, other] = placesOfSameName(columns) ?? [];
  if (at !== undefined && other !== undefined) {
    const which = lookLikeData(columns) ? '' : ` ${JSON.stringify(columns[at - 1])}`;
    return badHeader(`columns ${at} and ${other} have the same name${which}. Rename one.`);
  }
  return { columns, fields, line: lines[0].number, names: findNamesAgain(columns) };
}

/** The problem of a row with names of the columns, and of the rows after it: by their places, they would be read as other columns. */
function otherColumnsFrom(
  line: number,
  fields: readonly string[],
  { columns, line: first, names }: Header,
): ReadRecord {
  const at = columns.findIndex((_, place) => names.names[place] !== names.nameOf(fields[place] ?? ''));
  const [expected, found] = [columns[at], fields[at] ?? ''];
  const isName = names.names.includes(names.nameOf(found));
  const shown = expected === undefined || lookLikeData(columns) ? undefined : JSON.stringify(expected);
  const what =
    expected === undefined
      ? `${counted(fields.length, 'column')} instead of ${columns.length}`
      : `column ${at + 1} is ${shown === undefined ? 'another one' : isName ? `${JSON.stringify(found.trim())}, and not ${shown}` : `not ${shown}`}`;
  return problem(
    'invalid_csv',
    `From line ${line} on, the file has other columns than line ${first}, or another order: ${what}. Its rows are not read from there on. Split the file before line ${line}, or export it again with one header.`,
  );
}

/** Returns the places, counted from 1, of two columns with the same name; undefined if there are none. */
export function placesOfSameName(columns: readonly string[]): [earlier: number, place: number] | undefined {
  const seen = new Map<string, number>();
  for (const [at, name] of columns.entries()) {
    const earlier = seen.get(name);
    if (earlier !== undefined) return [earlier + 1, at + 1];
    seen.set(name, at);
  }
  return undefined;
}

function badHeader(why: string): ReadRecord {
  return problem('invalid_csv', `The header is invalid, and the file was not read: ${why}`);
}

function columnsInWords(numbers: readonly number[]): string {
  if (numbers.length === 1) return `column ${numbers[0]} has`;
  return numbers.length === 0 ? 'it has' : `columns ${numbers.slice(0, -1).join(', ')} and ${numbers.at(-1)} have`;
}

function problemOfRow({ fields, flaw, lines }: Row, header: Header): ReadRecord | undefined {
  if (!lines.every(({ bytes }) => isUtf8(bytes))) return NOT_UTF8;
  if (fields === undefined) {
    const why = flawInWords(flaw, lines.length);
    return problem('invalid_csv', `${why.charAt(0).toUpperCase()}${why.slice(1)}.`);
  }
  const { columns, fields: expected } = header;
  if (fields.length !== expected.length) return problem('invalid_csv', `${countInWords(fields, expected.length)}`);
  const stray = fields.findIndex((field, at) => at >= columns.length && field.trim() !== '');
  if (stray < 0) return undefined;
  return problem(
    'invalid_csv',
    `Field ${stray + 1} of the row has a text, and its column has no name. Give the column a name. ${LINES_ABOVE}`,
  );
}

function flawInWords(flaw: Row['flaw'], lines: number): string {
  if (flaw === undefined) return 'its quotes cannot be read';
  if (flaw.cause === 'maybeSeveral')
    return `its ${lines} lines may be several rows, because the first and the last one have as many fields as the header, and only the quotes of field ${flaw.field} join them. If they are several rows, remove these quotes, or write quote: '' if quotes are text in this file (docs/mapping.md, docs/sql-input.md); if they are one, replace its line breaks by spaces`;
  return flaw.cause === 'notClosed'
    ? `the quote at the beginning of field ${flaw.field} is not closed in the row. If quotes are text in this file, write quote: '' (docs/mapping.md, docs/sql-input.md)`
    : `text follows the closing quote of field ${flaw.field}. Write a quote in a quoted field twice, and the delimiter directly after the closing quote`;
}

/** The cause that the fields show. */
function countInWords(fields: readonly string[], columns: number): string {
  const counts = `The row has ${counted(fields.length, 'field')}, and the header ${counted(columns, 'column')}`;
  const more = fields.slice(columns);
  if (more.length > 0 && (columns > 1 || more.length === 1) && more.every((field) => field === '')) {
    const last = more.length === 1 ? 'the last one is' : `the last ${more.length} are`;
    const delimiters = more.length === 1 ? 'the delimiter, write it' : `${more.length} delimiters, write them`;
    return `${counts}; ${last} empty. If each row ends with ${delimiters} at the end of the header too; otherwise put a text with the delimiter in quotes.`;
  }
  if (fields.some((field) => /^\s+"/.test(field)))
    return `${counts}, and a space stands before a quote, which is then text. Remove the space.`;
  if (columns === 1) return `${counts}. ${LINES_ABOVE}`;
  return fields.length > columns
    ? `${counts}. Put a text that has the delimiter in quotes.`
    : `${counts}. Correct the row: a delimiter is missing, or a text with a line break is not in quotes.`;
}
