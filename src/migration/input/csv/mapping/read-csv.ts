/** Exports `readCsv` and `groupRows`, for a mapping that needs related files, and for a module that is an input. */
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkOptionKinds, expectKind, type OptionKinds } from '../../../../validation/option-kinds.js';
import { InputError } from '../../input-error.js';
import { encodingOf } from '../../text/code-pages.js';
import { inputPaths } from '../../text/input-files.js';
import { openText } from '../../text/open-text.js';
import { detailOf } from '../../text/parse-record.js';
import { readChunks } from '../../text/read-chunks.js';
import { createRowReader } from '../check-rows.js';
import { type CsvRow, createRows, lookLikeData } from '../csv-row.js';
import { csvLines } from '../line-ends.js';
import { type CsvFormat, checkCsvFormat, splitRows } from '../split-rows.js';
import { GroupedRows } from './grouped-rows.js';
import { checkCall, MappingError } from './mapping-error.js';
import { factsOfRelated, noteRelatedCell, type RelatedRow, rejectRow } from './related-files.js';

/** Options of `readCsv`. */
export interface ReadCsvOptions extends CsvFormat {
  /**
   * Encoding of a file without a byte order mark: a name of the WHATWG Encoding Standard, such as `windows-1252`, or of iconv-lite.
   * @default 'utf-8'
   */
  encoding?: string | undefined;
}

const KINDS: OptionKinds<ReadCsvOptions> = {
  delimiter: 'any?',
  skipLines: 'any?',
  quote: 'any?',
  encoding: 'string?',
};

/**
 * Yields the rows of a CSV file (`.csv`, `.csv.gz`) as a mapping gets them: an object with the texts by column name, which throws for a
 * column that the file does not have. The first row has the column names.
 *
 * A row that cannot be read is a rejected line of the input whose mapping, or whose module, reads the file. Elsewhere it is an error after
 * the last row. Throws a `MappingError` with file and line for it, and for a file that cannot be read.
 *
 * @example
 * for await (const meter of readCsv(new URL('meters.csv', import.meta.url), { encoding: 'windows-1252' })) {
 *   console.log(meter['number']);
 * }
 */
export function readCsv<Column extends string = string>(
  path: string | URL,
  options: ReadCsvOptions = {},
): AsyncGenerator<CsvRow<Column>> {
  checkCall(readCsv, () => {
    if (!(path instanceof URL)) expectKind('readCsv: path', path, 'name');
    checkOptionKinds('readCsv', options, KINDS);
  });
  const place: ReadRows = { path: pathIn(path), row: { line: 0, text: '' }, columns: [], unreadable: [] };
  const rows = rowsOrMappingError<Column>(place, options);
  placeOf.set(rows, place);
  return rows;
}

/** The file of the rows, and what was read of it, for `groupRows`. */
const placeOf = new WeakMap<object, ReadRows>();

interface ReadRows {
  path: string;
  /** The last row. */
  row: RelatedRow;
  columns: readonly string[];
  /** Rows that are rejected lines of the input. */
  unreadable: { line: number; fields: readonly string[] | undefined; texts: readonly string[] }[];
}

function pathIn(path: string | URL): string {
  return path instanceof URL ? fileURLToPath(path) : path;
}

async function* rowsOrMappingError<Column extends string>(
  place: ReadRows,
  options: ReadCsvOptions,
): AsyncGenerator<CsvRow<Column>> {
  try {
    yield* rowsOf(place, options) as AsyncGenerator<CsvRow<Column>>;
  } catch (error) {
    throw error instanceof InputError ? new MappingError(`readCsv: ${error.message}`) : error;
  }
}

