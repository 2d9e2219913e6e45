/** Exports the rules of E4 `accounts.validate` and E5 `accounts.stage`, which stores an account's data until it is processed. */

import type { ErrorItem } from '../../../schemas/error-bodies.js';
import type { Account } from '../../../schemas/payloads/account.js';
import type { Call, Committed, Outcome } from '../calls/call.js';
import { invalidAccount, refused } from '../calls/error-answers.js';
import type { Change } from '../state/changes.js';
import { toDatetime } from '../state/dates.js';
import type { AccountRecord, ImportedRecord, SupplierRecord } from '../state/sandbox-state.js';
import type { Store } from '../state/store.js';
import { missingDocuments, pathsOfAccount, referencesOf } from './document-paths.js';
import { refuseUnlessOngoing, unknownSupplierError } from './import-suppliers.js';
import { withBothNumbers } from './post-import/imported-account.js';

/** E4. Stores nothing (I3). */
export function validateAccount(call: Call<Account>): Outcome {
  const found = validated(call);
  if ('status' in found) return found;
  const { supplier, account } = found;
  // Deployments with the older error bodies refuse it here already (U12).
  if (account?.imported && call.settings.errorBodies === 'nested')
    return alreadyImported(call, account, account.imported);
  const refusal = refuseUnlessOngoing(supplier, 'import_supplier', 'validate', call.settings);
  return refusal ?? { status: 200, body: call.payload };
}

/** E5. Checks the causes of a 400 in the documented order. */
export function stageAccount(call: Call<Account>): Outcome {
  const { payload, store, settings } = call;
  const { import_supplier, external_account_number } = payload;
  const found = validated(call);
  if ('status' in found) return found;
  const { supplier, account } = found;
  if (account?.imported) return alreadyImported(call, account, account.imported);
  if (supplier.skipped.includes(external_account_number)) {
    const detail = 'The account is marked to skip; its data cannot be staged.';
    return refused('account_marked_to_skip', 'external_account_number', detail);
  }
  const refusal = refuseUnlessOngoing(supplier, 'import_supplier', 'stage', settings);
  if (refusal !== undefined) return refusal;

  const body = { import_supplier, external_account_number };
  const documents = referencesOf(call, supplier, pathsOfAccount(payload));
  const { code } = supplier;
  const restaged: Change = {
    type: 'accountRestaged',
    supplier: code,
    number: external_account_number,
    data: payload,
    documents,
  };
  if (account !== undefined) {
    // Replaces the whole payload: a field that is omitted this time is removed.
    return { ...REPLACED, body, commit: () => ({ changes: [restaged] }) };
  }
  const commit = (now: Date): Committed => {
    // Another call may have staged it during this one (U30).
    if (store.account(code, external_account_number) !== undefined) return { ...REPLACED, changes: [restaged] };
    const staged_at = toDatetime(now);
    const record = { external_account_number, staged_at, data: payload, documents, imported: null };
    return { changes: [{ type: 'accountStaged', supplier: code, account: record }] };
  };
  return { status: 201, body, commit, change: 'staged' };
}

const REPLACED = { status: 200, change: 'staged data replaced' };

/** The checks of both operations: staging is documented as "validated by the same rules first". */
function validated(call: Call<Account>): { supplier: SupplierRecord; account: AccountRecord | undefined } | Outcome {
  const { payload, store, settings } = call;
  const { import_supplier, external_account_number } = payload;
  const supplier = store.supplier(import_supplier);
  if (supplier === undefined) return invalidAccount([unknownSupplierError(store, import_supplier, 'import_supplier')]);
  const contracts = missingContracts(store, supplier, payload);
  const errors = [
    ...missingDocuments(call, supplier, pathsOfAccount(payload)),
    ...(contracts.length > 0 && settings.missingBusinessContract === 'stage-and-process' ? contracts : []),
  ];
  if (errors.length > 0) return invalidAccount(errors);
  return { supplier, account: store.account(supplier.code, external_account_number) };
}

/** U13: returns an error if no created business has a contract with the `business_contract_identifier`. */
export function missingContracts(store: Store, supplier: SupplierRecord, account: Account): ErrorItem[] {
  const identifier = account.business?.business_contract_identifier;
  if (identifier === undefined || store.hasContract(supplier.code, identifier)) return [];
  const detail = 'No business of this import supplier was created with a contract of this identifier.';
  return [{ detail, code: 'business_contract_not_found', attr: 'business.business_contract_identifier' }];
}

function alreadyImported({ settings }: Call<Account>, account: AccountRecord, imported: ImportedRecord): Outcome {
  const detail = 'The account was already imported; its data can no longer be staged.';
  const refusal = refused('account_already_imported', 'external_account_number', detail);
  return settings.errorBodies === 'nested' ? withBothNumbers(refusal, { account, imported }) : refusal;
}
