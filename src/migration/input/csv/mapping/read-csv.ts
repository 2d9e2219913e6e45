/** Exports `readCsv` and `groupRows`, for a mapping that needs related files, and for a module that is an input. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expectKind } from '../../../../validation/option-kinds.js';
import { firstInWords } from '../../../shared/format.js';
import { InputError } from '../../input-error.js';
import { addRow } from '../../input-file.js';
import type { InputLine } from '../../source.js';
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
import { factsOfRelated, type GroupedRow, noteRelatedCell, noteRelatedFile, rejectRow } from './related-files.js';

/** Options of `readCsv`. */
export interface ReadCsvOptions extends CsvFormat {
  /**
   * Encoding of a file without a byte order mark: a name of the WHATWG Encoding Standard, such as `windows-1252`, or of iconv-lite.
   * @default 'utf-8'
   */
  encoding?: string | undefined;
}

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
    checkCsvFormat('readCsv', options, 'encoding');
  });
  const file: ReadFile = { path: path instanceof URL ? fileURLToPath(path) : path, columns: [], unreadable: [] };
  return rowsOrMappingError(file, options) as AsyncGenerator<CsvRow<Column>>;
}

/** A file, and what was read of it, for `groupRows`. */
interface ReadFile {
  path: string;
  columns: readonly string[];
  /** Rows that are rejected lines of the input. */
  unreadable: InputLine[];
}

interface ReadRow extends Omit<GroupedRow, 'key'> {
  file: ReadFile;
}

/** Where each row was read. */
const readRows = new WeakMap<object, ReadRow>();
/** Of the `groupRows` that reads: what `readCsv` calls with each file and each row. */
const readers = new AsyncLocalStorage<(file: ReadFile, row?: ReadRow) => void>();

async function* rowsOrMappingError(file: ReadFile, options: ReadCsvOptions): AsyncGenerator<CsvRow> {
  try {
    yield* rowsOf(file, options);
  } catch (error) {
    throw error instanceof InputError ? new MappingError(`readCsv: ${error.message}`) : error;
  }
}

async function* rowsOf(place: ReadFile, options: ReadCsvOptions): AsyncGenerator<CsvRow> {
  noteRelatedFile(place.path);
  const given = options.encoding === undefined ? undefined : encodingOf(options.encoding);
  const [file, ...others] = await inputPaths([place.path], true);
  if (file?.format !== 'csv' || others.length > 0)
    throw new InputError(`${place.path}: expected a .csv or .csv.gz file.`);
  const { name } = file;
  const { encoding, chunks } = await openText({ ...file, format: 'csv', given }, () => readChunks(name));
  const related = factsOfRelated(name);
  const reading = related.beginReading();
  let rowOf: ReturnType<typeof createRows> | undefined;
  const readRow = createRowReader(related.facts().source);
  readers.getStore()?.(place);
  const unreadable: string[] = [];
  for await (const row of splitRows(csvLines(name, reading.chunks(chunks()), { encoding }), options)) {
    const read = readRow(row);
    const [{ number: line, flaw }] = row.lines;
    if ('isWithoutData' in read) addRow(reading.withoutData, line);
    else if ('columns' in read) {
      const { columns } = read;
      const file = basename(name);
      place.columns = columns;
      const isData = lookLikeData(columns);
      rowOf = createRows(columns, reading.header(columns), file, (column, text) =>
        noteRelatedCell(isData ? '' : `${file}: ${column}`, text),
      );
    } else if ('problem' in read) {
      const message = `${name}:${line}: ${detailOf(read.problem)}`;
      // After damage the rest of the file is missing.
      if (read.isWholeFile || flaw === 'damaged') throw new InputError(message);
      if (!rejectRow(read.problem)) unreadable.push(message);
      else place.unreadable.push(read.problem);
    } else if (rowOf !== undefined) {
      reading.rows++;
      const one = rowOf(read.fields);
      const where = { file: place, line, text: row.text };
      readRows.set(one, where);
      readers.getStore()?.(place, where);
      yield one;
    }
  }
  reading.end();
  if (rowOf === undefined)
    throw new InputError(`${name}: the file is empty; expected a header. Export the file again.`);
  const [first, ...further] = unreadable;
  if (first === undefined) return;
  const places = further.map((message) => message.slice(0, message.indexOf(': ')));
  const all = `${first} ${further.length} other rows cannot be read either: ${firstInWords(places, MOST_LISTED)}.`;
  throw new InputError(further.length === 0 ? first : all);
}

const MOST_LISTED = 20;

