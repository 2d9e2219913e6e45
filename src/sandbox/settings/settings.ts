/** Exports the type `SandboxSettings`: one setting per behaviour that the API specification leaves open. */
import type { Profile } from '../../validation/profile.js';
import type { SandboxDuration } from './duration.js';

/**
 * One setting for every choice that the document leaves open, with the entry of the register that it settles.
 * docs/unspecified-behaviour.md tells what the client does in each case.
 */
export interface SandboxSettings {
  /**
   * U1: a path without its trailing slash is 404, or 301 to the path with it.
   * @default 'not-found'
   */
  missingSlash: 'not-found' | 'redirect';
  /**
   * U2: which endpoints ask for a token. The document says so of the business payment instruction alone.
   * @default 'all'
   */
  authScope: 'all' | 'business-payment-instruction';
  /**
   * U2: how the Authorization header carries the token: after the word Token, after the word Bearer, alone, or in any
   * of these forms.
   * @default 'Token'
   */
  authScheme: 'Token' | 'Bearer' | 'bare' | 'any';
  /**
   * U2: body of 401: `{detail, code}`, `{detail}`, or none.
   * @default 'code'
   */
  unauthorizedBody: 'code' | 'detail' | 'empty';
  /**
   * U3: status with which historical statements are accepted; the document says both.
   * @default 201
   */
  historicalStatementStatus: 200 | 201;
  /**
   * U4: the lists of a supplier that is not known or has no matching accounts: 200 with `[]`, or 404.
   * @default 'empty'
   */
  unmatchedList: 'empty' | 'not-found';
  /**
   * U5: body of the list of imported accounts: entries as in the list of all, or none at all.
   * @default 'entries'
   */
  importedList: 'entries' | 'no-body';
  /**
   * U6: fields of a request that the document does not have: refused, taken and left out of what is stored and
   * answered, or taken, stored and answered with.
   * @default 'refuse'
   */
  unknownFields: 'refuse' | 'drop' | 'keep';
  /**
   * U7: values that the document does not list for a field whose values it calls seen: taken (the log marks them), or
   * refused.
   * @default 'accept'
   */
  unlistedValues: 'accept' | 'refuse';
  /**
   * U8: null moves the industry switch of an account by hand alone (`transition`); a schedule moves it by the clock,
   * counted from the account's creation. A share of the switches, between 0 and 1, ends REJECTED.
   * @default null
   */
  switchSchedule: null | { inProgressAfterSeconds: number; endAfterSeconds: number; rejectedShare: number };
  /**
   * U9: what is demanded beyond what the document's rules state, as the client's `profile` says it.
   * @default null
   */
  profile: Profile | null;
  /**
   * U10: what else than staging a supplier that is Paused or Complete is refused.
   * @default ['process']
   */
  refusedUnlessOngoing: readonly ('validate' | 'process' | 'business' | 'post-import')[];
  /**
   * U11: in which order process looks for a reason to refuse. Token, shape and limit come before all, the dry run last.
   * @default ['imported', 'supplier', 'staged', 'team']
   */
  processChecks: readonly ('imported' | 'supplier' | 'staged' | 'team')[];
  /**
   * U12: bodies of errors: `{detail, code, errors}`, or what stands at the places nested into each other and the rest
   * under `non_field_errors`.
   * @default 'documented'
   */
  errorBodies: 'documented' | 'nested';
  /**
   * U12: where the message of a dry run that would succeed stands.
   * @default 'detail'
   */
  dryRunMessage: 'detail' | 'non_field_errors' | 'list';
  /**
   * U12: other names for the sandbox's error codes, such as `{ account_not_staged: 'not_found' }`.
   * @default {}
   */
  errorCodes: Readonly<Record<string, string>>;
  /**
   * U13: when a `business_contract_identifier` without such a contract is refused with 400: at stage, hence at validate,
   * whose rules are the same, and at process; at process alone; or never.
   * @default 'stage-and-process'
   */
  missingBusinessContract: 'stage-and-process' | 'process' | 'never';
  /**
   * U14: status of transactions, statements and payment instructions for an account that is not imported.
   * @default 400
   */
  accountNotFound: 400 | 404;
  /**
   * U15: by what a transaction is known: its `transaction_id` (the whole item where it has none), or always the whole
   * item.
   * @default 'transaction_id'
   */
  transactionIdentity: 'transaction_id' | 'item';
  /**
   * U15: what becomes of the transactions before the one that fails: none of them is kept, or all.
   * @default 'none'
   */
  failingBatchKeeps: 'none' | 'prefix';
  /**
   * Post-import: whether the `transaction_data` of an answer carry a status, TRANSACTION_IMPORT_SUCCESS, which the
   * document says they may.
   * @default 'none'
   */
  transactionDataStatus: 'none' | 'success';
  /**
   * U16: to which day a transaction outside the open statement period is moved: the nearest day of it, or its last,
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
   * U17: whether the notes of the staged payload are notes of the account once it is imported.
   * @default 'kept'
   */
  stagedNotes: 'kept' | 'dropped';
  /**
   * U18: whether `unpin_at` is only stored, or the note is unpinned when the clock reaches it.
   * @default 'stored'
   */
  unpinAt: 'stored' | 'unpins';
  /**
   * U19: whether a document path at which nothing is registered is taken, or refused with 400.
   * @default 'accept'
   */
  missingDocuments: 'accept' | 'refuse';
  /**
   * U20: the same business again is refused with 400, or answered with the id that it has.
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
   * U22: bodies of vendor failures: as of other errors, or `{error_detail, reference}` with the identifiers.
   * @default 'documented'
   */
  vendorFailureBody: 'documented' | 'error_detail';
  /**
   * U23: whether staged accounts that are marked to skip stay in the lists.
   * @default 'listed'
   */
  skippedAccounts: 'listed' | 'hidden';
  /**
   * U24: whether populate takes a request without any supply point.
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
   * U25: time zone of the accounts, by its IANA name: it says which day today is.
   * @default 'UTC'
   */
  timeZone: string;
  /**
   * U26: order of the lists: by first staging, or by external account number.
   * @default 'staging'
   */
  listOrder: 'staging' | 'account-number';
  /**
   * U27: how long a token from the GraphQL call is valid, in seconds of the sandbox's clock; null for ever.
   * `sandbox.token` never ends.
   * @default null
   */
  tokenLifetimeSeconds: number | null;
  /**
   * U27: path of the GraphQL interface.
   * @default '/v1/graphql/'
   */
  graphqlPath: string;
  /**
   * U27: name of the mutation that gives a token.
   * @default 'obtainToken'
   */
  tokenMutation: string;
  /**
   * U27: where the API key stands among the GraphQL variables, as a dotted path.
   * @default 'input.apiKey'
   */
  apiKeyVariable: string;
  /**
   * U28: value of Retry-After on 429 in whole seconds, or null for no such header.
   * @default null
   */
  retryAfterSeconds: number | null;
  /**
   * U29: whether a dry run counts against the limit on processing.
   * @default true
   */
  dryRunCounts: boolean;
  /**
   * U30: how long a process call takes, in milliseconds: a number, or a range from which each account draws its own. It
   * checks at its start that the account does not exist, and creates it at its end. A refusal takes no time; a dry run
   * takes as long as a creation. 0 makes check and creation one step.
   * @default 0
   */
  processDurationMs: SandboxDuration;
  /**
   * U30: a second process call for an account while the first one runs: both create it, each with its own service
   * account number (`duplicates` of the account in the state has the earlier ones); the second waits for the end of the
   * first and is then checked; or the second is refused with 400 (`account_import_in_progress`).
   * @default 'allow'
   */
  processRace: 'allow' | 'wait' | 'lock';
  /**
   * U30: what the status query says of an account while its process call runs: UNKNOWN or PENDING, both with an empty
   * `service_account_number`.
   * @default 'UNKNOWN'
   */
  statusWhileProcessing: 'UNKNOWN' | 'PENDING';
  /**
   * U30: how long a call takes that adds notes, transactions, statements or payment instructions, in milliseconds, as
   * `processDurationMs`. It looks for duplicates at its start and adds at its end.
   * @default 0
   */
  itemDurationMs: SandboxDuration;
  /**
   * U30: a second call of the same operation for the same account (or business) while the first one runs: both may add
   * the same note or transaction; the second waits for the end of the first; or it is refused with 400
   * (`request_in_progress`).
   * @default 'allow'
   */
  itemRace: 'allow' | 'wait' | 'lock';
  /**
   * U30: how long staging takes, in milliseconds, as `processDurationMs`. Of two calls that overlap the one that ends
   * last has the last word, whichever began first.
   * @default 0
   */
  stageDurationMs: SandboxDuration;
  /**
   * U30: how long creating a business takes, in milliseconds, as `processDurationMs`.
   * @default 0
   */
  businessDurationMs: SandboxDuration;
  /**
   * U30: a second call that creates the same business while the first one runs, as `itemRace`.
   * @default 'allow'
   */
  businessRace: 'allow' | 'wait' | 'lock';
  /**
   * U31: a request that takes its time (`processDurationMs` and the like) and whose connection is lost: the service
   * completes it all the same when its time is over, or stops working on it and changes nothing.
   * @default 'complete'
   */
  lostRequests: 'complete' | 'stop';
  /**
   * U32: whether the answer to notes and transactions has an entry for each that was sent, or none for those that the
   * account had already.
   * @default 'each'
   */
  itemEntries: 'each' | 'added-only';
  /**
   * Limits: how many process calls may run at the same time; more get 429. A whole number from 1, or null for no limit.
   * @default null
   */
  processConcurrency: number | null;
  /**
   * Limits: how long every answer takes on its way, in milliseconds, beside the time of the call itself: a number, or a
   * range from which each operation and account draws its own. It passes before the call is looked at.
   * @default 0
   */
  latencyMs: SandboxDuration;
  /**
   * Limits: how many supply points a second are looked up with the registries.
   * @default 10
   */
  lookupsPerSecond: number;
}
