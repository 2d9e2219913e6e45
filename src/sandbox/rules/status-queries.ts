/** E11 to E14: the state of one account import, and the lists of a supplier's imports. */

import type { Call, Outcome } from '../calls/call.js';
import { failed } from '../calls/error-answers.js';
import type { SandboxSettings } from '../settings/settings.js';
import { creationKey } from '../state/running-calls.js';
import type { AccountRecord } from '../state/sandbox-state.js';

export function answerStatus(call: Call<unknown>): Outcome {
  const { params, store, settings } = call;
  const account = store.account(params['import_supplier_code'] ?? '', params['external_account_number'] ?? '');
  if (account === undefined) {
    return failed(404, 'import_process_not_found', 'No import process exists for this supplier and account number.');
  }
  const { imported } = account;
  if (imported === null) return { status: 200, body: { status: statusBefore(call), service_account_number: '' } };
  // Read because the answer rests on it: how a switch moves is a choice (U8), and the clock has moved it already.
  void settings.switchSchedule;
  const { status, service_account_number } = imported;
  return { status: 200, body: { status, service_account_number } };
}

/** Of an account that is not created: whether it is being created shows only where a setting says so (U30). */
function statusBefore({ params, store, settings }: Call<unknown>): SandboxSettings['statusWhileProcessing'] {
  const key = creationKey(params['import_supplier_code'] ?? '', params['external_account_number'] ?? '');
  return store.running.has(key) ? settings.statusWhileProcessing : 'UNKNOWN';
}

export function listAll(call: Call<unknown>): Outcome {
  return list(call, () => true);
}

export function listPending(call: Call<unknown>): Outcome {
  return list(call, ({ imported }) => imported === null);
}

/** The document does not show this body (U5). */
export function listImported(call: Call<unknown>): Outcome {
  const answer = list(call, ({ imported }) => imported !== null);
  return answer.status === 200 && call.settings.importedList === 'no-body' ? { ...answer, body: undefined } : answer;
}

/** An unknown supplier has the list of one without accounts. There is no paging. */
function list(call: Call<unknown>, belongs: (account: AccountRecord) => boolean): Outcome {
  const { params, store, settings } = call;
  const { accounts = [], skipped = [] } = store.supplier(params['import_supplier_code'] ?? '') ?? {};
  const marked = new Set(skipped);
  const isShown = ({ external_account_number, imported }: AccountRecord) =>
    // U23: what is imported stays, whatever mark it has.
    imported !== null || !marked.has(external_account_number) || settings.skippedAccounts === 'listed';
  const listed = accounts.filter((account) => belongs(account) && isShown(account));
  // U4: the document does not say what comes of no account.
  if (listed.length === 0 && settings.unmatchedList === 'not-found') {
    return failed(404, 'import_processes_not_found', 'No such import process exists for this supplier.');
  }
  // U26: in staging order they stand already.
  if (listed.length > 1 && settings.listOrder === 'account-number') listed.sort(byAccountNumber);
  const body = listed.map(({ external_account_number, imported }) => ({
    external_account_number,
    service_account_number: imported?.service_account_number ?? null,
    account_created_at: imported?.account_created_at ?? null,
  }));
  return { status: 200, body };
}

/** As the strings compare: "10" before "9". No two are equal. */
function byAccountNumber(one: AccountRecord, other: AccountRecord): number {
  return one.external_account_number < other.external_account_number ? -1 : 1;
}
