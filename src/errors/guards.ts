/** Guards that also hold across two copies of this package, where `instanceof` fails. */
import type { AbortedError } from './aborted-error.js';
import type { AlreadyImportedError } from './already-imported-error.js';
import type { ApiError } from './api-error.js';
import type { AuthenticationError } from './authentication-error.js';
import type { ConcurrencyLimitError } from './concurrency-limit-error.js';
import type { ConnectionError } from './connection-error.js';
import { type DataImportError, isBranded } from './data-import-error.js';
import type { InvalidPayloadError } from './invalid-payload-error.js';
import type { NotFoundError } from './not-found-error.js';
import type { OutcomeUnknownError } from './outcome-unknown-error.js';
import type { ResponseMismatchError } from './response-mismatch-error.js';
import type { ServerError } from './server-error.js';
import type { TimeoutError } from './timeout-error.js';
import type { TokenError } from './token-error.js';
import type { TransactionImportError } from './transaction-import-error.js';
import type { ValidationError } from './validation-error.js';

function guard<E extends DataImportError>(className: string): (error: unknown) => error is E {
  return (error): error is E => isBranded(error, className);
}

export const isDataImportError = guard<DataImportError>('DataImportError');
export const isApiError = guard<ApiError>('ApiError');
export const isValidationError = guard<ValidationError>('ValidationError');
export const isAlreadyImportedError = guard<AlreadyImportedError>('AlreadyImportedError');
export const isTransactionImportError = guard<TransactionImportError>('TransactionImportError');
export const isAuthenticationError = guard<AuthenticationError>('AuthenticationError');
export const isNotFoundError = guard<NotFoundError>('NotFoundError');
export const isConcurrencyLimitError = guard<ConcurrencyLimitError>('ConcurrencyLimitError');
export const isServerError = guard<ServerError>('ServerError');
export const isInvalidPayloadError = guard<InvalidPayloadError>('InvalidPayloadError');
export const isResponseMismatchError = guard<ResponseMismatchError>('ResponseMismatchError');
export const isConnectionError = guard<ConnectionError>('ConnectionError');
export const isTimeoutError = guard<TimeoutError>('TimeoutError');
export const isAbortedError = guard<AbortedError>('AbortedError');
export const isOutcomeUnknownError = guard<OutcomeUnknownError>('OutcomeUnknownError');
export const isTokenError = guard<TokenError>('TokenError');
