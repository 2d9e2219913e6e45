/** Exports `decidingCall`: a call that creates nothing on the service and whose answer tells the values of a setting apart. */
import { PATH_PREFIX } from '../../schemas/operations.js';
import { SANDBOX_SUPPLIER, SANDBOX_TEAM } from '../sandbox/settings/sandbox-options.js';
import type { SandboxSettings } from '../sandbox/settings/settings.js';
import { openService } from './in-process.js';
import { oncePerSettings, withValue } from './with-value.js';

interface Probe {
  /** What to do, for people. */
  says: string;
  path: string;
  /** Absent for a query. */
  body?: object;
  /** Headers in place of the token. */
  headers?: Record<string, string>;
}

const SUPPLIER = { import_supplier: SANDBOX_SUPPLIER };
const STAGED = { ...SUPPLIER, external_account_number: 'STAGED' };
const IMPORTED = { ...SUPPLIER, external_account_number: 'IMPORTED' };
const process = (number: string, team: string, supplier = SANDBOX_SUPPLIER) => ({
  external_account_number: number,
  import_supplier_code: supplier,
  operations_team_name: team,
  dry_run: true,
});
const NOTE = { body: 'A note.' };
const NOTE_OF_PATHS = { document_paths: [{ document_path: 'a.pdf' }] };
const BUSINESS = {
  import_supplier_code: SANDBOX_SUPPLIER,
  external_business_identifier: 'B-1',
  business: { business_type: 'COMPANY', company_name: 'Example' },
};

/** No probe creates or changes anything, with any value of any setting. */
const PROBES: readonly Probe[] = [
  {
    says: 'imports.status without the slash at the end of the path',
    path: `account-transfer-status/${SANDBOX_SUPPLIER}/STAGED`,
  },
  { says: 'imports.status without a token', path: `account-transfer-status/${SANDBOX_SUPPLIER}/STAGED/`, headers: {} },
  {
    says: 'imports.status with the word Bearer before the token',
    path: `account-transfer-status/${SANDBOX_SUPPLIER}/STAGED/`,
    headers: { authorization: 'Bearer sandbox-token' },
  },
  {
    says: 'imports.status with the bare token',
    path: `account-transfer-status/${SANDBOX_SUPPLIER}/STAGED/`,
    headers: { authorization: 'sandbox-token' },
  },
  {
    says: 'imports.status of an account that is imported',
    path: `account-transfer-status/${SANDBOX_SUPPLIER}/IMPORTED/`,
  },
  { says: 'imports.pending of an import supplier without accounts', path: 'pending-account-import-processes/NONE/' },
  {
    says: 'imports.imported of an import supplier with an imported account',
    path: `imported-account-import-processes/${SANDBOX_SUPPLIER}/`,
  },
  {
    says: 'imports.all of an import supplier whose accounts were not staged in the order of their numbers',
    path: `all-account-import-processes/${SANDBOX_SUPPLIER}/`,
  },
  {
    says: 'accounts.validate with a field that is not documented',
    path: 'validate-account/',
    body: { ...STAGED, undocumented: 1 },
  },
  {
    says: 'accounts.validate with an undocumented `account_type`',
    path: 'validate-account/',
    body: { ...STAGED, account_type: 'OTHER' },
  },
  {
    says: 'accounts.validate with a landline that is no telephone number',
    path: 'validate-account/',
    body: { ...STAGED, customers: [{ landline: 'x' }] },
  },
  {
    says: 'accounts.validate with a `business_contract_identifier` that no business has',
    path: 'validate-account/',
    body: { ...STAGED, account_type: 'BUSINESS', business: { business_contract_identifier: 'NONE' } },
  },
  {
    says: 'accounts.validate with a `statement_path` at which no document is',
    path: 'validate-account/',
    body: { ...STAGED, statements: [{ statement_path: 'none.pdf' }] },
  },
  {
    says: 'accounts.dryRun of a staged account',
    path: 'account-import-process/process/',
    body: process('STAGED', SANDBOX_TEAM),
  },
  {
    says: 'accounts.dryRun of an account that is not staged, with an unknown team',
    path: 'account-import-process/process/',
    body: process('NONE', 'NONE'),
  },
  {
    says: 'accounts.dryRun of an imported account, with an unknown team',
    path: 'account-import-process/process/',
    body: process('IMPORTED', 'NONE'),
  },
  {
    says: 'accounts.dryRun for an unknown import supplier, with an unknown team',
    path: 'account-import-process/process/',
    body: process('NONE', 'NONE', 'NONE'),
  },
  {
    says: 'transactions.create for an account that is only staged',
    path: 'transactions/create/',
    body: { ...STAGED, transactions: [{ transaction_id: 'T-1', type: 'CHARGE' }] },
  },
  {
    says: 'notes.create with a note that the account has',
    path: 'notes/create/',
    body: { ...IMPORTED, notes: [NOTE] },
  },
  { says: 'businesses.create of a business that exists', path: 'business/', body: BUSINESS },
  {
    says: 'businesses.createPaymentInstruction for a business that does not exist',
    path: 'business-payment-instruction/create/',
    body: {
      import_supplier_code: SANDBOX_SUPPLIER,
      external_business_identifier: 'NONE',
      vendor: 'v',
      reference: 'r',
      type: 'CARD',
    },
  },
  {
    says: 'businesses.createPaymentInstruction without `accounts`, for a business that does not exist',
    path: 'business-payment-instruction/create/',
    body: {
      import_supplier_code: SANDBOX_SUPPLIER,
      external_business_identifier: 'NONE',
      vendor: 'v',
      reference: 'r',
      type: 'CARD',
    },
  },
];

