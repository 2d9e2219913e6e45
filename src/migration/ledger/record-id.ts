/** Exports `idOf`, which returns the key of a record as one text. */
import type { RecordKey } from './ledger.js';

export function idOf({ supplier, kind, number }: RecordKey): string {
  return JSON.stringify([supplier, kind, number]);
}
