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

/** The mapping of a CSV file. */
export interface Mapping extends FormattedMap {
  module?: OpenMap['module'];
  /** Whether messages may quote the row. */
  showPersonalData: boolean;
  /** Maximum size of a row in bytes. */
  longestLine?: number | undefined;
}

/**
 * Yields the records of a file. If its header is invalid, yields one problem only: without column names no row can be read. Rejects with an
 * `InputError` if the mapping is wrong for the file, and not for some rows: it reads a column that does not exist, or fails in the same way
 * (same kind of error, same place in the mapping) for each of the first 100 rows, or for all of at least ten.
 */
export async function* readCsvRecords(
  source: string,
  lines: AsyncIterable<Line[]>,
  mapping: Mapping,
  reading: FileReading,
): AsyncGenerator<InputLine[]> {
  let mapper: ReturnType<typeof rowMapper> | undefined;
  const readRow = createRowReader(source);
  for await (const row of splitRows(lines, { ...mapping, longest: mapping.longestLine })) {
    const read = readRow(row);
    if ('isWithoutData' in read) addRow(reading.withoutData, row.lines[0].number);
    else if ('fields' in read) yield mapper?.itemsOf(row, read.fields) ?? [];
    else if ('columns' in read) mapper = rowMapper(source, read.columns, mapping, reading);
    else {
      yield [read.problem];
      if (read.isWholeFile) return;
      mapping.module?.related.ask(read.problem.texts?.() ?? []);
    }
  }
  mapper?.end();
}

const FIRST_ROWS = 100;
/** Fewer rows may all have the same mistake: they are rejected. */
const FEWEST_FAILED = 10;

/** Counts the rows of a file that fail in the same way, from the first one on. */
function countSameFailures(source: string) {
  let first: { id: string; line: number; failure: MapFailure } | undefined;
  let count = 0;
  let isOver = false;
  const end = (fewest: number, rows: string) => {
    if (isOver || first === undefined || count < fewest) return;
    throw wrongMapping(source, first.line, `failed in the same way for ${rows} rows`, first.failure);
  };
  return {
    mapped(): void {
      isOver = true;
    },
    failed(line: number, error: unknown, failure: MapFailure): void {
      const id = `${error instanceof Error ? error.constructor.name : typeof error} ${failure.place}`;
      first ??= { id, line, failure };
      if (first.id !== id) isOver = true;
      count++;
      end(FIRST_ROWS, `each of the first ${count}`);
    },
    end: () => end(FEWEST_FAILED, `all ${count}`),
  };
}

function wrongMapping(source: string, line: number, what: string, { place, detail }: MapFailure): InputError {
  return new InputError(`${source}:${line}: the mapping ${what}${place === '' ? '' : `, at ${place}`}: ${detail}`);
}

/** `itemsOf`: returns the items of a row. `end`: call it after the last one. */
function rowMapper(
  source: string,
  columns: readonly string[],
  { map, module, showPersonalData }: Mapping,
  reading: FileReading,
) {
  const failures = countSameFailures(source);
  const rowOf = createRows(columns, reading.header(columns));
  const refuse = refuseIncomplete(module?.related.unreadable ?? []);
  const areCellsShown = showPersonalData || !lookLikeData(columns);
  const itemsOf = ({ lines, text }: Row, fields: readonly string[]): InputLine[] => {
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
      if (error instanceof UnknownColumnError)
        throw wrongMapping(source, line, 'reads a column that does not exist', failure);
      failures.failed(line, error, failure);
      return [problemItem(source, line, text, problem('map_failed', failure.detail, failure.place))];
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
  return { itemsOf, end: failures.end };
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
