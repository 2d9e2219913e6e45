/** `expectDistributable`: records that a distributed run does not send are refused before its first request. */
import type { ImportRecord } from '../../validation/records/import-record.js';
import { InputError } from '../input/input-error.js';
import type { Input } from '../input/source.js';
import { isPopulate } from '../record/record-key.js';

/** A cheap look at the text of a line, so that most lines are not parsed for this. */
const MAY_BE_OF_SINGLE_RUN = /"(?:payment_instructions|populate)"/;

/** What only a run on one machine sends of the record, in words; undefined where all of it can be distributed. */
function ofSingleRun(record: ImportRecord): string | undefined {
  if (isPopulate(record)) return 'supply points to be looked up';
  if ('business' in record && record.payment_instructions !== undefined) return 'payment instructions of a business';
  return undefined;
}

/** Rejects with a `InputError` at the first such record. What can be read only once is not read. */
export async function expectDistributable(input: Input): Promise<void> {
  if (input.isReadOnce === true) return;
  for await (const item of input) {
    if (!MAY_BE_OF_SINGLE_RUN.test(item.text)) continue;
    const read = item.read();
    if ('record' in read) expectDistributableRecord(read.record, item);
  }
}

/** Throws a `InputError` for a record that a distributed run does not send. */
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
