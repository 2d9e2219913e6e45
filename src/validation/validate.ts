/**
 * Checking payloads before they are sent: every finding at once, in the service's own shape. Errors are what the
 * document, or your profile, says is wrong; advice is what is suspicious.
 */

import type { ErrorItem } from '../../schemas/error-bodies.js';
import { INVALID_JSON_VALUE, NOT_JSON, pathsThatAreNotJson } from '../../schemas/fields.js';
import { accepts, isJson } from './accepts.js';
import { type Finding, MOST_FINDINGS, schemaFindings, toAttr } from './findings.js';
import { refuseUnknown } from './known-names.js';
import { type PayloadName, payloads } from './payload-schemas.js';
import { addNamesOf, decidedBy, type Profile, profileFindings } from './profile.js';
import { findWarnings } from './warnings/find-warnings.js';

/** What the local check found. */
export interface Validation {
  /** True if no finding is an error. */
  ok: boolean;
  /** Errors first, then advice; of each the first 10,000. */
  findings: Finding[];
  /** How many there are, where they are more than are listed. */
  total?: number;
}

/** Of the functions `validate…` and of `checkRecords`. */
export interface ValidateOptions {
  /** What your deployment is known to demand beyond the document. */
  profile?: Profile | undefined;
  /**
   * Whether to look for what is suspicious.
   * @default true
   */
  warnings?: boolean | undefined;
}

function validatePayload(name: PayloadName, payload: unknown, options: ValidateOptions = {}): Validation {
  const { errors, warnings } = checkPayload(name, payload, options);
  const findings = [...errors.findings, ...warnings.findings];
  const ok = errors.total === 0;
  const total = errors.total + warnings.total;
  return total > findings.length ? { ok, findings, total } : { ok, findings };
}

/** Findings up to a limit, and how many there are. */
interface Found {
  findings: Finding[];
  total: number;
}

/** `most`: errors that are listed, and pieces of advice. */
export function checkPayload(
  name: PayloadName,
  payload: unknown,
  { profile, warnings = true }: ValidateOptions,
  most = MOST_FINDINGS,
): { errors: Found; warnings: Found } {
  if (profile !== undefined) addNamesOf(profile);
  const isDecided = profile === undefined ? () => false : decidedBy(profile, name, payload);
  const errors = accepts(payloads[name], payload) ? NOTHING : whatIsWrong(name, payload, isDecided, most);
  const ofProfile = profile === undefined ? [] : profileFindings(name, payload, profile, errors.findings);
  const suspicious = warnings ? findWarnings(name, payload).filter((finding) => !isDecided(finding)) : [];
  return {
    errors: {
      findings: [...errors.findings, ...ofProfile].slice(0, most),
      total: errors.total + ofProfile.length,
    },
    warnings: { findings: suspicious.slice(0, most), total: suspicious.length },
  };
}

const NOTHING: Found = { findings: [], total: 0 };

function whatIsWrong(
  name: PayloadName,
  payload: unknown,
  isLeftOut: (item: Pick<ErrorItem, 'code' | 'attr'>) => boolean,
  most: number,
): Found {
  const found = schemaFindings(payloads[name], payload, { most, isLeftOut });
  const documented = found.findings.map((item): Finding => ({ ...item, severity: 'error' }));
  const others = isJson(payload) ? [] : unsendable(payload, documented);
  return { findings: [...documented, ...others].slice(0, most), total: found.total + others.length };
}

/** A Date or a Map in place of an object has no field that is wrong, and is not sent as it stands. */
function unsendable(payload: unknown, documented: readonly Finding[]): Finding[] {
  const known = new Set(documented.map(({ attr }) => attr));
  return pathsThatAreNotJson(payload)
    .map(toAttr)
    .filter((attr) => !known.has(attr))
    .map((attr) => ({ detail: NOT_JSON, code: INVALID_JSON_VALUE, attr, severity: 'error' }));
}

/**
 * Checks a payload of any kind: it may come from anywhere. Sends nothing. Throws a `TypeError` for an option that there is
 * not.
 */
export type Validate = (payload: unknown, options?: ValidateOptions) => Validation;

/** Checks the payload of `accounts.validate` and `accounts.stage`. */
export const validateAccount: Validate = (payload, options) => checked('Account', payload, options);

/** Checks the payload of `businesses.create`. */
export const validateBusiness: Validate = (payload, options) => checked('BusinessPayload', payload, options);

/** Checks the payload of `businesses.createPaymentInstruction`. */
export const validateBusinessPaymentInstruction: Validate = (payload, options) =>
  checked('BusinessPaymentInstruction', payload, options);

/** Checks the payload of `historicalStatements.create`. */
export const validateHistoricalStatements: Validate = (payload, options) =>
  checked('HistoricalStatementsPayload', payload, options);

/** Checks the payload of `notes.create`. */
export const validateNotes: Validate = (payload, options) => checked('NotesPayload', payload, options);

/** Checks the payload of `paymentInstructions.create`. */
export const validatePaymentInstruction: Validate = (payload, options) =>
  checked('PaymentInstruction', payload, options);

/** Checks the payload of `supplyPoints.populate`. */
export const validatePopulate: Validate = (payload, options) => checked('PopulatePayload', payload, options);

/** Checks the payload of `accounts.process` and `accounts.dryRun`. */
export const validateProcess: Validate = (payload, options) => checked('ProcessPayload', payload, options);

/** Checks the payload of `transactions.create`. */
export const validateTransactions: Validate = (payload, options) => checked('TransactionsPayload', payload, options);

function checked(name: PayloadName, payload: unknown, options: ValidateOptions | undefined): Validation {
  // Whatever comes second is no object of options where it is handed to `map`.
  if (options !== undefined) refuseUnknown(options, ['profile', 'warnings'], `validate${name.replace(/Payload$/, '')}`);
  return validatePayload(name, payload, options);
}
