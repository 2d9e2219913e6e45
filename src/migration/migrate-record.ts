/**
 * Exports `migrateRecord`, which imports one record, for programs that distribute records themselves: an activity of a workflow
 * engine, a consumer of a queue. It uses the same functions as a worker of a distributed run.
 */
import { Callbacks } from '../callbacks.js';
import { type DataImportClient, internalsOf } from '../client.js';
import { RateLimitError } from '../errors/api-errors.js';
import { withSignal } from '../http/time/cancellation.js';
import { sleep } from '../http/time/delay.js';
import { checkOptionKinds, machineNow, type OptionKinds } from '../validation/option-kinds.js';
import type { ImportRecord } from '../validation/records/import-record.js';
import { recordItem } from './input/text/parse-record.js';
import { type Ledger, type LedgerRecord, StaleRecordError } from './ledger/ledger.js';
import { differenceOf, pathsOf } from './record/changed-and-removed.js';
import { causeOf, type FailureCause, isFailure, type NotAccepted } from './record/events/record-event.js';
import { existsOnService, unknownSteps } from './record/events/record-state.js';
import { isOver } from './record/is-over.js';
import { itemsIn, matched } from './record/items/item-states.js';
import { isHeldBack } from './record/items-to-send-again.js';
import { type ResumedRecord, resumeRecord } from './record/line-of-known-record.js';
import { type Fence, fenceOf, watchSending } from './record/preconditions/contact-with-ledger.js';
import { needsDryRun } from './record/preconditions/dry-run.js';
import { InFlightRecords, refreshInFlight, rememberInFlight } from './record/preconditions/quiet-time.js';
import { AFTER_FAILURE_MS, LONGEST_REST_MS, type RecordContext, type RecordProgress } from './record/record-context.js';
import { keyOf } from './record/record-key.js';
import { runRecord } from './record/run-record.js';
import { checkDryRun, checkSteps, STEP_KINDS, type StepOptions, settingsOf } from './record/steps/call-settings.js';
import { remainingWaitMs } from './record/steps/reconcile.js';
import { hintOf } from './report/summary/error-groups.js';
import { howToResolveStep, remedyOf } from './report/summary/remedies.js';
import type { MigrationOptions } from './run/options.js';
import { newRecord } from './run/process-line.js';
import type { ReadLine } from './run/run-context.js';
import { causeInWords, expectOpen } from './shared/connection-failure.js';
import { digestsOf } from './shared/content-digests.js';
import { firstInWords, spaced } from './shared/format.js';

/** Options of `migrateRecord`. */
export interface MigrateRecordOptions
  extends StepOptions,
    Pick<MigrationOptions, 'client' | 'team' | 'profile' | 'showPersonalData' | 'signal' | 'onEvent'> {
  /**
   * Stores the state of each record. All processes of one migration share one ledger: on PostgreSQL each process opens it with
   * `postgresLedger({ connectionString, shared: true })`.
   */
  ledger: Ledger;
  /**
   * Accounts that are dry-run before they are processed: none, all, or every Nth.
   * @default 'none'
   */
  dryRun?: 'none' | 'all' | number | undefined;
}

const KINDS: OptionKinds<MigrateRecordOptions> = {
  ...STEP_KINDS,
  client: 'client',
  team: 'name',
  profile: 'object?',
  showPersonalData: 'boolean?',
  signal: 'signal?',
  onEvent: 'function?',
  ledger: 'ledger',
  dryRun: 'any?',
};

/** Why a record waits. */
export type WaitingReason =
  /** Its last request got no answer and may still be running at the service. */
  | 'inFlight'
  /** The service answered 429; nothing was done. */
  | 'throttled'
  /** A call failed and may be repeated; `failure` says how. */
  | 'failed'
  /** Another call works on the record. */
  | 'taken'
  /** The business that declares its contract is in the ledger and not imported yet. */
  | 'business'
  /** Its payment instructions name accounts that are not imported yet. */
  | 'accounts';

