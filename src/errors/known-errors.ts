/** Exports `KNOWN_ERRORS`: cause and remedy of each known error code (U12); and `NextAction`, the remedy in one word. */
import type { OpenEnum } from '../../schemas/fields.js';

/** The remedy of an error as one word for programs; the message states it as a sentence. */
export type NextAction =
  /** Correct the payload or its identifiers: sent again unchanged, it fails again. */
  | 'fixPayload'
  /** The object exists already: use it. An `AlreadyImportedError` has the number of the account. */
  | 'useExisting'
  /** First send what this call needs, such as the staged account or the business. Then repeat the call. */
  | 'sendFirst'
  /** Only the operator of the service can remove the cause; the message says what to ask. */
  | 'askOperator'
  /** Get a valid token or API key. */
  | 'fixToken'
  /** Wait for `retryAfterMs`, or some seconds if it is undefined, then repeat the call. */
  | 'wait'
  /** Repeat the call later: every attempt failed. */
  | 'retryLater'
  /** Find out whether the request took effect before you send it again. `OutcomeUnknownError.howToResolve` says how. */
  | 'resolve'
  /**
   * Look at the answer: `detail` and `body` of the error. The service gives a reason that only a person can judge, or the answer
   * differs from the API specification: then check the base URL, and report it.
   */
  | 'inspect'
  /** Nothing to do: your signal ended the call. */
  | 'none';

/** What a known error code means. */
export interface KnownError {
  /** What is wrong, as a sentence. */
  cause: string;
  /** What to do, as a sentence. */
  action: string;
  /** The same for programs; `nextAction` of the error that has this code. */
  nextAction: NextAction;
}

/** Codes that refuse a value. The API specification shows the first two. */
const OF_VALUES = [
  'account_failed_validation',
  'invalid_phone_number',
  'required',
  'null',
  'invalid',
  'invalid_type',
  'invalid_choice',
  'invalid_date',
  'invalid_datetime',
  'unknown_field',
  'identifier_empty',
  'validation_failed',
  'account_not_found',
] as const;

type OfValue = (typeof OF_VALUES)[number];

/** Cause and remedy of a code. */
type Texts = readonly [cause: string, action: string];

/** Not used by the client itself: a bundle of it has only the codes. */
const TEXTS_OF_VALUES: Readonly<Record<OfValue, Texts>> = {
  account_failed_validation: [
    'The service refuses values of the account.',
    'Correct the fields that the attr paths name.',
  ],
  invalid_phone_number: [
    'The telephone number is not in international form.',
    'Write it like +33612345678, or leave it out.',
  ],
  required: ['A required field is missing.', 'Add the field.'],
  null: ['The field is null.', 'Omit the field if there is no value.'],
  invalid: ['The value is refused, for example because it is not in the documented form.', 'Correct the value.'],
  invalid_type: [
    'The value has another type than the API specification says.',
    'Send the documented type: a number such as 12.5 without quotes and letters, a text in quotes.',
  ],
  invalid_choice: ['The value is not one of those that the API specification lists.', 'Use one of the listed values.'],
  invalid_date: ['The value is not a date of the calendar.', 'Write the date as YYYY-MM-DD.'],
  invalid_datetime: [
    'The value is not a datetime.',
    'Write it as YYYY-MM-DDTHH:MM:SS, followed by Z or an offset such as +02:00.',
  ],
  unknown_field: [
    'The API specification does not have this field.',
    'Correct its name, remove it, or name it in a profile if the operator agreed to it.',
  ],
  identifier_empty: ['An identifier is empty.', 'Fill in the identifier.'],
  validation_failed: ['The service refuses values of the payload.', 'Correct the fields that the attr paths name.'],
  account_not_found: ['The service does not find the account.', 'Check the supplier code and the account number.'],
};

const THEN_AGAIN = 'then send the same payload again.';

