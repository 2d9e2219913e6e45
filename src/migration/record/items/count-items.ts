/** Exports `countRecord` and `countItems`: the number of records by kind, and of their items. */
import type { ImportRecord } from '../../../validation/records/import-record.js';
import { ITEM_KINDS, type ItemTotals } from '../../shared/format.js';
import { isPopulate } from '../record-key.js';
import { itemListOf } from './items.js';

/** Adds a record, which was not checked. */
export function countRecord(
  record: ImportRecord,
  counts: { populates?: number; businesses?: number; accounts?: number },
): void {
  const kind = isPopulate(record) ? 'populates' : 'business' in record ? 'businesses' : 'accounts';
  counts[kind] = (counts[kind] ?? 0) + 1;
}

/** Adds the items of a record, which was not checked. */
export function countItems(record: ImportRecord, totals: ItemTotals): void {
  for (const one of ITEM_KINDS) {
    totals[one] += itemListOf(one === 'paymentInstructions' ? 'paymentInstruction' : one, record).length;
  }
}
