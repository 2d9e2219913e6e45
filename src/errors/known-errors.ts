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
const OF_VALUES = {
  account_failed_validation: {
    cause: 'The service refuses values of the account.',
    action: 'Correct the fields that the attr paths name.',
    nextAction: 'fixPayload',
  },
  invalid_phone_number: {
    cause: 'The telephone number is not in international form.',
    action: 'Write it like +33612345678, or leave it out.',
    nextAction: 'fixPayload',
  },
  required: {
    cause: 'A required field is missing.',
    action: 'Add the field.',
    nextAction: 'fixPayload',
  },
  null: {
    cause: 'The field is null.',
    action: 'Omit the field if there is no value.',
    nextAction: 'fixPayload',
  },
  invalid: {
    cause: 'The value is refused, for example because it is not in the documented form.',
    action: 'Correct the value.',
    nextAction: 'fixPayload',
  },
  invalid_type: {
    cause: 'The value has another type than the API specification says.',
    action: 'Send the documented type: a number such as 12.5 without quotes and letters, a text in quotes.',
    nextAction: 'fixPayload',
  },
  invalid_choice: {
    cause: 'The value is not one of those that the API specification lists.',
    action: 'Use one of the listed values.',
    nextAction: 'fixPayload',
  },
  invalid_date: {
    cause: 'The value is not a date of the calendar.',
    action: 'Write the date as YYYY-MM-DD.',
    nextAction: 'fixPayload',
  },
  invalid_datetime: {
    cause: 'The value is not a datetime.',
    action: 'Write it as YYYY-MM-DDTHH:MM:SS, followed by Z or an offset such as +02:00.',
    nextAction: 'fixPayload',
  },
  unknown_field: {
    cause: 'The API specification does not have this field.',
    action: 'Correct its name, remove it, or name it in a profile if the operator agreed to it.',
    nextAction: 'fixPayload',
  },
  identifier_empty: {
    cause: 'An identifier is empty.',
    action: 'Fill in the identifier.',
    nextAction: 'fixPayload',
  },
  validation_failed: {
    cause: 'The service refuses values of the payload.',
    action: 'Correct the fields that the attr paths name.',
    nextAction: 'fixPayload',
  },
  account_not_found: {
    cause: 'The service does not find the account.',
    action: 'Check the supplier code and the account number.',
    nextAction: 'fixPayload',
  },
} satisfies Record<string, KnownError>;

/** Codes whose cause is outside the payload. */
const OF_STATE = {
  account_already_imported: {
    cause: 'The service already has the account.',
    action: 'Use the existing account; it needs no second import.',
    nextAction: 'useExisting',
  },
  account_marked_to_skip: {
    cause: 'The operator marked the account to skip.',
    action: 'Ask the operator to remove the mark, or take the account out of the export.',
    nextAction: 'askOperator',
  },
  account_not_staged: {
    cause: 'No data is staged for the account.',
    action: 'Stage the account, then process it.',
    nextAction: 'sendFirst',
  },
  business_already_exists: {
    cause: 'The service already has a business with this identifier, name, number and type.',
    action: 'Ask the operator for its id and use the existing business.',
    nextAction: 'useExisting',
  },
  business_contract_not_found: {
    cause: 'The service has no business with this contract.',
    action: 'Import the business first, or correct the contract identifier.',
    nextAction: 'sendFirst',
  },
  business_not_found: {
    cause: 'The service does not find the business.',
    action: 'Import the business first, or correct the supplier code or the business identifier.',
    nextAction: 'sendFirst',
  },
  document_not_found: {
    cause: 'The document is not in the storage.',
    action: 'Put the document into the storage first, or leave its path out.',
    nextAction: 'sendFirst',
  },
  import_supplier_not_found: {
    cause: 'The service has no import supplier with this code.',
    action: 'Ask the operator for the code.',
    nextAction: 'askOperator',
  },
  import_supplier_not_ongoing: {
    cause: 'The import supplier is Paused or Complete.',
    action: 'Ask the operator to set it to Ongoing, then send the same payload again.',
    nextAction: 'askOperator',
  },
  import_process_not_found: {
    cause: 'The account has no import process.',
    action: 'Stage the account first, or correct the supplier code or the account number.',
    nextAction: 'sendFirst',
  },
  operations_team_not_found: {
    cause: 'The service has no operations team with this name.',
    action: 'Ask the operator for the name of the team.',
    nextAction: 'askOperator',
  },
  payment_vendor_failure: {
    cause: 'The payment vendor does not know the payment instruction, or the service could not reach the vendor.',
    action: 'Do not send it again unchanged: check vendor and reference, or ask the operator.',
    nextAction: 'askOperator',
  },
  payment_vendor_unavailable: {
    cause: 'The payment vendor did not answer.',
    action: 'Send the same payload again later.',
    nextAction: 'retryLater',
  },
  authentication_failed: {
    cause: 'The service does not accept the token.',
    action: 'Check the token, its scheme and the API key.',
    nextAction: 'fixToken',
  },
  concurrency_limit_exceeded: {
    cause: 'The service processes too many accounts at once.',
    action: 'Wait, then send the same payload again.',
    nextAction: 'wait',
  },
  already_has_active_instruction: {
    cause: 'The account or business already has an active payment instruction.',
    action: 'Use the existing payment instruction.',
    nextAction: 'useExisting',
  },
  historical_statement_already_exists: {
    cause: 'The account already has this historical statement.',
    action: 'Use the existing statement.',
    nextAction: 'useExisting',
  },
} satisfies Record<string, KnownError>;

/**
 * Cause and remedy by error code. The API specification shows the first two codes; the others are those of the local check,
 * of the sandbox and of deployments of the same family. A deployment may answer with further codes.
 */
export const KNOWN_ERRORS = /* @__PURE__ */ allOf(OF_VALUES, OF_STATE);

/** Merges both tables. A function call, so that a bundler removes the texts that an application never prints if it imports only the client. */
function allOf<A extends string, B extends string>(
  values: Record<A, KnownError>,
  state: Record<B, KnownError>,
): Readonly<Record<A | B, KnownError>> {
  return { ...values, ...state } as Record<A | B, KnownError>;
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
  return code !== undefined && code !== 'invalid' && Object.hasOwn(OF_VALUES, code);
}

/** Returns cause and remedy of a code whose cause is outside the payload; undefined for any other code. */
export function causeOutsidePayload(code: string | undefined): KnownError | undefined {
  return code !== undefined && Object.hasOwn(OF_STATE, code) ? OF_STATE[code as keyof typeof OF_STATE] : undefined;
}
