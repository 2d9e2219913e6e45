/** E4 `accounts.validate` and E5 `accounts.stage`: an account's data, checked, and then stored until it is processed. */
import type { Account } from '../../../schemas/account.js';
import type { ErrorItem } from '../../../schemas/errors.js';
import { invalidAccount, refused } from '../answers.js';
import { toDatetime } from '../calendar.js';
import type { Call, Outcome } from '../call.js';
import { locateIn, pathsOfAccount } from '../documents.js';
import type { SupplierRecord } from '../state.js';
import type { Store } from '../store.js';
import { refuseUnlessOngoing, unknownSupplier } from './suppliers.js';

/** Paused and Complete suppliers may validate (U10). Stores nothing (I3). */
export function validateAccount({ payload, store }: Call<Account>): Outcome {
  if (store.supplier(payload.import_supplier) === undefined) {
    return invalidAccount([unknownSupplier(store, payload.import_supplier, 'import_supplier')]);
  }
  return { status: 200, body: payload };
}

/** The causes of a 400 in the order in which the document lists them. */
export function stageAccount({ payload, store, now, settings, bucket }: Call<Account>): Outcome {
  const { import_supplier, external_account_number } = payload;
  const supplier = store.supplier(import_supplier);
  if (supplier === undefined) return invalidAccount([unknownSupplier(store, import_supplier, 'import_supplier')]);
  if (settings.missingBusinessContract === 'stage-and-process') {
    const errors = missingContracts(store, supplier, payload);
    if (errors.length > 0) return invalidAccount(errors);
  }
  const account = store.account(supplier.code, external_account_number);
  if (account?.imported) {
    const detail = 'The account was already imported; its data can no longer be staged.';
    return refused('account_already_imported', 'external_account_number', detail);
  }
  if (supplier.skipped.includes(external_account_number)) {
    const detail = 'The account is marked to skip; its data cannot be staged.';
    return refused('account_marked_to_skip', 'external_account_number', detail);
  }
  const refusal = refuseUnlessOngoing(supplier, 'import_supplier');
  if (refusal !== undefined) return refusal;

  const body = { import_supplier, external_account_number };
  const staged = { data: payload, documents: locateIn(bucket, supplier)(pathsOfAccount(payload)) };
  // The payload as a whole: a field that is left out this time is gone.
  if (account !== undefined) return { status: 200, body, apply: () => Object.assign(account, staged) };
  const record = { external_account_number, staged_at: toDatetime(now), ...staged, imported: null };
  return { status: 201, body, apply: () => store.addAccount(supplier, record) };
}

/** U13: `business_contract_identifier` must equal the identifier of a contract of a business that was created. */
export function missingContracts(store: Store, supplier: SupplierRecord, account: Account): ErrorItem[] {
  const identifier = account.business?.business_contract_identifier;
  if (identifier === undefined || store.hasContract(supplier.code, identifier)) return [];
  const detail = 'No business of this import supplier was created with a contract of this identifier.';
  return [{ detail, code: 'business_contract_not_found', attr: 'business.business_contract_identifier' }];
}
