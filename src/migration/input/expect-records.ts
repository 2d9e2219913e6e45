/** Exports `expectRecords`, which finds an input without a record before anything is connected or written. */
import { InputError } from './input-error.js';
import type { Input } from './source.js';

/**
 * Reads up to the first line for which the mapping does not throw. Rejects with an `InputError` if the input has no line that may
 * have a record, and with a `WrongMappingError` if the mapping fails for each of the first rows. Does not read an input that can be read
 * only once.
 */
export async function expectRecords(input: Input): Promise<void> {
  if (input.isReadOnce === true) return;
  let hasLines = false;
  for await (const item of input) {
    hasLines = true;
    const read = item.read();
    if (!('problem' in read) || read.problem.code !== 'map_failed') return;
  }
  if (!hasLines) throw noRecord(input);
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
