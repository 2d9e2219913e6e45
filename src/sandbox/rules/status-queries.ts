/** Exports the rules of E11 to E14: the status of one account import, and the lists of a supplier's imports. */

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
  // Marks the setting as read: the schedule of switches is not documented (U8).
  void settings.switchSchedule;
  const { status, service_account_number } = imported;
  return { status: 200, body: { status, service_account_number } };
}

/** Returns the status of an account that does not exist yet. A setting decides whether a running creation is visible (U30). */
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

/** This body is not documented (U5). */
export function listImported(call: Call<unknown>): Outcome {
  const answer = list(call, ({ imported }) => imported !== null);
  return answer.status === 200 && call.settings.importedList === 'no-body' ? { ...answer, body: undefined } : answer;
}

/** An unknown supplier is answered like one without accounts. There is no paging. */
function list(call: Call<unknown>, belongs: (account: AccountRecord) => boolean): Outcome {
  const { params, store, settings } = call;
  const { accounts = [], skipped = [] } = store.supplier(params['import_supplier_code'] ?? '') ?? {};
  const marked = new Set(skipped);
  const isShown = ({ external_account_number, imported }: AccountRecord) =>
    // U23: imported accounts stay in the lists, even if they are marked.
    imported !== null || !marked.has(external_account_number) || settings.skippedAccounts === 'listed';
  const listed = accounts.filter((account) => belongs(account) && isShown(account));
  // U4: the answer without accounts is not documented.
  if (listed.length === 0 && settings.unmatchedList === 'not-found') {
    return failed(404, 'import_processes_not_found', 'No such import process exists for this supplier.');
  }
  // U26: they are already in the order of staging.
  if (listed.length > 1 && settings.listOrder === 'account-number') listed.sort(byAccountNumber);
  const body = listed.map(({ external_account_number, imported }) => ({
    external_account_number,
    service_account_number: imported?.service_account_number ?? null,
    account_created_at: imported?.account_created_at ?? null,
  }));
  return { status: 200, body };
}

/** Compares as strings: "10" before "9". No two are equal. */
function byAccountNumber(one: AccountRecord, other: AccountRecord): number {
  return one.external_account_number < other.external_account_number ? -1 : 1;
}
