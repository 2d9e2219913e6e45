/** Which accounts are tried before they are processed. */

import type { LedgerRecord } from '../../ledger/ledger.js';
import type { FirstAccount } from './first-account.js';

/** `first`: the account that shows whether the service takes the team, which goes alone. The others include it. */
export type DryRunOption = 'none' | 'first' | 'all' | number;

/** A number goes by the record's hash, so that a run that goes on tries the same accounts. */
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
