/** Exports `countInput`, which counts records, items and import suppliers of an input in one pass. */
import type { ImportRecord } from '../../validation/records/import-record.js';
import { countItems, countRecord } from '../record/items/count-items.js';
import { keyOf } from '../record/record-key.js';
import { ITEM_KINDS } from '../shared/format.js';
import { zeros } from '../shared/zero-counts.js';
import type { Input } from './source.js';

export type InputCounts = Awaited<ReturnType<typeof countInput>>;

/**
 * Resolves with the counts; `unread`: lines without a record; `suppliers`: records by import supplier code, in the order of the input. Calls
 * `onLine` with the number of lines read so far, and the record of the line. Rejects if the input cannot be read.
 */
export async function countInput(input: Input, onLine: (lines: number, record?: ImportRecord) => void) {
  const counts = { lines: 0, unread: 0, populates: 0, businesses: 0, accounts: 0 };
  const items = zeros(ITEM_KINDS);
  const suppliers = new Map<string, number>();
  for await (const item of input) {
    const read = item.read();
    if (!('record' in read)) {
      counts.unread++;
      onLine(++counts.lines);
      continue;
    }
    const { record } = read;
    onLine(++counts.lines, record);
    countRecord(record, counts);
    countItems(record, items);
    const { supplier = '' } = keyOf(record) ?? {};
    if (supplier !== '') suppliers.set(supplier, (suppliers.get(supplier) ?? 0) + 1);
  }
  return { ...counts, items, suppliers };
}
