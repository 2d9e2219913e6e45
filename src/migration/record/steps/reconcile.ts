/** Exports `reconcileStep`, which finds out whether a request with an intent and without an answer took effect. */
import type { ExistingAccount } from '../../../../schemas/import-status.js';
import { hasText } from '../../../../schemas/payloads/note.js';
import type { ImportRecord } from '../../../validation/records/import-record.js';
import type { LedgerRecord, Step } from '../../ledger/ledger.js';
import type { RecordEvent } from '../events/record-event.js';
import { sendingAt } from '../items/item-states.js';
import { placed } from '../items/items.js';
import type { InFlightRecords } from '../preconditions/quiet-time.js';
import type { CallSettings } from './call-settings.js';
import { noAnswerCause } from './classify-error.js';
import { NO_NUMBER, queryAccount } from './service-number.js';

export interface ReconcileContext extends Pick<CallSettings, 'client' | 'signal'> {
  inFlight: InFlightRecords;
}

/** The result for the request of an intent. */
export type Reconciled =
  /** The outcome is known. */
  | { event: RecordEvent }
  /** The request may still be running: ask again after `waitMs`. */
  | { waitMs: number }
  /** The status query has no usable answer. `waitMs: undefined`: no further query in this pass. */
  | { failure: RecordEvent; waitMs: number | undefined };

/** Returns the result for the intent of the record. After an event `intentRevoked` the step is executed again. */
export async function reconcileStep(
  step: Step,
  record: LedgerRecord,
  payload: ImportRecord,
  context: ReconcileContext,
): Promise<Reconciled> {
  const reconciled = await find(step, record, payload, context);
  if ('event' in reconciled) context.inFlight.settled(record);
  return reconciled;
}

/** Returns the milliseconds before the status query, or before the step may be repeated or has an unknown outcome; 0 for now. */
export function remainingWaitMs(step: Step, record: LedgerRecord, inFlight: InFlightRecords): number {
  // The service answered the request with a server error, so it is not running any more.
  if (record.intentAt === null) return 0;
  if (step === 'process') return inFlight.untilQuestion(record);
  // The same data may overlap. Other data could be replaced by the older request.
  if (step === 'stage' && record.intentHash === record.hash) return 0;
  // Until then another call may get the answer, and overlapping requests may both pass the check of the service for existing items.
  return inFlight.untilQuiet(record);
}

async function find(
  step: Step,
  record: LedgerRecord,
  payload: ImportRecord,
  context: ReconcileContext,
): Promise<Reconciled> {
  const waitMs = remainingWaitMs(step, record, context.inFlight);
  if (waitMs > 0) return { waitMs };
  switch (step) {
    case 'process':
      return reconcileProcess(record, context);
    // There is no query, and a second request might take effect as well.
    case 'populate':
    case 'create':
    case 'paymentInstruction':
    case 'statements':
      return { event: { type: 'outcomeUnknown', step } };
    // The setting of the session that sent the request decides, not that of this one.
    case 'transactions':
      return { event: { type: record.intentOnce ? 'outcomeUnknown' : 'intentRevoked', step } };
    case 'notes':
      return { event: hasBodies(record, payload) ? { type: 'intentRevoked', step } : { type: 'outcomeUnknown', step } };
    default:
      return { event: { type: 'intentRevoked', step } };
  }
}

/** Finds out whether the account of the record exists, whatever its payload is now. */
export async function reconcileProcess(record: LedgerRecord, context: ReconcileContext): Promise<Reconciled> {
  const { inFlight } = context;
  const step = 'process';
  let account: ExistingAccount | undefined;
  try {
    account = await queryAccount(record, context);
  } catch (error) {
    const isAskedAgain = inFlight.notAnswered(record);
    const waitMs = isAskedAgain ? Math.max(1, inFlight.untilQuestion(record)) : undefined;
    return { failure: { type: 'reconcileFailed', step, ...noAnswerCause(error) }, waitMs };
  }
  if (account?.number === null) {
    if (inFlight.underWay(record)) return { waitMs: Math.max(1, inFlight.untilQuestion(record)) };
    return { failure: { type: 'reconcileFailed', step, code: NO_NUMBER, status: 200 }, waitMs: undefined };
  }
  if (account !== undefined) return { event: { type: 'stepSucceeded', step, serviceNumber: account.number } };
  if (record.intentAt === null || inFlight.answeredNo(record)) return { event: { type: 'intentRevoked', step } };
  return { waitMs: Math.max(1, inFlight.untilQuestion(record)) };
}

/** Returns whether the service can recognise each note in the request of the intent: each has a body. Of a note that the line does not have any more that is not known. */
function hasBodies(record: LedgerRecord, payload: ImportRecord): boolean {
  if (!('account' in payload) || record.items.notes.some(({ status, isGone }) => isGone && status === 'sending'))
    return false;
  return placed(payload.notes, sendingAt(record, 'notes')).every(({ item }) => hasText(item));
}
