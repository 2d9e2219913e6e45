/**
 * Exports `readCsvRecords`, which converts CSV rows to records with a mapping module. The first row has the column names, and
 * the first rows show the delimiter (comma, semicolon, tab or bar). Lines end with LF, CRLF, or CR if the first line does.
 * Line breaks inside quotes are read as LF.
 */
import { MissingPackageError } from '../../shared/missing-package.js';
import { refuseIncomplete } from '../incomplete-records.js';
import { InputError } from '../input-error.js';
import { addRow, type FileReading } from '../input-file.js';
import type { Cell, InputLine } from '../source.js';
import { problem, problemItem, recordItem } from '../text/parse-record.js';
import type { Line } from '../text/split-lines.js';
import { createRowReader } from './check-rows.js';
import { createRows, lookLikeData, UnknownColumnError } from './csv-row.js';
import { describeMappingFailure, type MapFailure } from './describe-mapping-failure.js';
import type { FormattedMap, OpenMap, RowMap } from './load-mapping.js';
import { IncompleteRowError } from './mapping/mapping-error.js';
import { withRelatedCells } from './mapping/related-files.js';
import { type Row, splitRows } from './split-rows.js';

/** The mapping of the CSV files of one pass. */
export interface Mapping extends FormattedMap {
  module?: OpenMap['module'];
  /** Whether messages may quote the row. */
  showPersonalData: boolean;
  failures: MapFailures;
  /** Maximum size of a row in bytes. */
  longestLine?: number | undefined;
}

/** Yields the records of a file. If its header is invalid, yields one problem only: without column names no row can be read. */
export async function* readCsvRecords(
  source: string,
  lines: AsyncIterable<Line[]>,
  mapping: Mapping,
  reading: FileReading,
): AsyncGenerator<InputLine[]> {
  let itemsOf: ReturnType<typeof rowMapper> = () => [];
  const readRow = createRowReader(source);
  mapping.failures.beginFile();
  for await (const row of splitRows(lines, { ...mapping, longest: mapping.longestLine })) {
    const read = readRow(row);
    if ('isWithoutData' in read) addRow(reading.withoutData, row.lines[0].number);
    else if ('fields' in read) yield itemsOf(row, read.fields);
    else if ('columns' in read) itemsOf = rowMapper(source, read.columns, mapping, reading);
    else {
      yield [read.problem];
      if (read.isWholeFile) return;
      mapping.module?.related.ask(read.problem.texts?.() ?? []);
    }
  }
}

/** Number of rows from the first one that fail in the same way, after which the mapping is considered wrong for the file. */
const MOST_SAME_FAILURES = 100;

/**
 * Counts rows that fail in the same way (same kind of error, same place in the mapping), from the first row of a file, and across
 * files in which every row failed so. A mapped row ends the count for its file.
 */
export type MapFailures = ReturnType<typeof countMapFailures>;

export function countMapFailures() {
  let hasMapped = false;
  let first: { id: string; place: string; failure: MapFailure } | undefined;
  let count = 0;
  return {
    beginFile(): void {
      if (hasMapped) count = 0;
      hasMapped = false;
    },
    mapped(): void {
      hasMapped = true;
    },
    /** Counts a failed row. Throws an `InputError` if there are too many. */
    failed(place: string, error: unknown, failure: MapFailure): void {
      if (hasMapped) return;
      const kind = error instanceof Error ? error.constructor.name : typeof error;
      const id = `${kind} ${failure.place}`;
      if (count === 0 || first?.id !== id) [first, count] = [{ id, place, failure }, 0];
      count++;
      if (count < MOST_SAME_FAILURES) return;
      const where = first.failure.place === '' ? '' : `, at ${first.failure.place}`;
      throw new InputError(
        `${first.place}: the mapping failed in the same way for each of the first ${count} rows${where}: ${first.failure.detail}`,
      );
    },
  };
}

/** Returns a function that returns the items of a row. */
function rowMapper(
  source: string,
  columns: readonly string[],
  { map, module, failures, showPersonalData }: Mapping,
  reading: FileReading,
): (row: Row, fields: readonly string[]) => InputLine[] {
  const rowOf = createRows(columns, reading.header(columns));
  const refuse = refuseIncomplete(module?.related.unreadable ?? []);
  const areCellsShown = showPersonalData || !lookLikeData(columns);
  return ({ lines, text }, fields) => {
    const line = lines[0].number;
    let mapped: ReturnType<RowMap>;
    const ofRelated: Cell[] = [];
    try {
      mapped = withRelatedCells(ofRelated, () => map(rowOf(fields), { file: source, line }));
    } catch (error) {
      // It concerns every row.
      if (error instanceof MissingPackageError) throw error;
      // It may have thrown before it asked for the related rows.
      module?.related.ask(fields);
      if (error instanceof IncompleteRowError) {
        return [problemItem(source, line, text, problem('incomplete_record', error.message))];
      }
      const failure = describeMappingFailure(error, { columns, cells: fields, related: ofRelated }, showPersonalData);
      failures.failed(`${source}:${line}`, error, failure);
      const item = problemItem(source, line, text, problem('map_failed', failure.detail, failure.place));
      if (error instanceof UnknownColumnError) item.isColumnUnknown = true;
      return [item];
    }
    failures.mapped();
    reading.rows++;
    const records = Array.isArray(mapped) ? mapped : mapped === undefined ? [] : [mapped];
    expectNoPromise(records, source, line);
    if (records.length === 0) addRow(reading.unmapped, line);
    const own = () => columns.map((column, index) => [column, fields[index] ?? ''] as const);
    return records.map((record) => {
      const item = recordItem(source, line, record, text);
      item.cells = () => [...(areCellsShown ? own() : []), ...ofRelated];
      return refuse(item, { text, cells: fields });
    });
  };
}

/** Throws an `InputError` if the mapping returns a promise: once, and not for every row. */
function expectNoPromise(records: readonly unknown[], source: string, line: number): void {
  const promises = records.filter(isThenable);
  if (promises.length === 0) return;
  // An unhandled rejection would end the process, with a message that may quote the row.
  for (const promise of promises) Promise.resolve(promise).catch(() => {});
  throw new InputError(
    `${source}:${line}: the mapping module returned a promise; expected the record itself. Remove async and await from its function.`,
  );
}

function isThenable(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}
