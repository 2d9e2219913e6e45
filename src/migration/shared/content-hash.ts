/** Hashes of what a record says, whatever the bytes of its line: the order of keys, the spacing and the format of the file do not count. */
import { hash } from 'node:crypto';
import type { ImportRecord } from '../../validation/records/import-record.js';

/** Of one record only its own content is compared, so 128 bits are enough, and a million of them take half the room. */
const DIGITS = 32;

/** First digits of the SHA-256 of a record's canonical JSON: two lines with the same one hold the same record. */
export function contentHashOf(record: ImportRecord): string {
  return hash('sha256', canonicalJson(record)).slice(0, DIGITS);
}

/** JSON without spacing, the keys of every object in the order of their UTF-16 code units. Expects what JSON can hold. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(withSortedKeys(value));
}

/** By assignment, since `Object.fromEntries` takes twice as long and every new record passes here. */
function withSortedKeys(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(withSortedKeys);
  const held = value as Record<string, unknown>;
  const sorted: Record<string, unknown> = {};
  for (const key of Object.keys(held).sort()) {
    if (key === '__proto__') Object.defineProperty(sorted, key, { value: withSortedKeys(held[key]), enumerable: true });
    else sorted[key] = withSortedKeys(held[key]);
  }
  return sorted;
}
