/** What each example prints, written by hand: parts of its lines, in their order. */
export const EXPECTED_LINES: Readonly<Record<string, readonly string[]>> = {
  '01-quickstart': [
    'staged: created',
    'dry run, would import: true',
    'account number: 3241994174471306',
    'status: PENDING',
  ],
  '02-validate-locally': [
    ...['would be refused', "'customers.0.landline'", "'customers.0.date_of_birth'", "'biling_postcode'"],
    ...["'siret_check_digit'", "'biling_postcode'", "'billing_postcode'", "'customers.0.email'"],
  ],
  '03-handle-errors': [
    'a bad landline: not sent; invalid_phone_number',
    "a bad landline, unchecked: refused; account_failed_validation [ 'customers.0.landline' ]",
    "processing what is not staged: refused; account_not_staged [ 'external_account_number' ]",
    'a note before the import: not there',
    'staging: done',
    "processing: done { service_account_number: '3241994174471306' }",
    'processing again: exists as 3241994174471306',
    "staging while paused: refused; import_supplier_not_ongoing [ 'import_supplier' ]",
  ],
  '04-business-with-contracts': ['business created: true', 'account: created', 'payment instruction: CARD-77'],
  '05-post-import': [
    "note: [ 'NOTE_CREATION_SUCCESS' ]",
    "again: [ 'NOTE_ALREADY_EXISTS' ]",
    'outside the open period: T-1',
    'moved into it: 2026-01-01 24.50',
    'payment instruction: 201 after 3 attempts',
  ],
  '06-your-own-concurrency': [
    'A-0000009 accounts.stage: invalid_payload, customers.0.landline invalid_phone_number: Expected a telephone number, best in international form such as +33612345678. Nothing was sent',
    '45 imported, 5 failed',
  ],
  '07-tracing': [
    'POST /v1/data-import/account-import-process/create-or-update/ 201',
    'accounts.stage ok',
    'POST /v1/data-import/notes/create/ 404',
    'notes.create NotFoundError',
  ],
  '08-rehearse-failures': [
    '30 accounts: { created: 20, confirmed: 10 }',
    'created by the service: 30 of 30',
    'historicalStatements.create: no answer came, so the request may have taken effect.',
  ],
  '09-legacy-csv': [
    '3 created + 0 already imported + 2 rejected + 0 skipped + 0 unknown = 5',
    '1 at check: invalid_date at account.customers.*.date_of_birth',
    '1 at check: invalid_phone_number at account.customers.*.mobile',
    'line 4 of accounts.csv, account LEG-10043, is in rejected.jsonl',
    'line 5 of accounts.csv, account LEG-10044, is in rejected.jsonl',
    "'ok.csv'",
    "'rejected.jsonl'",
    "'report.html'",
  ],
  '10-resume-after-a-crash': [
    'first session: SIGKILL',
    '60 created + 0 already imported + 0 rejected + 0 skipped + 0 unknown = 60',
    'second session: exit code 0',
    'created by the service: 60 of 60',
  ],
  '11-dry-runs': [
    'dry run, would import: true',
    'and then: UNKNOWN',
    'dry run: validation_failed operations_team_name',
    'not sent: invalid_payload dry_run',
    '3 created + 0 already imported + 0 rejected + 0 skipped + 0 unknown = 3',
    'A-3: 400 nothing changed, then 201 staged → imported',
  ],
  '13-many-suppliers': [
    'NORTH: finished; 28 created + 0 already imported + 0 rejected + 0 skipped + 0 unknown = 28',
    'EAST: finished; 28 created + 0 already imported + 0 rejected + 0 skipped + 0 unknown = 28',
    'SOUTH: halted (not accepted: the supplier); 3 created',
    'SOUTH: finished; 28 created + 0 already imported + 0 rejected + 0 skipped + 0 unknown = 28',
  ],
  '14-rotate-the-api-key': [
    'asks for a token with the-old-key',
    'A-1: created',
    'asks for a token with sandbox-api-key',
    'A-2: created',
    'A-3: created',
  ],
  '15-set-aside-transactions': [
    '1 created + 0 already imported + 0 rejected + 0 skipped + 0 unknown = 1; incomplete: 1',
    "on the service: [ 'T-1 24.5', 'T-3 12' ]",
    "set aside: [ 'transactions.1 transaction_import_error' ]",
    '1 created + 0 already imported + 0 rejected + 0 skipped + 0 unknown = 1; incomplete: 0',
    "on the service: [ 'T-1 24.5', 'T-3 12', 'T-2 3' ]",
  ],
  '16-watch-and-stop': [
    'running, at most 4 calls and 1 that processes',
    'paused lunch',
    'stopped before its end',
    '63 created + 0 already imported + 0 rejected + 0 skipped + 0 unknown = 63',
  ],
  '17-a-profile-of-your-deployment': [
    'input: error account.billing_postcode required',
    'input: error account.customers.0.email required',
    'input: error account.sales_channel invalid_choice',
    'input: error account.external_account_number max_length',
    'client: 4 errors, nothing sent',
    'requests: 0',
    'sandbox: 400 required',
    'corrected: created',
  ],
  '18-rehearse-and-verify': [
    '94 created + 0 already imported + 5 rejected + 0 skipped + 4 unknown = 103',
    '3 unknown at statements: Look at the historical statements of the account',
    '1 unknown at paymentInstruction: Look at the payment instructions of the account',
    '95 accounts agree; on the service and not in the ledger: 0',
    'created 95 accounts, 95 different ones',
    'more than twenty failures',
  ],
};

/** The expected parts that stand in the output, each on a line after the one before; up to the first that does not. */
export function linesIn(output: string, expected: readonly string[]): string[] {
  const lines = output.split('\n');
  let from = 0;
  const found: string[] = [];
  for (const part of expected) {
    const at = lines.findIndex((line, index) => index >= from && line.includes(part));
    if (at < 0) return found;
    from = at + 1;
    found.push(part);
  }
  return found;
}
