/** Exports `expectRecords`, which finds an input without a record before anything is connected or written. */
import { placeOf } from '../shared/place.js';
import { InputError } from './input-error.js';
import type { Input, InputLine } from './source.js';

/**
 * Reads up to the first line for which the mapping does not throw, and of rows of a CSV file at least the first 100. Rejects with an
 * `InputError` if the input has no line that may have a record, or if the mapping reads a column that a file does not have, or fails in the
 * same way for each of the first 100 rows, or for all of at least ten rows. Does not read an input that can be read only once.
 */
export async function expectRecords(input: Input): Promise<void> {
  if (input.isReadOnce === true) return;
  let lines = 0;
  let first: Failure | undefined;
  let unknownColumn: Failure | undefined;
  let isSame = true;
  for await (const item of input) {
    const failure = failureOf(item);
    first ??= failure;
    if (item.isColumnUnknown) unknownColumn ??= failure;
    isSame &&= failure !== undefined && failure.detail === first?.detail;
    lines++;
    const isMapped = failure !== undefined || item.cells !== undefined;
    if (!isSame && (!isMapped || lines >= LINES_READ)) break;
  }
  if (lines === 0) throw noRecord(input);
  if (isSame && first !== undefined && lines >= FEWEST_FAILED) {
    throw wrongMapping(first, `failed in the same way for all ${lines} rows`);
  }
  // A column that not every file has is read with `row.get`: the mapping is wrong for other rows too.
  if (unknownColumn !== undefined) throw wrongMapping(unknownColumn, 'reads a column that does not exist');
}

/** Lines of mapped rows that are read before a run. */
const LINES_READ = 100;

/** A row for which the mapping threw: its place, the place in the mapping such as `, at map.mjs:12`, and the error. */
type Failure = NonNullable<ReturnType<typeof failureOf>>;

function failureOf(item: InputLine) {
  const read = item.read();
  if (!('problem' in read) || read.problem.code !== 'map_failed') return undefined;
  const { attr, detail } = read.problem;
  return { place: placeOf(item), at: attr === '' ? '' : `, at ${attr}`, detail };
}

function wrongMapping({ place, at, detail }: Failure, what: string): InputError {
  return new InputError(`${place}: the mapping ${what}${at}: ${detail}`);
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
