/** Exports `isRemoved` and `isNotInInput`: whether the line of a record is no longer in the input. */
import type { LedgerRecord } from '../../ledger/ledger.js';
import { canStartOver } from '../../record/events/record-state.js';

/** Returns whether the last session that read the whole input found no line of the record. */
export function isRemoved({ difference }: LedgerRecord): boolean {
  return difference?.is === 'removed';
}

/** Returns whether it is, besides, not on the service: because its number was wrong, or because the user removed the line in time. */
export function isNotInInput(record: LedgerRecord): boolean {
  const { outcome } = record;
  const isAbsent = outcome === null || outcome === 'rejected' || outcome === 'skipped';
  return isAbsent && canStartOver(record) && isRemoved(record);
}
