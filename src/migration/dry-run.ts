/** Which accounts are tried before they are processed. */
import type { LedgerRecord } from './ledger/ledger.js';

/** `every so manieth` goes by the record's hash, so that a run that goes on tries the same ones. */
export function triedBeforehand(dryRun: 'none' | 'all' | number): (record: LedgerRecord) => boolean {
  if (dryRun === 'none') return () => false;
  if (dryRun === 'all') return () => true;
  return ({ hash }) => Number.parseInt(hash.slice(0, 8), 16) % dryRun === 0;
}
