/** Exports `contentHashOf`, a hash of the content of a record that does not depend on key order, spacing or file format. */
import { hash } from 'node:crypto';
import type { ImportRecord } from '../../validation/records/import-record.js';

/** Length of the hash: 128 bits are enough, because it is compared only with the hash of the same record. */
const DIGITS = 32;

/** Returns the first digits of the SHA-256 of a record's canonical JSON. */
export function contentHashOf(record: ImportRecord): string {
  return hash('sha256', canonicalJson(record)).slice(0, DIGITS);
}

/** Returns JSON without spacing, with the keys of every object in the order of UTF-16 code units. Expects JSON values. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(withSortedKeys(value));
}

/** Uses assignments, because `Object.fromEntries` takes twice as long, and this runs for every new record. */
function withSortedKeys(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(withSortedKeys);
  const held = value as Record<string, unknown>;
  const sorted: Record<string, unknown> = {};
  for (const key of inOrder(Object.keys(held))) {
    if (key === '__proto__') Object.defineProperty(sorted, key, { value: withSortedKeys(held[key]), enumerable: true });
    else sorted[key] = withSortedKeys(held[key]);
  }
  return sorted;
}

/** More keys than an object of the API specification has. */
const MANY_KEYS = 40;

/** Sorts in place: `sort` allocates more memory than the record itself has, and this runs for every object of every record. */
function inOrder(keys: string[]): string[] {
  if (keys.length > MANY_KEYS) return keys.sort();
  for (let index = 1; index < keys.length; index++) {
    const key = keys[index] as string;
    let before = index - 1;
    for (; before >= 0 && (keys[before] as string) > key; before--) keys[before + 1] = keys[before] as string;
    keys[before + 1] = key;
  }
  return keys;
}
