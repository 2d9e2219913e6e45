/** Exports `expectDistributable`, which refuses, before the first request, a record that a distributed run cannot send. */
import type { ImportRecord } from '../../validation/records/import-record.js';
import { InputError } from '../input/input-error.js';
import { isPopulate } from '../record/record-key.js';
import type { ReadLine } from '../run/input-pass.js';

/** Throws an `InputError` for a record that a distributed run does not send. */
export function expectDistributable({ payload, item: { source, line } }: ReadLine): void {
  const found = ofSingleRun(payload);
  if (found === undefined) return;
  throw new InputError(
    `${source}:${line}: a distributed run does not send ${found}. Run the input without --distributed, or send these records first in another run folder.`,
  );
}

/** Returns what only a run on one machine can send, in words; undefined if a distributed run can send the whole record. */
function ofSingleRun(record: ImportRecord): string | undefined {
  if (isPopulate(record)) return 'supply points to look up';
  if ('business' in record && record.payment_instructions !== undefined) return 'payment instructions of a business';
  return undefined;
}
