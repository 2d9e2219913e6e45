/** Which event ended its record. */
import { type LedgerRecord, STEPS } from '../ledger/ledger.js';
import type { RecordEvent } from '../record/events/record-event.js';

/** Events that are written together are all told with the record as it is after the last of them. */
export function isEnd({ outcome, done }: LedgerRecord, event: RecordEvent): boolean {
  switch (event.type) {
    case 'ended':
    case 'skipped':
      return true;
    case 'alreadyExists':
      return event.sends === undefined;
    case 'stepRejected':
      return outcome === 'rejected';
    case 'outcomeUnknown':
      // What is lost after the import is done with, and `ended` comes after it.
      return outcome === 'unknown' && (done === null || STEPS.indexOf(done) < STEPS.indexOf(event.step));
    default:
      return false;
  }
}
