/** `RecordContext`: what `runRecord` needs of its run; `RecordProgress`: how far it came with a record. */
import type { Ledger, LedgerRecord, Step } from '../ledger/ledger.js';
import type { RecordEvent } from './events/record-event.js';
import type { NextStepSettings } from './next-step.js';
import type { FirstAccount } from './preconditions/first-account.js';
import type { InFlightRecords } from './preconditions/in-flight-records.js';
import type { RefusedSuppliers } from './preconditions/refused-suppliers.js';
import type { CallSettings } from './steps/call-settings.js';

export interface RecordContext extends NextStepSettings, CallSettings {
  ledger: Ledger;
  /** By the run's clock. */
  now: () => Date;
  inFlight: InFlightRecords;
  /** Resolves with the result of the call, which starts when it may; rejects with `CallNotAdmittedError` once the run is stopping. */
  schedule: <T>(step: Step, call: () => Promise<T>) => Promise<T>;
  /** Records of these import suppliers are left as they are; undefined where a refusal ends the whole run. */
  refusedSuppliers?: RefusedSuppliers | undefined;
  /** Whether the input was read to its end: an account that the ledger does not know has no line in it. */
  isWholeInputKnown?: boolean | undefined;
  /** Whether the record stops before this step, because another queue has it: see `RecordProgress.stoppedBefore`. */
  stopsBefore?: ((step: Step) => boolean) | undefined;
  /** Keeps accounts back until the service has accepted the team of the run; undefined where that is known. */
  firstAccount?: FirstAccount | undefined;
  /**
   * Called after each event is on disk. `before`: the record as an earlier session left it, where its line begins it anew.
   */
  onEvent: (record: LedgerRecord, event: RecordEvent, before?: LedgerRecord) => void;
}

/** How far a record came. */
export interface RecordProgress {
  /** As it is on disk. */
  record: LedgerRecord;
  /**
   * Milliseconds until the record can continue, if its last request may still be running or failed temporarily.
   * undefined if it has an outcome, or if something other than time blocks it.
   */
  waitMs?: number | undefined;
  /** Whether its last request failed or got no answer: then it is repeated only so often. */
  hasFailed?: true;
  /** The next step, where `RecordContext.stopsBefore` stopped the record before it. */
  stoppedBefore?: Step;
  /** A business whose payment instructions name accounts that are still to be imported. */
  awaitsAccounts?: true;
}

/** The run is stopping and does not start this call. */
export class CallNotAdmittedError extends Error {
  override readonly name = 'CallNotAdmittedError';
}
