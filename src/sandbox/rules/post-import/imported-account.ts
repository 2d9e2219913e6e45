/** What the endpoints have in common that look for an account that is imported, and not only staged. */

import type { Call, Outcome } from '../../calls/call.js';
import { failed, invalidRequest, refused } from '../../calls/error-answers.js';
import type { SandboxSettings } from '../../settings/settings.js';
import type { Change } from '../../state/changes.js';
import type { AccountRecord, ImportedRecord, SupplierRecord } from '../../state/sandbox-state.js';
import type { Store } from '../../state/store.js';
import { unknownSupplierError } from '../import-suppliers.js';

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

/** Notes say 404 (document: Post-import). Why, for people: the two most frequent slips look alike from outside. */
export function accountNotFound({ store, payload }: Call<AccountKey>): Outcome {
  return failed(404, 'account_not_found', describeMissingAccount(store, payload));
}

/** Transactions, statements and payment instructions: 400 or 404 (U14). */
export function refuseMissingAccount(call: Call<AccountKey>): Outcome {
  const { operation, store, payload, settings } = call;
  if (settings.accountNotFound === 404) return accountNotFound(call);
  if (store.supplier(payload.import_supplier) === undefined) {
    return invalidRequest(operation, [unknownSupplierError(store, payload.import_supplier, 'import_supplier')]);
  }
  return refused('account_not_found', 'external_account_number', describeMissingAccount(store, payload));
}

/** A 400 that also carries both numbers: of process by the document, of others where bodies are nested (U12). */
export function withBothNumbers(refusal: Outcome, { account, imported }: Omit<ImportedAccount, 'supplier'>): Outcome {
  const { external_account_number } = account;
  const { service_account_number } = imported;
  return { ...refusal, body: { ...(refusal.body as object), external_account_number, service_account_number } };
}

/** Whether it is unknown, or only staged. */
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

export function itemsAdded(
  { supplier, account }: Pick<ImportedAccount, 'supplier' | 'account'>,
  items: Omit<ItemsAdded, 'type' | 'supplier' | 'number'>,
): ItemsAdded {
  return { type: 'itemsAdded', supplier: supplier.code, number: account.external_account_number, ...items };
}

/** `2 notes added`; nothing at all where there were none, and nothing of what was sent. */
export function countedChange(...changes: readonly (readonly [count: number, noun: string, done: string])[]) {
  const change = changes
    .filter(([count]) => count > 0)
    .map(([count, noun, done]) => `${count} ${count === 1 ? noun : `${noun}s`} ${done}`)
    .join(', ');
  return (change === '' ? {} : { change }) satisfies Pick<Outcome, 'change'>;
}

/** The setting is asked for only where an item was there already: nothing else rests on it. */
export function shownEntries<Entry extends { status: string }>(
  entries: readonly Entry[],
  existing: string,
  settings: Pick<SandboxSettings, 'itemEntries'>,
): readonly Entry[] {
  const added = entries.filter(({ status }) => status !== existing);
  return added.length === entries.length || settings.itemEntries === 'each' ? entries : added;
}
