/** Exports `isDataImportError` and others, which recognise groups of errors. One class is recognised by `instanceof`. */
import { fieldOf } from '../../schemas/objects.js';

import {
  type AlreadyImportedError,
  type ApiError,
  type AuthenticationError,
  NotFoundError,
  type RateLimitError,
  type ServerError,
  type TransactionImportError,
  type ValidationError,
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

/**
 * Returns whether the error of a status query says that there is no import process, and so no account: a 404 with `detail`, with only
 * `error`, or without a body (FACTS: 404 of similar services). Any other 404, such as a page, is that of a gateway.
 */
export function saysNoImport(error: unknown): boolean {
  if (!(error instanceof NotFoundError)) return false;
  const { body, headers } = error;
  // A body that is too large or cannot be decoded is not in `body` either.
  if (body === undefined)
    return (
      !headers['content-encoding'] && !headers['content-type']?.includes('html') && !Number(headers['content-length'])
    );
  const isAlone = Object.keys(Object(body)).length === 1;
  return typeof fieldOf(body, 'detail') === 'string' || (isAlone && typeof fieldOf(body, 'error') === 'string');
}
