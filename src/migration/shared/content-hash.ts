/** Exports `contentHashOf`, a hash of the content of a record that does not depend on key order, spacing or file format. */
import { hash } from 'node:crypto';
import { canonicalJson } from '../../validation/records/canonical-json.js';
import type { ImportRecord } from '../../validation/records/import-record.js';

/** Length of the hash: 128 bits are enough, because it is compared only with the hash of the same record. */
const DIGITS = 32;

/** Returns the first digits of the SHA-256 of a record's canonical JSON. */
export function contentHashOf(record: ImportRecord): string {
  return hash('sha256', canonicalJson(record)).slice(0, DIGITS);
}
