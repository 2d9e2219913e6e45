/**
 * `CompactEvent`: the part of a record's event that counts for the whole run. It is short and has no record, so that a
 * worker can send it to the others. The halt rules and the progress display use it.
 */
import type { LedgerError, LedgerRecord, Outcome, Step } from '../ledger/ledger.js';
import {
  causeOf,
  type FailureCause,
  isFailure,
  type NotAccepted,
  type RecordEvent,
} from '../record/events/record-event.js';
import { endsRecord } from '../record/events/record-state.js';
import { masked } from '../report/summary/error-groups.js';
import { placeInWords } from '../shared/place.js';

/** A call that failed for no fault of its record. */
export interface FailedCall extends FailureCause {
  /** Tells it from the other events. */
  type: 'failed';
  /** A step, or `status` for a status query. */
  call: string;
  /** Import supplier of the record. */
  supplier: string;
  /** Set if the cause blocks other records too. */
  notAccepted?: NotAccepted;
  /** The service refuses the whole request and names neither a field nor a known code. */
  isRefusal?: true;
  /** The text of that refusal, if personal data is shown. */
  detail?: string;
}

/** An event that counts for the whole run. */
export type CompactEvent =
  /** A record got its outcome. `codes`: those of a rejected one, but none if the service has accepted others since it first refused this one. `step`: the step that ended it; missing if it passed all steps. */
  | { type: 'ended'; outcome: Outcome; codes: string[]; step?: Step }
  | FailedCall
  /** The service decided something by a call of this kind. */
  | { type: 'answered'; call: string }
  /** A step succeeded. */
  | { type: 'passed'; step: Step }
  /** The answer belongs to another request than that of `record`, whose number is masked; its line is at `place`: `in.jsonl:7`. */
  | { type: 'otherAnswer'; step: Step; record: string; place: string };

/** Returns the compact events of an event, in the order in which the halt rules count them. */
export function compactEventsOf(record: LedgerRecord, event: RecordEvent): CompactEvent[] {
  const events: CompactEvent[] = [];
  const failed = failedCall(record, event);
  if (failed !== undefined) events.push(failed);
  if (event.type !== 'alreadyExists' && 'isOfAnother' in event && event.isOfAnother) {
    const { kind, number } = record;
    const place = placeInWords(record);
    events.push({ type: 'otherAnswer', step: event.step, record: `${kind} ${masked(number)}`, place });
  }
  const call = answeredCall(event);
  if (call !== undefined) events.push({ type: 'answered', call });
  if (event.type === 'stepSucceeded') events.push({ type: 'passed', step: event.step });
  if (endsRecord(record, event) && record.outcome !== null) {
    const { outcome, errors } = record;
    const step = event.type === 'alreadyExists' ? 'stage' : 'step' in event ? event.step : undefined;
    const isCounted = outcome === 'rejected' && !(event.type === 'stepRejected' && event.wasHeldBack);
    const codes = isCounted ? [...new Set(errors.map(({ code }) => code))] : [];
    events.push({ type: 'ended', outcome, codes, ...(step !== undefined && { step }) });
  }
  return events;
}

/** The failed call with its name as a step, for `failureInWords`. */
export function failedStep(failed: FailedCall): FailureCause & { step: string } {
  return { ...failed, step: failed.call };
}

/** `AbortedError.code` */
const ABORTED = 'aborted';

function failedCall({ supplier }: LedgerRecord, event: RecordEvent): FailedCall | undefined {
  if (!isFailure(event)) return undefined;
  const { of, ...cause } = causeOf(event);
  // This process held back or aborted the call: that is no evidence about the service.
  if ((event.type === 'stepFailed' && event.isHeldBack) || (cause.code === ABORTED && cause.status === undefined))
    return undefined;
  return {
    ...{ type: 'failed', call: callOf(event), supplier, ...cause },
    ...(of !== undefined && { notAccepted: of }),
    ...(event.type === 'stepFailed' && event.isRefusal && { isRefusal: true as const, ...textOf(event.errors) }),
  };
}

/** The text of the refusal, if the run keeps it. */
export function textOf(errors: readonly Omit<LedgerError, 'step'>[] = []): { detail?: string } {
  const detail = errors.find((error) => error.detail !== undefined)?.detail;
  return detail === undefined ? {} : { detail };
}

/** Returns the kind of call of a step: a dry run is a `process` call, a reconciliation a status query. */
function callOf({ type, step }: { type: RecordEvent['type']; step: Step }): string {
  if (type === 'reconcileFailed') return 'status';
  return step === 'dryRun' ? 'process' : step;
}

/** The call that the service decided something by; undefined if it decided nothing. */
function answeredCall(event: RecordEvent): string | undefined {
  if (event.type === 'alreadyExists') return 'stage';
  if ((event.type !== 'stepSucceeded' && event.type !== 'stepRejected') || event.step === 'check') return undefined;
  return callOf(event);
}
