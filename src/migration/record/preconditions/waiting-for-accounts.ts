/** Exports `awaitsAccounts`: a payment instruction of a business waits for the accounts that it names; and `accountsNamed`, which returns these. */
import type { ImportRecord } from '../../../validation/records/import-record.js';
import type { LedgerRecord } from '../../ledger/ledger.js';
import { existsOnService } from '../events/record-state.js';
import { instructionsOf } from '../items/items.js';
import type { RecordContext } from '../record-context.js';

/**
 * Returns whether a payment instruction of a business names an account that is not imported yet but may be. The service may refuse
 * an instruction for an account that it does not have.
 */
export async function awaitsAccounts(
  { supplier }: LedgerRecord,
  payload: ImportRecord,
  run: RecordContext,
): Promise<boolean> {
  for (const number of accountsNamed(payload)) {
    const account = await run.ledger.find({ supplier, kind: 'account', number });
    if (account === undefined ? !run.isWholeInputKnown : account.outcome === null && !existsOnService(account))
      return true;
  }
  return false;
}

/** Returns the numbers of the accounts that the payment instructions of a business name. */
export function accountsNamed(payload: ImportRecord): ReadonlySet<string> {
  if (payload.business === undefined) return new Set();
  const named = instructionsOf(payload).flatMap(({ accounts = [] }) => accounts);
  return new Set(named.map(({ external_account_number }) => external_account_number));
}
