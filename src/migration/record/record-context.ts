/** Exports `RecordContext`, the parts of a run that `runRecord` uses, and `RecordProgress`, its result. */
import type { Ledger, LedgerRecord, Step } from '../ledger/ledger.js';
import type { RecordEvent } from './events/record-event.js';
import type { NextStepSettings } from './next-step.js';
import type { FirstAccount } from './preconditions/first-account.js';
import type { HeldRefusals } from './preconditions/held-refusals.js';
import type { InFlightRecords } from './preconditions/quiet-time.js';
import type { RefusedSuppliers } from './preconditions/refused-suppliers.js';
import type { CallSettings } from './steps/call-settings.js';

export interface RecordContext extends NextStepSettings, CallSettings {
  ledger: Ledger;
  /** The clock of the run. */
  now: () => Date;
  inFlight: InFlightRecords;
  /** Resolves with the result of the call, which starts when it may; rejects with `CallNotAdmittedError` once the run is stopping. */
  schedule: <T>(step: Step, call: () => Promise<T>) => Promise<T>;
  /** Records of these import suppliers do not continue. undefined if a refusal stops the whole run. */
  refusedSuppliers?: RefusedSuppliers | undefined;
  /** Decides which refusals reject their record; undefined if others execute records too, so that this process does not see all answers. */
  heldRefusals?: HeldRefusals | undefined;
  /** Whether the input was read to its end, so that an account that the ledger does not have is not in the input. */
  isWholeInputKnown?: boolean | undefined;
  /** Lets other accounts wait until the service has accepted the team of the run; undefined if it has. */
  firstAccount?: FirstAccount | undefined;
  /**
   * Called after each event is stored. `before`: the record of an earlier session, if its line starts it again.
   */
  onEvent: (record: LedgerRecord, event: RecordEvent, before?: LedgerRecord) => void;
}

/** The result of `runRecord`. */
export interface RecordProgress {
  /** As it is on disk. */
  record: LedgerRecord;
  /**
   * Milliseconds until the record can continue, if its last request may still be running or failed temporarily.
   * undefined if it has an outcome, or if something other than time blocks it.
   */
  waitMs?: number | undefined;
  /** Whether its last request failed or got no answer, so that the number of repetitions is limited. */
  hasFailed?: true;
  /** The record is a business, and accounts in its payment instructions are not imported yet. */
  awaitsAccounts?: true;
}

/** If several processes work on the records: for a longer wait, a process leaves its record to any of them. */
export const LONGEST_REST_MS = 6000;
/** If several processes work on the records: delay before a record is tried again after a failure outside of it. */
export const AFTER_FAILURE_MS = 2000;

/** The run is stopping and does not start this call. */
export class CallNotAdmittedError extends Error {
  override readonly name = 'CallNotAdmittedError';
}
