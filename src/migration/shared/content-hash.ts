/** Exports `contentHashOf`, a hash of the content of a record that does not depend on key order, spacing, file format or the order of items. */
import { hash } from 'node:crypto';
import { canonicalJson } from '../../validation/records/canonical-json.js';
import type { ImportRecord } from '../../validation/records/import-record.js';
import { ITEM_STEPS } from '../ledger/ledger.js';
import { keysOf } from '../record/items/item-keys.js';
import { itemListOf } from '../record/items/items.js';

/** Length of each half: 64 bits are enough, because it is compared only with the hash of the same record. */
const DIGITS = 16;

/**
 * Returns 32 hexadecimal digits: the first half is of the whole content, the second one of the content without its items. An item in
 * another place of its list makes no difference: the service keeps no order.
 */
export function contentHashOf(record: ImportRecord): string {
  const rest: Record<string, unknown> = { ...record };
  let items = '';
  for (const step of ITEM_STEPS) {
    const list = itemListOf(step, record);
    if (list.length === 0) continue;
    for (const name of FIELDS[step]) if (rest[name] !== undefined) delete rest[name];
    const digests = keysOf(step, list).map(({ digest }) => digest);
    items += `${step}:${digests.sort().join()};`;
  }
  const ofRest = hash('sha256', canonicalJson(rest)).slice(0, DIGITS);
  return `${hash('sha256', `${ofRest}${items}`).slice(0, DIGITS)}${ofRest}`;
}

const FIELDS = {
  paymentInstruction: ['payment_instruction', 'payment_instructions'],
  statements: ['statements'],
  transactions: ['transactions'],
  notes: ['notes'],
} as const;

/** Returns whether both hashes are of records that differ at most in their items. */
export function isSameButItems(one: string | null, other: string): boolean {
  return one?.slice(DIGITS) === other.slice(DIGITS);
}
