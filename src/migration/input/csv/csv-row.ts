/** Exports `CsvRow`, the argument of a mapping function: texts by column name, and an error for a column that the file does not have. */
import { closestName } from '../../../validation/known-names.js';
import { ofAnyCopy } from '../../shared/error-of-any-copy.js';

/**
 * One row of a CSV file. Each column of the header is an own property, also in `Object.keys`, `in`, destructuring, spread
 * and `JSON.stringify`; an empty cell is `''`. Reading a column that the file does not have throws an error that names the
 * columns. In a file with a column named `get`, `row.get` is the text of that column; use `'x' in row` there.
 *
 * @example
 * row['Name'];      // throws if the file has no column Name
 * row.get('Phone'); // undefined if the file has no column Phone
 */
export type CsvRow<Column extends string = string> = Record<Column, string> & OptionalColumns;

/** Access to columns that not every file has. */
export interface OptionalColumns {
  /** Returns the text of a column, `''` for an empty cell; undefined if the file does not have the column. */
  get(column: string): string | undefined;
}

/** Thrown when a mapping function reads a column that the file does not have. */
export class UnknownColumnError extends Error {
  override readonly name = 'UnknownColumnError';

  constructor(
    readonly column: string,
    readonly columns: readonly string[],
    /** Name of the file, if it is not the file of the mapped row. */
    readonly file?: string,
  ) {
    super(unknownColumn({ column, columns, file }));
  }
}
ofAnyCopy(UnknownColumnError, 'UnknownColumnError');

/** Returns the message for a missing column. `areShown`: it may list column names that look like data. */
export function unknownColumn(
  { column, columns, file }: { column: string; columns: readonly string[]; file?: string | undefined },
  areShown = false,
): string {
  const list = listOfColumns(columns, areShown);
  const closest = areShown || !lookLikeData(columns) ? closestName(column, columns) : undefined;
  const meant = closest === undefined ? '.' : `; did you mean ${JSON.stringify(closest)}?`;
  return `${file === undefined ? 'There is' : `${file} has`} no column ${JSON.stringify(column)} (${list})${meant} Read a column that not every file has with row.get.`;
}

const MOST_LISTED = 60;

/** Returns `columns: N° client, Nom`; only their number if the first line looks like a row of data. */
function listOfColumns(columns: readonly string[], areShown = false): string {
  if (!areShown && lookLikeData(columns)) {
    return `${columns.length} columns whose names look like data: the file may have no header`;
  }
  const more = columns.length > MOST_LISTED ? `, … ${columns.length - MOST_LISTED} more` : '';
  return `columns: ${columns.slice(0, MOST_LISTED).join(', ')}${more}`;
}

/** An e-mail address, a date or a long number: not a column name, and possibly personal. */
const DATA = /@|\d{5}|\d[./-]\d{1,2}[./-]\d/;

export function lookLikeData(columns: readonly string[]): boolean {
  return columns.some((name) => DATA.test(name));
}

/** Properties that JavaScript and test libraries read on every object: undefined instead of an error. */
const ASKED_OF_EVERY_OBJECT: ReadonlySet<string> = new Set([
  'then',
  'toJSON',
  'asymmetricMatch',
  'nodeType',
  '$$typeof',
]);

/**
 * Returns a function that creates the rows of one file: plain objects behind a shared proxy handler, which adds the columns that are
 * read to `read`, and throws for missing columns. So a row can also be changed, spread and printed. `file`: the name of a related file, for the error.
 * `onRead`: called with each cell that is read.
 */
export function createRows(
  columns: readonly string[],
  read: Set<string>,
  file?: string,
  onRead?: (column: string, text: string) => void,
): (fields: readonly string[]) => CsvRow {
  // An assignment to `__proto__` would create no property.
  const hasProto = columns.includes('__proto__');
  const handler: ProxyHandler<Record<string, string>> = {
    get(target, name) {
      const text = target[name as string];
      // Only columns are texts: no inherited property of an object is one.
      if (typeof text === 'string') {
        read.add(name as string);
        onRead?.(name as string, text);
        return text;
      }
      if (name === 'get') return getColumn;
      if (typeof name === 'symbol' || name in target || ASKED_OF_EVERY_OBJECT.has(name))
        return Reflect.get(target, name);
      const error = new UnknownColumnError(name, columns, file);
      // The stack then begins in the mapping.
      Error.captureStackTrace(error, handler.get);
      throw error;
    },
  };
  return (fields) => {
    const row: Record<string, string> = {};
    for (let index = 0; index < columns.length; index++) row[columns[index] as string] = fields[index] ?? '';
    if (hasProto)
      Object.defineProperty(row, '__proto__', { ...OWN, value: fields[columns.indexOf('__proto__')] ?? '' });
    return new Proxy(row, handler) as CsvRow;
  };
}

const OWN = { configurable: true, enumerable: true, writable: true };

function getColumn(this: Record<string, string>, column: string): string | undefined {
  return Object.hasOwn(this, column) ? this[column] : undefined;
}