/** Codes whose cause is outside the payload. */
const OF_STATE = {
  account_already_imported: [
    'useExisting',
    'The service already has the account.',
    'Use the existing account; it needs no second import.',
  ],
  account_marked_to_skip: [
    'askOperator',
    'The operator marked the account to skip.',
    'Ask the operator to remove the mark, or take the account out of the export.',
  ],
  account_not_staged: ['sendFirst', 'No data is staged for the account.', 'Stage the account, then process it.'],
  business_already_exists: [
    'useExisting',
    'The service already has a business with this identifier, name, number and type.',
    'Ask the operator for its id and use the existing business.',
  ],
  business_contract_not_found: [
    'sendFirst',
    'The service has no business with this contract.',
    'Import the business first, or correct the contract identifier.',
  ],
  business_not_found: [
    'sendFirst',
    'The service does not find the business.',
    'Import the business first, or correct the supplier code or the business identifier.',
  ],
  document_not_found: [
    'sendFirst',
    'The document is not in the storage.',
    'Put the document into the storage first, or leave its path out.',
  ],
  import_supplier_not_found: [
    'askOperator',
    'The service has no import supplier with this code.',
    'Ask the operator for the code.',
  ],
  import_supplier_not_ongoing: [
    'askOperator',
    'The import supplier is Paused or Complete.',
    `Ask the operator to set it to Ongoing, ${THEN_AGAIN}`,
  ],
  import_process_not_found: [
    'sendFirst',
    'The account has no import process.',
    'Stage the account first, or correct the supplier code or the account number.',
  ],
  operations_team_not_found: [
    'askOperator',
    'The service has no operations team with this name.',
    'Ask the operator for the name of the team.',
  ],
  payment_vendor_failure: [
    'askOperator',
    'The payment vendor does not know the payment instruction, or the service could not reach the vendor.',
    'Do not send it again unchanged: check vendor and reference, or ask the operator.',
  ],
  payment_vendor_unavailable: [
    'retryLater',
    'The payment vendor did not answer.',
    'Send the same payload again later.',
  ],
  authentication_failed: [
    'fixToken',
    'The service does not accept the token.',
    'Check the token, its scheme and the API key.',
  ],
  concurrency_limit_exceeded: ['wait', 'The service processes too many accounts at once.', `Wait, ${THEN_AGAIN}`],
  already_has_active_instruction: [
    'useExisting',
    'The account or business already has an active payment instruction.',
    'Use the existing payment instruction.',
  ],
  historical_statement_already_exists: [
    'useExisting',
    'The account already has this historical statement.',
    'Use the existing statement.',
  ],
} satisfies Record<string, readonly [nextAction: NextAction, ...texts: Texts]>;

/**
 * Cause and remedy by error code. The API specification shows the first two codes; the others are those of the local check,
 * of the sandbox and of deployments of the same family. A deployment may answer with further codes.
 */
export const KNOWN_ERRORS = /* @__PURE__ */ allKnown();

/** A function, so that a bundler removes the texts that an application never prints if it imports only the client. */
function allKnown(): Readonly<Record<OfValue | keyof typeof OF_STATE, KnownError>> {
  const ofValues = OF_VALUES.map((code) => {
    const [cause, action] = TEXTS_OF_VALUES[code];
    return [code, { cause, action, nextAction: 'fixPayload' }];
  });
  return Object.fromEntries([...ofValues, ...Object.keys(OF_STATE).map((code) => [code, causeOutsidePayload(code)])]);
}

/** A known error code. */
export type KnownErrorCode = keyof typeof KNOWN_ERRORS;

/**
 * An error code: editors complete the known ones of the service and those of the client, and any other string is accepted. Of the
 * network and of TLS any code may come.
 */
export type ErrorCode = OpenEnum<
  | KnownErrorCode
  | 'aborted'
  | 'invalid_payload'
  | 'outcome_unknown'
  | 'response_mismatch'
  | 'timeout'
  | 'token_error'
  | 'ECONNREFUSED'
  | 'ECONNRESET'
  | 'ENOTFOUND'
>;

/** Returns whether a known code says that values of the payload are refused. `invalid` does not say it. */
export function refusesValues(code: string | undefined): boolean {
  return code !== 'invalid' && OF_VALUES.includes(code as OfValue);
}

/** Returns cause and remedy of a code whose cause is outside the payload; undefined for any other code. */
export function causeOutsidePayload(code: string | undefined): KnownError | undefined {
  if (code === undefined || !Object.hasOwn(OF_STATE, code)) return undefined;
  const [nextAction, cause, action] = OF_STATE[code as keyof typeof OF_STATE];
  return { cause, action, nextAction };
}
