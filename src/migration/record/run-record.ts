/**
 * `runRecord` advances one record step by step: every run, worker and simulation does it by this function. The intent of a
 * step is on disk before its request is sent.
 */
import { RateLimitError } from '../../errors/api-errors.js';
import { codeOfStatus } from '../../errors/decode.js';
import type { ImportRecord } from '../../validation/records/import-record.js';
import { ITEM_STEPS, type ItemStep, type LedgerRecord, STEPS, type Step } from '../ledger/ledger.js';
import type { EventOf, RecordEvent } from './events/record-event.js';
import { nextPart, sendingAt } from './items/item-states.js';
import { isItemStep, itemListOf, partIn } from './items/items.js';
import { repeatedItems } from './items/repeated-items.js';
import { isSkippedWhereThere } from './items-to-send-again.js';
import { nextStep } from './next-step.js';
import { type FirstAccount, isGuarded } from './preconditions/first-account.js';
import { awaitsAccounts } from './preconditions/waiting-for-accounts.js';
import { CallNotAdmittedError, type RecordContext, type RecordProgress } from './record-context.js';
import { contractsOf } from './record-key.js';
import { RecordLog } from './record-log.js';
import { classifyError, type StepResult } from './steps/classify-error.js';
import { executeStep } from './steps/execute-step.js';
import { releaseNumber, withOwnNumber } from './steps/own-answer.js';
import { reconcileStep, remainingWaitMs } from './steps/reconcile.js';
import { findAccount, NO_NUMBER } from './steps/service-number.js';

/**
 * Advances one record step by step, until it has an outcome or must wait. `record`: the version in the ledger, or version 0 if there
 * is none. Rejects if the ledger fails.
 */
export async function runRecord(
  record: LedgerRecord,
  payload: ImportRecord,
  run: RecordContext,
): Promise<RecordProgress> {
  const { firstAccount, onEvent } = run;
  if (firstAccount === undefined || firstAccount.isOver() || record.kind !== 'account') {
    return new RecordRun(record, payload, run, undefined).advance();
  }
  const watched: RecordContext = {
    ...run,
    onEvent(current, event, before) {
      firstAccount.onEvent(current, event);
      onEvent(current, event, before);
    },
  };
  try {
    return await new RecordRun(record, payload, watched, firstAccount).advance();
  } finally {
    firstAccount.leave(record);
  }
}

/** Advances one record. */
class RecordRun {
  readonly #log: RecordLog;
  readonly #payload: ImportRecord;
  readonly #run: RecordContext;
  readonly #firstAccount: FirstAccount | undefined;
  /** The step whose earlier request may have added its items, so that the service has to check for them. */
  #repeatedStep: Step | undefined;
  /** Steps whose items were compared with each other. */
  readonly #compared = new Set<ItemStep>();
  /** Items in one request, where more were too large. */
  readonly #most = new Map<ItemStep, number>();

  constructor(record: LedgerRecord, payload: ImportRecord, run: RecordContext, firstAccount: FirstAccount | undefined) {
    this.#log = new RecordLog(record, contractsOf(payload), run);
    this.#payload = payload;
    this.#run = run;
    this.#firstAccount = firstAccount;
  }

