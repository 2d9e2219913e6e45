/** Exports what the post-import rules share: finding an imported account, refusals, changes and answer entries. */

import type { Call, Outcome } from '../../calls/call.js';
import { failed, invalidRequest, refused } from '../../calls/error-answers.js';
import type { SandboxSettings } from '../../settings/settings.js';
import type { Change } from '../../state/changes.js';
import type { AccountRecord, ImportedRecord, SupplierRecord } from '../../state/sandbox-state.js';
import type { Store } from '../../state/store.js';
import { missingDocuments, type NamedPath } from '../document-paths.js';
import { refuseUnlessOngoing, unknownSupplierError } from '../import-suppliers.js';

export interface ImportedAccount {
  supplier: SupplierRecord;
  account: AccountRecord;
  imported: ImportedRecord;
}

interface AccountKey {
  import_supplier: string;
  external_account_number: string;
}

/** Returns the account, or the first refusal: it is not imported, a document is missing, or its supplier is Paused or Complete. */
export function accountToAddTo(
  call: Call<AccountKey>,
  paths: readonly NamedPath[] = [],
  missing: (call: Call<AccountKey>) => Outcome = refuseMissingAccount,
): ImportedAccount | Outcome {
  const { operation, payload, store, settings } = call;
  const supplier = store.supplier(payload.import_supplier);
  const account = store.account(payload.import_supplier, payload.external_account_number);
  if (supplier === undefined || !account?.imported) return missing(call);
  const errors = missingDocuments(call, supplier, paths);
  if (errors.length > 0) return invalidRequest(operation, errors);
  const refusal = refuseUnlessOngoing(supplier, 'import_supplier', 'post-import', settings);
  return refusal ?? { supplier, account, imported: account.imported };
}

/** Returns the 404 of notes (spec: Post-import). The detail distinguishes an unknown account from a staged one. */
export function accountNotFound({ store, payload }: Call<AccountKey>): Outcome {
  return failed(404, 'account_not_found', describeMissingAccount(store, payload));
}

/** Returns the refusal of transactions, statements and payment instructions: 400 or 404 (U14). */
function refuseMissingAccount(call: Call<AccountKey>): Outcome {
  const { operation, store, payload, settings } = call;
  if (settings.accountNotFound === 404) return accountNotFound(call);
  if (store.supplier(payload.import_supplier) === undefined) {
    return invalidRequest(operation, [unknownSupplierError(store, payload.import_supplier, 'import_supplier')]);
  }
  return refused('account_not_found', 'external_account_number', describeMissingAccount(store, payload));
}

/** Returns the refusal with both account numbers: for process as documented, for others with nested error bodies (U12). */
export function withBothNumbers(refusal: Outcome, { account, imported }: Omit<ImportedAccount, 'supplier'>): Outcome {
  const { external_account_number } = account;
  const { service_account_number } = imported;
  return { ...refusal, body: { ...(refusal.body as object), external_account_number, service_account_number } };
}

/** Returns a sentence that says whether the account is unknown or only staged. */
export function describeMissingAccount(store: Store, key: AccountKey): string {
  if (store.supplier(key.import_supplier) === undefined) {
    return unknownSupplierError(store, key.import_supplier, 'import_supplier').detail;
  }
  const staged = store.account(key.import_supplier, key.external_account_number) !== undefined;
  return staged
    ? 'The account is only staged; process it first.'
    : 'No account of this import supplier has this number.';
}

type ItemsAdded = Extract<Change, { type: 'itemsAdded' }>;

/** Returns the change that adds items to an account. */
export function itemsAdded(
  { supplier, account }: Pick<ImportedAccount, 'supplier' | 'account'>,
  items: Omit<ItemsAdded, 'type' | 'supplier' | 'number'>,
): ItemsAdded {
  return { type: 'itemsAdded', supplier: supplier.code, number: account.external_account_number, ...items };
}

/** Returns the description for the log, such as `2 notes added`; empty if nothing was added. It contains no payload data. */
export function countedChange(...changes: readonly (readonly [count: number, noun: string, done: string])[]) {
  const change = changes
    .filter(([count]) => count > 0)
    .map(([count, noun, done]) => `${count} ${count === 1 ? noun : `${noun}s`} ${done}`)
    .join(', ');
  return (change === '' ? {} : { change }) satisfies Pick<Outcome, 'change'>;
}

/** U32: returns the entries of the answer. Reads the setting only if an item existed already. */
export function shownEntries<Entry extends { status: string }>(
  entries: readonly Entry[],
  existing: string,
  settings: Pick<SandboxSettings, 'itemEntries'>,
): readonly Entry[] {
  const added = entries.filter(({ status }) => status !== existing);
  return added.length === entries.length || settings.itemEntries === 'each' ? entries : added;
}
