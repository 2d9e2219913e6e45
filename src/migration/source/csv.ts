/**
 * Records from CSV, by a mapping module. The first row names the columns; the delimiter (comma, semicolon, tab or bar)
 * is the one that it has most of. Lines end with LF, CRLF or, where the first one does, with CR. Line breaks inside of
 * quotes are read as LF.
 */
import { isUtf8 } from 'node:buffer';
import { BookError } from './book-error.js';
import { flawedItem, NOT_UTF8 } from './json-lines.js';
import type { Line } from './lines.js';
import type { RowMap } from './map.js';
import { problem, problemItem, recordItem } from './record.js';
import { type Row, rowsOf } from './rows.js';
import type { ReadRecord, SourceItem } from './source.js';

/** Without a header no row says anything: where that is wrong, it is all that is told of the file. */
export async function* csvRecords(
  source: string,
  lines: AsyncIterable<Line[]>,
  map: RowMap,
): AsyncGenerator<SourceItem[]> {
  let columns: string[] | undefined;
  for await (const row of rowsOf(lines)) {
    const [first] = row.lines;
    if (first.flaw !== undefined) {
      yield [flawedItem(source, first)];
      if (columns === undefined) return;
    } else if (columns !== undefined) {
      yield itemsOf(source, row, columns, map);
    } else if (isHeader(row)) {
      columns = row.fields;
    } else {
      yield [problemItem(source, first.number, row.text, BAD_HEADER)];
      return;
    }
  }
}

const BAD_HEADER = problem(
  'invalid_csv',
  'The header does not name the columns: expected UTF-8, and names that are there and differ. Nothing of the file was read.',
);

function isHeader(row: Row): row is Row & { fields: string[] } {
  const { fields, lines } = row;
  if (fields === undefined || !lines.every(({ bytes }) => isUtf8(bytes))) return false;
  return fields.every((name) => name !== '') && new Set(fields).size === fields.length;
}

function itemsOf(source: string, row: Row, columns: readonly string[], map: RowMap): SourceItem[] {
  const { lines, text, fields } = row;
  const line = lines[0].number;
  if (!lines.every(({ bytes }) => isUtf8(bytes))) return [problemItem(source, line, text, NOT_UTF8)];
  if (fields?.length !== columns.length) return [problemItem(source, line, text, misfit(fields, columns))];
  let mapped: ReturnType<RowMap>;
  try {
    mapped = map(Object.fromEntries(columns.map((column, index) => [column, fields[index] ?? ''])), line);
  } catch (error) {
    return [problemItem(source, line, text, problem('map_failed', `The mapping module threw ${nameOf(error)}.`))];
  }
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
  throw new BookError(
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
  return problem('invalid_csv', `${what}. Mend it, or export the file anew.`);
}

/** Its kind and its place in the module. Not its message: that may hold what stands in the row. */
function nameOf(error: unknown): string {
  if (!(error instanceof Error)) return 'something that is no Error';
  const { name } = error.constructor;
  const place = placeIn(error);
  return place === undefined ? name : `${name} at ${place}`;
}

/** File, line and column of the first frame that has them. Before the frames stands the message, which can look like one. */
function placeIn({ message, stack }: Error): string | undefined {
  if (typeof stack !== 'string' || typeof message !== 'string' || !stack.includes(message)) return undefined;
  const frames = stack.slice(stack.indexOf(message) + message.length);
  return /(?<![^/\\(\s])[^/\\(\s:]+:\d+:\d+(?=\)?$)/m.exec(frames)?.[0];
}
