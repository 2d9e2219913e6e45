/** Exports the rule of E6 `accounts.process`: creates an account from staged data, or tries that out as a dry run. */
import { DRY_RUN_MESSAGE } from '../../../schemas/error-bodies.js';
import type { Note } from '../../../schemas/payloads/note.js';
import type { ProcessPayload } from '../../../schemas/payloads/process.js';
import type { Call, Committed, Outcome } from '../calls/call.js';
import { invalidAccount, invalidRequest, refused } from '../calls/error-answers.js';
import type { SandboxSettings } from '../settings/settings.js';
import type { Change } from '../state/changes.js';
import { toDatetime } from '../state/dates.js';
import type { AccountRecord, ImportedRecord, SupplierRecord } from '../state/sandbox-state.js';
import { refuseUnlessOngoing, unknownSupplierError } from './import-suppliers.js';
import { withBothNumbers } from './post-import/imported-account.js';
import { addNotes } from './post-import/notes.js';
import { missingContracts } from './validate-and-stage.js';

/** The call handler has checked token, shape and limit before. */
export function processAccount(call: Call<ProcessPayload>): Outcome {
  const { payload, store, settings, ids } = call;
  const { import_supplier_code, external_account_number, dry_run } = payload;
  const supplier = store.supplier(import_supplier_code);
  const account = store.account(import_supplier_code, external_account_number);
  const refusal = refusalOf(call, supplier, account);
  if (refusal !== undefined || account === undefined) return refusal ?? notStaged();
  // A dry run changes nothing (I3).
  if (dry_run === true) return { status: 400, body: DRY_RUN_BODIES[settings.dryRunMessage], isAfterWork: true };

  const { accountNumberForm: form } = settings;
  const numberAfter = (before: number) =>
    ids.serviceAccountNumber(import_supplier_code, external_account_number, form, before);
  // Uses the data that is staged at the start of the call, even if another call replaces it.
  const { notes } = account.data;
  const commit = (now: Date): Committed => {
    // Other calls may have created it during this one (U30): the service does not check again.
    const before = account.imported === null ? 0 : 1 + (account.duplicates ?? []).length;
    const service_account_number = numberAfter(before);
    const imported = importOf(call, notes, service_account_number, now);
    const changes: Change[] = [
      { type: 'accountImported', supplier: import_supplier_code, number: external_account_number, imported },
    ];
    if (before === 0) return { changes };
    void settings.processRace;
    return { changes, body: { service_account_number } };
  };
  return { status: 201, body: { service_account_number: numberAfter(0) }, commit, change: 'staged → imported' };
}

/** U12: the message is documented, but not its place in the body. */
const DRY_RUN_BODIES: Readonly<Record<SandboxSettings['dryRunMessage'], unknown>> = {
  detail: { detail: DRY_RUN_MESSAGE, code: 'dry_run', errors: [] },
  non_field_errors: { non_field_errors: [DRY_RUN_MESSAGE] },
  list: [DRY_RUN_MESSAGE],
};

type CheckName = SandboxSettings['processChecks'][number];
/** undefined if the check passes. Otherwise a function that returns the refusal; undefined if a setting allows it. */
type Check = (() => Outcome | undefined) | undefined;

/** Returns the first refusal. The order of U11 matters only if more than one check fails. */
function refusalOf(
  call: Call<ProcessPayload>,
  supplier: SupplierRecord | undefined,
  account: AccountRecord | undefined,
): Outcome | undefined {
  const checks: Readonly<Record<CheckName, Check>> = {
    imported: checkImported(account),
    supplier: checkSupplier(call, supplier),
    staged: checkStaged(call, supplier, account),
    team: checkTeam(call),
  };
  const found = (Object.keys(checks) as CheckName[]).filter((name) => checks[name] !== undefined);
  for (const name of found.length > 1 ? call.settings.processChecks : found) {
    const refusal = checks[name]?.();
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}

/** The 400 that contains both account numbers (spec: Process rules). */
function checkImported(account: AccountRecord | undefined): Check {
  if (account === undefined || account.imported === null) return undefined;
  const { imported } = account;
  const detail = `The account was already imported as ${imported.service_account_number}.`;
  return () =>
    withBothNumbers(refused('account_already_imported', 'external_account_number', detail), { account, imported });
}

function checkSupplier(
  { operation, payload, store, settings }: Call<ProcessPayload>,
  supplier?: SupplierRecord,
): Check {
  const attr = 'import_supplier_code';
  if (supplier === undefined) {
    return () => invalidRequest(operation, [unknownSupplierError(store, payload.import_supplier_code, attr)]);
  }
  if (supplier.status === 'Ongoing') return undefined;
  return () => refuseUnlessOngoing(supplier, attr, 'process', settings);
}

/** The staged data must exist, and still be valid (U13). */
function checkStaged(
  { store, settings }: Call<ProcessPayload>,
  supplier?: SupplierRecord,
  account?: AccountRecord,
): Check {
  if (supplier === undefined || account === undefined) return notStaged;
  const errors = missingContracts(store, supplier, account.data);
  if (errors.length === 0) return undefined;
  return () => (settings.missingBusinessContract === 'never' ? undefined : invalidAccount(errors));
}

function checkTeam({ operation, payload, store }: Call<ProcessPayload>): Check {
  const { teams } = store.state;
  if (teams.includes(payload.operations_team_name)) return undefined;
  return () => invalidRequest(operation, [unknownTeam(teams, payload.operations_team_name)]);
}

function notStaged(): Outcome {
  const detail = 'No data is staged for this account; stage it first.';
  return refused('account_not_staged', 'external_account_number', detail);
}

function importOf(
  call: Call<ProcessPayload>,
  notes: readonly Note[] = [],
  service_account_number: string,
  now: Date,
): ImportedRecord {
  const { payload, settings } = call;
  // U17: whether staged notes become notes of the account.
  const kept = notes.length > 0 && settings.stagedNotes === 'kept' ? notes : [];
  return {
    service_account_number,
    account_created_at: toDatetime(now),
    operations_team_name: payload.operations_team_name,
    status: 'PENDING',
    notes: addNotes([], kept, { now, settings }).records,
    transactions: [],
    statements: [],
    payment_instructions: [],
  };
}

function unknownTeam(teams: readonly string[], name: string) {
  const detail =
    `No operations team has the name ${JSON.stringify(name)}. This sandbox knows: ${teams.join(', ') || 'none'}. ` +
    `Add one with createSandbox({ teams: [${JSON.stringify(name)}] }).`;
  return { detail, code: 'operations_team_not_found', attr: 'operations_team_name' };
}
