/** What the post-import endpoints have in common: the account must be imported, not only staged (U14). */
import { invalidRequest, refused } from '../answers.js';
import type { Call, Outcome } from '../call.js';
import type { AccountRecord, ImportedRecord, SupplierRecord } from '../state.js';
import type { Store } from '../store.js';
import { unknownSupplier } from './suppliers.js';

export interface ImportedAccount {
  supplier: SupplierRecord;
  account: AccountRecord;
  imported: ImportedRecord;
}

interface AccountKey {
  import_supplier: string;
  external_account_number: string;
}

export function findImported(store: Store, key: AccountKey): ImportedAccount | undefined {
  const supplier = store.supplier(key.import_supplier);
  const account = store.account(key.import_supplier, key.external_account_number);
  if (supplier === undefined || !account?.imported) return undefined;
  return { supplier, account, imported: account.imported };
}

/** Why it was not found, for people: the two most frequent slips look alike from outside. */
export function describeMissing(store: Store, key: AccountKey): string {
  if (store.supplier(key.import_supplier) === undefined) {
    return unknownSupplier(store, key.import_supplier, 'import_supplier').detail;
  }
  const staged = store.account(key.import_supplier, key.external_account_number) !== undefined;
  return staged
    ? 'The account is only staged; process it first.'
    : 'No account of this import supplier has this number.';
}

/** U14: 400 on transactions, statements and payment instructions. */
export function refuseMissing({ operation, store, payload }: Call<AccountKey>): Outcome {
  if (store.supplier(payload.import_supplier) === undefined) {
    return invalidRequest(operation, [unknownSupplier(store, payload.import_supplier, 'import_supplier')]);
  }
  return refused('account_not_found', 'external_account_number', describeMissing(store, payload));
}