/** Why a record is incomplete. */
export type IncompleteReason =
  /** The service does not accept the token, the import supplier, the team or the address: `failure.of`. It concerns all records. */
  | 'notAccepted'
  /** The local check or the service rejected it: `record.errors`. */
  | 'rejected'
  /** A request may have taken effect, and the service cannot answer whether it did: `record.unknown`. */
  | 'unknown'
  /** It exists, and items of it were rejected or not sent: `record.errors`. */
  | 'items'
  /** It exists, and was created from other data than the given record. */
  | 'changed'
  /** The business that declares its contract was rejected, or its outcome is unknown. */
  | 'business';

/** The last failed call of a record, with its cause. */
export interface RecordFailure extends FailureCause {
  /** What the service does not accept. */
  of?: NotAccepted;
}

/** Result of `migrateRecord`. `record` is its state in the ledger, without its payload. */
export type MigratedRecord =
  /** The service has the record and its items: `record.serviceNumber`. A further call sends nothing. */
  | { state: 'complete'; record: LedgerRecord }
  /** Call again with the same record, `retryAfterMs` milliseconds (a whole number) later at the earliest. */
  | {
      state: 'waiting';
      reason: WaitingReason;
      record: LedgerRecord;
      retryAfterMs: number;
      failure: RecordFailure | undefined;
    }
  /** A person must act. `problem` says what and why, with the number of the record, codes and paths, and without values. */
  | {
      state: 'incomplete';
      reason: IncompleteReason;
      record: LedgerRecord;
      problem: string;
      failure: RecordFailure | undefined;
    };

/**
 * Sends the remaining requests of one record, and returns when it has an outcome or must wait. The intent of each
 * request that must not be repeated blindly is stored in the ledger before it is sent. A call that finds the intent
 * of another call (for example of a process that was killed) waits for the quiet time. Then it asks the service, and sends
 * the request again only if the service does not have the account; where the service cannot tell, the outcome is unknown, until the
 * other call gets its answer after all. It is safe to call it any number of times with the
 * same record, also in several processes at the same time: the record is created once.
 *
 * The caller limits concurrency and repeats calls. Call it once for each business before the first account: the ledger then has the
 * businesses, and an account waits for its business. An invalid record is no error: it is `incomplete`. Rejects with a `TypeError` if the
 * argument is not a record or has no supplier or number, with one or a `RangeError` for an invalid option, and with a `LedgerDatabaseError` or similar if the ledger fails, with an `Error` if the client is closed, also meanwhile. The record then
 * is as the ledger has it: call again.
 *
 * @example
 * const record = { account: { import_supplier: 'ACME', external_account_number: 'A-1' } };
 * const migrated = await migrateRecord(record, { client, ledger, team: 'EAST' });
 * if (migrated.state === 'complete') console.log(migrated.record.serviceNumber);
 * else if (migrated.state === 'waiting') console.log(`call again after ${migrated.retryAfterMs} ms`);
 * else console.log(migrated.problem);
 */
export async function migrateRecord(record: ImportRecord, options: MigrateRecordOptions): Promise<MigratedRecord> {
  const line = lineOf(record);
  checkOptionKinds('migrateRecord', options, KINDS);
  checkSteps(options);
  checkDryRun(options.dryRun ?? 'none', 'none, all');
  const { ledger, client } = options;
  expectOpen('migrateRecord', client);
  const session = sessionOf(ledger, client);
  const callbacks = new Callbacks();
  const leave = await session.enter();
  try {
    const migrated = await advance(line, { ...options, onEvent: callbacks.watched(options.onEvent) }, session);
    await callbacks.settled();
    return migrated;
  } catch (error) {
    if (!(error instanceof StaleRecordError)) throw error;
    const current = (await ledger.find(line.key)) ?? newRecord(line);
    return waiting('taken', current, AFTER_FAILURE_MS);
  } finally {
    leave();
  }
}

