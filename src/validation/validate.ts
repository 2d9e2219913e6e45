/**
 * Checking payloads before they are sent: every finding at once, in the service's own shape. Errors are what the
 * document, or your profile, says is wrong; advice is what is suspicious.
 */

import type { ErrorItem } from '../../schemas/errors.js';
import { INVALID_JSON_VALUE, NOT_JSON, pathsThatAreNotJson } from '../../schemas/fields.js';
import { accepts } from './accepts.js';
import { adviceFindings } from './advice.js';
import { type Finding, schemaFindings, toAttr } from './findings.js';
import { refuseUnknown } from './known-names.js';
import { type PayloadName, payloads } from './payloads.js';
import { addNamesOf, decidedBy, type Profile, profileFindings } from './profile.js';

/** What the local check found. */
export interface Validation {
  /** True if no finding is an error. */
  ok: boolean;
  /** Errors first, then advice. */
  findings: Finding[];
}

/** Of the functions `validate…` and of `checkBook`. */
export interface ValidateOptions {
  /** What your deployment is known to demand beyond the document. */
  profile?: Profile | undefined;
  /**
   * Whether to look for what is suspicious.
   * @default true
   */
  advice?: boolean | undefined;
}

export function validatePayload(name: PayloadName, payload: unknown, options: ValidateOptions = {}): Validation {
  const { profile, advice = true } = options;
  if (profile !== undefined) addNamesOf(profile);
  const isDecided = profile === undefined ? () => false : decidedBy(profile, name, payload);
  const errors = accepts(payloads[name], payload) ? [] : whatIsWrong(name, payload, isDecided);
  if (profile !== undefined) errors.push(...profileFindings(name, payload, profile, errors));
  const suspicious = advice ? adviceFindings(name, payload).filter((finding) => !isDecided(finding)) : [];
  return { ok: errors.length === 0, findings: [...errors, ...suspicious] };
}

function whatIsWrong(name: PayloadName, payload: unknown, isDecided: (item: ErrorItem) => boolean): Finding[] {
  const documented = schemaFindings(payloads[name], payload)
    .filter((item) => !isDecided(item))
    .map((item): Finding => ({ ...item, severity: 'error' }));
  return [...documented, ...unsendable(payload, documented)];
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
export const validateBusiness: Validate = (payload, options) => checked('Business', payload, options);

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
export const validatePopulate: Validate = (payload, options) => checked('Populate', payload, options);

/** Checks the payload of `accounts.process` and `accounts.dryRun`. */
export const validateProcess: Validate = (payload, options) => checked('Process', payload, options);

/** Checks the payload of `transactions.create`. */
export const validateTransactions: Validate = (payload, options) => checked('TransactionsPayload', payload, options);

function checked(name: PayloadName, payload: unknown, options: ValidateOptions | undefined): Validation {
  // Whatever comes second is no object of options where it is handed to `map`.
  if (options !== undefined) refuseUnknown(options, ['profile', 'advice'], `validate${name.replace(/Payload$/, '')}`);
  return validatePayload(name, payload, options);
}
