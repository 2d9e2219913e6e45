/**
 * Exports `checkPayload` and the functions `validate…`: all findings of a payload before it is sent, in the form of the
 * service's errors. Errors violate the API specification or the profile; warnings mark values that are probably wrong.
 */

import type { ErrorItem } from '../../schemas/error-bodies.js';
import { INVALID_JSON_VALUE, valuesThatAreNotJson } from '../../schemas/fields.js';
import type { Account } from '../../schemas/payloads/account.js';
import type { BusinessPayload } from '../../schemas/payloads/business.js';
import type { HistoricalStatementsPayload } from '../../schemas/payloads/historical-statement.js';
import type { NotesPayload } from '../../schemas/payloads/note.js';
import type { BusinessPaymentInstruction, PaymentInstruction } from '../../schemas/payloads/payment-instruction.js';
import type { PopulatePayload } from '../../schemas/payloads/populate.js';
import type { ProcessPayload } from '../../schemas/payloads/process.js';
import type { TransactionsPayload } from '../../schemas/payloads/transaction.js';
import { accepts, isJson } from './accepts.js';
import { type Finding, MOST_FINDINGS, schemaFindings, toAttr } from './findings.js';
import { refuseUnknownOptions } from './known-names.js';
import { type PayloadName, payloads } from './payload-schemas.js';
import { addNamesOf, decidedBy, type Profile, profileFindings } from './profile.js';
import { valueFinder } from './warnings/find-values.js';
import { VALUE_RULES } from './warnings/rules.js';

const findValues = valueFinder(VALUE_RULES);
const findWrongValues = valueFinder(VALUE_RULES, true);

/** Result of the local check. If it is `ok`, `payload` is the value that was checked, with its type. */
export type Validation<Payload = unknown> = ({ ok: true; payload: Payload } | { ok: false; payload?: undefined }) & {
  /** Errors, then warnings; of each the first 10,000. If `ok` is true, all are warnings. */
  findings: Finding[];
  /** Number of findings, if more than are listed. */
  total?: number;
};

/** Options of the functions `validate…` and of `checkRecords`. */
export interface ValidateOptions {
  /** Additional rules of your deployment. */
  profile?: Profile | undefined;
  /**
   * Whether to look for warnings.
   * @default true
   */
  warnings?: boolean | undefined;
}

/** Findings up to a limit, and their number without it. */
interface Found {
  findings: Finding[];
  total: number;
}

/** Returns errors and warnings of a payload, of each at most `most`. */
export function checkPayload(
  name: PayloadName,
  payload: unknown,
  { profile, warnings = true, isWarningsOnly = false }: ValidateOptions & { isWarningsOnly?: boolean },
  most = MOST_FINDINGS,
): { errors: Found; warnings: Found } {
  if (profile !== undefined) addNamesOf(profile);
  const isDecidedByProfile = profile === undefined ? () => false : decidedBy(profile, name, payload);
  const isAccepted = isWarningsOnly || accepts(payloads[name], payload);
  const errors = isAccepted ? NOTHING : findErrors(name, payload, isDecidedByProfile, most);
  const profileErrors =
    profile === undefined || isWarningsOnly ? [] : profileFindings(name, payload, profile, errors.findings);
  const ofValues = (warnings ? findValues : findWrongValues)(name, payload).filter(
    (finding) => !isDecidedByProfile(finding),
  );
  const wrong = ofValues.filter(({ severity }) => severity === 'error');
  const valueErrors = isWarningsOnly ? [] : atOtherPlaces(errors.findings, wrong);
  // A value that is wrong is not suspicious as well.
  const suspicious = atOtherPlaces(
    wrong,
    ofValues.filter(({ severity }) => severity === 'warning'),
  );
  return {
    errors: {
      findings: [...errors.findings, ...valueErrors, ...profileErrors].slice(0, most),
      total: errors.total + valueErrors.length + profileErrors.length,
    },
    warnings: { findings: suspicious.slice(0, most), total: suspicious.length },
  };
}

const NOTHING: Found = { findings: [], total: 0 };

