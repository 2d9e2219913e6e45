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
  for (const key of Object.keys(held).sort()) {
    if (key === '__proto__') Object.defineProperty(sorted, key, { value: withSortedKeys(held[key]), enumerable: true });
    else sorted[key] = withSortedKeys(held[key]);
  }
  return sorted;
}