/** Returns the call in words, of those with which each value has another answer; undefined if no such call does. */
export type DecidingCall = (
  name: keyof SandboxSettings,
  values: readonly unknown[],
  settings: Partial<SandboxSettings>,
) => Promise<string | undefined>;

/** Returns a function that keeps the answers: most settings have a value in common, which is the one of the given settings. */
export function createProbes(): DecidingCall {
  const answersWith = oncePerSettings(answersOf);
  return async (name, values, settings) => {
    const byValue = await Promise.all(values.map((value) => answersWith(withValue(settings, name, value))));
    const differ = (index: number) => new Set(byValue.map((answers) => answers[index])).size === values.length;
    return PROBES.find((_, index) => differ(index))?.says;
  };
}

async function answersOf(settings: Partial<SandboxSettings>): Promise<string[]> {
  const call = openService({ settings: { ...settings, processDurationMs: 0, itemDurationMs: 0 } }, async () => {});
  const send = async ({ path, body, headers = { authorization: authorizationOf(settings) } }: Omit<Probe, 'says'>) => {
    const request = { url: `http://sandbox.example.com${PATH_PREFIX}${path}`, headers };
    const { status, text } = await (body === undefined
      ? call({ ...request, method: 'GET', text: '' })
      : call({ ...request, method: 'POST', text: JSON.stringify(body) }));
    return `${status} ${text}`;
  };
  const stage = 'account-import-process/create-or-update/';
  for (const account of [STAGED, IMPORTED]) await send({ path: stage, body: account });
  await send({
    path: 'account-import-process/process/',
    body: { ...process('IMPORTED', SANDBOX_TEAM), dry_run: false },
  });
  await send({ path: 'notes/create/', body: { ...IMPORTED, notes: [NOTE, NOTE_OF_PATHS] } });
  await send({ path: 'business/', body: BUSINESS });
  const answers: string[] = [];
  for (const probe of PROBES) answers.push(await send(probe));
  return answers;
}

function authorizationOf({ authScheme = 'Token' }: Partial<SandboxSettings>): string {
  return authScheme === 'bare' ? 'sandbox-token' : `${authScheme === 'Bearer' ? 'Bearer' : 'Token'} sandbox-token`;
}
