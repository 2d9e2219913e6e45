/** E11 to E14: the state of one account import, and the lists of a supplier's imports in staging order (U26). */
import { failed } from '../answers.js';
import type { Call, Outcome } from '../call.js';
import type { AccountRecord } from '../state.js';

export function tellStatus({ params, store }: Call<unknown>): Outcome {
  const account = store.account(params['import_supplier_code'] ?? '', params['external_account_number'] ?? '');
  if (account === undefined) {
    return failed(404, 'import_process_not_found', 'No import process exists for this supplier and account number.');
  }
  const { imported } = account;
  return {
    status: 200,
    body: { status: imported?.status ?? 'UNKNOWN', service_account_number: imported?.service_account_number ?? '' },
  };
}

export function listAll(call: Call<unknown>): Outcome {
  return list(call, () => true);
}

export function listPending(call: Call<unknown>): Outcome {
  return list(call, ({ imported }) => imported === null);
}

/** The document does not show this body: the same entries as in the list of all (U5). */
export function listImported(call: Call<unknown>): Outcome {
  return list(call, ({ imported }) => imported !== null);
}

/** An unknown supplier has an empty list (U4). */
function list({ params, store }: Call<unknown>, belongs: (account: AccountRecord) => boolean): Outcome {
  const accounts = store.supplier(params['import_supplier_code'] ?? '')?.accounts ?? [];
  const body = accounts.filter(belongs).map(({ external_account_number, imported }) => ({
    external_account_number,
    service_account_number: imported?.service_account_number ?? null,
    account_created_at: imported?.account_created_at ?? null,
  }));
  return { status: 200, body };
}
