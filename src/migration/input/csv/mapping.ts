/** A mapping module: the code by which a supplier turns rows of a CSV export into records. */
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ImportRecord } from '../../../validation/records/import-record.js';
import { InputError, reasonOf } from '../input-error.js';
import type { CsvRow } from './csv-row.js';

/**
 * The default export of a mapping module: receives one row, by the names of the header, and returns its record; several
 * records, or undefined for a row that holds none. `line` is counted from 1, with the header. It is called again with every
 * reading of the input, and must then return the same. A row for which it throws becomes one rejected line (`map_failed`);
 * where it throws the same for each of the first 100 rows, or returns a promise, the reading ends with a `InputError`.
 *
 * With the columns as a parameter, `RowMap<'Number' | 'Name'>`, no other can be misspelt, and each is text also with
 * `noUncheckedIndexedAccess`.
 */
export type RowMap<Column extends string = string> = {
  // A method, so that a function of named columns is a RowMap as well.
  map(row: CsvRow<Column>, line: number): ImportRecord | ImportRecord[] | undefined;
}['map'];

const EXPECTED = 'expected a module whose default export is a function (row, line) => record';

/**
 * Loads a mapping module from a file: .js, .mjs, .cjs, and .ts where Node can. Its code is run. Rejects with a `InputError`
 * where there is none, or none with a function as its default export.
 */
export async function loadMap(path: string): Promise<RowMap> {
  let module: { default?: unknown };
  try {
    await stat(path);
    module = await import(/* @vite-ignore */ pathToFileURL(resolve(path)).href);
  } catch (error) {
    throw new InputError(`--map ${path}: ${whyNotLoaded(error)}; ${EXPECTED}.`, { cause: error });
  }
  // TypeScript compiled to CommonJS has its default inside the default.
  const { default: outer } = module;
  const map = typeof outer === 'object' && outer !== null && 'default' in outer ? outer.default : outer;
  if (typeof map === 'function') return map as RowMap;
  throw new InputError(
    `--map ${path}: the default export is ${map === undefined ? 'missing' : typeof map}; ${EXPECTED}.`,
  );
}

function whyNotLoaded(error: unknown): string {
  const reason = reasonOf(error);
  if (reason === 'ENOENT') return 'there is no such file';
  if (reason === 'ERR_UNKNOWN_FILE_EXTENSION') {
    return 'this Node cannot load a file of this kind: use Node 22.18 or newer for .ts, or compile it';
  }
  return `it cannot be loaded (${error instanceof Error ? error.message : String(error)})`;
}
