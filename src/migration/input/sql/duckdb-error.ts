/**
 * Exports `describeDuckDbError`, which converts an error of DuckDB to a message with the place in the SQL file and the cause, and
 * `describeSourceError`, for a source that DuckDB cannot load. DuckDB's own messages quote cells, in more forms than can be listed. They are
 * shown only while a query is checked, where no row has been read, or on request.
 */
import { counted } from '../../shared/format.js';
import { MissingPackageError } from '../../shared/missing-package.js';
import { lookLikeData } from '../csv/csv-row.js';
import { InputError } from '../input-error.js';
import type { SqlFile } from './declarations.js';
import { PHONE_FAILURES } from './phone-function.js';
import type { IdentifiedSource } from './source-text.js';
import type { Table } from './tables.js';

interface Details {
  /** For a table that does not exist. */
  tables?: readonly Table[];
  /** Text before the query in the statement that failed. */
  before?: string;
  /** Whether the message may contain values of the sources; false while only the query is checked. */
  hasValues?: boolean;
  showPersonalData?: boolean;
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
const MOST_LISTED = 60;

/** Returns the error itself if it is not from DuckDB. */
export function describeDuckDbError(error: unknown, sql: SqlFile, details: Details = {}): Error {
  if (!isOfDuckDb(error)) return error as Error;
  const { hasValues = false, showPersonalData = false } = details;
  const found = parsed(error.message);
  const missing = PHONE_FAILURES.get(found.exception_message ?? '');
  if (missing === 'package') return new MissingPackageError(found.exception_message ?? '');
  const failure = hasValues ? failureOf(found, sql.text) : undefined;
  const { place, shown } = placeOf(found, sql, { before: details.before ?? '', function: failure?.function });
  const what =
    failure === undefined
      ? inWords(found, sql.text, details)
      : `${failure.words}. ${failure.remedy}; --show-personal-data adds the message of DuckDB, which may quote the value.`;
  const lines = [`${place}: ${what}`, ...shown];
  if (!hasValues) return new InputError(lines.join('\n'), { cause: error });
  if (showPersonalData) lines.push(`  ${firstLines(found.exception_message ?? error.message)}`);
  // Loggers print a cause too.
  return new InputError(lines.join('\n'), showPersonalData ? { cause: error } : {});
}

function isOfDuckDb(error: unknown): error is Error {
  return (
    error instanceof Error &&
    error.constructor === Error &&
    !('code' in error) &&
    !(error instanceof InputError || error instanceof MissingPackageError)
  );
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

/** Returns the place, and the line of the query with a mark below the place. */
function placeOf(found: DuckDbError, { name, text }: SqlFile, by: { before: string; function: RegExp | undefined }) {
  const upTo = textBefore(found, text, by.before) ?? textBeforeCall(text, by.function);
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

/** Returns the query up to the only call of a function. */
function textBeforeCall(text: string, called: RegExp | undefined): string | undefined {
  const [first, second] = called === undefined ? [] : text.matchAll(called);
  return first !== undefined && second === undefined ? text.slice(0, first.index) : undefined;
}

/** Why a query failed while it was computed: own words, because every text of DuckDB may quote a cell. */
interface Failure {
  /** The value of `exception_type`. */
  type: string;
  /** The beginning of DuckDB's message; without it, any message. */
  message?: RegExp;
  words: string;
  remedy: string;
  /** Calls of the function that has failed. DuckDB names the place of a cast only. */
  function?: RegExp;
}

/** NULL in place of the value would be sent without a word: an amount, or a date, would be missing. */
const KEPT = 'mark such a value, so that only its record is rejected (docs/sql-input.md)';
const DATE_FORMAT = `Use date_dmy, date_dmyy or date_as, which ${KEPT}. try_strptime would leave it out`;
const OWN_FUNCTION = `Use number_comma, number_point, date_dmy or date_as, which ${KEPT}. try_cast would leave it out`;
const TEST_BEFORE = 'Exclude such values with CASE before the call';

/** The first row that fits. */
const FAILURES: readonly Failure[] = [
  {
    type: 'Conversion',
    message: /^Malformed JSON/,
    words: 'a value is not JSON',
    remedy: 'Use to_json for texts, and json_valid to tell them apart',
  },
  { type: 'Conversion', words: 'a value does not fit the type of the conversion', remedy: OWN_FUNCTION },
  {
    type: 'Invalid Input',
    message: /^Could not parse string/,
    words: 'a value is not in the format that strptime is given',
    remedy: DATE_FORMAT,
    function: /\bstrptime\s*\(/gi,
  },
  {
    type: 'Invalid Input',
    message: /^Malformed JSON/,
    words: 'a value is not JSON',
    remedy: 'Exclude such values with json_valid',
    function: /\bjson_\w+\s*\(|->/gi,
  },
  {
    type: 'Invalid Input',
    message: /^Invalid input for hex digit/,
    words: 'a value is not in hexadecimal digits',
    remedy: TEST_BEFORE,
    function: /\b(?:from_hex|unhex)\s*\(/gi,
  },
  {
    type: 'Invalid Input',
    words: 'a function of the query refuses a value, or the query calls error()',
    remedy: TEST_BEFORE,
    function: /\berror\s*\(/gi,
  },
  { type: 'Out of Range', words: 'a value or a result is outside the range of its type', remedy: OWN_FUNCTION },
  {
    type: 'Out of Memory',
    words: 'the query needs more memory than it may use',
    remedy:
      'Compute the records in slices: declare "-- slices by <column>", a column that all rows of a record share, or a larger number of them',
  },
  {
    type: 'IO',
    words: 'a temporary file cannot be written or read',
    remedy: 'Free some disk space, or set TMPDIR to another folder',
  },
  {
    type: 'Permission',
    words: 'the query reads something else than its sources',
    remedy: 'Declare each file as a source',
  },
  { type: 'Invalid Type', words: 'a value has a type that its function does not take', remedy: OWN_FUNCTION },
  { type: 'Mismatch Type', words: 'a value has a type that its function does not take', remedy: OWN_FUNCTION },
  { type: 'Divide by Zero', words: 'a number is divided by 0', remedy: 'Divide by nullif(<divisor>, 0)' },
  { type: 'Interrupt', words: 'the computation was interrupted', remedy: 'Repeat the command' },
];

const OTHER: Omit<Failure, 'type'> = {
  words: 'the query cannot be computed for the values of its sources',
  remedy: 'Take parts of it away until it can',
};

function failureOf({ exception_type: type, exception_message: message = '' }: DuckDbError, sql: string) {
  if (PHONE_FAILURES.get(message) === 'region') {
    return { words: message, remedy: 'Correct the region', function: /\bphone_e164\s*\(/gi };
  }
  const found = FAILURES.find((row) => row.type === type && (row.message === undefined || row.message.test(message)));
  // The text of error('…') in the query is for its reader.
  const isOwnText =
    type === 'Invalid Input' && message !== '' && sql.includes(`error('${message.replaceAll("'", "''")}')`);
  return isOwnText && found !== undefined ? { ...found, words: message } : (found ?? OTHER);
}

/** The functions of this package are macros. */
const OF_AGGREGATES = /^Function ".*" is a Macro Function|^Window function macros/;
const NO_AGGREGATE =
  'json_list and the other functions of docs/sql-input.md take no FILTER, DISTINCT, ORDER BY or OVER. An item that is NULL is left out: write json_list(CASE WHEN <condition> THEN { … } END); it sorts by the first field. Remove equal rows in a subquery: FROM (SELECT DISTINCT … FROM …).';

/** The error of a query that is only checked, before a row is read. */
function inWords(found: DuckDbError, sql: string, { tables = [] }: Details): string {
  const { exception_type: type, error_subtype: subtype, exception_message: message = '' } = found;
  // A header that is a row, and JSON whose names are data, may be personal.
  const areColumnsShown = !lookLikeData(tables.flatMap(({ columns }) => columns.flatMap(Object.values)));
  const candidates = areColumnsShown ? (found.candidates ?? '').split(',').flatMap((one) => one.trim() || []) : [];
  const meant =
    candidates.length === 0
      ? ''
      : `; did you mean ${candidates
          .slice(0, MOST_CANDIDATES)
          .map((one) => `"${one}"`)
          .join(', ')}?`;
  if (type === 'Permission') {
    return `${message.split(' - ')[0]}: a query is one SELECT, and reads only the sources that are declared at its head or in the config file.`;
  }
  if (OF_AGGREGATES.test(message)) return NO_AGGREGATE;
  if (subtype === 'COLUMN_NOT_FOUND' && found.name !== undefined) {
    return `no column "${found.name}"${meant || columnsInWords(tables, areColumnsShown)}`;
  }
  if (subtype === 'MISSING_ENTRY' && type === 'Catalog' && /^Table /.test(message)) {
    const names = tables.map(({ name }) => name).join(', ');
    const others = names === '' ? 'no source is declared' : `the sources are ${names}`;
    return `no source "${found.name}"; ${others}. Declare it at the head of the file: -- source ${found.name}: <file>`;
  }
  const words = firstLines(message) || 'the query cannot be read';
  return areColumnsShown ? words : withoutNames(words, sql);
}

/** If no name is near, lines stand above the header, or the query is of another file. */
function columnsInWords(tables: readonly Table[], areShown: boolean): string {
  if (tables.length === 0) return '';
  const lists = tables.map(({ name, columns }) => {
    const names = columns.slice(0, MOST_LISTED).map((column) => JSON.stringify(column.name));
    return `${name} has ${areShown ? names.join(', ') : `${counted(columns.length, 'column')}, whose names look like data`}`;
  });
  return `; ${lists.join('; ')}. If lines stand above the header of a file, skip them with skipLines`;
}

function firstLines(message: string): string {
  const lines = message.split('\n').filter((line) => line.trim() !== '' && !/^LINE \d+:|^\s*\^/.test(line));
  return lines.slice(0, MOST_LINES).join('\n  ');
}

/** Quoted texts that the SQL file does not have may be names of a header that is a row. */
function withoutNames(message: string, sql: string): string {
  return message.replace(/"[^"]*"|'[^']*'/g, (all) => (sql.includes(all.slice(1, -1)) ? all : `${all[0]}*${all[0]}`));
}

/** Returns the error itself if it is not from DuckDB. The message does not contain the row, which may be personal data. */
export function describeSourceError(error: unknown, { declared: { file }, kind }: IdentifiedSource): Error {
  if (!isOfDuckDb(error)) return error as Error;
  const { exception_type: type, exception_message: message = '' } = parsed(error.message);
  const failure = FAILURES.find((row) => row.type === type && (type === 'Out of Memory' || type === 'IO'));
  if (failure !== undefined) return new InputError(`${file}: ${failure.words}. ${failure.remedy}.`);
  if (kind === 'parquet') return new InputError(`${file}: cannot be read as Parquet. Export it again.`);
  if (kind === 'csv') return new InputError(`${file}: the rows cannot be loaded. Report this as a bug.`);
  const [, count = '2'] = / in (?:line|record\/value) (\d+)/.exec(message) ?? [];
  if (/^JSON transform error/.test(message))
    return new InputError(
      `${file}: value ${count} has a name twice in an object, or a value that no type fits. Correct it.`,
    );
  // DuckDB names the value after the damaged one, counted from 1.
  return new InputError(`${file}: value ${Number(count) - 1} is not JSON. Correct it, or export the file again.`);
}
