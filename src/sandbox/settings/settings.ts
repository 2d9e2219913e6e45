/** Exports the type `SandboxSettings`: one setting per behaviour that the API specification leaves open. */
import type { Profile } from '../../validation/profile.js';
import type { SandboxDuration } from './duration.js';

/**
 * One setting for each behaviour that the API specification leaves open, with its entry in the register (U1 to U32).
 * docs/unspecified-behaviour.md describes what the client does in each case.
 */
export interface SandboxSettings {
  /**
   * U1: a path without its trailing slash is 404, or 301 to the path with it.
   * @default 'not-found'
   */
  missingSlash: 'not-found' | 'redirect';
  /**
   * U2: which endpoints require a token. Documented only for the business payment instruction.
   * @default 'all'
   */
  authScope: 'all' | 'business-payment-instruction';
  /**
   * U2: form of the Authorization header: the token after the word Token, after the word Bearer, or without a word; `any`
   * accepts all three.
   * @default 'Token'
   */
  authScheme: 'Token' | 'Bearer' | 'bare' | 'any';
  /**
   * U2: body of 401: `{detail, code}`, `{detail}`, or none.
   * @default 'code'
   */
  unauthorizedBody: 'code' | 'detail' | 'empty';
  /**
   * U3: success status of historical statements; both are documented.
   * @default 201
   */
  historicalStatementStatus: 200 | 201;
  /**
   * U4: lists of an unknown supplier, or of one without matching accounts: 200 with `[]`, or 404.
   * @default 'empty'
   */
  unmatchedList: 'empty' | 'not-found';
  /**
   * U5: body of the list of imported accounts: entries as in the list of all accounts, or no body.
   * @default 'entries'
   */
  importedList: 'entries' | 'no-body';
  /**
   * U6: undocumented fields of a request: refuse the request, drop the fields, or keep them in the stored data and the
   * answer.
   * @default 'refuse'
   */
  unknownFields: 'refuse' | 'drop' | 'keep';
  /**
   * U7: undocumented values of a field with documented values: accepted (the log marks them), or refused.
   * @default 'accept'
   */
  unlistedValues: 'accept' | 'refuse';
  /**
   * U8: null changes the industry switch of an account only by `transition`. A schedule changes it by the clock, in seconds
   * since the account's creation; `rejectedShare` of the switches, from 0 to 1, end REJECTED.
   * @default null
   */
  switchSchedule: null | { inProgressAfterSeconds: number; endAfterSeconds: number; rejectedShare: number };
  /**
   * U9: additional rules, in the form of the client's `profile`.
   * @default null
   */
  profile: Profile | null;
  /**
   * U10: which calls, besides staging, are refused for a supplier that is Paused or Complete.
   * @default ['process']
   */
  refusedUnlessOngoing: readonly ('validate' | 'process' | 'business' | 'post-import')[];
  /**
   * U11: order of the checks of process. Token, shape and limit are checked before, the dry run last.
   * @default ['imported', 'supplier', 'staged', 'team']
   */
  processChecks: readonly ('imported' | 'supplier' | 'staged' | 'team')[];
  /**
   * U12: bodies of errors: `{detail, code, errors}`, or errors nested at their fields and other errors under
   * `non_field_errors`.
   * @default 'documented'
   */
  errorBodies: 'documented' | 'nested';
  /**
   * U12: place of the message of a successful dry run.
   * @default 'detail'
   */
  dryRunMessage: 'detail' | 'non_field_errors' | 'list';
  /**
   * U12: replacements of the sandbox's error codes, such as `{ account_not_staged: 'not_found' }`.
   * @default {}
   */
  errorCodes: Readonly<Record<string, string>>;
  /**
   * U13: when a `business_contract_identifier` without such a contract is refused with 400: at stage, validate and process;
   * only at process; or never.
   * @default 'stage-and-process'
   */
  missingBusinessContract: 'stage-and-process' | 'process' | 'never';
  /**
   * U14: status of transactions, statements and payment instructions for an account that is not imported.
   * @default 400
   */
  accountNotFound: 400 | 404;
  /**
   * U15: identity of a transaction: its `transaction_id` (without one, the whole item), or always the whole item.
   * @default 'transaction_id'
   */
  transactionIdentity: 'transaction_id' | 'item';
  /**
   * U15: transactions before the failing one of a batch: none is kept, or all.
   * @default 'none'
   */
  failingBatchKeeps: 'none' | 'prefix';
  /**
   * Post-import: whether `transaction_data` in answers has the optional status TRANSACTION_IMPORT_SUCCESS.
   * @default 'none'
   */
  transactionDataStatus: 'none' | 'success';
  /**
   * U16: new date of a transaction outside the open statement period: the nearest day of the period, or its last day,
   * which is today.
   * @default 'nearest'
   */
  movedDate: 'nearest' | 'today';
  /**
   * U17: whether notes without a body are compared by their document paths, or are always new.
   * @default 'compare-paths'
   */
  notesWithoutBody: 'compare-paths' | 'always-new';
  /**
   * U17: whether notes of the staged payload become notes of the imported account.
   * @default 'kept'
   */
  stagedNotes: 'kept' | 'dropped';
  /**
   * U18: whether `unpin_at` is only stored, or unpins the note when the clock reaches it.
   * @default 'stored'
   */
  unpinAt: 'stored' | 'unpins';
  /**
   * U19: a document path without a registered document: accepted, or refused with 400.
   * @default 'accept'
   */
  missingDocuments: 'accept' | 'refuse';
  /**
   * U20: a business that exists already: refused with 400, or answered with its id.
   * @default 'refuse'
   */
  businessAgain: 'refuse' | 'same-id';
  /**
   * U21: status of a business payment instruction for a business or account that does not exist.
   * @default 400
   */
  businessInstructionNotFound: 400 | 404;
  /**
   * U21: whether a business payment instruction must name its accounts.
   * @default 'optional'
   */
  businessInstructionAccounts: 'optional' | 'required';
  /**
   * U21: whether a business payment instruction may name accounts that are only staged.
   * @default 'accept'
   */
  businessInstructionStaged: 'accept' | 'refuse';
  /**
   * U22: bodies of vendor failures: like other errors, or `{error_detail, reference}` with the identifiers.
   * @default 'documented'
   */
  vendorFailureBody: 'documented' | 'error_detail';
  /**
   * U23: whether the lists contain staged accounts that are marked to skip.
   * @default 'listed'
   */
  skippedAccounts: 'listed' | 'hidden';
  /**
   * U24: populate without any supply point: accepted, or refused.
   * @default 'accept'
   */
  populateEmpty: 'accept' | 'refuse';
  /**
   * U24: the same supply point twice in one populate: looked up twice, looked up once, or refused.
   * @default 'twice'
   */
  populateDuplicates: 'twice' | 'once' | 'refuse';
  /**
   * U24: form of a batch id: like a UUID without being one, or digits.
   * @default 'uuid-like'
   */
  batchIdForm: 'uuid-like' | 'digits';
  /**
   * U25: form of service account numbers: sixteen digits, or `A-` and fifteen letters and digits.
   * @default 'digits'
   */
  accountNumberForm: 'digits' | 'lettered';
  /**
   * U25: IANA time zone of the accounts. It determines the current day.
   * @default 'UTC'
   */
  timeZone: string;
  /**
   * U26: order of the lists: by first staging, or by external account number.
   * @default 'staging'
   */
  listOrder: 'staging' | 'account-number';
  /**
   * U27: lifetime of a token from the GraphQL call, in seconds of the sandbox's clock; null for unlimited. `sandbox.token`
   * never expires.
   * @default null
   */
  tokenLifetimeSeconds: number | null;
  /**
   * U27: path of the GraphQL interface.
   * @default '/v1/graphql/'
   */
  graphqlPath: string;
  /**
   * U27: name of the mutation that issues a token.
   * @default 'obtainToken'
   */
  tokenMutation: string;
  /**
   * U27: dotted path of the API key in the GraphQL variables.
   * @default 'input.apiKey'
   */
  apiKeyVariable: string;
  /**
   * U28: Retry-After of a 429 in whole seconds; null for no header.
   * @default null
   */
  retryAfterSeconds: number | null;
  /**
   * U29: whether a dry run counts against the limit on process calls.
   * @default true
   */
  dryRunCounts: boolean;
  /**
   * U30: duration of a process call in milliseconds: a number, or a range from which each account draws its duration. The
   * call checks at its start that the account does not exist, and creates it at its end. A refusal takes no time; a dry
   * run takes as long as a creation. 0 makes check and creation atomic.
   * @default 0
   */
  processDurationMs: SandboxDuration;
  /**
   * U30: a second process call for an account while the first one runs. `allow`: both create it, each with its own service
   * account number (the state keeps the earlier ones in `duplicates`). `wait`: the second is checked after the end of the
   * first. `lock`: the second is refused with 400 (`account_import_in_progress`).
   * @default 'allow'
   */
  processRace: 'allow' | 'wait' | 'lock';
  /**
   * U30: status of an account while its process call runs: UNKNOWN, PENDING or IN_PROGRESS, each with an empty
   * `service_account_number`.
   * @default 'UNKNOWN'
   */
  statusWhileProcessing: 'UNKNOWN' | 'PENDING' | 'IN_PROGRESS';
  /**
   * U30: duration of a call that adds notes, transactions, statements or payment instructions, in milliseconds, as
   * `processDurationMs`. The call checks for duplicates at its start and adds at its end.
   * @default 0
   */
  itemDurationMs: SandboxDuration;
  /**
   * U30: a second call of the same operation for the same account (or business) while the first one runs. `allow`: both
   * may add the same note or transaction. `wait`: the second waits for the end of the first. `lock`: the second is refused
   * with 400 (`request_in_progress`).
   * @default 'allow'
   */
  itemRace: 'allow' | 'wait' | 'lock';
  /**
   * U30: duration of staging in milliseconds, as `processDurationMs`. Of two overlapping calls, the data of the one that
   * ends last is stored.
   * @default 0
   */
  stageDurationMs: SandboxDuration;
  /**
   * U30: duration of creating a business in milliseconds, as `processDurationMs`.
   * @default 0
   */
  businessDurationMs: SandboxDuration;
  /**
   * U30: a second call that creates the same business while the first one runs, as `itemRace`.
   * @default 'allow'
   */
  businessRace: 'allow' | 'wait' | 'lock';
  /**
   * U31: a request with a duration (`processDurationMs` and the like) whose connection is lost: the service completes it
   * anyway, or stops it and changes nothing.
   * @default 'complete'
   */
  lostRequests: 'complete' | 'stop';
  /**
   * U32: entries in the answer to notes and transactions: one for each item of the request, or only for added items.
   * @default 'each'
   */
  itemEntries: 'each' | 'added-only';
  /**
   * Limits: maximum of concurrent process calls; further ones get 429. A whole number from 1, or null for no limit.
   * @default null
   */
  processConcurrency: number | null;
  /**
   * Limits: latency of every answer in milliseconds, in addition to the duration of the call: a number, or a range from
   * which each operation and account draws its latency. It passes before the call is checked.
   * @default 0
   */
  latencyMs: SandboxDuration;
  /**
   * Limits: supply points per second that are looked up with the registries.
   * @default 10
   */
  lookupsPerSecond: number;
}
