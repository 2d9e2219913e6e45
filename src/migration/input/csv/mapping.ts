/** A mapping module: the code by which a supplier turns rows of a CSV export into records. */
import { basename } from 'node:path';
import type { ImportRecord } from '../../../validation/records/import-record.js';
import { InputError } from '../input-error.js';
import { loadDefaultExport } from '../load-module.js';
import type { CsvRow } from './csv-row.js';

/**
 * The default export of a mapping module: receives one row, by the names of the header, and returns its record; several
 * records, or undefined for a row that holds none. `place` has the file and the line of the row. It is called again with every
 * reading of the input, and must then return the same. A row for which it throws becomes one rejected line (`map_failed`);
 * where it throws the same for each of the first 100 rows, or returns a promise, the reading ends with a `InputError`.
 *
 * With the columns as a parameter, `RowMap<'Number' | 'Name'>`, no other can be misspelt, and each is text also with
 * `noUncheckedIndexedAccess`.
 */
export type RowMap<Column extends string = string> = {
  // A method, so that a function of named columns is a RowMap as well.
  map(row: CsvRow<Column>, place: RowPlace): ImportRecord | ImportRecord[] | undefined;
}['map'];

/** The file and the line of a row. */
export interface RowPlace {
  /** Name of the file as it was given (of a folder, with the folder's name); `-` for standard input. */
  file: string;
  /** Line of the file, counted from 1 with the header. */
  line: number;
}

/** One mapping for all CSV files, or one for each file, by the name that was given or the last part of that name. */
export type RowMaps = RowMap | Readonly<Record<string, RowMap>>;

/** Returns the mapping of each file. Throws an `InputError` for a CSV file without one, and for the name of a mapping that no file has. */
export function mapsOf(files: readonly { name: string; format: string }[], maps: RowMaps | undefined) {
  const csv = files.filter(({ format }) => format === 'csv').map(({ name }) => name);
  const byName = new Map<string, RowMap>();
  for (const [name, map] of typeof maps === 'object' ? Object.entries(maps) : []) {
    const named = csv.filter((file) => file === name || basename(file) === name);
    if (named.length === 0) {
      throw new InputError(
        `the mapping of ${name}: no CSV file of the input has this name (${csv.join(', ') || 'there is none'}). Correct the name, or add the file.`,
      );
    }
    for (const file of named) byName.set(file, map);
  }
  return new Map(csv.map((file) => [file, typeof maps === 'function' ? maps : expectMap(file, byName.get(file))]));
}

function expectMap(file: string, map: RowMap | undefined): RowMap {
  if (map !== undefined) return map;
  throw new InputError(
    `${file}: rows of CSV need a mapping module that makes records of them. Give one with --map <path>, or one for each file with --map ${basename(file)}=<path>.`,
  );
}

const EXPECTED = 'expected a module whose default export is a function (row, { file, line }) => record';

/**
 * Loads a mapping module from a file: .js, .mjs, .cjs, and .ts where Node can. Its code is run. Rejects with a `InputError`
 * where there is none, or none with a function as its default export.
 */
export async function loadMap(path: string): Promise<RowMap> {
  const map = await loadDefaultExport(path, `--map ${path}`, EXPECTED);
  if (typeof map === 'function') return map as RowMap;
  throw new InputError(
    `--map ${path}: the default export is ${map === undefined ? 'missing' : typeof map}; ${EXPECTED}.`,
  );
}
