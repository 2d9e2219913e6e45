/** Exports `expectDistributable`, which refuses, before the first request, records that a distributed run cannot send. */
import type { ImportRecord } from '../../validation/records/import-record.js';
import { InputError } from '../input/input-error.js';
import type { Input } from '../input/source.js';
import { isPopulate } from '../record/record-key.js';

/** Quick test of the text, so that most lines need not be parsed. */
const MAY_BE_OF_SINGLE_RUN = /"(?:payment_instructions|populate)"/;

/** Returns what only a run on one machine can send, in words; undefined if a distributed run can send the whole record. */
function ofSingleRun(record: ImportRecord): string | undefined {
  if (isPopulate(record)) return 'supply points to look up';
  if ('business' in record && record.payment_instructions !== undefined) return 'payment instructions of a business';
  return undefined;
}

/** Rejects with an `InputError` at the first such record. Does not read an input that can be read only once. */
export async function expectDistributable(input: Input): Promise<void> {
  if (input.isReadOnce === true) return;
  for await (const item of input) {
    if (!MAY_BE_OF_SINGLE_RUN.test(item.text)) continue;
    const read = item.read();
    if ('record' in read) expectDistributableRecord(read.record, item);
  }
}

/** Throws an `InputError` for a record that a distributed run does not send. */
export function expectDistributableRecord(
  record: ImportRecord,
  { source, line }: { source: string; line: number },
): void {
  const found = ofSingleRun(record);
  if (found === undefined) return;
  throw new InputError(
    `${source}:${line}: a distributed run does not send ${found}. Run the input without --distributed, or send these records first in another run folder.`,
  );
}
