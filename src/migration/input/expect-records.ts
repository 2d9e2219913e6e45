/** Exports `expectRecords`, which finds an input without a record before anything is connected or written. */
import { InputError, WrongMappingError } from './input-error.js';
import type { Input } from './source.js';

/**
 * Reads up to the first line for which the mapping does not throw. Rejects with an `InputError` if the input has no line that may
 * have a record, and with a `WrongMappingError` if the mapping fails in the same way for each of the first 100 rows, or for all of at least
 * ten rows. Does not read an input that can be read only once.
 */
export async function expectRecords(input: Input): Promise<void> {
  if (input.isReadOnce === true) return;
  let failed = 0;
  let first: { place: string; at: string; detail: string } | undefined;
  for await (const item of input) {
    const read = item.read();
    if (!('problem' in read) || read.problem.code !== 'map_failed') return;
    const { attr, detail } = read.problem;
    first ??= { place: `${item.source}:${item.line}`, at: attr, detail };
    if (detail !== first.detail) return;
    failed++;
  }
  if (first === undefined) throw noRecord(input);
  if (failed < FEWEST_FAILED) return;
  const { place, at, detail } = first;
  const where = at === '' ? '' : `, at ${at}`;
  throw new WrongMappingError(`${place}: the mapping failed in the same way for all ${failed} rows${where}: ${detail}`);
}

/** Fewer rows may all have the same mistake: they are rejected. */
const FEWEST_FAILED = 10;

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
