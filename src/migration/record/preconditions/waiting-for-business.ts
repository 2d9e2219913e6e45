/**
 * Exports `isWaitingForBusiness`: whether an account waits because its business failed. No request was sent for it; it is sent after the business
 * is corrected.
 */
import type { Ledger, LedgerRecord } from '../../ledger/ledger.js';
import { existsOnService } from '../events/record-state.js';

export async function isWaitingForBusiness(record: LedgerRecord, ledger: Ledger): Promise<boolean> {
  const { supplier, contract, outcome, intent } = record;
  // A request with an intent may have taken effect even if the business failed: the record is unfinished, not
  // skipped.
  if (outcome !== null || intent !== null || contract === null) return false;
  const business = await ledger.business(supplier, contract);
  return business !== undefined && business.outcome !== null && !existsOnService(business);
}

/** The reason in the form of an error. */
export const BUSINESS_FAILED = {
  step: 'check',
  code: 'business_failed',
  attr: 'account.business.business_contract_identifier',
} as const;
