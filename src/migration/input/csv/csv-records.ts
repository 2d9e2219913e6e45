/**
 * Records from CSV, by a mapping module. The first row names the columns; the delimiter (comma, semicolon, tab or bar)
 * is the one that it has most of. Lines end with LF, CRLF or, where the first one does, with CR. Line breaks inside of
 * quotes are read as LF.
 */
import { isUtf8 } from 'node:buffer';
import { MappingError } from '../input-error.js';
import type { FileReading } from '../input-file.js';
import type { InputLine, ReadRecord } from '../source.js';
import { flawedItem, NOT_UTF8 } from '../text/json-lines.js';
import { problem, problemItem, recordItem } from '../text/parse-record.js';
import type { Line } from '../text/split-lines.js';
import { type CsvRow, createRows } from './csv-row.js';
import type { RowMap } from './mapping.js';
import { describeMappingFailure, type MapFailure } from './mapping-failure.js';
import { type Row, splitRows } from './split-rows.js';

/** How the rows of all CSV files of one reading are mapped. */
export interface Mapping {
  map: RowMap;
  /** Whether messages may quote the row. */
  isPersonalDataShown: boolean;
  failures: MapFailures;
  /** Bytes of a row. */
  longestLine?: number | undefined;
}

/** Without a header no row says anything: where that is wrong, it is all that is reported of the file. */
export async function* readCsvRecords(
  source: string,
  lines: AsyncIterable<Line[]>,
  mapping: Mapping,
  reading: Pick<FileReading, 'header' | 'row'>,
): AsyncGenerator<InputLine[]> {
  let file: MappedFile | undefined;
  mapping.failures.beginFile();
  for await (const row of splitRows(lines, mapping.longestLine)) {
    const [first] = row.lines;
    if (first.flaw !== undefined) {
      yield [flawedItem(source, first)];
      if (file === undefined) return;
    } else if (file !== undefined) {
      yield itemsOf(file, row);
    } else if (isHeader(row)) {
      const columns = row.fields;
      file = { source, columns, rowOf: createRows(columns, reading.header(columns)), reading, ...mapping };
    } else {
      yield [problemItem(source, first.number, row.text, BAD_HEADER)];
      return;
    }
  }
}

interface MappedFile extends Mapping {
  source: string;
  columns: readonly string[];
  rowOf: (fields: readonly string[]) => CsvRow;
  reading: Pick<FileReading, 'row'>;
}

/** Rows from the first one on that fail in the same way, until the mapping is taken not to fit the file. */
const MOST_SAME_FAILURES = 100;

/**
 * Counts rows that fail in the same way (same kind of error, same place in the mapping) from the first row of a file on,
 * and over files of which every row failed so. One row that is mapped ends the count for its file.
 */
export interface MapFailures {
  beginFile(): void;
  mapped(): void;
  /** Throws a `MappingError` once there are too many. */
  failed(place: string, error: unknown, failure: MapFailure): void;
}

export function countMapFailures(): MapFailures {
  let hasMapped = false;
  let first: { id: string; place: string; failure: MapFailure } | undefined;
  let count = 0;
  return {
    beginFile() {
      if (hasMapped) count = 0;
      hasMapped = false;
    },
    mapped() {
      hasMapped = true;
    },
    failed(place, error, failure) {
      if (hasMapped) return;
      const kind = error instanceof Error ? error.constructor.name : typeof error;
      const id = `${kind} ${failure.place}`;
      if (count === 0 || first?.id !== id) [first, count] = [{ id, place, failure }, 0];
      count++;
      if (count < MOST_SAME_FAILURES) return;
      const where = first.failure.place === '' ? '' : `, at ${first.failure.place}`;
      throw new MappingError(
        `${first.place}: the mapping failed in the same way for each of the first ${count} rows${where}: ${first.failure.detail}`,
      );
    },
  };
}

const BAD_HEADER = problem(
  'invalid_csv',
  'The header does not name the columns: expected UTF-8, and names that are there and differ. The file was not read.',
);

function isHeader(row: Row): row is Row & { fields: string[] } {
  const { fields, lines } = row;
  if (fields === undefined || !lines.every(({ bytes }) => isUtf8(bytes))) return false;
  return fields.every((name) => name !== '') && new Set(fields).size === fields.length;
}

function itemsOf(file: MappedFile, row: Row): InputLine[] {
  const { source, columns, map, failures } = file;
  const { lines, text, fields } = row;
  const line = lines[0].number;
  if (!lines.every(({ bytes }) => isUtf8(bytes))) return [problemItem(source, line, text, NOT_UTF8)];
  if (fields?.length !== columns.length) return [problemItem(source, line, text, misfit(fields, columns))];
  let mapped: ReturnType<RowMap>;
  try {
    mapped = map(file.rowOf(fields), { file: source, line });
  } catch (error) {
    const failure = describeMappingFailure(error, fields, file.isPersonalDataShown);
    failures.failed(`${source}:${line}`, error, failure);
    return [problemItem(source, line, text, problem('map_failed', failure.detail, failure.place))];
  }
  failures.mapped();
  file.reading.row();
  const records = Array.isArray(mapped) ? mapped : mapped === undefined ? [] : [mapped];
  expectNoPromise(records, source, line);
  return records.map((record) => recordItem(source, line, record, text));
}

/** No row of such a module is a record: said once, and not of every row. */
function expectNoPromise(records: readonly unknown[], source: string, line: number): void {
  const promises = records.filter(isThenable);
  if (promises.length === 0) return;
  // One that rejects would end the process, in words that may be those of the row.
  for (const promise of promises) Promise.resolve(promise).catch(() => {});
  throw new MappingError(
    `${source}:${line}: the mapping module gave a promise; expected the record itself. Make its function one without async, and await nothing in it.`,
  );
}

function isThenable(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}

function misfit(fields: string[] | undefined, columns: readonly string[]): ReadRecord {
  const what =
    fields === undefined
      ? 'The quotes of the row do not fit: a quote inside of a field is written twice, and the field in quotes'
      : `The row has ${fields.length} fields, and the header ${columns.length} columns`;
  return problem('invalid_csv', `${what}. Correct the row, or export the file again.`);
}
