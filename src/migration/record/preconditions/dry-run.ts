/** Exports `needsDryRun`, which selects the accounts that are dry-run before they are processed. */

import type { LedgerRecord } from '../../ledger/ledger.js';
import type { FirstAccount } from './first-account.js';

/**
 * `first`: one account, to check that the service accepts the team before another account is staged. The other values except `none`
 * include it. A number n: every nth account.
 */
export type DryRunOption = 'none' | 'first' | 'all' | number;

/** Returns whether the account is dry-run. A number selects by the hash of the record, so that a resumed run selects the same accounts. */
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
