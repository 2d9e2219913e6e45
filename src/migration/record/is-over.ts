/** Exports `isOver`: whether a record has ended and needs no correction, so that the ledger erases its lines. */
import { isImported, type LedgerRecord } from '../ledger/ledger.js';
import { hasRefused, hasUnsent } from './items/item-states.js';

export function isOver(record: LedgerRecord): boolean {
  return isImported(record) && !hasUnsent(record) && !hasRefused(record);
}
