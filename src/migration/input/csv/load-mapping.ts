/** Exports `RowMap`, `FormattedMap` and `loadMap`: a mapping module, the code that converts rows of a CSV export to records. */
import { basename } from 'node:path';
import { isOptions } from '../../../validation/known-names.js';
import type { ImportRecord } from '../../../validation/records/import-record.js';
import { InputError } from '../input-error.js';
import { loadDefaultExport } from '../load-module.js';
import type { CsvRow } from './csv-row.js';
import { type RelatedFiles, watchRelatedFiles } from './mapping/related-files.js';
import { hashOfModule } from './module-hash.js';
import { type CsvFormat, checkCsvFormat } from './split-rows.js';

/**
 * The default export of a mapping module: gets one row by column names, and returns its record, several records, or undefined for a
 * row without one. `place` has the file and the line of the row. Each session calls it again, and it must return the
 * same. A row for which it throws is one rejected line (`map_failed`). If it throws the same for each of the first 100 rows, or
 * returns a promise, reading ends with an `InputError`; a run also ends so if it throws the same for all rows, at least ten, or reads a column
 * that does not exist, for one of the first 100 rows.
 *
 * With the columns as a type parameter, `RowMap<'Number' | 'Name'>`, the compiler finds misspelt columns, and each column is a
 * string also with `noUncheckedIndexedAccess`.
 *
 * It is the type of a mapping as a value. The compiler finds misspelt fields only in a function that names its result:
 * `(row: CsvRow): ImportRecord => …`, in JavaScript `@returns {ImportRecord}`, or `ReturnType<RowMap>` for all that a mapping may return.
 */
export type RowMap<Column extends string = string> = RowMapMethod<Column>['map'];

/** A method, so that a function with named columns is assignable to `RowMap`. */
interface RowMapMethod<Column extends string> {
  map(row: CsvRow<Column>, place: RowPlace): ImportRecord | ImportRecord[] | undefined;
}

/** The file and the line of a row. */
export interface RowPlace {
  /** File name as the user gave it (for a folder, with its name); `-` for standard input. */
  file: string;
  /** Line of the file, counted from 1 with the header. */
  line: number;
}

/**
 * The default export of a mapping module for a file whose delimiter, header or quotes are not found by themselves.
 *
 * @example
 * export default { delimiter: ';', skipLines: 2, map: (row: { no: string }) => ({ account: { import_supplier: 'ACME', external_account_number: row.no } }) };
 */
export interface FormattedMap extends CsvFormat {
  /** Converts a row to its records. */
  map: RowMap;
}

/** A mapping: the function, or the function with the format of the file. */
export type RowMapping = RowMap | FormattedMap;

/** One mapping for all CSV files, or one for each file, by the given name or its last part. */
export type RowMaps = RowMapping | Readonly<Record<string, RowMapping>>;

/** Returns the mapping of each file. Throws an `InputError` for a CSV file without one, and for the name of a mapping that no file has. */
export function mapsOf(files: readonly { name: string; format: string }[], maps: RowMaps | undefined) {
  const csv = files.filter(({ format }) => format === 'csv').map(({ name }) => name);
  const ofAll = mappingIn(maps);
  const byName = new Map<string, RowMapping>();
  for (const [name, map] of isOptions(maps) && ofAll === undefined ? Object.entries(maps) : []) {
    const named = csv.filter((file) => file === name || basename(file) === name);
    if (named.length === 0) {
      throw new InputError(
        `the mapping of ${name}: no CSV file of the input has this name (${csv.join(', ') || 'there is none'}). Correct the name, or add the file.`,
      );
    }
    for (const file of named) byName.set(file, map);
  }
  return new Map(csv.map((file) => [file, formatted(file, ofAll ?? expectMap(file, byName.get(file)))]));
}

function formatted(file: string, mapping: RowMapping): OpenMap {
  const format = typeof mapping === 'function' ? { map: mapping } : mapping;
  checkCsvFormat(`the mapping of ${file}`, format, 'map');
  return { ...format, module: modules.get(mapping) };
}

/** Returns the value if it is a mapping, and not one for each file. */
export function mappingIn(value: unknown): RowMapping | undefined {
  if (typeof value === 'function') return value as RowMap;
  const isFormatted = typeof value === 'object' && value !== null && 'map' in value && typeof value.map === 'function';
  return isFormatted ? (value as FormattedMap) : undefined;
}

/** A mapping of an open input. */
export interface OpenMap extends FormattedMap {
  /** The module that it is from; undefined for a mapping of a program. */
  module: MappingModule | undefined;
}

interface MappingModule {
  /** Identifies the code, with that of the modules that it imports, and the related files that were read when it was loaded. */
  sha256: string;
  /** The related files that were read when the module was loaded. */
  related: RelatedFiles;
}

/** Node.js runs a module once, so what it read then is kept for later inputs. */
const modules = new WeakMap<RowMapping, MappingModule>();

function expectMap(file: string, map: RowMapping | undefined): RowMapping {
  if (map !== undefined) return map;
  throw new InputError(
    `${file}: CSV needs a mapping module, which converts rows to records. Give one with --map <path>, or one for each file with --map ${basename(file)}=<path>.`,
  );
}

const EXPECTED =
  'expected a module whose default export is a function (row, { file, line }) => record, or { map, delimiter, skipLines, quote } with it';

/**
 * Loads a mapping module from a file: .js, .mjs, .cjs, and .ts if the version of Node.js can. Runs its code. Rejects with an
 * `InputError` if it cannot be loaded, or if its default export is neither a function nor a `FormattedMap`.
 */
export async function loadMap(path: string): Promise<RowMapping> {
  const related = watchRelatedFiles();
  try {
    const exported = await loadDefaultExport(path, `--map ${path}`, EXPECTED);
    const map = mappingIn(exported);
    if (map === undefined)
      throw new InputError(
        `--map ${path}: the default export is ${exported === undefined ? 'missing' : typeof exported}; ${EXPECTED}.`,
      );
    if (!modules.has(map)) {
      const content = [await hashOfModule(path), ...related.files([]).map(({ sha256 }) => sha256)];
      modules.set(map, { sha256: content.join(' '), related });
    }
    return map;
  } finally {
    related.end();
  }
}
