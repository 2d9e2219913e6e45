/** Exports type guards for the errors. They also recognise errors of another copy of this package, for which `instanceof` fails. */

import type {
  AlreadyImportedError,
  ApiError,
  AuthenticationError,
  ConcurrencyLimitError,
  NotFoundError,
  RateLimitError,
  ServerError,
  TransactionImportError,
  ValidationError,
} from './api-errors.js';
import type { InvalidPayloadError, ResponseMismatchError, TokenError } from './client-errors.js';
import { type DataImportError, isBranded } from './data-import-error.js';
import type {
  AbortedError,
  ConnectionError,
  OutcomeUnknownError,
  ThrottledError,
  TimeoutError,
} from './no-answer-errors.js';

/** Union of all errors of this package, discriminated by `name`. */
export type AnyDataImportError =
  | AnyApiError
  | AbortedError
  | ConnectionError
  | InvalidPayloadError
  | OutcomeUnknownError
  | ResponseMismatchError
  | ThrottledError
  | TimeoutError
  | TokenError;

/** Union of the errors that contain an answer of the service, discriminated by `name`. */
export type AnyApiError =
  // ApiError and RateLimitError have subclasses, so their own name is stated.
  | (ApiError & { readonly name: 'ApiError' })
  | (RateLimitError & { readonly name: 'RateLimitError' })
  | AlreadyImportedError
  | AuthenticationError
  | ConcurrencyLimitError
  | NotFoundError
  | ServerError
  | TransactionImportError
  | ValidationError;

// Bundlers leave out the guards that a program does not use.
/* @__NO_SIDE_EFFECTS__ */
function guard<E extends DataImportError>(className: string): (error: unknown) => error is E {
  return (error): error is E => isBranded(error, className);
}

/** Returns whether it is an error of this package, from any copy of this package. */
export const isDataImportError = guard<AnyDataImportError>('DataImportError');
/** Returns whether it is an `ApiError` or one of its subclasses, from any copy of this package. */
export const isApiError = guard<AnyApiError>('ApiError');
/** Returns whether it is a `ValidationError`, from any copy of this package. */
export const isValidationError = guard<ValidationError>('ValidationError');
/** Returns whether it is an `AlreadyImportedError`, from any copy of this package. */
export const isAlreadyImportedError = guard<AlreadyImportedError>('AlreadyImportedError');
/** Returns whether it is a `TransactionImportError`, from any copy of this package. */
export const isTransactionImportError = guard<TransactionImportError>('TransactionImportError');
/** Returns whether it is an `AuthenticationError`, from any copy of this package. */
export const isAuthenticationError = guard<AuthenticationError>('AuthenticationError');
/** Returns whether it is a `NotFoundError`, from any copy of this package. */
export const isNotFoundError = guard<NotFoundError>('NotFoundError');
/** Returns whether it is a `ThrottledError`, from any copy of this package. */
export const isThrottledError = guard<ThrottledError>('ThrottledError');
const isAnsweredByLimit = guard<RateLimitError>('RateLimitError');
/**
 * Returns whether the call has to be repeated after `retryAfterMs`: for a `RateLimitError` (also `ConcurrencyLimitError`), and for
 * a `ThrottledError`, whose request was not sent because another call was answered 429. From any copy of this package.
 */
export function isRateLimitError(error: unknown): error is RateLimitError | ThrottledError {
  return isAnsweredByLimit(error) || isThrottledError(error);
}
/** Returns whether it is a `ConcurrencyLimitError`: 429 of `accounts.process` or `accounts.dryRun`. From any copy of this package. */
export const isConcurrencyLimitError = guard<ConcurrencyLimitError>('ConcurrencyLimitError');
/** Returns whether it is a `ServerError`, from any copy of this package. */
export const isServerError = guard<ServerError>('ServerError');
/** Returns whether it is an `InvalidPayloadError`, from any copy of this package. */
export const isInvalidPayloadError = guard<InvalidPayloadError>('InvalidPayloadError');
/** Returns whether it is a `ResponseMismatchError`, from any copy of this package. */
export const isResponseMismatchError = guard<ResponseMismatchError>('ResponseMismatchError');
/** Returns whether it is a `ConnectionError`, from any copy of this package. */
export const isConnectionError = guard<ConnectionError>('ConnectionError');
/** Returns whether it is a `TimeoutError`, from any copy of this package. */
export const isTimeoutError = guard<TimeoutError>('TimeoutError');
/** Returns whether it is an `AbortedError`, from any copy of this package. */
export const isAbortedError = guard<AbortedError>('AbortedError');
/** Returns whether it is an `OutcomeUnknownError`, from any copy of this package. */
export const isOutcomeUnknownError = guard<OutcomeUnknownError>('OutcomeUnknownError');
/** Returns whether it is a `TokenError`, from any copy of this package. */
export const isTokenError = guard<TokenError>('TokenError');