function findErrors(
  name: PayloadName,
  payload: unknown,
  isIgnored: (item: Pick<ErrorItem, 'code' | 'attr'>) => boolean,
  most: number,
): Found {
  const found = schemaFindings(payloads[name], payload, { most, isIgnored });
  const documented = found.findings.map((item): Finding => ({ ...item, severity: 'error' }));
  const others = isJson(payload) ? [] : atOtherPlaces(documented, nonJsonFindings(payload));
  return { findings: [...documented, ...others].slice(0, most), total: found.total + others.length };
}

/** Returns an error for each value that JSON would change, such as a Map or an object with `toJSON` in place of an object. */
function nonJsonFindings(payload: unknown): Finding[] {
  return valuesThatAreNotJson(payload).map(({ path, detail }) => ({
    detail,
    code: INVALID_JSON_VALUE,
    attr: toAttr(path),
    severity: 'error',
  }));
}

/** Returns the findings about values that have no error yet. */
function atOtherPlaces(errors: readonly Finding[], findings: readonly Finding[]): Finding[] {
  const known = new Set(errors.map(({ attr }) => attr));
  return findings.filter(({ attr }) => !known.has(attr));
}

/** Checks a value of any type without sending it. Returns all findings. Throws a `TypeError` for an unknown option. */
export type Validate<Payload = unknown> = (payload: unknown, options?: ValidateOptions) => Validation<Payload>;

// Bundlers leave out the functions that a program does not use.
/* @__NO_SIDE_EFFECTS__ */
function validator<Payload>(name: PayloadName): Validate<Payload> {
  return (payload, options) => {
    checkValidateOptions(options, nameOfFunction('validate', name));
    const { errors, warnings } = checkPayload(name, payload, options ?? {});
    const findings = [...errors.findings, ...warnings.findings];
    const total = errors.total + warnings.total;
    return {
      ...(errors.total === 0 ? { ok: true, payload: payload as Payload } : { ok: false }),
      findings,
      ...(total > findings.length && { total }),
    };
  };
}

/** Returns a name such as `validateNotes`. */
export function nameOfFunction(verb: 'validate' | 'parse', name: PayloadName): string {
  return `${verb}${name.replace(/Payload$/, '')}`;
}

/** Throws a `TypeError` for an unknown option. */
export function checkValidateOptions(options: ValidateOptions | undefined, of: string): void {
  // `payloads.map(validateAccount)` passes an index as the second argument, so a number is accepted.
  if (options !== undefined && typeof options !== 'number') refuseUnknownOptions(of, options, ['profile', 'warnings']);
}

/** Checks the payload of `accounts.validate` and `accounts.stage`. */
export const validateAccount: Validate<Account> = validator('Account');

/** Checks the payload of `businesses.create`. */
export const validateBusiness: Validate<BusinessPayload> = validator('BusinessPayload');

/** Checks the payload of `businesses.createPaymentInstruction`. */
export const validateBusinessPaymentInstruction: Validate<BusinessPaymentInstruction> =
  validator('BusinessPaymentInstruction');

/** Checks the payload of `historicalStatements.create`. */
export const validateHistoricalStatements: Validate<HistoricalStatementsPayload> =
  validator('HistoricalStatementsPayload');

/** Checks the payload of `notes.create`. */
export const validateNotes: Validate<NotesPayload> = validator('NotesPayload');

/** Checks the payload of `paymentInstructions.create`. */
export const validatePaymentInstruction: Validate<PaymentInstruction> = validator('PaymentInstruction');

/** Checks the payload of `supplyPoints.populate`. */
export const validatePopulate: Validate<PopulatePayload> = validator('PopulatePayload');

/** Checks the payload of `accounts.process` and `accounts.dryRun`. The type is that of both methods: a dry run sets `dry_run` itself. */
export const validateProcess: Validate<Omit<ProcessPayload, 'dry_run'>> = validator('ProcessPayload');

/** Checks the payload of `transactions.create`. */
export const validateTransactions: Validate<TransactionsPayload> = validator('TransactionsPayload');
