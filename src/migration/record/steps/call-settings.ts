/**
 * Exports `StepOptions`, what a run does with each record, with `settingsOf`, which adds the defaults; `CallSettings`, what the calls of all
 * steps need; and the client options for each kind of call.
 */
import type { DataImportClient } from '../../../client.js';
import type { OptionKinds } from '../../../validation/option-kinds.js';
import { defineProfile, type Profile } from '../../../validation/profile.js';

/** Options of the steps, for each function that imports records. */
export interface StepOptions {
  /**
   * Whether the service validates each account before it is staged; staging applies the same rules.
   * @default false
   */
  validateRemotely?: boolean | undefined;
  /**
   * Whether a refused transaction is set aside, and the other transactions of its account are sent.
   * @default false
   */
  setAside?: boolean | undefined;
  /**
   * Whether businesses, payment instructions, statements and notes without a body are sent again after a 500. If the
   * service fails after its work was done, it then stores them twice. The API specification warns of this only for
   * payment instructions.
   * @default false
   */
  resendAfter500?: boolean | undefined;
  /**
   * Whether the service moves a transaction that is dated outside the open statement period into it; with false it rejects
   * that transaction. (Specification: Transactions, force_add_to_current_statement.)
   * @default true
   */
  force_add_to_current_statement?: boolean | undefined;
  /**
   * Whether the service skips transactions that it has. With false all transactions of an account go in one request, and
   * one without an answer ends as unknown: it is not sent again unless `resolve` says that it was not done.
   * (Specification: Transactions, check_previously_added.)
   * @default true
   */
  check_previously_added?: boolean | undefined;
  /**
   * Whether items are sent to accounts that existed before this run, or whose line changed after this run created them:
   * notes and transactions, because the service skips those that it has; and new statements and payment instructions for accounts
   * that this run created. Nothing new is sent while the line lacks items that were sent. `'all'` also sends statements and payment
   * instructions to accounts that existed before. The service does not skip these: if another run or a person has sent them, they exist twice.
   * @default false
   */
  addToExisting?: boolean | 'all' | undefined;
  /**
   * Transactions in one request.
   * @default 100
   */
  transactionsAtOnce?: number | undefined;
  /**
   * Statements per request; each request has its own intent in the ledger.
   * @default 100
   */
  statementsAtOnce?: number | undefined;
  /**
   * Notes per request; each request has its own intent in the ledger.
   * @default 100
   */
  notesAtOnce?: number | undefined;
}

/** The options of the steps with their defaults. */
export type StepSettings = { [Name in keyof StepOptions]-?: NonNullable<StepOptions[Name]> };

const DEFAULTS: StepSettings = {
  validateRemotely: false,
  setAside: false,
  resendAfter500: false,
  force_add_to_current_statement: true,
  check_previously_added: true,
  addToExisting: false,
  transactionsAtOnce: 100,
  statementsAtOnce: 100,
  notesAtOnce: 100,
};

/** `checkSteps` knows the others. */
export const STEP_KINDS = Object.fromEntries(
  Object.entries(DEFAULTS).map(([name, value]) => [
    name,
    typeof value === 'boolean' && name !== 'addToExisting' ? 'boolean?' : 'any?',
  ]),
) as unknown as OptionKinds<StepOptions>;

/** Throws a `TypeError` or `RangeError` for a value that another check by its type accepts. */
export function checkSteps(options: StepOptions & { profile?: Profile | undefined }): void {
  const { setAside, check_previously_added, profile } = options;
  if (setAside && check_previously_added === false) {
    throw new RangeError(
      'setAside: expected check_previously_added not to be false. The other transactions of a refused request are sent again, and the service would not skip those that it has stored.',
    );
  }
  if (profile !== undefined) defineProfile(profile);
  const { addToExisting, transactionsAtOnce, statementsAtOnce, notesAtOnce } = settingsOf(options);
  if (typeof addToExisting !== 'boolean' && addToExisting !== 'all') {
    throw new TypeError('addToExisting: expected true, false or all.');
  }
  for (const [name, value] of Object.entries({ transactionsAtOnce, statementsAtOnce, notesAtOnce })) {
    checkCount(name, value, 1);
  }
}

export function checkDryRun(dryRun: 'none' | 'all' | number, words: string): void {
  if (dryRun !== 'none' && dryRun !== 'all') checkCount('dryRun', dryRun, 1, `${words}, or `);
}

export function checkCount(name: string, value: number, least: number, others = ''): void {
  if (Number.isSafeInteger(value) && value >= least) return;
  throw new RangeError(`${name}: expected ${others}a whole number from ${least} up, found ${value}.`);
}

export function settingsOf(options: StepOptions): StepSettings {
  const settings = Object.entries(DEFAULTS).map(([name, value]) => [name, options[name as keyof StepOptions] ?? value]);
  return Object.fromEntries(settings) as StepSettings;
}

export interface CallSettings extends StepSettings {
  client: DataImportClient;
  /** Operations team that processes the accounts. */
  team: string;
  profile: Profile | undefined;
  /** Whether the ledger stores the names of unknown fields and the text of refusals: see `MigrationOptions.showPersonalData`. */
  showPersonalData?: boolean | undefined;
  /** Aborts calls in flight. */
  signal: AbortSignal;
}

/** Options of every call: the first step has checked the payload, and the call queue of the run waits out a 429. */
export const STEP_CALL = { validate: false, maxThrottleWaitMs: 0 };

const SENT_ONCE = { ...STEP_CALL, maxRetries: 0 };
const ONE_REQUEST = { ...SENT_ONCE, retryUnknownOutcome: false };

/** Options of a call that could do things twice if its request were sent again. */
export function unrepeatableCall({ signal, resendAfter500 }: CallSettings) {
  return resendAfter500 ? { signal, ...STEP_CALL } : { signal, ...SENT_ONCE };
}

/** Options of a call that the run repeats and not the client, because each request has its own intent. */
export function callRepeatedByRun({ signal }: CallSettings) {
  return { signal, ...ONE_REQUEST };
}
