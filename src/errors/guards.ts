/** Exports `isDataImportError` and `isRefusal`, which recognise groups of errors. One class is recognised by `instanceof`. */

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
import { DataImportError, isBranded } from './data-import-error.js';
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

/** Returns whether it is an error of this package, from any copy of it. Its `name` then tells the class, and `instanceof` too. */
export function isDataImportError(error: unknown): error is AnyDataImportError {
  return error instanceof DataImportError;
}

/**
 * Returns whether the payload was refused: by the local check before anything was sent, or by the service. `errors`, `at`, `hasCode`
 * and `tree` of these errors are the same. From any copy of this package.
 */
export function isRefusal(error: unknown): error is InvalidPayloadError | ValidationError | TransactionImportError {
  return ['InvalidPayloadError', 'ValidationError', 'TransactionImportError'].some((name) => isBranded(error, name));
}
