/** Exports functions about the state of a record that depends on several fields: whether it exists, whether it may start again. */
import {
  isImported,
  type LedgerError,
  type LedgerRecord,
  type Outcome,
  type RecordKind,
  STEPS,
  type Step,
} from '../../ledger/ledger.js';
import type { RecordEvent } from './record-event.js';

/** The steps of a record of this kind until it exists; the later ones add items to it. */
const BEFORE_IT_EXISTS: Readonly<Record<RecordKind, readonly Step[]>> = {
  populate: ['check', 'populate'],
  business: ['check', 'create'],
  account: ['check', 'validate', 'stage', 'dryRun', 'process'],
};

/** The step that creates a record of this kind. */
export const CREATING_STEP: Readonly<Record<RecordKind, Step>> = {
  populate: 'populate',
  business: 'create',
  account: 'process',
};

/** Whether the service has the record, even if items of it are still to be sent. */
export function existsOnService({ kind, done, outcome }: Pick<LedgerRecord, 'kind' | 'done' | 'outcome'>): boolean {
  if (isImported({ outcome })) return true;
  const makesIt = CREATING_STEP[kind];
  return done !== null && STEPS.indexOf(done) >= STEPS.indexOf(makesIt);
}

/** Returns whether no part of the record exists on the service, and no running request can create one. */
export function canStartOver({ kind, done, intent, outcome }: LedgerRecord): boolean {
  if (isImported({ outcome }) || outcome === 'unknown') return false;
  const makesIt = CREATING_STEP[kind];
  return intent !== makesIt && (done === null || STEPS.indexOf(done) < STEPS.indexOf(makesIt));
}

/** Steps that have an unknown outcome if their request got no answer: they must not be repeated. */
const UNANSWERED: ReadonlySet<Step> = new Set(['populate', 'create', 'process', 'paymentInstruction', 'statements']);

/** The steps of a record without an outcome or with an unknown one that `resolve` can settle. */
export function unknownSteps(record: LedgerRecord): ReadonlySet<Step> {
  return new Set([...record.unknown, ...(record.intent !== null && isUnanswered(record) ? [record.intent] : [])]);
}

/** Returns whether the step of the intent has an unknown outcome if its request got no answer. */
export function isUnanswered({ intent, intentOnce }: Pick<LedgerRecord, 'intent' | 'intentOnce'>): boolean {
  return intent !== null && (intentOnce || UNANSWERED.has(intent));
}

/** Whether the step comes before the record exists: otherwise it adds items to what exists. */
export function isBeforeCreation({ kind }: LedgerRecord, step: Step): boolean {
  return BEFORE_IT_EXISTS[kind].includes(step);
}

/** Whether the record was rejected at this step. That may be the effect of an earlier request which was still running. */
export function wasRejectedAt({ outcome, errors }: LedgerRecord, step: Step): boolean {
  return outcome === 'rejected' && errors.some((error) => error.step === step);
}

/** The outcome of a record without a step left: unknown if one of its steps is. */
export function finalOutcome({ unknown, items }: LedgerRecord): Outcome {
  if (unknown.length > 0) return 'unknown';
  return items.existed ? 'alreadyImported' : 'created';
}

/**
 * Whether the event ended its record. Events that are stored together all come with the record as it is after the last of
 * them.
 */
export function endsRecord({ outcome, done }: LedgerRecord, event: RecordEvent): boolean {
  switch (event.type) {
    case 'ended':
      return true;
    case 'alreadyExists':
      return event.sends === undefined;
    case 'stepRejected':
      return outcome === 'rejected';
    case 'outcomeUnknown':
      // After an unknown outcome of an item step, the event `ended` follows.
      return outcome === 'unknown' && (done === null || STEPS.indexOf(done) < STEPS.indexOf(event.step));
    default:
      return false;
  }
}

/** The changes after a step is done. A step that is repeated does not take an existing account back to where it was then. */
export function withStepDone(record: LedgerRecord, step: Step): Partial<LedgerRecord> {
  const isAgain =
    !isBeforeCreation(record, step) && record.done !== null && STEPS.indexOf(record.done) >= STEPS.indexOf(step);
  return isAgain ? { intent: null } : { intent: null, done: step };
}

/** The errors, each with the step. */
export function errorsOfStep(step: Step, errors: readonly Omit<LedgerError, 'step'>[]): LedgerError[] {
  return errors.map((error) => ({ step, ...error }));
}

/** The error for an event that cannot happen to this record. */
export function impossibleEvent(record: LedgerRecord, event: RecordEvent, why: string): Error {
  const what = 'step' in event ? `${event.type} ${event.step}` : event.type;
  return new Error(`ledger: ${record.kind} ${record.number} cannot have "${what}" happen: ${why}.`);
}
