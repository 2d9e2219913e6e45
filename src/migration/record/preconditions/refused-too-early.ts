/**
 * Exports `wasRefusedTooEarly`: whether the service refused a record because it did not have a business or an account that this run
 * creates or has created since. The unchanged record is then sent again.
 */
import type { ImportRecord } from '../../../validation/records/import-record.js';
import type { Ledger, LedgerRecord } from '../../ledger/ledger.js';
import { existsOnService } from '../events/record-state.js';
import { hasRefused } from '../items/item-states.js';
import { accountsNamed } from './waiting-for-accounts.js';

/** Returns whether the unchanged record is sent again. An account then waits for its business, if that does not exist yet. */
export async function wasRefusedTooEarly(
  record: LedgerRecord,
  payload: ImportRecord,
  ledger: Pick<Ledger, 'business' | 'find'>,
): Promise<boolean> {
  const { supplier, contract, updatedAt } = record;
  if (contract !== null && lacksBusiness(record)) {
    const business = await ledger.business(supplier, contract);
    return business !== undefined && business.updatedAt > updatedAt;
  }
  for (const number of lacksAccounts(record) ? accountsNamed(payload) : []) {
    const account = await ledger.find({ supplier, kind: 'account', number });
    if (account !== undefined && existsOnService(account) && account.updatedAt > updatedAt) return true;
  }
  return false;
}

/** Whether the service refused the account because it had no business with its contract. */
export function lacksBusiness({ outcome, errors }: LedgerRecord): boolean {
  return outcome === 'rejected' && errors.some(({ code }) => code === 'business_contract_not_found');
}

/** Whether the service refused a payment instruction of the business because it did not have an account that it names. */
export function lacksAccounts(record: LedgerRecord): boolean {
  return (
    record.kind === 'business' && hasRefused(record) && record.errors.some(({ code }) => code === 'account_not_found')
  );
}
