/** Accounts of a business that failed: nothing of them was tried, and they go when the business is mended. */
import type { Ledger, LedgerRecord } from '../../ledger/ledger.js';
import { isOnService } from '../../record/apply-event.js';

export async function isWaiting(record: LedgerRecord, ledger: Ledger): Promise<boolean> {
  const { supplier, contract, end, intent } = record;
  // What was announced may have happened, whatever became of the business: it is open, and not skipped.
  if (end !== null || intent !== null || contract === null) return false;
  const business = await ledger.business(supplier, contract);
  return (
    business !== undefined && !isOnService(business) && ['rejected', 'skipped', 'unknown'].includes(business.end ?? '')
  );
}

/** Why nothing was tried, in the form of a refusal. */
export const WAITS = {
  step: 'check',
  code: 'business_failed',
  attr: 'account.business.business_contract_identifier',
} as const;