async function* rowsOf(place: ReadRows, options: ReadCsvOptions): AsyncGenerator<CsvRow> {
  const given = options.encoding === undefined ? undefined : encodingOf(options.encoding);
  const [file, ...others] = await inputPaths([place.path], true);
  if (file?.format !== 'csv' || others.length > 0)
    throw new InputError(`${place.path}: expected a .csv or .csv.gz file.`);
  const { name } = file;
  const { encoding, chunks } = await openText({ ...file, format: 'csv', given }, () => readChunks(name));
  checkCsvFormat(options, name);
  const related = factsOfRelated(name);
  const reading = related.beginReading();
  let rowOf: ReturnType<typeof createRows> | undefined;
  const readRow = createRowReader(related.facts().source, {
    onHeader(columns) {
      const file = basename(name);
      place.columns = columns;
      const isData = lookLikeData(columns);
      rowOf = createRows(columns, reading.header(columns), file, (column, text) =>
        noteRelatedCell(isData ? '' : `${file}: ${column}`, text),
      );
    },
    onRowWithoutData: reading.rowWithoutData,
  });
  const unreadable: string[] = [];
  for await (const row of splitRows(csvLines(name, reading.chunks(chunks()), { encoding }), options)) {
    const read = readRow(row);
    if (read === undefined) continue;
    if ('fields' in read) {
      reading.row();
      place.row = { line: row.lines[0].number, text: row.text };
      if (rowOf !== undefined) yield rowOf(read.fields);
      continue;
    }
    const message = `${name}:${read.problem.line}: ${detailOf(read.problem)}`;
    // After damage the rest of the file is missing.
    if (read.isWholeFile || row.lines[0].flaw === 'damaged') throw new InputError(message);
    if (!rejectRow(read.problem)) unreadable.push(message);
    else place.unreadable.push({ line: read.problem.line, fields: row.fields, texts: read.problem.texts?.() ?? [] });
  }
  reading.end();
  if (rowOf === undefined)
    throw new InputError(`${name}: the file is empty; expected a header. Export the file again.`);
  const [first] = unreadable;
  if (first !== undefined)
    throw new InputError(
      unreadable.length === 1
        ? first
        : `${first} ${unreadable.length - 1} other rows cannot be read either: ${othersOf(unreadable)}.`,
    );
}

/** Returns the other rows as `payments.csv:7, payments.csv:9`. */
function othersOf(messages: readonly string[]): string {
  const places = messages.slice(1, 1 + MOST_LISTED).map((message) => message.slice(0, message.indexOf(': ')));
  return messages.length - 1 > MOST_LISTED ? `${places.join(', ')}, …` : places.join(', ');
}

const MOST_LISTED = 20;

/**
 * Resolves with the rows by the text of a column, in the order of the rows. All of them are in memory: for files with millions of rows
 * use a query (docs/sql-input.md).
 *
 * If the rows are those of `readCsv`, `get` and `has` throw a `MappingError` for the text of a row that could not be read, so that the record
 * is not sent without it. `check`, `plan`, `profile` and `run` say which rows the mapping has never asked for with `get`, `has`
 * or an iteration, after they have read the whole input: their number and the first lines.
 *
 * @example
 * const meters = await groupRows(readCsv('meters.csv'), 'number');
 * const ofCustomer = meters.get(row['number'] ?? '') ?? [];
 */
export async function groupRows<Row extends CsvRow>(
  rows: AsyncIterable<Row> | Iterable<Row>,
  column: string & keyof Row,
): Promise<Map<string, Row[]>> {
  checkCall(groupRows, () => expectKind('groupRows: rows', rows, 'records'));
  const groups = new Map<string, Row[]>();
  const rowsOfKey = new Map<string, RelatedRow[]>();
  const place = placeOf.get(rows);
  for await (const row of rows) {
    const key = row[column] as string;
    groups.set(key, groups.get(key) ?? []);
    groups.get(key)?.push(row);
    if (place === undefined) continue;
    rowsOfKey.set(key, rowsOfKey.get(key) ?? []);
    rowsOfKey.get(key)?.push(place.row);
  }
  if (place === undefined) return groups;
  const shown = lookLikeData(place.columns) ? '*' : column;
  return new GroupedRows(groups, {
    name: basename(place.path),
    asked: factsOfRelated(place.path).grouped(column, shown, rowsOfKey),
    unreadable: linesOfKeys(place, column),
  });
}

/**
 * Returns the lines of the rows that could not be read, by the texts that may be that of the column. In a row with too many or too few fields,
 * the text is in one of the fields between its place from the left and that from the right.
 */
function linesOfKeys({ columns, unreadable }: ReadRows, column: string): Map<string, number> {
  const lines = new Map<string, number>();
  const fromLeft = columns.indexOf(column);
  for (const { line, fields, texts } of unreadable) {
    const fromRight = fromLeft + (fields ?? columns).length - columns.length;
    const [first, last] = [Math.max(Math.min(fromLeft, fromRight), 0), Math.max(fromLeft, fromRight)];
    // If the row could not be split, each of its texts may be that of the column.
    for (const text of fields?.slice(first, last + 1) ?? texts)
      if (text !== '' && !lines.has(text)) lines.set(text, line);
  }
  return lines;
}
