/** Exports `expectRecords`, which finds an input without a record before anything is connected or written. */
import { InputError } from './input-error.js';
import type { Input, InputLine } from './source.js';

/** Enough to see that a mapping is wrong. */
const ROWS_READ = 100;

/**
 * Reads the first line, or the first 100 rows with a mapping. Rejects with an `InputError` if there is none, and if reading does, as for a
 * wrong mapping. Does not read an input that can be read only once.
 */
export async function expectRecords(input: Input): Promise<void> {
  if (input.isReadOnce === true) return;
  let lines = 0;
  for await (const item of input) if (!hasMapping(item) || ++lines === ROWS_READ) return;
  if (lines === 0) throw noRecord(input);
}

function hasMapping(item: InputLine): boolean {
  if (item.cells !== undefined) return true;
  const found = item.read();
  return 'problem' in found && found.problem.code === 'map_failed';
}

export function noRecord(input: Input): InputError {
  return new InputError(`the input has no record. ${emptyFilesInWords(input) || 'Expected at least one.'}`);
}

/** Returns `customers.csv: expected a record, found a header and no row.`; empty if every file has a record. */
export function emptyFilesInWords(input: Input): string {
  const files = input.files?.() ?? [];
  return files
    .flatMap(({ source, empty }) => (empty === undefined ? [] : [`${source}: expected a record, found ${empty}.`]))
    .join(' ');
}
