/** Which event ended its record. */
import { type LedgerRecord, STEPS } from '../ledger/ledger.js';
import type { RecordEvent } from '../record/apply-event.js';

/** Events that are written together are all told with the record as it is after the last of them. */
export function isEnd({ end, done }: LedgerRecord, event: RecordEvent): boolean {
  switch (event.happens) {
    case 'ended':
    case 'skipped':
      return true;
    case 'found':
      return event.sends === undefined;
    case 'refused':
      return end === 'rejected';
    case 'lost':
      // What is lost after the import is done with, and `ended` comes after it.
      return end === 'unknown' && (done === null || STEPS.indexOf(done) < STEPS.indexOf(event.step));
    default:
      return false;
  }
}
