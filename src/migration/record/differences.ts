/** Exports how the input differs from records that exist: `isRemoved` and `isNotInInput` tell it, `storeDifferences` stores it. */
import type { Difference, Ledger, LedgerRecord, RecordKey } from '../ledger/ledger.js';
import { canStartOver } from './events/record-state.js';
import { store } from './resume-record.js';

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

/** The ledger writes them in one group. */
const WRITTEN_AT_ONCE = 1000;

/** Stores a difference for each of the records. Resolves when all are on disk. */
export async function storeDifferences(
  keys: readonly RecordKey[],
  differenceOf: (record: LedgerRecord) => Difference | null,
  context: { ledger: Ledger; now: () => Date },
): Promise<void> {
  for (let at = 0; at < keys.length; at += WRITTEN_AT_ONCE) {
    await Promise.all(
      keys.slice(at, at + WRITTEN_AT_ONCE).map(async (key) => {
        const record = await context.ledger.find(key);
        if (record === undefined) return;
        await store(record, { type: 'lineDiffers', difference: differenceOf(record) }, context);
      }),
    );
  }
}
