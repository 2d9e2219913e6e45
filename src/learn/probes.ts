/** Exports `decidingCall`: a query or an `accounts.validate` whose answer tells the values of a setting apart. */
import { PATH_PREFIX } from '../../schemas/operations.js';
import { SANDBOX_SUPPLIER, SANDBOX_TEAM } from '../sandbox/settings/sandbox-options.js';
import type { SandboxSettings } from '../sandbox/settings/settings.js';
import { openService } from './in-process.js';
import { oncePerSettings, withValue } from './with-value.js';

/** A query or a local check of the service: a call that may have an effect cannot be written as a probe. */
type Probe = {
  /** What to do, for people. */
  says: string;
  /** Headers in place of the token. */
  headers?: Record<string, string>;
} & ({ query: string } | { validate: object });

const STAGED = { import_supplier: SANDBOX_SUPPLIER, external_account_number: 'STAGED' };
const IMPORTED = { import_supplier: SANDBOX_SUPPLIER, external_account_number: 'IMPORTED' };
const STATUS = `account-transfer-status/${SANDBOX_SUPPLIER}/STAGED/`;

const PROBES: readonly Probe[] = [
  { says: 'imports.status without the slash at the end of the path', query: STATUS.slice(0, -1) },
  { says: 'imports.status without a token', query: STATUS, headers: {} },
  {
    says: 'imports.status with the word Bearer before the token',
    query: STATUS,
    headers: { authorization: 'Bearer sandbox-token' },
  },
  { says: 'imports.status with the bare token', query: STATUS, headers: { authorization: 'sandbox-token' } },
  {
    says: 'imports.status of an account that is imported',
    query: `account-transfer-status/${SANDBOX_SUPPLIER}/IMPORTED/`,
  },
  { says: 'imports.pending of an import supplier without accounts', query: 'pending-account-import-processes/NONE/' },
  {
    says: 'imports.imported of an import supplier with an imported account',
    query: `imported-account-import-processes/${SANDBOX_SUPPLIER}/`,
  },
  {
    says: 'imports.all of an import supplier whose accounts were not staged in the order of their numbers',
    query: `all-account-import-processes/${SANDBOX_SUPPLIER}/`,
  },
  { says: 'accounts.validate with a field that is not documented', validate: { ...STAGED, undocumented: 1 } },
  { says: 'accounts.validate with an undocumented `account_type`', validate: { ...STAGED, account_type: 'OTHER' } },
  {
    says: 'accounts.validate with a landline that is no telephone number',
    validate: { ...STAGED, customers: [{ landline: 'x' }] },
  },
  {
    says: 'accounts.validate with a `business_contract_identifier` that no business has',
    validate: { ...STAGED, account_type: 'BUSINESS', business: { business_contract_identifier: 'NONE' } },
  },
  {
    says: 'accounts.validate with a `statement_path` at which no document is',
    validate: { ...STAGED, statements: [{ statement_path: 'none.pdf' }] },
  },
];

/**
 * Returns a function that returns the call in words, of those with which each value has another answer; undefined if no such call does. It
 * keeps the answers: most settings have a value in common, which is the one of the given settings.
 */
export function createProbes() {
  const answersWith = oncePerSettings(answersOf);
  return async (name: keyof SandboxSettings, values: readonly unknown[], settings: Partial<SandboxSettings>) => {
    const byValue = await Promise.all(values.map((value) => answersWith(withValue(settings, name, value))));
    const differ = (index: number) => new Set(byValue.map((answers) => answers[index])).size === values.length;
    return PROBES.find((_, index) => differ(index))?.says;
  };
}

async function answersOf(settings: Partial<SandboxSettings>): Promise<string[]> {
  const call = openService({ settings: { ...settings, processDurationMs: 0 } }, async () => {});
  const own = { authorization: authorizationOf(settings) };
  const send = async (path: string, body?: object, headers: Record<string, string> = own) => {
    const request = { url: `http://sandbox.example.com${PATH_PREFIX}${path}`, headers };
    const { status, text } = await (body === undefined
      ? call({ ...request, method: 'GET', text: '' })
      : call({ ...request, method: 'POST', text: JSON.stringify(body) }));
    return `${status} ${text}`;
  };
  for (const account of [STAGED, IMPORTED]) await send('account-import-process/create-or-update/', account);
  await send('account-import-process/process/', {
    external_account_number: 'IMPORTED',
    import_supplier_code: SANDBOX_SUPPLIER,
    operations_team_name: SANDBOX_TEAM,
  });
  const answers: string[] = [];
  for (const probe of PROBES) {
    const answer =
      'query' in probe
        ? send(probe.query, undefined, probe.headers)
        : send('validate-account/', probe.validate, probe.headers);
    answers.push(await answer);
  }
  return answers;
}

function authorizationOf({ authScheme = 'Token' }: Partial<SandboxSettings>): string {
  return authScheme === 'bare' ? 'sandbox-token' : `${authScheme === 'Bearer' ? 'Bearer' : 'Token'} sandbox-token`;
}
