/**
 * One record, from where it is to its end: the one way in which every run, worker and simulation takes it. What is
 * announced is on disk before the call leaves; the result of a call and the announcement of the next are one write.
 */
import { isRateLimitError } from '../../errors/guards.js';
import type { ImportRecord } from '../../validation/records/import-record.js';
import { ITEM_STEPS, type ItemStep, type Ledger, type LedgerRecord, STEPS, type Step } from '../ledger/ledger.js';
import { applyEvent } from './events/apply-event.js';
import { existsOnService } from './events/record-state.js';
import type { RecordEvent } from './events/record-event.js';
import { classifyError, type StepResult } from './steps/classify-error.js';
import { sentList } from './items/item-counts.js';
import { hashWithout, instructionsOf, isItemStep, nextPart } from './items/items.js';
import { itemsAtEnd } from './items/missing-items.js';
import { type NextStepSettings, nextStep } from './next-step.js';
import { type FirstAccount, isGuarded } from './preconditions/first-account.js';
import type { InFlightRecords } from './preconditions/in-flight-records.js';
import type { RefusedSuppliers } from './preconditions/refused-suppliers.js';
import { reconcileStep, remainingWaitMs } from './steps/reconcile.js';
import { contractsOf } from './record-key.js';
import { isSkippedWhereThere } from './resume-record.js';
import type { CallSettings } from './steps/call-settings.js';
import { executeStep } from './steps/execute-step.js';
import { findServiceNumber } from './steps/service-number.js';

