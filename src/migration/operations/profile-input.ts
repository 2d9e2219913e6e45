/** Exports `profileInput`: what is in an input, without its personal data: the fields, and the amounts by type and sign. */
import type { AccountRecord } from '../../validation/records/import-record.js';
import type { Input } from '../input/source.js';
import { instructionsOf } from '../record/items/items.js';
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
  const items: ItemTotals = { paymentInstructions: 0, statements: 0, transactions: 0, notes: 0 };
  for await (const item of input) {
    counts.lines++;
    const read = item.read();
    if (!('record' in read)) {
      counts.unread++;
      continue;
    }
    const { record } = read;
    profiler.add(record);
    if ('business' in record) counts.businesses++;
    else if ('account' in record) counts.accounts++;
    else counts.populates++;
    items.paymentInstructions += lengthOf(instructionsOf(record));
    const { statements, transactions, notes } = record as Partial<AccountRecord>;
    items.notes += lengthOf(notes);
    items.statements += lengthOf(statements);
    items.transactions += lengthOf(transactions);
  }
  return { ...counts, items, ...profiler.profile() };
}

function lengthOf(list: unknown): number {
  return Array.isArray(list) ? list.length : 0;
}
