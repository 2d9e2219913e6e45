/** Exports the checks of import suppliers and operations team, by calls with accounts of the input. */
import type { Account } from '../../../../schemas/payloads/account.js';
import type { DataImportClient } from '../../../client.js';
import { ApiError } from '../../../errors/api-errors.js';
import { ResponseMismatchError } from '../../../errors/client-errors.js';
import { isDataImportError } from '../../../errors/guards.js';
import { unansweredBy } from '../../record/steps/classify-error.js';
import { isOfAddress, notAcceptedBy } from '../../record/steps/not-accepted.js';
import { causeInWords } from '../../shared/connection-failure.js';
import { type Check, type CheckResult, codeIn, ONE_CALL, remedyIfBusy, resultOf, TOKEN_REMEDY } from './check.js';
import { type InputSample, SAMPLE_LINES } from './input-sample.js';

const MOST_SUPPLIERS = 5;

/** Validates one account of each of the first five suppliers, which changes nothing in the service. */
export async function checkSuppliers(
  client: DataImportClient,
  { suppliers, isWhole }: Pick<InputSample, 'suppliers' | 'isWhole'>,
  signal?: AbortSignal,
): Promise<Check[]> {
  const checks: Check[] = [];
  for (const [code, account] of [...suppliers].slice(0, MOST_SUPPLIERS)) {
    const check = await checkSupplier(client, { code, account, signal });
    if (check.check === 'address') return [check];
    checks.push(check);
  }
  const left = suppliers.size - checks.length;
  if (left > 0 || (!isWhole && checks.length > 0)) {
    const others = `import suppliers after the first ${SAMPLE_LINES} lines of the input`;
    checks.push(ofSupplier('notChecked', left > 0 ? `${left} more import suppliers` : others));
  }
  return checks;
}

const ofSupplier = resultOf('supplier');

async function checkSupplier(
  client: DataImportClient,
  { code, account, signal }: { code: string; account: Account | null; signal: AbortSignal | undefined },
): Promise<Check> {
  const as = (result: CheckResult, detail: string, remedy = '') => ofSupplier(result, `${code}: ${detail}`, remedy);
  const first = 'the first account that is staged shows it';
  if (account === null) return as('cannotTell', `no account to validate; ${first}`);
  try {
    await client.accounts.validate(account, { ...ONE_CALL, signal, validate: false });
    return as('cannotTell', `validate accepts an account of it, which some services do while it is Paused; ${first}`);
  } catch (error) {
    if (!isDataImportError(error)) throw error;
    if (error instanceof ApiError && notAcceptedBy(error) === 'supplier') return refusedSupplier(code, error);
    if (error instanceof ApiError && isOfAddress(error, 'validate')) return noPath(client.host, 'validate', error);
    if (error instanceof ApiError && error.status === 401) {
      return as('failed', 'validate answers 401: the service does not accept the token', TOKEN_REMEDY);
    }
    return as('cannotTell', `validate does not show this (${outcomeOf(error)}); ${first}`, remedyOf(error));
  }
}

function noPath(host: string, call: 'validate' | 'stage', { status }: ApiError): Check {
  const detail = `${host} answers ${call} with ${status}: the address has no such path`;
  return resultOf('address')('failed', detail, 'Check --base-url and its path.');
}

/** Returns the status of the error, or why there was no answer, without texts that may be data. */
function outcomeOf(error: unknown): string {
  if (error instanceof ApiError || error instanceof ResponseMismatchError) return String(error.status);
  const unanswered = unansweredBy(error);
  return unanswered === undefined ? 'no answer' : causeInWords(unanswered);
}

function remedyOf(error: unknown): string {
  return remedyIfBusy(error instanceof ApiError ? error.status : undefined);
}

function refusedSupplier(code: string, error: ApiError): Check {
  const detail = `${code}: the service refuses it${codeIn(error.errors[0]?.code ?? error.code)}`;
  return ofSupplier('failed', detail, 'Ask the operator whether it is Ongoing, and check its code in the input.');
}

/** Stages one account, which remains staged, and dry-runs it, which does not create it. */
export async function checkTeam(
  client: DataImportClient,
  { suppliers }: Pick<InputSample, 'suppliers'>,
  team: string,
): Promise<Check> {
  const as = resultOf('team');
  const refused = (error: unknown): Check | undefined => {
    if (!(error instanceof ApiError)) return undefined;
    if (error.status === 401)
      return as('failed', 'the service answers 401: it does not accept the token', TOKEN_REMEDY);
    return notAcceptedBy(error) === 'supplier' ? refusedSupplier(supplier, error) : undefined;
  };
  const account = [...suppliers.values()].find((one) => one !== null);
  if (account == null) return as('cannotTell', 'the first lines of the input have no account that can be staged');
  const number = String(account.external_account_number);
  const supplier = String(account.import_supplier);
  try {
    await client.accounts.stage(account, { ...ONE_CALL, validate: false });
  } catch (error) {
    if (!isDataImportError(error)) throw error;
    if (error instanceof ApiError && isOfAddress(error, 'stage')) return noPath(client.host, 'stage', error);
    return (
      refused(error) ?? as('cannotTell', `the first account could not be staged (${outcomeOf(error)})`, remedyOf(error))
    );
  }
  try {
    const processing = { import_supplier_code: supplier, external_account_number: number, operations_team_name: team };
    await client.accounts.dryRun(processing, ONE_CALL);
    return as('ok', `${team}: the dry run of one account would succeed; that account is staged now`);
  } catch (error) {
    if (!isDataImportError(error)) throw error;
    if (error instanceof ApiError && notAcceptedBy(error) === 'team') {
      const detail = `${team}: the service does not accept this operations team${codeIn(error.errors[0]?.code ?? error.code)}`;
      const remedy = 'Ask the operator for the name of the team, and give it with --team.';
      return as('failed', `${detail}; one account is staged now`, remedy);
    }
    const detail = `the dry run of one account does not show this (${outcomeOf(error)}); it is staged now`;
    return refused(error) ?? as('cannotTell', detail, remedyOf(error));
  }
}
