/** Exports `profileInput`: what is in an input, without its personal data: the fields, and the amounts by type and sign. */
import type { Input } from '../input/source.js';
import { countRecord, noItems } from '../record/items/count-items.js';
import { createInputProfile, type RecordsProfile } from '../report/summary/input-profile.js';
import type { ItemTotals } from '../shared/format.js';

export interface InputProfile extends RecordsProfile {
  /** Lines, and those of them that have no record. */
  lines: number;
  unread: number;
  populates: number;
  businesses: number;
  accounts: number;
  items: ItemTotals;
}

/** Reads the input once. Memory does not depend on the number of records. */
export async function profileInput(input: Input): Promise<InputProfile> {
  const profiler = createInputProfile();
  const counts = { lines: 0, unread: 0, populates: 0, businesses: 0, accounts: 0 };
  const items = noItems();
  for await (const item of input) {
    counts.lines++;
    const read = item.read();
    if (!('record' in read)) {
      counts.unread++;
      continue;
    }
    const { record } = read;
    profiler.add(record);
    countRecord(record, counts, items);
  }
  return { ...counts, items, ...profiler.profile() };
}
