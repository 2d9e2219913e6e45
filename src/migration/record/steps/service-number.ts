/** Exports the query for the account of a record, after a call without a usable answer. */
import { type ExistingAccount, existingAccount } from '../../../../schemas/import-status.js';
import { saysNoImport } from '../../../errors/from-answer.js';
import type { LedgerRecord } from '../../ledger/ledger.js';
import type { CallSettings } from './call-settings.js';
import { maskOf } from './without-secrets.js';

/** The code of a failure: the status says that the account exists, and the answer does not have its number. */
export const NO_NUMBER = 'account_without_number';

type AccountKey = Pick<LedgerRecord, 'supplier' | 'number'>;

/** Returns the query for the status of an account. */
export function statusQuery({ supplier, number }: AccountKey) {
  return { import_supplier_code: supplier, external_account_number: number };
}

/** Returns the account of the record; undefined if the service says that there is none. Rejects if it does not answer. */
export async function queryAccount(
  record: AccountKey,
  { client, signal }: Pick<CallSettings, 'client'> & Partial<Pick<CallSettings, 'signal'>>,
): Promise<ExistingAccount | undefined> {
  try {
    const account = existingAccount(await client.imports.status(statusQuery(record), { signal }));
    return account && { number: account.number && maskOf(client)(account.number) };
  } catch (error) {
    if (saysNoImport(error)) return undefined;
    throw error;
  }
}

/** As `queryAccount`; `not answered` if the service does not answer. */
export async function findAccount(
  record: LedgerRecord,
  settings: Pick<CallSettings, 'client' | 'signal'>,
): Promise<ExistingAccount | 'not answered' | undefined> {
  return queryAccount(record, settings).catch(() => 'not answered');
}
