/** Guards that also hold across two copies of this package, where `instanceof` fails. */

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

/** An error of this package by its class, so that `name` narrows it. */
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

/** An answer of the service that is an error, by its class, so that `name` narrows it. */
export type AnyApiError =
  // These two have classes below them.
  | (ApiError & { readonly name: 'ApiError' })
  | (RateLimitError & { readonly name: 'RateLimitError' })
  | AlreadyImportedError
  | AuthenticationError
  | ConcurrencyLimitError
  | NotFoundError
  | ServerError
  | TransactionImportError
  | ValidationError;

function guard<E extends DataImportError>(className: string): (error: unknown) => error is E {
  return (error): error is E => isBranded(error, className);
}

/** Whether it is an error of this package, of any copy of this package. */
export const isDataImportError = guard<AnyDataImportError>('DataImportError');
/** Whether it is an answer of the service that is an error, of any copy of this package. */
export const isApiError = guard<AnyApiError>('ApiError');
/** Whether it is a `ValidationError`, of any copy of this package. */
export const isValidationError = guard<ValidationError>('ValidationError');
/** Whether it is an `AlreadyImportedError`, of any copy of this package. */
export const isAlreadyImportedError = guard<AlreadyImportedError>('AlreadyImportedError');
/** Whether it is a `TransactionImportError`, of any copy of this package. */
export const isTransactionImportError = guard<TransactionImportError>('TransactionImportError');
/** Whether it is an `AuthenticationError`, of any copy of this package. */
export const isAuthenticationError = guard<AuthenticationError>('AuthenticationError');
/** Whether it is a `NotFoundError`, of any copy of this package. */
export const isNotFoundError = guard<NotFoundError>('NotFoundError');
/** Whether it is a `ThrottledError`, of any copy of this package. */
export const isThrottledError = guard<ThrottledError>('ThrottledError');
const isAnsweredByLimit = guard<RateLimitError>('RateLimitError');
/**
 * Whether the call has to be made again after `retryAfterMs`: a `RateLimitError`, of which `ConcurrencyLimitError` is a kind, or a
 * `ThrottledError`, which was not sent because another call was answered 429. Of any copy of this package.
 */
export function isRateLimitError(error: unknown): error is RateLimitError | ThrottledError {
  return isAnsweredByLimit(error) || isThrottledError(error);
}
/** Whether it is a `ConcurrencyLimitError`: 429 of `accounts.process` or `accounts.dryRun`. Of any copy of this package. */
export const isConcurrencyLimitError = guard<ConcurrencyLimitError>('ConcurrencyLimitError');
/** Whether it is a `ServerError`, of any copy of this package. */
export const isServerError = guard<ServerError>('ServerError');
/** Whether it is an `InvalidPayloadError`, of any copy of this package. */
export const isInvalidPayloadError = guard<InvalidPayloadError>('InvalidPayloadError');
/** Whether it is a `ResponseMismatchError`, of any copy of this package. */
export const isResponseMismatchError = guard<ResponseMismatchError>('ResponseMismatchError');
/** Whether it is a `ConnectionError`, of any copy of this package. */
export const isConnectionError = guard<ConnectionError>('ConnectionError');
/** Whether it is a `TimeoutError`, of any copy of this package. */
export const isTimeoutError = guard<TimeoutError>('TimeoutError');
/** Whether it is an `AbortedError`, of any copy of this package. */
export const isAbortedError = guard<AbortedError>('AbortedError');
/** Whether it is an `OutcomeUnknownError`, of any copy of this package. */
export const isOutcomeUnknownError = guard<OutcomeUnknownError>('OutcomeUnknownError');
/** Whether it is a `TokenError`, of any copy of this package. */
export const isTokenError = guard<TokenError>('TokenError');
