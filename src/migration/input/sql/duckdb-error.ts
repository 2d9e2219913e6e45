/**
 * Exports `describeDuckDbError`, which converts an error of DuckDB to a message with the place in the SQL file and a suggestion, and
 * `describeSourceError`, for errors in the rows of a source, with file and line.
 */
import { InputError, SqlError } from '../input-error.js';
import type { SqlFile } from './declarations.js';
import type { IdentifiedSource } from './source-text.js';

interface Details {
  /** For a table that does not exist, and because a header that looks like a row is not shown. */
  sources?: readonly IdentifiedSource[];
  /** Text before the query in the statement that failed. */
  before?: string;
  /** Whether the message may contain values of the sources; false while only the query is checked. */
  hasValues?: boolean;
  isPersonalDataShown?: boolean;
}

/** An error with the option `errors_as_json`. The other fields depend on the kind of error. */
interface DuckDbError {
  exception_type?: string;
  exception_message?: string;
  /** A number as text. */
  position?: string;
  error_subtype?: string;
  name?: string;
  candidates?: string;
}

const MOST_LINES = 4;
const MOST_CANDIDATES = 5;

/** Returns the error itself if it is not from DuckDB. */
export function describeDuckDbError(error: unknown, sql: SqlFile, details: Details = {}): Error {
  if (error instanceof InputError || !(error instanceof Error)) return error as Error;
  const found = parsed(error.message);
  const message = found.exception_message ?? error.message;
  const { place, shown } = placeOf(found, sql, details.before ?? '');
  const what = details.hasValues && !details.isPersonalDataShown ? withoutValues(message, sql.text) : message;
  const lines = [`${place}: ${inWords(found, what, details)}`, ...shown];
  return new SqlError(lines.join('\n'), { cause: error });
}

/** Parse errors have text before the JSON. */
function parsed(message: string): DuckDbError {
  const start = message.indexOf('{"');
  if (start < 0) return {};
  try {
    return JSON.parse(message.slice(start)) as DuckDbError;
  } catch {
    return {};
  }
}

function placeOf(found: DuckDbError, { name, text }: SqlFile, before: string): { place: string; shown: string[] } {
  const upTo = textBefore(found, text, before);
  if (upTo === undefined) return { place: name, shown: [] };
  const line = upTo.split('\n').length;
  const column = upTo.slice(upTo.lastIndexOf('\n') + 1);
  const code = (text.split('\n')[line - 1] ?? '').replace(/\r$/, '');
  const margin = `  ${line} | `;
  const caret = `${' '.repeat(margin.length)}${column.replace(/[^\t]/gu, ' ')}^`;
  return { place: `${name}:${line}:${[...column].length + 1}`, shown: [`${margin}${code}`, caret] };
}

/** Returns the query up to the place of the error; undefined if that is unknown. */
function textBefore({ position, exception_type }: DuckDbError, text: string, before: string): string | undefined {
  if (position === undefined) return undefined;
  // Positions of the parser are characters, all others are bytes.
  if (exception_type === 'Parser') return [...text].slice(0, Number(position)).join('');
  const bytes = Buffer.from(text);
  const length = Number(position) - Buffer.byteLength(before);
  return length >= 0 && length <= bytes.length ? bytes.subarray(0, length).toString() : undefined;
}

function inWords(found: DuckDbError, message: string, { sources = [] }: Details): string {
  const { exception_type: type, error_subtype: subtype } = found;
  const areColumnsShown = !sources.some((source) => source.kind === 'csv' && source.isHeaderSuspect);
  const candidates = areColumnsShown ? (found.candidates ?? '').split(',').flatMap((one) => one.trim() || []) : [];
  const meant =
    candidates.length === 0
      ? ''
      : `; did you mean ${candidates
          .slice(0, MOST_CANDIDATES)
          .map((one) => `"${one}"`)
          .join(', ')}?`;
  if (type === 'Out of Memory') {
    return 'the query needs more memory than it may use. Compute the records in slices: declare "-- slices by <column>", a column that all rows of a record share, or a larger number of them.';
  }
  if (type === 'Permission') {
    return `${message.split(' - ')[0]}: a query is one SELECT, and reads only the sources that are declared at its head or in the config file.`;
  }
  if (subtype === 'COLUMN_NOT_FOUND' && found.name !== undefined) return `no column "${found.name}"${meant}`;
  if (subtype === 'MISSING_ENTRY' && type === 'Catalog' && /^Table /.test(message)) {
    const names = sources.map(({ declared }) => declared.name).join(', ');
    const others = names === '' ? 'no source is declared' : `the sources are ${names}`;
    return `no source "${found.name}"; ${others}. Declare it at the head of the file: -- source ${found.name}: <file>`;
  }
  const lines = message.split('\n').filter((line) => line.trim() !== '' && !/^LINE \d+:|^\s*\^/.test(line));
  return lines.slice(0, MOST_LINES).join('\n  ');
}

/** Quoted texts that the SQL file does not have may be values of a source. */
function withoutValues(message: string, sql: string): string {
  return message.replace(/"([^"]*)"|'([^']*)'/g, (all, one?: string, other?: string) => {
    const text = one ?? other ?? '';
    return text === '' || sql.includes(text) || TYPE.test(text) ? all : `${all[0]}*${all[0]}`;
  });
}

const TYPE = /^[A-Z]+(?:\(\d+,\d+\))?$/;

/** Returns the error itself if it is not from DuckDB. The message does not contain the row, which may be personal data. */
export function describeSourceError(error: unknown, source: IdentifiedSource): Error {
  if (error instanceof InputError || !(error instanceof Error)) return error as Error;
  const { file } = source.declared;
  const message = parsed(error.message).exception_message ?? error.message;
  if (source.kind === 'parquet') {
    return new SqlError(`${file}: cannot be read as Parquet. Export it again.`, { cause: error });
  }
  if (source.kind === 'json') {
    // DuckDB names the value after the damaged one, counted from 1.
    const [, count = '2'] = / in (?:line|record\/value) (\d+)/.exec(message) ?? [];
    return new SqlError(`${file}: value ${Number(count) - 1} is not JSON. Correct it, or export the file again.`, {
      cause: error,
    });
  }
  const [, line = '1'] = /CSV Error on Line: (\d+)/.exec(message) ?? [];
  const place = `${file}:${Number(line) + source.headLines}`;
  return new SqlError(`${place}: ${rowInWords(message, source.columns.length)}`, { cause: error });
}

function rowInWords(message: string, columns: number): string {
  const [, found] = /Expected Number of Columns: \d+ Found: (\d+)/.exec(message) ?? [];
  if (found !== undefined) {
    return `the row has ${found} fields, and the header ${columns} columns. Correct the row, declare another delimiter, or export the file again.`;
  }
  if (/quote/i.test(message)) {
    return 'the quotes of the row are unbalanced: a field with a quote must be in quotes, and the quote doubled. Correct the row, or export the file again.';
  }
  if (/unicode|utf-?8/i.test(message)) {
    return 'the row is not in UTF-8. Declare the encoding of the file: ", encoding windows-1252" after its name.';
  }
  if (/Maximum line size/i.test(message)) return 'the row is longer than 2 MB. Check whether it lacks a quote.';
  return 'the row cannot be read. Correct it, or export the file again.';
}
