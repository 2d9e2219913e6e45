/** Which accounts are tried before they are processed. */

import type { LedgerRecord } from '../../ledger/ledger.js';
import type { FirstAccount } from './first-account.js';

/**
 * `first`: the account that proves that the service accepts the team; no other account is staged before. The other
 * values include it.
 */
export type DryRunOption = 'none' | 'first' | 'all' | number;

/** A number selects by the record's hash, so that a resumed run dry-runs the same accounts. */
export function needsDryRun(
  dryRun: DryRunOption,
  first?: Pick<FirstAccount, 'isAlone'>,
): (record: LedgerRecord) => boolean {
  if (dryRun === 'none') return () => false;
  if (dryRun === 'all') return () => true;
  const isFirst = (record: LedgerRecord) => first?.isAlone(record) ?? false;
  if (dryRun === 'first') return isFirst;
  return (record) => Number.parseInt(record.hash.slice(0, 8), 16) % dryRun === 0 || isFirst(record);
}
