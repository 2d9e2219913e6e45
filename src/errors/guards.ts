/** Exports type guards for the errors. They also recognise errors of another copy of this package, for which `instanceof` fails. */

import type {
  AlreadyImportedError,
  ApiError,
  AuthenticationError,
  NotFoundError,
  RateLimitError,
  ServerError,
  TransactionImportError,
  ValidationError,
} from './api-errors.js';
import type { InvalidPayloadError, ResponseMismatchError, TokenError } from './client-errors.js';
import { type DataImportError, isBranded } from './data-import-error.js';
import type { AbortedError, ConnectionError, OutcomeUnknownError, TimeoutError } from './no-answer-errors.js';

/** Union of all errors of this package, discriminated by `name`. */
export type AnyDataImportError =
  | AnyApiError
  | AbortedError
  | ConnectionError
  | InvalidPayloadError
  | OutcomeUnknownError
  | ResponseMismatchError
  | TimeoutError
  | TokenError;

/** Union of the errors that contain an answer of the service, discriminated by `name`. */
export type AnyApiError =
  // ApiError has subclasses, so its own name is stated.
  | (ApiError & { readonly name: 'ApiError' })
  | AlreadyImportedError
  | AuthenticationError
  | NotFoundError
  | RateLimitError
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
/** Returns whether it is a `RateLimitError`: the call has to be repeated after `retryAfterMs`. From any copy of this package. */
export const isRateLimitError = guard<RateLimitError>('RateLimitError');
/** Returns whether it is a `ServerError`, from any copy of this package. */
export const isServerError = guard<ServerError>('ServerError');
/** Returns whether it is an `InvalidPayloadError`, from any copy of this package. */
export const isInvalidPayloadError = guard<InvalidPayloadError>('InvalidPayloadError');
/**
 * Returns whether the payload was refused: by the local check before anything was sent, or by the service. `errors`, `at`, `hasCode`
 * and `tree` of these errors are the same. From any copy of this package.
 */
export function isRefusal(error: unknown): error is InvalidPayloadError | ValidationError | TransactionImportError {
  return isInvalidPayloadError(error) || isValidationError(error) || isTransactionImportError(error);
}
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
