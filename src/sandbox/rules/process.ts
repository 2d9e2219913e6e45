/** E6 `accounts.process`: staged data becomes an account, or is tried out. */
import { DRY_RUN_MESSAGE } from '../../../schemas/errors.js';
import type { Process } from '../../../schemas/process.js';
import { invalidAccount, invalidRequest, refused } from '../answers.js';
import { toDatetime } from '../calendar.js';
import type { Call, Outcome } from '../call.js';
import type { AccountRecord, ImportedRecord } from '../state.js';
import { missingContracts } from './accounts.js';
import { addNotes } from './notes.js';
import { refuseUnlessOngoing, unknownSupplier } from './suppliers.js';

/** The checks in the order of U11; what stands before them (auth, shape, limit) is the core's. */
export function processAccount(call: Call<Process>): Outcome {
  const { operation, payload, store, settings } = call;
  const { import_supplier_code, external_account_number, operations_team_name } = payload;
  const account = store.account(import_supplier_code, external_account_number);
  if (account?.imported) return alreadyImported(account.external_account_number, account.imported);

  const supplier = store.supplier(import_supplier_code);
  if (supplier === undefined) {
    return invalidRequest(operation, [unknownSupplier(store, import_supplier_code, 'import_supplier_code')]);
  }
  const notOngoing = refuseUnlessOngoing(supplier, 'import_supplier_code');
  if (notOngoing !== undefined) return notOngoing;
  if (account === undefined) {
    const detail = 'No data is staged for this account; stage it first.';
    return refused('account_not_staged', 'external_account_number', detail);
  }
  if (settings.missingBusinessContract !== 'never') {
    const errors = missingContracts(store, supplier, account.data);
    if (errors.length > 0) return invalidAccount(errors);
  }
  if (!store.state.teams.includes(operations_team_name)) {
    return invalidRequest(operation, [unknownTeam(store.state.teams, operations_team_name)]);
  }
  // U12: the message stands in `detail`. Nothing is applied: a dry run changes nothing (I3).
  if (payload.dry_run === true) return { status: 400, body: { detail: DRY_RUN_MESSAGE, code: 'dry_run', errors: [] } };

  const imported = importOf(call, account);
  return {
    status: 201,
    body: { service_account_number: imported.service_account_number },
    apply: () => {
      account.imported = imported;
    },
  };
}

function importOf({ payload, now, ids }: Call<Process>, account: AccountRecord): ImportedRecord {
  return {
    service_account_number: ids.serviceAccountNumber(payload.import_supplier_code, account.external_account_number),
    account_created_at: toDatetime(now),
    operations_team_name: payload.operations_team_name,
    status: 'PENDING',
    // Notes that were staged are notes of the account from now on (U17).
    notes: addNotes([], account.data.notes ?? [], now).notes,
    transactions: [],
    statements: [],
    payment_instructions: [],
  };
}

/** The 400 that also carries both numbers (document: Process rules). */
function alreadyImported(external_account_number: string, { service_account_number }: ImportedRecord): Outcome {
  const detail = `The account was already imported as ${service_account_number}.`;
  const refusal = refused('account_already_imported', 'external_account_number', detail);
  return { ...refusal, body: { ...(refusal.body as object), external_account_number, service_account_number } };
}

function unknownTeam(teams: readonly string[], name: string) {
  const detail =
    `No operations team has the name ${JSON.stringify(name)}. This sandbox knows: ${teams.join(', ') || 'none'}. ` +
    `Add one with createSandbox({ teams: [${JSON.stringify(name)}] }).`;
  return { detail, code: 'operations_team_not_found', attr: 'operations_team_name' };
}
