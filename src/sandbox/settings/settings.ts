/**
 * What the document leaves open and the sandbox therefore lets you choose. One row a choice, with the entry of the
 * register in `spec/acceptance.md` (or the chapter of the document) that it settles. The first value named is the
 * default.
 */
import { defineProfile, type Profile } from '../../validation/profile.js';
import { isDuration, type SandboxDuration } from './duration.js';
import { refuseUnknownOptions } from './known-options.js';

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

interface Setting<Value> {
  /** Entry of the register, or chapter of the document. */
  readonly settles: string;
  readonly default: Value;
  /** What a value must be, as a sentence, and whether it is. */
  readonly must: string;
  readonly accepts: (value: unknown) => boolean;
}

const oneOf = <const Value>(...values: readonly Value[]) => ({
  default: values[0] as Value,
  must: `be one of ${values.join(', ')}`,
  accepts: (value: unknown) => values.includes(value as Value),
});

const wholeOrNull = (least: number) => ({
  default: null,
  must: `be null or a whole number from ${least}`,
  accepts: (value: unknown) => value === null || (Number.isInteger(value) && Number(value) >= least),
});

const matching = (pattern: RegExp, must: string) => ({
  must,
  accepts: (value: unknown) => typeof value === 'string' && pattern.test(value),
});

const duration = {
  default: 0,
  must: 'be milliseconds from 0, or a range of them as [min, max] or { min, max }',
  accepts: isDuration,
} as const;

const isListOf = (items: readonly unknown[], value: unknown): value is unknown[] =>
  Array.isArray(value) && value.every((item) => items.includes(item)) && new Set(value).size === value.length;

const PLACES = ['validate', 'process', 'business', 'post-import'] as const;
const CHECKS = ['imported', 'supplier', 'staged', 'team'] as const;

const SETTINGS: { readonly [Name in keyof SandboxSettings]: Setting<SandboxSettings[Name]> } = {
  missingSlash: { settles: 'U1', ...oneOf('not-found', 'redirect') },
  authScope: { settles: 'U2', ...oneOf('all', 'business-payment-instruction') },
  authScheme: { settles: 'U2', ...oneOf('Token', 'Bearer', 'bare', 'any') },
  unauthorizedBody: { settles: 'U2', ...oneOf('code', 'detail', 'empty') },
  historicalStatementStatus: { settles: 'U3', ...oneOf(201, 200) },
  unmatchedList: { settles: 'U4', ...oneOf('empty', 'not-found') },
  importedList: { settles: 'U5', ...oneOf('entries', 'no-body') },
  unknownFields: { settles: 'U6', ...oneOf('refuse', 'drop', 'keep') },
  unlistedValues: { settles: 'U7', ...oneOf('accept', 'refuse') },
  switchSchedule: {
    settles: 'U8',
    default: null,
    must: 'be null or { inProgressAfterSeconds, endAfterSeconds, rejectedShare }: seconds from 0 that do not go back, and a share from 0 to 1',
    accepts: (value) => value === null || isSchedule(value),
  },
  profile: { settles: 'U9', default: null, must: 'be null or a profile', accepts: isProfile },
  refusedUnlessOngoing: {
    settles: 'U10',
    default: ['process'],
    must: `be a list of ${PLACES.join(', ')}`,
    accepts: (value) => isListOf(PLACES, value),
  },
  processChecks: {
    settles: 'U11',
    default: CHECKS,
    must: `be a list of all of ${CHECKS.join(', ')}`,
    accepts: (value) => isListOf(CHECKS, value) && value.length === CHECKS.length,
  },
  errorBodies: { settles: 'U12', ...oneOf('documented', 'nested') },
  dryRunMessage: { settles: 'U12', ...oneOf('detail', 'non_field_errors', 'list') },
  errorCodes: {
    settles: 'U12',
    default: {},
    must: 'be an object of strings',
    accepts: (value) => isObject(value) && Object.values(value).every((code) => typeof code === 'string'),
  },
  missingBusinessContract: { settles: 'U13', ...oneOf('stage-and-process', 'process', 'never') },
  accountNotFound: { settles: 'U14', ...oneOf(400, 404) },
  transactionIdentity: { settles: 'U15', ...oneOf('transaction_id', 'item') },
  failingBatchKeeps: { settles: 'U15', ...oneOf('none', 'prefix') },
  transactionDataStatus: { settles: 'Post-import', ...oneOf('none', 'success') },
  movedDate: { settles: 'U16', ...oneOf('nearest', 'today') },
  notesWithoutBody: { settles: 'U17', ...oneOf('compare-paths', 'always-new') },
  stagedNotes: { settles: 'U17', ...oneOf('kept', 'dropped') },
  unpinAt: { settles: 'U18', ...oneOf('stored', 'unpins') },
  missingDocuments: { settles: 'U19', ...oneOf('accept', 'refuse') },
  businessAgain: { settles: 'U20', ...oneOf('refuse', 'same-id') },
  businessInstructionNotFound: { settles: 'U21', ...oneOf(400, 404) },
  businessInstructionAccounts: { settles: 'U21', ...oneOf('optional', 'required') },
  businessInstructionStaged: { settles: 'U21', ...oneOf('accept', 'refuse') },
  vendorFailureBody: { settles: 'U22', ...oneOf('documented', 'error_detail') },
  skippedAccounts: { settles: 'U23', ...oneOf('listed', 'hidden') },
  populateEmpty: { settles: 'U24', ...oneOf('accept', 'refuse') },
  populateDuplicates: { settles: 'U24', ...oneOf('twice', 'once', 'refuse') },
  batchIdForm: { settles: 'U24', ...oneOf('uuid-like', 'digits') },
  accountNumberForm: { settles: 'U25', ...oneOf('digits', 'lettered') },
  timeZone: { settles: 'U25', default: 'UTC', must: 'be the IANA name of a time zone', accepts: isTimeZone },
  listOrder: { settles: 'U26', ...oneOf('staging', 'account-number') },
  tokenLifetimeSeconds: { settles: 'U27', ...wholeOrNull(1) },
  graphqlPath: {
    settles: 'U27',
    default: '/v1/graphql/',
    ...matching(/^\/[\w\-./]*$/, 'be a path that begins with /'),
  },
  tokenMutation: { settles: 'U27', default: 'obtainToken', ...matching(/^[A-Za-z_]\w*$/, 'be a GraphQL name') },
  apiKeyVariable: {
    settles: 'U27',
    default: 'input.apiKey',
    ...matching(/^[A-Za-z_]\w*(\.[A-Za-z_]\w*)*$/, 'be GraphQL names joined by dots'),
  },
  retryAfterSeconds: { settles: 'U28', ...wholeOrNull(0) },
  dryRunCounts: { settles: 'U29', ...oneOf(true, false) },
  processDurationMs: { settles: 'U30', ...duration },
  processRace: { settles: 'U30', ...oneOf('allow', 'wait', 'lock') },
  statusWhileProcessing: { settles: 'U30', ...oneOf('UNKNOWN', 'PENDING') },
  itemDurationMs: { settles: 'U30', ...duration },
  itemRace: { settles: 'U30', ...oneOf('allow', 'wait', 'lock') },
  stageDurationMs: { settles: 'U30', ...duration },
  businessDurationMs: { settles: 'U30', ...duration },
  businessRace: { settles: 'U30', ...oneOf('allow', 'wait', 'lock') },
  lostRequests: { settles: 'U31', ...oneOf('complete', 'stop') },
  itemEntries: { settles: 'U32', ...oneOf('each', 'added-only') },
  processConcurrency: { settles: 'Limits', ...wholeOrNull(1) },
  latencyMs: { settles: 'Limits', ...duration },
  lookupsPerSecond: {
    settles: 'Limits',
    default: 10,
    must: 'be a number from 0.001',
    accepts: (value) => typeof value === 'number' && value >= 0.001 && Number.isFinite(value),
  },
};

