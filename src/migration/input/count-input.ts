/** Exports `countInput`, which counts records, items and import suppliers of an input in one pass, for the question before a run. */
import { countItems, countRecord } from '../record/items/count-items.js';
import { keyedRecord } from '../record/record-key.js';
import { ITEM_KINDS, type ItemTotals } from '../shared/format.js';
import { zeros } from '../shared/zero-counts.js';
import type { Input } from './source.js';

export interface InputCounts {
  lines: number;
  /** Batches of supply points to look up; missing if there are none. */
  populates?: number;
  businesses: number;
  accounts: number;
  items: ItemTotals;
  /** Lines without a record, or whose record has no identifier. */
  withoutRecord: number;
  /** Records by import supplier code, in the order of the input. */
  suppliers: ReadonlyMap<string, number>;
}

/** Resolves with the counts. Calls `onLine` with the number of lines read so far. Rejects if the input cannot be read. */
export async function countInput(input: Input, onLine: (lines: number) => void): Promise<InputCounts> {
  const items = zeros(ITEM_KINDS);
  const counts: Omit<InputCounts, 'items' | 'suppliers'> = { lines: 0, businesses: 0, accounts: 0, withoutRecord: 0 };
  const suppliers = new Map<string, number>();
  for await (const item of input) {
    onLine(++counts.lines);
    const keyed = keyedRecord(item);
    if (keyed === undefined) {
      counts.withoutRecord++;
      continue;
    }
    countRecord(keyed.record, counts);
    countItems(keyed.record, items);
    const { supplier } = keyed.key;
    if (supplier !== '') suppliers.set(supplier, (suppliers.get(supplier) ?? 0) + 1);
  }
  return { ...counts, items, suppliers };
}
