/**
 * Exports `isNotInInput`: whether a record is not on the service and its line is no longer in the input, because its number was wrong
 * or the user removed the line. A session that reads the whole input finds such records; other sessions read not-in-input.jsonl.
 */
import type { LedgerRecord } from '../../ledger/ledger.js';
import { canStartOver } from '../../record/events/record-state.js';

/** Returns whether the line of a record is no longer in the input. */
export type HasNoLine = (record: LedgerRecord) => boolean;

export function isNotInInput(record: LedgerRecord, hasNoLine: HasNoLine): boolean {
  const { outcome } = record;
  const isAbsent = outcome === null || outcome === 'rejected' || outcome === 'skipped';
  return isAbsent && canStartOver(record) && hasNoLine(record);
}
