/**
 * Records that are not on the service, and whose line the input has no more: its number was the mistake, or the user took
 * the line out. A session that reads the whole input finds them; the others take them from not-in-input.jsonl.
 */
import type { LedgerRecord } from '../../ledger/ledger.js';
import { canStartOver } from '../../record/events/record-state.js';

/** Whether the input has no line for a record any more. */
export type HasNoLine = (record: LedgerRecord) => boolean;

export function isNotInInput(record: LedgerRecord, hasNoLine: HasNoLine): boolean {
  const { outcome } = record;
  const isAbsent = outcome === null || outcome === 'rejected' || outcome === 'skipped';
  return isAbsent && canStartOver(record) && hasNoLine(record);
}