async function advance(line: ReadLine, options: MigrateRecordOptions, session: Session): Promise<MigratedRecord> {
  const { payload, key } = line;
  const { client, ledger, team, profile, showPersonalData, onEvent = () => {}, dryRun = 'none' } = options;
  const { inFlight, fence } = session;
  const signal = AbortSignal.any([fence.signal(), ...(options.signal === undefined ? [] : [options.signal])]);
  let failure: RecordFailure | undefined;
  let throttledMs: number | undefined;
  const run: RecordContext = {
    ...settingsOf(options),
    ...{ client, ledger, team, profile, showPersonalData, signal, inFlight, now },
    dryRun: needsDryRun(dryRun),
    async schedule(_step, call) {
      try {
        return await fence.send(call);
      } catch (error) {
        if (error instanceof RateLimitError) throttledMs = error.retryAfterMs ?? AFTER_FAILURE_MS;
        throw error;
      }
    },
    onEvent(changed, event, before) {
      if (isFailure(event)) failure = causeOf(event);
      onEvent(changed, event, before);
    },
  };
  const known = await ledger.find(key);
  // Another process may have sent its request, and may allow its requests more time.
  if (known !== undefined && known.intent !== null) await refreshInFlight(ledger, internalsOf(client).shared.inFlight);
  const resume = (record: LedgerRecord): Promise<ResumedRecord> =>
    resumeRecord(record, { ...line, isRetried: false }, run);
  let resumed: ResumedRecord =
    known === undefined ? { record: newRecord(line, options), state: 'continues' } : await resume(known);
  // Inside of this call: another process would begin again to wait for two answers.
  while (resumed.state === 'waits' && failure === undefined && isShort(resumed.waitMs) && !signal.aborted) {
    await rest(resumed.waitMs, signal);
    resumed = await resume(resumed.record);
  }
  if (resumed.state === 'waits')
    return waiting('inFlight', resumed.record, resumed.waitMs ?? AFTER_FAILURE_MS, failure);
  let current = resumed.record;
  const changed = resumed.state === 'changed' ? line : undefined;
  if (current.outcome !== null) return ended(current, changed);
  if (changed !== undefined && isHeldBack(current, { isRetried: false, ...line }, run)) {
    return incomplete('changed', current, 'it exists, and was created for another customer than that of this record');
  }
  const business = current.contract === null ? undefined : await ledger.business(current.supplier, current.contract);
  if (business !== undefined && !existsOnService(business)) {
    if (business.outcome === null) return waiting('business', current, AFTER_FAILURE_MS);
    return incomplete(
      'business',
      current,
      `its business ${business.number} is ${business.outcome}. Correct or resolve it, and import it first`,
    );
  }
  for (;;) {
    const progress: RecordProgress = await runRecord(current, payload, run);
    current = progress.record;
    if (current.outcome !== null) return ended(current, changed);
    if (progress.awaitsAccounts) return waiting('accounts', current, AFTER_FAILURE_MS);
    if (throttledMs !== undefined) return waiting('throttled', current, throttledMs, failure);
    if (failure?.of !== undefined) {
      return incomplete('notAccepted', current, `the service does not accept the ${failure.of}`, failure);
    }
    const restMs = progress.waitMs ?? (current.intent && remainingWaitMs(current.intent, current, inFlight)) ?? 0;
    const reason = current.intent === null ? 'failed' : 'inFlight';
    const continues = isShort(progress.waitMs) && !progress.hasFailed && !signal.aborted;
    if (!continues) return waiting(reason, current, Math.max(restMs, AFTER_FAILURE_MS), failure);
    await rest(restMs, signal);
  }
}

/** Resolves after the time, or when the signal aborts. */
function rest(ms: number, signal: AbortSignal): Promise<void> {
  return withSignal(signal, (wait) => sleep(Math.max(1, ms), wait));
}

/** Whether this call waits so long itself. */
function isShort(waitMs: number | undefined): waitMs is number {
  return waitMs !== undefined && waitMs <= LONGEST_REST_MS;
}

function waiting(
  reason: WaitingReason,
  record: LedgerRecord,
  retryAfterMs: number,
  failure?: RecordFailure,
): MigratedRecord {
  if (failure?.isFinal) throw new Error(`migrateRecord: ${causeInWords(failure)}.`);
  return { state: 'waiting', reason, record, retryAfterMs: Math.ceil(retryAfterMs), failure };
}