/**
 * Resolves with the rows by the text of a column, or by the text that a function returns for a row, in the order of the rows. All of them are
 * in memory: for files with millions of rows use a query (docs/sql-input.md).
 *
 * If the rows are those of `readCsv`, or are made of them by a generator, `get` and `has` throw a `MappingError` for the text of a row that could not be
 * read, so that the record is not sent without it. `check`, `plan` and `run` reject each row that the mapping has never asked for with
 * `get`, `has` or an iteration, after they have read the whole input.
 *
 * @example
 * const meters = await groupRows(readCsv('meters.csv'), 'number');
 * const ofCustomer = meters.get(row['number'] ?? '') ?? [];
 *
 * @example
 * const key = (text = '') => text.trim().toUpperCase();
 * const paymentsOf = await groupRows(readCsv('payments.csv'), (payment) => key(payment['number']));
 * const ofAccount = paymentsOf.get(key(row['number'])) ?? [];
 */
export async function groupRows<Row extends CsvRow>(
  rows: AsyncIterable<Row> | Iterable<Row>,
  key: (string & keyof Row) | ((row: Row) => string),
): Promise<Map<string, Row[]>> {
  checkCall(groupRows, () => expectKind('groupRows: rows', rows, 'records'));
  const keyOf = typeof key === 'function' ? key : (row: Row) => row[key] as string;
  const groups = new Map<string, Row[]>();
  const origins = findOrigins();
  await origins.during(async () => {
    for await (const row of rows) {
      const text = keyOf(row);
      groups.set(text, groups.get(text) ?? []);
      groups.get(text)?.push(row);
      origins.add(row, text);
    }
  });
  const found = [...origins.end()];
  if (found.length === 0) return groups;
  const asked = found.map(([{ path, columns }, rows]) => {
    const shown = typeof key === 'string' && !lookLikeData(columns) ? key : 'key';
    // By its text a function is the same when the module is loaded again.
    return factsOfRelated(path).grouped(String(key), shown, rows);
  });
  const unreadable = found.flatMap(([file]) => [...linesOfKeys(file, key as string | ((row: CsvRow) => string))]);
  return new GroupedRows(groups, {
    asked: (text) => {
      for (const ask of asked) ask(text);
    },
    unreadable: new Map(unreadable.reverse()),
  });
}

/**
 * Finds the rows of files of which rows were made: a row of `readCsv` itself, or what was read before a generator yielded the row. As many
 * rows as were read belong to these in their order; otherwise they belong to the last one.
 */
function findOrigins() {
  const files = new Map<ReadFile, GroupedRow[]>();
  let read: ReadRow[] = [];
  let made: string[] = [];
  let last: ReadRow | undefined;
  const rowsIn = (file: ReadFile) => {
    const rows = files.get(file) ?? [];
    files.set(file, rows);
    return rows;
  };
  const store = ({ file, line, text }: ReadRow, key: string) => rowsIn(file).push({ key, line, text });
  const settle = () => {
    for (const [index, key] of made.entries()) {
      const row = made.length === read.length ? read[index] : last;
      if (row !== undefined) store(row, key);
    }
    [read, made] = [[], []];
  };
  return {
    /** Calls a function that reads the rows. */
    async during(readAll: () => Promise<void>): Promise<void> {
      reading++;
      try {
        await readers.run((file, row) => {
          rowsIn(file);
          if (row === undefined) return;
          if (made.length > 0) settle();
          read.push(row);
          last = row;
        }, readAll);
      } finally {
        // Otherwise each promise of the process takes longer on Node 20.
        if (--reading === 0) readers.disable();
      }
    },
    add(row: object, key: string): void {
      const origin = readRows.get(row);
      if (origin === last) read = [];
      if (origin === undefined) made.push(key);
      else store(origin, key);
    },
    /** Returns for each file its rows. */
    end(): ReadonlyMap<ReadFile, GroupedRow[]> {
      settle();
      return files;
    },
  };
}

/** Number of `groupRows` that read. */
let reading = 0;

/** Returns the places of the rows that could not be read, by the keys that they may have: each of their texts may be one, or that of the columns that a function reads. */
function linesOfKeys(
  { path, columns, unreadable }: ReadFile,
  key: string | ((row: CsvRow) => string),
): Map<string, string> {
  const places = new Map<string, string>();
  for (const { line, texts = () => [] } of unreadable) {
    for (const text of texts()) {
      const found = typeof key === 'string' ? text : keyOfText(key, columns, text);
      if (found !== undefined && text !== '' && !places.has(found)) places.set(found, `${basename(path)}:${line}`);
    }
  }
  return places;
}

/** Returns the key of a row whose columns all have this text; undefined if the function cannot read it. */
function keyOfText(key: (row: CsvRow) => string, columns: readonly string[], text: string): string | undefined {
  try {
    return key(createRows(columns, new Set())(columns.map(() => text)));
  } catch {
    return undefined;
  }
}