/** Every setting, what it settles, and its default. */
export const SANDBOX_SETTINGS: readonly { name: keyof SandboxSettings; settles: string; default: unknown }[] =
  Object.entries(SETTINGS).map(([name, { settles, default: value }]) => ({
    name: name as keyof SandboxSettings,
    settles,
    default: value,
  }));

/** All settings: those that are given, the default for the others. Throws a TypeError for what cannot be meant. */
export function completeSettings(given: Partial<SandboxSettings>): SandboxSettings {
  refuseUnknownOptions('createSandbox', given, Object.keys(SETTINGS), 'setting');
  const entries = Object.entries(SETTINGS).map(([name, setting]) => {
    const value = given[name as keyof SandboxSettings] ?? setting.default;
    if (!setting.accepts(value)) {
      const found = typeof value === 'object' ? JSON.stringify(value) : String(value);
      throw new TypeError(`createSandbox: setting ${name} must ${setting.must}, found ${found}.`);
    }
    return [name, value];
  });
  return Object.fromEntries(entries) as SandboxSettings;
}

/**
 * Settings that remember which entries of the register were read. A rule reads a setting only where the answer rests
 * on it, so that what was read is what was assumed.
 */
export interface WatchedSettings {
  settings: SandboxSettings;
  /** Such as `['U14']`, in the order of the register. */
  assumed(): string[];
}

export function watchSettings(settings: SandboxSettings): WatchedSettings {
  const watched = new Watched(settings);
  return {
    settings: watched as unknown as SandboxSettings,
    assumed: () => [...watched.read].sort((one, other) => Number(one.slice(1)) - Number(other.slice(1))),
  };
}

class Watched {
  readonly read = new Set<string>();
  constructor(readonly given: SandboxSettings) {}
}
for (const { name, settles } of SANDBOX_SETTINGS) {
  Object.defineProperty(Watched.prototype, name, {
    get(this: Watched) {
      if (/^U\d+$/.test(settles)) this.read.add(settles);
      return this.given[name];
    },
  });
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isSchedule(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { inProgressAfterSeconds: first, endAfterSeconds: end, rejectedShare: share, ...others } = value;
  const numbers = [first, end, share].every((part) => typeof part === 'number' && Number.isFinite(part) && part >= 0);
  return numbers && Number(first) <= Number(end) && Number(share) <= 1 && Object.keys(others).length === 0;
}

function isProfile(value: unknown): boolean {
  // Speaks for itself where it is wrong: it names the path.
  return value === null || defineProfile(value as Profile) !== undefined;
}

function isTimeZone(value: unknown): boolean {
  try {
    return typeof value === 'string' && Boolean(new Intl.DateTimeFormat('en', { timeZone: value }));
  } catch {
    return false;
  }
}