/** `changed`: the record, if it differs from the one that exists. */
function ended(record: LedgerRecord, changed: ReadLine | undefined): MigratedRecord {
  const { outcome } = record;
  if (outcome === 'unknown') {
    const steps = [...unknownSteps(record)];
    const how = steps.slice(0, 1).map(howToResolveStep);
    return incomplete(
      'unknown',
      record,
      [`the outcome of ${steps.map(spaced).join(', ')} is unknown`, ...how].join('. '),
    );
  }
  if (outcome === 'rejected') return incomplete(outcome, record, `rejected: ${errorsIn(record)}`);
  if (changed !== undefined) return incomplete('changed', record, differenceInWords(record, changed));
  if (isOver(record)) return { state: 'complete', record };
  return incomplete('items', record, `it exists, and not all items are confirmed: ${errorsIn(record)}`);
}

function differenceInWords(record: LedgerRecord, line: ReadLine): string {
  const items = matched(record.items, itemsIn(line.payload));
  const { paths, added, removed } = pathsOf(differenceOf(record, line, items));
  const parts = [...added.map((part) => `new ${part}`), ...removed.map((part) => `${part} that it lacks`)];
  const what = firstInWords([...paths, ...parts], MOST_ERRORS);
  return `it exists, and was created from other data than this record (${what}). Give it as it was, or ask the operator to change what exists`;
}

function incomplete(
  reason: IncompleteReason,
  record: LedgerRecord,
  why: string,
  failure?: RecordFailure,
): MigratedRecord {
  return { state: 'incomplete', reason, record, problem: `${record.kind} ${record.number}: ${why}`, failure };
}

/** Most errors or differences of a record that its problem names. */
const MOST_ERRORS = 3;

function errorsIn({ errors }: LedgerRecord): string {
  const named = errors.map(
    ({ step, code, attr, didYouMean }) => [step, code, attr].filter(Boolean).join(' ') + hintOf(didYouMean),
  );
  const remedies = errors.slice(0, 1).map(({ code }) => remedyOf(code));
  return [firstInWords(named, MOST_ERRORS), ...remedies].join('. ');
}

/** Throws a `TypeError` if it is not a record. The message quotes no value of it. */
function lineOf(record: ImportRecord): ReadLine {
  const item = recordItem('record', 1, record);
  const read = item.read();
  if ('problem' in read) throw new TypeError(`migrateRecord: ${read.problem.detail}`);
  const key = keyOf(read.record);
  if (key === undefined) {
    throw new TypeError(
      'migrateRecord: the record has no import supplier or no external number, so the ledger cannot store it. Add both.',
    );
  }
  return { item, payload: read.record, key, contentHash: digestsOf(read.record, key.number) };
}

/** State that all records of one client and one ledger share. */
interface Session {
  inFlight: InFlightRecords;
  fence: Fence;
  /** Resolves when this process has contact to the ledger, with the function that ends the use. */
  enter(): Promise<() => void>;
}

const BEAT_EVERY_MS = 1000;
const now = machineNow;
const sessions = new WeakMap<Ledger, WeakMap<DataImportClient, Session>>();

function sessionOf(ledger: Ledger, client: DataImportClient): Session {
  const ofLedger = sessions.get(ledger) ?? new WeakMap<DataImportClient, Session>();
  sessions.set(ledger, ofLedger);
  const session = ofLedger.get(client) ?? createSession(ledger, client);
  ofLedger.set(client, session);
  return session;
}

function createSession(ledger: Ledger, client: DataImportClient): Session {
  const fence = fenceOf(internalsOf(client).shared);
  let remembering: Promise<() => void> | undefined;
  let users = 0;
  let timer: NodeJS.Timeout | undefined;
  let stopWatching = (): void => {};
  const beat = async (): Promise<void> => {
    const answered = fence.contact();
    await ledger.fact('contact');
    answered();
  };
  const learned = () => void remembering?.then((store) => store()).catch(() => {});
  return {
    inFlight: new InFlightRecords(internalsOf(client).shared.inFlight, now),
    fence,
    async enter() {
      await beat();
      remembering ??= rememberInFlight(ledger, internalsOf(client).shared.inFlight);
      await remembering.catch((error: unknown) => {
        remembering = undefined;
        throw error;
      });
      if (users++ === 0) {
        timer = setInterval(() => void beat().catch(() => {}), BEAT_EVERY_MS);
        stopWatching = watchSending(client, fence, learned);
      }
      return () => {
        if (--users > 0) return;
        clearInterval(timer);
        stopWatching();
      };
    },
  };
}
