/** A record's key as one text: two keys of one text are one record. */
import type { RecordKey } from './ledger.js';

export function idOf({ supplier, kind, number }: RecordKey): string {
  return JSON.stringify([supplier, kind, number]);
}
