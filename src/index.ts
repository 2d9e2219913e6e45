/** The main entry point: client, payloads, answers, errors and local checks. Value lists, Zod schemas and documents are in `./schemas`. */

// The client and its options.

export { DataImportClient } from './client.js';
export { type GraphqlTokenOptions, graphqlToken } from './http/token/graphql-token.js';
export type { TokenContext, TokenFunction, TokenSource, TokenWithExpiry } from './http/token/token.js';
export type { QueryValues } from './http/transport/address.js';
export type { DispatcherLike } from './http/transport/dispatcher-transport.js';
export type { FetchLike } from './http/transport/fetch-transport.js';
export {
  type NetworkDispatcher,
  type NetworkOptions,
  networkDispatcher,
  type TlsOptions,
} from './http/transport/network-dispatcher.js';
export {
  type AdvancedOptions,
  type AlreadyDone,
  type CallOptions,
  type DataImportClientOptions,
  DEFAULTS,
  type SharingClientOptions,
} from './options.js';

// The resources of the client, and what their methods take and return.

export type { HttpMethod } from './http/transport/wire.js';
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
export {
  type CallOutcome,
  type CallPromise,
  callPromise,
  type RawResponse,
  type WithResponse,
  type WriteResult,
} from './resources/call-promise.js';
export type { RequestOptions } from './resources/endpoint.js';
export type { HistoricalStatements } from './resources/historical-statements.js';
export type { AccountImport, Imports, WaitForOptions } from './resources/imports.js';
export type { Notes } from './resources/notes.js';
export {
  type Parse,
  parseAccount,
  parseBusiness,
  parseBusinessPaymentInstruction,
  parseHistoricalStatements,
  parseNotes,
  parsePaymentInstruction,
  parsePopulate,
  parseProcess,
  parseTransactions,
} from './resources/parse-functions.js';
export type { PaymentInstructions } from './resources/payment-instructions.js';
export type { SupplyPoints } from './resources/supply-points.js';
export type { Transactions, TransactionsOptions } from './resources/transactions.js';

// What the client reports.

export type {
  CooldownEvent,
  Hooks,
  Logger,
  RequestEvent,
  ResponseEvent,
  RetryEvent,
  SuspicionEvent,
} from './http/call/observe.js';
export type { CooldownScope } from './http/limits/cooldown.js';

// Payloads, answers and error bodies of the service.

export type * from '../schemas/types.js';
export { isKnownStatus } from '../schemas/values.js';
export { undocumented } from './validation/undocumented.js';

// Errors.

export {
  AlreadyImportedError,
  ApiError,
  AuthenticationError,
  NotFoundError,
  RateLimitError,
  ServerError,
  TransactionImportError,
  ValidationError,
} from './errors/api-errors.js';
export { InvalidPayloadError, ResponseMismatchError, TokenError } from './errors/client-errors.js';
export {
  type ApiErrorName,
  DataImportError,
  type DataImportErrorName,
} from './errors/data-import-error.js';
export * from './errors/guards.js';
export type { AnswerItem, ErrorTree } from './errors/items.js';
export {
  type ErrorCode,
  KNOWN_ERRORS,
  type KnownError,
  type KnownErrorCode,
  type NextAction,
} from './errors/known-errors.js';
export {
  AbortedError,
  ConnectionError,
  OutcomeUnknownError,
  TimeoutError,
} from './errors/no-answer-errors.js';

// Checks before anything is sent.

export type { Finding } from './validation/findings.js';
export type { PayloadName } from './validation/payload-schemas.js';
export { defineProfile, type FieldKind, type Profile } from './validation/profile.js';
export { type CheckRecordsOptions, checkRecords } from './validation/records/check-records.js';
export type {
  AccountRecord,
  BusinessRecord,
  ImportRecord,
  PopulateRecord,
} from './validation/records/import-record.js';
export type { RecordFinding } from './validation/records/record-findings.js';
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
