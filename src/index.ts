/** The map: what `data-import-sdk` exports. The sandbox and the schemas have entry points of their own. */

export { isKnownStatus } from '../schemas/import-status.js';
export type * from '../schemas/index.js';
export { CallPromise, type WithResponse } from './call-promise.js';
export { DataImportClient } from './client.js';
export { AbortedError } from './errors/aborted-error.js';
export { AlreadyImportedError } from './errors/already-imported-error.js';
export { ApiError } from './errors/api-error.js';
export { AuthenticationError } from './errors/authentication-error.js';
export { ConcurrencyLimitError } from './errors/concurrency-limit-error.js';
export { ConnectionError } from './errors/connection-error.js';
export {
  type ApiErrorName,
  DataImportError,
  type DataImportErrorName,
  type NextAction,
} from './errors/data-import-error.js';
export * from './errors/guards.js';
export { InvalidPayloadError } from './errors/invalid-payload-error.js';
export type { ErrorTree } from './errors/items.js';
export { type ErrorCode, KNOWN_ERRORS, type KnownError, type KnownErrorCode } from './errors/known-errors.js';
export { NotFoundError } from './errors/not-found-error.js';
export { OutcomeUnknownError } from './errors/outcome-unknown-error.js';
export { RateLimitError } from './errors/rate-limit-error.js';
export { ResponseMismatchError } from './errors/response-mismatch-error.js';
export { ServerError } from './errors/server-error.js';
export { ThrottledError } from './errors/throttled-error.js';
export { TimeoutError } from './errors/timeout-error.js';
export { TokenError } from './errors/token-error.js';
export { TransactionImportError } from './errors/transaction-import-error.js';
export { ValidationError } from './errors/validation-error.js';
export type { CooldownScope } from './http/cooldown.js';
export type { DispatcherLike } from './http/dispatcher-transport.js';
export type { FetchLike } from './http/fetch-transport.js';
export { type GraphqlTokenOptions, graphqlToken } from './http/graphql-token.js';
export type {
  CooldownEvent,
  Hooks,
  Logger,
  RequestEvent,
  ResponseEvent,
  RetryEvent,
  SuspicionEvent,
} from './http/observe.js';
export type { TokenContext, TokenFunction, TokenSource, TokenWithExpiry } from './http/token.js';
export type { HttpMethod, Send, WireAnswer, WireRequest } from './http/wire.js';
export {
  type AlreadyDone,
  type CallOptions,
  type DataImportClientOptions,
  DEFAULTS,
  type SharingClientOptions,
} from './options.js';
export type {
  Accounts,
  DryRunRequest,
  DryRunResult,
  ProcessRequest,
  ProcessResult,
  StageResult,
  ValidateResult,
} from './resources/accounts.js';
export type { Businesses } from './resources/businesses.js';
export type { RequestOptions } from './resources/endpoint.js';
export type { HistoricalStatements } from './resources/historical-statements.js';
export type { AccountImport, Imports, WaitForOptions } from './resources/imports.js';
export type { Notes } from './resources/notes.js';
export type { PaymentInstructions } from './resources/payment-instructions.js';
export type { OrSettled, SettledResult } from './resources/request.js';
export type { SupplyPoints } from './resources/supply-points.js';
export type { Transactions, TransactionsOptions } from './resources/transactions.js';
export type { Finding } from './validation/findings.js';
export type { PayloadName } from './validation/payload-schemas.js';
export { defineProfile, type FieldKind, type Profile } from './validation/profile.js';
export {
  type AccountRecord,
  type BookFinding,
  type BookRecord,
  type BusinessRecord,
  type CheckBookOptions,
  checkBook,
  type PopulateRecord,
} from './validation/records/check-records.js';
export {
  type Validate,
  type ValidateOptions,
  type Validation,
  validateAccount,
  validateBusiness,
  validateBusinessPaymentInstruction,
  validateHistoricalStatements,
  validateNotes,
  validatePaymentInstruction,
  validatePopulate,
  validateProcess,
  validateTransactions,
} from './validation/validate.js';
export { VERSION } from './version.js';