  async advance(): Promise<RecordProgress> {
    try {
      for (;;) {
        const progress = await this.#advanceOnce();
        if (progress !== undefined) return progress;
      }
    } finally {
      releaseNumber(this.#log.record, this.#run.ledger);
    }
  }

  /** undefined if the record can continue at once. */
  async #advanceOnce(): Promise<RecordProgress | undefined> {
    const { record } = this.#log;
    const next = nextStep(record, this.#payload, this.#run);
    if (next.kind === 'finished') return this.#end();
    const { step } = next;
    if (this.#run.refusedSuppliers?.has(record.supplier)) return this.#stop();
    if (next.kind === 'reconcile') return this.#reconcile(step);
    if (await this.#hasWaitedForFirstAccount(step)) return undefined;
    if (step === 'paymentInstruction' && (await awaitsAccounts(record, this.#payload, this.#run))) {
      return this.#stop({ awaitsAccounts: true });
    }
    return this.#execute(step);
  }

  async #stop(why?: Omit<RecordProgress, 'record'>): Promise<RecordProgress> {
    return { record: await this.#log.store(), ...why };
  }

  #end(): Promise<RecordProgress> {
    this.#log.append({ type: 'ended' });
    return this.#stop();
  }

  async #reconcile(step: Step): Promise<RecordProgress | undefined> {
    const { record } = this.#log;
    const run = this.#run;
    const restMs = remainingWaitMs(step, record, run.inFlight);
    if (restMs > 0) return this.#stop({ waitMs: restMs });
    const ask = () => reconcileStep(step, this.#log.record, this.#payload, run);
    const found = await scheduleUnlessStopping(STATUS_QUERY, ask, run);
    if (found === undefined) return this.#stop();
    if ('failure' in found) this.#log.append(withHost(found.failure, run));
    if ('waitMs' in found) return this.#stop({ waitMs: found.waitMs });
    const event = await withOwnNumber(found.event, this.#log.record, run.ledger);
    this.#log.append(event);
    this.#repeatedStep = step;
    // Its request may take effect later than any rule expects.
    if (event.type === 'intentRevoked' && step === 'process') run.inFlight.unanswered(record);
    return this.#log.record.outcome === null ? undefined : this.#stop();
  }

  /** As the first account the record is dry-run first; after another account was, that is not necessary. Before the wait the halt rules count what it has passed. */
  async #hasWaitedForFirstAccount(step: Step): Promise<boolean> {
    const first = this.#firstAccount;
    const { record } = this.#log;
    if (first === undefined || !isGuarded(step) || first.isOver() || first.isAlone(record)) return false;
    await this.#log.store();
    await first.enter(record);
    return true;
  }

  async #execute(step: Step): Promise<RecordProgress | undefined> {
    const run = this.#run;
    if (isItemStep(step) && this.#rejectRepeated(step)) return undefined;
    // A step that changes nothing needs no intent.
    if (!PURE.has(step)) await this.#storeIntent(step, isItemStep(step) ? this.#nextPart(step) : undefined);
    else await this.#log.store();
    let requests = 0;
    const beforeRequest = async () => {
      requests++;
      await this.#renewIntent();
    };
    const result = withHost(await scheduleStep(step, () => this.#call(step, beforeRequest), run), run);
    const checked =
      result === undefined
        ? undefined
        : decided(await checkIfExists(result, this.#log.record, run), this.#log.record, run);
    const event = await withOwnNumber(checked, this.#log.record, run.ledger);
    // The intent stays, and the next session reconciles the step.
    if (event === undefined) return this.#stop();
    this.#keepIntentOpen(event, step, requests);
    if (event.type === 'intentRevoked') this.#halve(step);
    const isFound = event.type === 'alreadyExists';
    const { record } = this.#log;
    this.#log.append(isFound ? withItems(event, record, this.#payload, run) : event);
    if (event.type === 'noAnswer' && step === 'process') run.inFlight.unanswered(this.#log.record);
    if (event.type === 'stepFailed' || event.type === 'noAnswer') {
      return afterFailure(event, await this.#log.store(), run);
    }
    return this.#log.record.outcome === null ? undefined : this.#stop();
  }

  /**
   * Rejects the items unsent that have the identifier of another one, whatever asks for them. Returns whether there are any. Only the first
   * request of a step may have such items.
   */
  #rejectRepeated(step: ItemStep): boolean {
    if (this.#compared.has(step)) return false;
    this.#compared.add(step);
    const repeated = repeatedItems(step, itemListOf(step, this.#payload), this.#log.record.items[step]);
    if (repeated.length === 0) return false;
    const part = partIn(this.#payload, step);
    const errors = repeated.map(({ position, code }) => ({ code, attr: `${part}.${position}` }));
    this.#log.append({ type: 'stepStarted', step, items: repeated.map(({ position }) => position) });
    this.#log.append({ type: 'stepRejected', step, errors });
    return true;
  }

  #nextPart(step: ItemStep): number[] {
    return nextPart(step, this.#log.record, this.#run).slice(0, this.#most.get(step));
  }

  /** A request of several items was too large, and added none of them: the next one has half of them. */
  #halve(step: Step): void {
    if (isItemStep(step)) this.#most.set(step, Math.ceil(sendingAt(this.#log.record, step).length / 2));
  }

  /** Called when the call may start, which may be long after the intent was stored. */
  async #call(step: Step, beforeRequest: () => Promise<void>): Promise<StepResult> {
    const run = this.#run;
    if (run.refusedSuppliers?.has(this.#log.record.supplier)) {
      throw new CallNotAdmittedError('migration: the supplier is refused.');
    }
    await this.#renewIntent();
    const { record } = this.#log;
    const settings = this.#repeatedStep === 'transactions' ? { ...run, check_previously_added: true } : run;
    const isRepeated = run.inFlight.wasUnanswered(record);
    return executeStep(step, record, this.#payload, settings, { beforeRequest, isRepeated });
  }

  async #storeIntent(step: Step, positions?: readonly number[]): Promise<void> {
    const started: EventOf<'stepStarted'> = { type: 'stepStarted', step };
    if (this.#isUnchecked(step)) started.isOnce = true;
    if (positions !== undefined) started.items = positions;
    this.#log.append(started);
    await this.#log.store();
  }

  /** The quiet time of a request counts from its intent, and the call may have waited long for its slot. */
  async #renewIntent(): Promise<void> {
    const { intent, intentAt } = this.#log.record;
    if (intent !== null && this.#run.inFlight.isStale(intentAt)) await this.#storeIntent(intent);
  }

  /** Whether the service may add transactions that it has. */
  #isUnchecked(step: Step): boolean {
    return (
      step === 'transactions' && this.#repeatedStep !== step && !isSkippedWhereThere(step, this.#payload, this.#run)
    );
  }

  #keepIntentOpen(event: RecordEvent, step: Step, requests: number): void {
    // An earlier request may have added transactions: a session without the check needs this fact.
    const mayHaveAdded =
      step === 'transactions' && !this.#isUnchecked(step) && (this.#repeatedStep === step || requests > 1);
    if (event.type === 'stepFailed' && mayHaveAdded) event.isOpen = true;
  }
}

function afterFailure(
  event: EventOf<'stepFailed' | 'noAnswer'>,
  record: LedgerRecord,
  run: RecordContext,
): RecordProgress {
  // The client repeats the requests of other steps itself.
  if (!SENT_ONCE.has(event.step)) return { record };
  // The cause concerns other records too, or the run is stopping, or a repetition gets the same refusal.
  if (event.type === 'stepFailed' && (event.of !== undefined || event.code === undefined || event.isRefusal))
    return { record };
  const restMs = record.intent === null ? 0 : remainingWaitMs(record.intent, record, run.inFlight);
  return { record, waitMs: restMs, hasFailed: true };
}

/** The client sends each request of these steps once; the run repeats it with a new intent. */
const SENT_ONCE: ReadonlySet<Step> = new Set(['stage', 'process', 'transactions', 'notes']);

/** The step as which a status query is scheduled: it needs no slot of `process`. */
const STATUS_QUERY: Step = 'validate';

/** Returns the result of the call; undefined if the run is stopping, or if the service answered 429. */
async function scheduleUnlessStopping<Result>(
  step: Step,
  call: () => Promise<Result>,
  { schedule }: RecordContext,
): Promise<Result | undefined> {
  try {
    return await schedule(step, call);
  } catch (error) {
    if (error instanceof CallNotAdmittedError || error instanceof RateLimitError) return undefined;
    throw error;
  }
}

/** An intent whose request this session never sent is revoked by `stepFailed`. */
async function scheduleStep(step: Step, call: () => Promise<StepResult>, run: RecordContext): Promise<StepResult> {
  if (step === 'check') return call();
  try {
    return await run.schedule(step, call);
  } catch (error) {
    if (error instanceof CallNotAdmittedError) return { type: 'stepFailed', step, isHeldBack: true };
    if (error instanceof RateLimitError) return classifyError(error, step);
    throw error;
  }
}

/** Rejects a record if a refusal without a field or a known code concerns only this record. */
function decided(event: RecordEvent, record: LedgerRecord, { heldRefusals, firstAccount }: RecordContext): RecordEvent {
  if (event.type === 'stepSucceeded') heldRefusals?.accepted(record, event.step);
  if (event.type !== 'stepFailed' || !event.isRefusal) return event;
  const { step, errors = [], code, status } = event;
  if (event.of === 'address') {
    const isProven = heldRefusals?.isAddressProven ?? firstAccount?.isOver();
    return isProven ? { type: 'stepRejected', step, errors } : event;
  }
  const isOfRecord = heldRefusals?.isOfRecord(record, step) ?? code !== codeOfStatus(status ?? 400);
  return isOfRecord ? { type: 'stepRejected', step, errors, wasHeldBack: true } : event;
}

/** Adds the items to send to an existing account: if the run sends them, and if it is the same account. */
function withItems(
  event: EventOf<'alreadyExists'>,
  { done, items }: LedgerRecord,
  payload: ImportRecord,
  run: RecordContext,
): RecordEvent {
  const isBeforeProcess = done === null || STEPS.indexOf(done) < STEPS.indexOf('process');
  if (!run.addToExisting || !isBeforeProcess || event.isOfAnother) return event;
  const sends = ITEM_STEPS.filter(
    (step) => items[step].length > 0 && (run.addToExisting === 'all' || isSkippedWhereThere(step, payload, run)),
  );
  if (sends.length > 0) event.sends = sends;
  return event;
}

/** Steps that change nothing in the service. */
const PURE: ReadonlySet<Step> = new Set(['check', 'validate', 'dryRun']);

/** Adds the host to a failure with an answer: only a failed connection names its host. */
function withHost<Event extends StepResult>(event: Event, { client }: RecordContext): Event {
  if (event !== undefined && 'status' in event && event.status !== undefined) event.host ??= client.host;
  return event;
}

/**
 * Handles the refusal of an account that exists: deployments refuse it with different codes. If an earlier request of `process` got no
 * answer, it has created the account; otherwise another program did. Without a number, that request may still be running, so nothing is
 * decided yet.
 */
async function checkIfExists(event: RecordEvent, record: LedgerRecord, run: RecordContext): Promise<RecordEvent> {
  const isRefusal = event.type === 'stepRejected' || (event.type === 'stepFailed' && event.isRefusal);
  if (!isRefusal || (event.step !== 'stage' && event.step !== 'process')) return event;
  const { step } = event;
  const account = await findAccount(record, run);
  if (account === undefined || account === 'not answered') return event;
  if (account.number === null) return { type: 'noAnswer', step, code: NO_NUMBER, status: 200 };
  const { number: serviceNumber } = account;
  const isOwn = step === 'process' && run.inFlight.wasUnanswered(record);
  return isOwn ? { type: 'stepSucceeded', step, serviceNumber } : { type: 'alreadyExists', serviceNumber };
}
