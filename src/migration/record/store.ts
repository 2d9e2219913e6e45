/** Exports `store`, which applies an event to a record and writes the result. */
import type { Ledger, LedgerRecord } from '../ledger/ledger.js';
import { applyEvent } from './events/apply-event.js';
import type { RecordEvent } from './events/record-event.js';
import { isOver } from './is-over.js';

/** Stores the event. Resolves with the next version of the record. `keepsCorrected`: a corrected line of the record is not erased. */
export async function store(
  record: LedgerRecord,
  event: RecordEvent,
  { ledger, now, keepsCorrected = false }: { ledger: Ledger; now: () => Date; keepsCorrected?: boolean },
): Promise<LedgerRecord> {
  const next = { ...applyEvent(record, event, now().toISOString()), version: record.version + 1 };
  await ledger.write(next, [], isOver(next) && !(keepsCorrected && next.correctedFrom !== null));
  return next;
}
