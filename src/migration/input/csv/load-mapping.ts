/** Exports `RowMap` and `loadMap`: a mapping module, the code that converts rows of a CSV export to records. */
import { basename } from 'node:path';
import type { ImportRecord } from '../../../validation/records/import-record.js';
import { InputError } from '../input-error.js';
import { loadDefaultExport } from '../load-module.js';
import type { CsvRow } from './csv-row.js';

/**
 * The default export of a mapping module: gets one row by column names, and returns its record, several records, or undefined for a
 * row without one. `place` has the file and the line of the row. Each pass over the input calls it again, and it must return the
 * same. A row for which it throws is one rejected line (`map_failed`). If it throws the same for each of the first 100 rows, or
 * for all rows, at least ten, or returns a promise, reading ends with an `InputError`; a run also ends so if it reads a column that does not
 * exist, for one of the first 100 rows.
 *
 * With the columns as a type parameter, `RowMap<'Number' | 'Name'>`, the compiler finds misspelt columns, and each column is a
 * string also with `noUncheckedIndexedAccess`.
 */
export type RowMap<Column extends string = string> = {
  // Declared as a method, so that a function with named columns is assignable to RowMap.
  map(row: CsvRow<Column>, place: RowPlace): ImportRecord | ImportRecord[] | undefined;
}['map'];

/** The file and the line of a row. */
export interface RowPlace {
  /** File name as the user gave it (for a folder, with its name); `-` for standard input. */
  file: string;
  /** Line of the file, counted from 1 with the header. */
  line: number;
}

/** One mapping for all CSV files, or one for each file, by the given name or its last part. */
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
    `${file}: CSV needs a mapping module, which converts rows to records. Give one with --map <path>, or one for each file with --map ${basename(file)}=<path>.`,
  );
}

const EXPECTED = 'expected a module whose default export is a function (row, { file, line }) => record';

/**
 * Loads a mapping module from a file: .js, .mjs, .cjs, and .ts if the version of Node.js can. Runs its code. Rejects with an
 * `InputError` if it cannot be loaded, or if its default export is not a function.
 */
export async function loadMap(path: string): Promise<RowMap> {
  const map = await loadDefaultExport(path, `--map ${path}`, EXPECTED);
  if (typeof map === 'function') return map as RowMap;
  throw new InputError(
    `--map ${path}: the default export is ${map === undefined ? 'missing' : typeof map}; ${EXPECTED}.`,
  );
}
