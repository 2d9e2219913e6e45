/** `CallSettings`: what the calls of all steps need; and the options of the client for each kind of call. */
import type { DataImportClient } from '../../../client.js';
import type { Profile } from '../../../validation/profile.js';

export interface CallSettings {
  client: DataImportClient;
  /** Operations team that processes the accounts. */
  team: string;
  profile: Profile | undefined;
  /** Whether the ledger keeps the names of unknown fields: see `MigrationOptions.showPersonalData`. */
  showPersonalData?: boolean | undefined;
  /** How many transactions go into one request. */
  transactionsAtOnce: number;
  /** How many statements go into one request. */
  statementsAtOnce: number;
  /** How many notes go into one request. */
  notesAtOnce: number;
  /** Whether a refused transaction is set aside and the others are sent. */
  setAside: boolean;
  /**
   * Whether businesses, payment instructions, statements and notes without a body are sent again after a 500. A service
   * that fails after it has done its work then has them twice.
   */
  resendAfter500: boolean;
  /** Whether the service moves transactions that are dated outside the open statement period into it. */
  forceAddToCurrentStatement: boolean;
  /** Whether the service skips transactions that it has. */
  checkPreviouslyAdded: boolean;
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
