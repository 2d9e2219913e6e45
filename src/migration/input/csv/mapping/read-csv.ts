/** Exports `readCsv` and `groupRows`, for a mapping that needs related files, and for a module that is an input. */
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { InputError } from '../../input-error.js';
import { encodingOf } from '../../text/code-pages.js';
import { decodedLines } from '../../text/encoding.js';
import { identifyText } from '../../text/identify-text.js';
import { inputPaths } from '../../text/input-files.js';
import { decompressed, readChunks } from '../../text/read-chunks.js';
import { type CsvRow, createRows } from '../csv-row.js';
import { withLineFeeds } from '../line-ends.js';
import { problemOfRow } from '../row-problems.js';
import { splitRows } from '../split-rows.js';
import { GroupedRows } from './grouped-rows.js';
import { MappingError } from './mapping-error.js';
import { factsOfRelated } from './related-files.js';

/** Options of `readCsv`. */
export interface ReadCsvOptions {
  /**
   * Encoding of a file without a byte order mark: a name of the WHATWG Encoding Standard, such as `windows-1252`, or of iconv-lite.
   * @default 'utf-8'
   */
  encoding?: string | undefined;
}

/**
 * Yields the rows of a CSV file (`.csv`, `.csv.gz`) as a mapping gets them: an object with the texts by column name, which throws for a
 * column that the file does not have. The first row has the column names, and shows the delimiter. Needs the package `csv-parse`.
 *
 * Throws a `MappingError` with file and line for a file or a row that cannot be read: a row that is left out could be missed in the
 * records. Throws a `MissingPackageError` if the package is not installed.
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
  const rows = rowsOrMappingError<Column>(path, options);
  pathOf.set(rows, pathIn(path));
  return rows;
}

/** The file of the rows, for `groupRows`. */
const pathOf = new WeakMap<object, string>();

function pathIn(path: string | URL): string {
  return path instanceof URL ? fileURLToPath(path) : path;
}

async function* rowsOrMappingError<Column extends string>(
  path: string | URL,
  options: ReadCsvOptions,
): AsyncGenerator<CsvRow<Column>> {
  try {
    yield* rowsOf(path, options) as AsyncGenerator<CsvRow<Column>>;
  } catch (error) {
    throw error instanceof InputError ? new MappingError(`readCsv: ${error.message}`) : error;
  }
}

async function* rowsOf(path: string | URL, options: ReadCsvOptions): AsyncGenerator<CsvRow> {
  const given = options.encoding === undefined ? undefined : encodingOf(options.encoding);
  const [file, ...others] = await inputPaths([pathIn(path)], true);
  if (file?.format !== 'csv' || others.length > 0) throw new InputError(`${path}: expected a .csv or .csv.gz file.`);
  const { name } = file;
  const read = () => readChunks(name);
  const { isCompressed, encoding } = await identifyText({ ...file, format: 'csv', given }, read);
  const reading = factsOfRelated(name).beginReading();
  const chunks = withLineFeeds(reading.chunks(isCompressed ? decompressed(read) : read()));
  let columns: readonly string[] | undefined;
  let rowOf: ReturnType<typeof createRows> | undefined;
  for await (const row of splitRows(decodedLines(name, chunks, { encoding }))) {
    const found = problemOfRow(name, row, columns)?.read();
    if (found !== undefined && 'problem' in found) {
      throw new InputError(`${name}:${row.lines[0].number}: ${found.problem.detail}`);
    }
    const { fields = [] } = row;
    if (rowOf === undefined) [columns, rowOf] = [fields, createRows(fields, reading.header(fields), basename(name))];
    else {
      reading.row();
      yield rowOf(fields);
    }
  }
  reading.end();
  if (columns === undefined)
    throw new InputError(`${name}: the file is empty; expected a header. Export the file again.`);
}

/**
 * Resolves with the rows by the text of a column, in the order of the rows. All of them are in memory: for files with millions of rows
 * use a query (docs/sql-input.md).
 *
 * If the rows are those of `readCsv`, `check`, `plan`, `profile` and `run` say how many rows the mapping has never asked for with `get`,
 * `has` or an iteration, after they have read the whole input.
 *
 * @example
 * const meters = await groupRows(readCsv('meters.csv'), 'number');
 * const ofCustomer = meters.get(row['number'] ?? '') ?? [];
 */
export async function groupRows<Row extends CsvRow>(
  rows: AsyncIterable<Row> | Iterable<Row>,
  column: string & keyof Row,
): Promise<Map<string, Row[]>> {
  const groups = new GroupedRows<Row>();
  for await (const row of rows) {
    const key = row[column] as string;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [row]);
    else group.push(row);
  }
  const path = pathOf.get(rows);
  if (path !== undefined) groups.onAsked(factsOfRelated(path).grouped(column, groups));
  return groups;
}