export interface RecordContext extends NextStepSettings, CallSettings {
  ledger: Ledger;
  /** By the run's clock. */
  now: () => Date;
  inFlight: InFlightRecords;
  /** Holds a call back until it may leave; rejects where it may no more. */
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

/**
 * Advances one record step by step, until it has an outcome or must wait. `record` is the version that the ledger has, or
 * version 0 where it has none. Rejects where the ledger does.
 */
export async function runRecord(
  record: LedgerRecord,
  payload: ImportRecord,
  run: RecordContext,
): Promise<RecordProgress> {
  const { firstAccount, onEvent } = run;
  if (firstAccount === undefined || firstAccount.isOver() || record.kind !== 'account') {
    return advance(record, payload, run, undefined);
  }
  const watched: RecordContext = {
    ...run,
    onEvent(current, event, before) {
      firstAccount.onEvent(current, event);
      onEvent(current, event, before);
    },
  };
  try {
    return await advance(record, payload, watched, firstAccount);
  } finally {
    firstAccount.leave(record);
  }
}

async function advance(
  record: LedgerRecord,
  payload: ImportRecord,
  run: RecordContext,
  firstAccount: FirstAccount | undefined,
): Promise<RecordProgress> {
  let stored = record;
  let current = record;
  let untold: RecordEvent[] = [];
  const happens = (event: RecordEvent): void => {
    current = applyEvent(current, event, isoText(run.now()));
    untold.push(event);
  };
  const store = async (): Promise<LedgerRecord> => {
    if (untold.length === 0) return stored;
    current = { ...current };
    current.version = stored.version + 1;
    await run.ledger.write(current, contractsOf(payload));
    stored = current;
    for (const event of untold) run.onEvent(stored, event);
    untold = [];
    return stored;
  };
  /** An earlier request of this step may have added its items: the service has to look for them. */
  let repeated: Step | undefined;
  const isUnchecked = (step: Step): boolean =>
    step === 'transactions' && repeated !== step && !run.checkPreviouslyAdded;
  const announce = async (step: Step, positions?: readonly number[]): Promise<void> => {
    const started: Extract<RecordEvent, { type: 'stepStarted' }> = { type: 'stepStarted', step };
    if (isUnchecked(step)) started.isOnce = true;
    if (positions !== undefined) started.part = { positions, list: sentList(step as ItemStep, payload) };
    happens(started);
    await store();
  };
  // A call may wait long for its turn, and the quiet time of its request counts from the intent.
  const renewIntent = async (): Promise<void> => {
    if (current.intent !== null && run.inFlight.isStale(current.intentAt)) await announce(current.intent);
  };

  for (;;) {
    const next = nextStep(current, payload, run);
    if (next.kind === 'finished') {
      const without = itemsAtEnd(current);
      happens({ type: 'ended', ...(without.length > 0 && { restHash: hashWithout(payload, without) }) });
      return { record: await store() };
    }
    const { step } = next;
    if (run.refusedSuppliers?.has(current.supplier)) return { record: await store() };
    if (next.kind === 'reconcile') {
      const restMs = remainingWaitMs(step, current, payload, run.inFlight);
      if (restMs > 0) return { record: await store(), waitMs: restMs };
      const found = await scheduleUnlessStopping(QUESTION, () => reconcileStep(step, current, payload, run), run);
      if (found === undefined) return { record: await store() };
      if ('failure' in found) happens(withHost(found.failure, run));
      if ('waitMs' in found) return { record: await store(), waitMs: found.waitMs };
      happens(withList(found.event, payload));
      repeated = step;
      if (current.outcome !== null) return { record: await store() };
      continue;
    }
    if (run.stopsBefore?.(step) === true) return { record: await store(), stoppedBefore: step };
    if (firstAccount !== undefined && isGuarded(step) && !firstAccount.isOver() && !firstAccount.isAlone(current)) {
      await firstAccount.enter(current);
      // As the first account it is dry-run first; after another account was, that is not necessary.
      continue;
    }
    if (step === 'paymentInstruction' && (await awaitsAccounts(current, payload, run))) {
      return { record: await store(), awaitsAccounts: true };
    }
    // What changes nothing needs no intent.
    if (!PURE.has(step)) await announce(step, nextPart(step, current, payload, run));
    let requests = 0;
    const beforeRequest = async () => {
      requests++;
      await renewIntent();
    };
    const call = async () => {
      // It was refused while this call waited for its turn.
      if (run.refusedSuppliers?.has(current.supplier))
        throw new CallNotAdmittedError('migration: the supplier is refused.');
      await renewIntent();
      const settings = repeated === 'transactions' ? { ...run, checkPreviouslyAdded: true } : run;
      return executeStep(step, current, payload, settings, {
        beforeRequest,
        isRepeated: run.inFlight.wasUnanswered(current),
      });
    };
    const answered = withHost(await attempt(step, call, run), run);
    const event = answered === undefined ? undefined : await checkIfExists(answered, current, run);
    // The intent stays, and the next session asks.
    if (event === undefined) return { record: await store() };
    // An earlier request may have added transactions: a session without the check needs this fact.
    const mayHaveAdded = step === 'transactions' && !isUnchecked(step) && (repeated === step || requests > 1);
    // An earlier request may still replace what is staged: a session with other data must know when it was sent.
    const mayStageLater = step === 'stage' && repeated === step;
    if (event.type === 'stepFailed' && (mayHaveAdded || mayStageLater)) event.isOpen = true;
    if (event.type === 'stepRejected' && mayStageLater) event.isOpen = true;
    happens(event.type === 'alreadyExists' ? withItems(event, current, payload, run) : withList(event, payload));
    if (event.type === 'noAnswer') run.inFlight.unanswered(current);
    if (event.type === 'stepFailed' || event.type === 'noAnswer')
      return afterFailure(event, await store(), payload, run);
    if (current.outcome !== null) return { record: await store() };
  }
}

/**
 * Whether a payment instruction of a business names an account that is not imported yet, and may be: the service may
 * refuse an instruction for an account that it does not have.
 */
async function awaitsAccounts({ supplier }: LedgerRecord, payload: ImportRecord, run: RecordContext): Promise<boolean> {
  if (!('business' in payload)) return false;
  const named = instructionsOf(payload).flatMap(({ accounts = [] }) => accounts);
  for (const number of new Set(named.map(({ external_account_number }) => external_account_number))) {
    const account = await run.ledger.find({ supplier, kind: 'account', number });
    if (account === undefined ? !run.isWholeInputKnown : account.outcome === null && !existsOnService(account))
      return true;
  }
  return false;
}

function afterFailure(
  event: Extract<RecordEvent, { type: 'stepFailed' | 'noAnswer' }>,
  record: LedgerRecord,
  payload: ImportRecord,
  run: RecordContext,
): RecordProgress {
  // The client has repeated the others.
  if (!SENT_ONCE.has(event.step)) return { record };
  // Something that concerns other records as well, or a call that was not admitted any more.
  if (event.type === 'stepFailed' && (event.of !== undefined || event.code === undefined)) return { record };
  const restMs = record.intent === null ? 0 : remainingWaitMs(record.intent, record, payload, run.inFlight);
  return { record, waitMs: restMs, hasFailed: true };
}

/** The client sends each request of these steps once; the run repeats it with a new intent. */
const SENT_ONCE: ReadonlySet<Step> = new Set(['stage', 'process', 'transactions', 'notes']);

/** A status query takes no slot of `process`. */
const QUESTION: Step = 'validate';

/** undefined where the run admits no call any more, or the service refused this one for now. */
async function scheduleUnlessStopping<Result>(
  step: Step,
  call: () => Promise<Result>,
  { schedule }: RecordContext,
): Promise<Result | undefined> {
  try {
    return await schedule(step, call);
  } catch (error) {
    if (error instanceof CallNotAdmittedError || isRateLimitError(error)) return undefined;
    throw error;
  }
}

/** Items are sent to an account that existed where that is wanted, and where it is the very account. */
function withItems(
  event: FoundEvent,
  { done, items }: LedgerRecord,
  payload: ImportRecord,
  run: RecordContext,
): RecordEvent {
  const isBeforeProcess = done === null || STEPS.indexOf(done) < STEPS.indexOf('process');
  if (!run.addToExisting || !isBeforeProcess || event.isOfAnother || items === null) return event;
  const sends = ITEM_STEPS.filter(
    (step) => items[step] !== null && (run.addToExisting === 'all' || isSkippedWhereThere(step, payload, run)),
  );
  if (sends.length > 0) event.sends = sends;
  return event;
}

type FoundEvent = Extract<RecordEvent, { type: 'alreadyExists' }>;

/** With the list whose items the step sent. Not by a spread: it costs ten times as much. */
function withList(event: RecordEvent, payload: ImportRecord): RecordEvent {
  const { type } = event;
  const isOfItems =
    (type === 'stepSucceeded' || type === 'stepRejected' || type === 'outcomeUnknown') && isItemStep(event.step);
  if (isOfItems) event.list = sentList(event.step as ItemStep, payload);
  return event;
}

let last = { ms: Number.NaN, text: '' };

/** Of the same millisecond once: to write a moment takes longer than all else that makes up an event. */
function isoText(moment: Date): string {
  const ms = moment.getTime();
  if (ms !== last.ms) last = { ms, text: moment.toISOString() };
  return last.text;
}

const PURE: ReadonlySet<Step> = new Set(['check', 'validate', 'dryRun']);

/** An answer without a use names no host by itself, as a connection that failed does. */
function withHost<Event extends StepResult>(event: Event, { client }: RecordContext): Event {
  if (event !== undefined && 'status' in event && event.status !== undefined) event.host ??= client.host;
  return event;
}

/** An intent whose request this session never sent is revoked by `failed`. */
async function attempt(step: Step, call: () => Promise<StepResult>, run: RecordContext): Promise<StepResult> {
  if (step === 'check') return call();
  try {
    return await run.schedule(step, call);
  } catch (error) {
    if (error instanceof CallNotAdmittedError) return { type: 'stepFailed', step, isHeldBack: true };
    if (isRateLimitError(error)) return classifyError(error, step);
    throw error;
  }
}

/** The run does not let this call leave any more. */
export class CallNotAdmittedError extends Error {
  override readonly name = 'CallNotAdmittedError';
}

/**
 * Handles the refusal of an account that exists: deployments refuse it with different codes when it is staged. If
 * `process` is refused after the account was staged, an earlier request of this run may have created it.
 */
async function checkIfExists(event: RecordEvent, record: LedgerRecord, run: RecordContext): Promise<RecordEvent> {
  if (event.type !== 'stepRejected' || (event.step !== 'stage' && event.step !== 'process')) return event;
  const serviceNumber = await findServiceNumber(record, run);
  if (serviceNumber === undefined || serviceNumber === '') return event;
  return event.step === 'stage'
    ? { type: 'alreadyExists', serviceNumber }
    : { type: 'stepSucceeded', step: 'process', serviceNumber };
}
