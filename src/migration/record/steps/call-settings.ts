/** Exports `CallSettings`, the settings of the calls of all steps, and the client options for each kind of call. */
import type { DataImportClient } from '../../../client.js';
import type { Profile } from '../../../validation/profile.js';

export interface CallSettings {
  client: DataImportClient;
  /** Operations team that processes the accounts. */
  team: string;
  profile: Profile | undefined;
  /** Whether the ledger stores the names of unknown fields and the text of refusals: see `MigrationOptions.showPersonalData`. */
  showPersonalData?: boolean | undefined;
  /** Maximum number of transactions in one request. */
  transactionsAtOnce: number;
  /** Maximum number of statements in one request. */
  statementsAtOnce: number;
  /** Maximum number of notes in one request. */
  notesAtOnce: number;
  /** Whether the other transactions are sent if one is refused. */
  setAside: boolean;
  /**
   * Whether businesses, payment instructions, statements and notes without a body are sent again after a 500. They exist twice if the
   * service did the work before it failed.
   */
  resendAfter500: boolean;
  /** Whether the service moves the date of a transaction outside the open statement period into it. */
  force_add_to_current_statement: boolean;
  /** Whether the service skips transactions that it has. */
  check_previously_added: boolean;
  /** Whether items are sent to accounts that existed before: see `MigrationOptions.addToExisting`. */
  addToExisting?: boolean | 'all' | undefined;
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
