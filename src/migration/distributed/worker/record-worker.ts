/**
 * Exports `takePart`, the work of one process of a distributed run. It claims records and executes their steps with `runRecord`, as a run on
 * one machine does. It owns a record until that has ended or must wait for long.
 */
import { setTimeout as after } from 'node:timers/promises';
import { type DataImportClient, internalsOf } from '../../../client.js';
import { defineProfile, type Profile } from '../../../validation/profile.js';
import { type LedgerRecord, type RecordKey, StaleRecordError } from '../../ledger/ledger.js';
import { RefusedValueError } from '../../ledger/postgres/database-error.js';
import type { RecordEvent } from '../../record/events/record-event.js';
import { fenceOf, watchSending } from '../../record/preconditions/contact-with-ledger.js';
import { needsDryRun } from '../../record/preconditions/dry-run.js';
import { createFirstAccount, storeAcceptedTeam } from '../../record/preconditions/first-account.js';
import { InFlightRecords, refreshInFlight, rememberInFlight } from '../../record/preconditions/quiet-time.js';
import {
  AFTER_FAILURE_MS,
  LONGEST_REST_MS,
  type RecordContext,
  type RecordProgress,
} from '../../record/record-context.js';
import { runRecord } from '../../record/run-record.js';
import { causeInWords } from '../../shared/connection-failure.js';
import { machineClock } from '../../throttle/clock.js';
import { CannotJoinError } from '../cannot-join.js';
import type { Joined } from '../ledger/distributed-ledger.js';
import type { ClaimedRecord } from '../ledger/shared-records.js';
import type { RunSettings, RunState } from '../state/run-state.js';
import { workerThrottle } from './worker-throttle.js';

export interface WorkOptions {
  client: DataImportClient;
  settings: RunSettings;
  /** Limit of calls in flight in this process. */
  concurrency: number;
  /** Whether this is the coordinator: if its token is refused, the run halts; another worker only leaves. */
  isCoordinator: boolean;
  /** Whether this process works on records; otherwise it only reads the input. */
  works: boolean;
  /**
   * The clock that dates intents.
   * @default that of the database: another worker may take over the record
   */
  now?: (() => Date) | undefined;
  onEvent: (record: LedgerRecord, event: RecordEvent) => void;
  onNote: (note: string) => void;
}

/** Delay before a record is tried again of which the database refused a value. */
const AFTER_REFUSED_VALUE_MS = 20_000;
/**
 * Records of this worker for each allowed call in flight: while some wait for the disk or for a slot, others call. More would leave more
 * intents after a kill, and each of them waits for the quiet time.
 */
const RECORDS_PER_CALL = 2;
/** Delay after a query that found no due record, or while no call may start. */
const BETWEEN_CLAIMS_MS = 250;
const MOST_NOTES = 100;

const CUT_OFF =
  'no contact to the ledger for too long: calls in flight are aborted, and other workers may take over the records.';

const TOKEN_REFUSED =
  'the service does not accept the token of this worker, so it leaves; the other workers continue. Start it with a valid token.';

export type Work = ReturnType<typeof takePart>;

/** Starts the throttle, with its reports, and the work on records. */
export function takePart({ ledger, state }: Joined, options: WorkOptions) {
  const { client, settings, concurrency, isCoordinator, works, onNote } = options;
  const { now = () => new Date(state.now()) } = options;
  const { shared } = internalsOf(client);
  const { workerId } = ledger;
  /** The work on each claimed record. */
  const inHand = new Map<Promise<void>, RecordKey>();
  const records = () => inHand.size;
  const fence = fenceOf(shared, () => onNote(CUT_OFF));
  const throttle = workerThrottle({
    ...{ state, workerId, client, concurrency, fence, isCoordinator, records, clock: machineClock },
  });
  const ready = rememberInFlight(ledger, shared.inFlight);
  // The first call that needs it rejects.
  ready.catch(() => {});
  const learn = () => void ready.then((learned) => learned());
  const stopWatching = watchSending(client, fence, learn, ({ operation, status, durationMs }) => {
    if (fence.isOpen()) throttle.onResponse({ operation, status, latencyMs: durationMs });
  });
  const { team } = settings;
  const accepted = (now: RunState) => (now.settings.team === team ? { ...now, isTeamAccepted: true } : now);
  const firstAccount = createFirstAccount({
    onAccepted() {
      storeAcceptedTeam(ledger, team).catch(() => {});
      state.apply(accepted);
      void throttle.reportNow();
    },
  });
  const openIfAccepted = (now: RunState | undefined) => now?.isTeamAccepted && firstAccount.open();
  const stopOpening = state.onChange(openIfAccepted);
  openIfAccepted(state.current());
  const ofRun = {
    ...settings,
    firstAccount,
    dryRun: needsDryRun(settings.dryRun, firstAccount),
    profile: settings.profile === null ? undefined : defineProfile(settings.profile as Profile),
  };
  const inFlight = new InFlightRecords(shared.inFlight, now);
  const broken = new AbortController();
  const ending = new AbortController();
  let fail: (error: unknown) => void = () => {};
  const failed = new Promise<never>((_, reject) => {
    fail = reject;
  });
  failed.catch(() => {});
  /** Resolves the wait for room, once a record has ended. */
  let onRoom = () => {};
  let dropped = 0;
  /** One signal for all records while the fence stays open. */
  let ofFence = { signal: undefined as AbortSignal | undefined, both: broken.signal };

  const isAccepting = () =>
    throttle.isAccepting() && !broken.signal.aborted && !ending.signal.aborted && fence.isOpen();

  async function claimRepeatedly(): Promise<void> {
    const most = RECORDS_PER_CALL * concurrency;
    await ready;
    // From now on the other workers see it.
    await throttle.reportNow();
    while (!ending.signal.aborted) {
      if (most - inHand.size < concurrency) {
        await new Promise<void>((resolve) => {
          onRoom = resolve;
        });
        continue;
      }
      // No more at a time, so that workers that begin together share the records.
      const claimed = isAccepting() ? await ledger.claim(concurrency, [...inHand.values()]) : [];
      for (const one of claimed) begin(one);
      if (claimed.length === 0) await after(BETWEEN_CLAIMS_MS, undefined, { signal: ending.signal }).catch(() => {});
    }
  }

  function begin(claimed: ClaimedRecord): void {
    const work = handle(claimed).finally(() => {
      inHand.delete(work);
      onRoom();
    });
    inHand.set(work, claimed.record);
  }

  /** Never rejects. */
  async function handle(claimed: ClaimedRecord): Promise<void> {
    const { record } = claimed;
    try {
      // Otherwise the record is due for another worker, or for the next session.
      if (isAccepting()) await advance(claimed);
      else await ledger.release(record, 0);
    } catch (error) {
      if (error instanceof RefusedValueError) await drop(record, error).catch(fail);
      // Another worker has the record, and continues it. If it had ended, until the answer that this one stored, it is free for any.
      else if (error instanceof StaleRecordError) await ledger.release(record, 0).catch(fail);
      else fail(error);
    }
  }

  async function advance({ record, payload }: ClaimedRecord): Promise<void> {
    if (record.intent !== null) {
      throttle.work.takenOver++;
      // Another worker may have sent its request.
      if (!inFlight.isWaiting(record)) await refreshInFlight(ledger, shared.inFlight);
    }
    for (let current = record; ; ) {
      const progress = await runRecord(current, payload, context());
      current = progress.record;
      if (current.outcome !== null) return;
      const { waitMs = Number.POSITIVE_INFINITY, hasFailed } = progress;
      const isKept = waitMs <= LONGEST_REST_MS && !hasFailed;
      if (isKept) await throttle.sleep(waitMs);
      if (isKept && isAccepting()) continue;
      return ledger.release(current, progress.awaitsAccounts ? null : isKept ? 0 : restMs(progress));
    }
  }

  function context(): RecordContext {
    const signal = fence.signal();
    if (ofFence.signal !== signal) ofFence = { signal, both: AbortSignal.any([signal, broken.signal]) };
    return {
      ...{ ...ofRun, inFlight, client, ledger, now, signal: ofFence.both },
      isWholeInputKnown: state.current()?.isWholeInputKnown === true,
      schedule: (step, call) => throttle.schedule(step, () => fence.send(call)),
      onEvent: observe,
    };
  }

  function restMs({ waitMs = 0, hasFailed, record }: RecordProgress): number {
    // A delayed record is due at once: for another worker, or for the next session.
    if (!isAccepting()) return 0;
    if (hasFailed) return Math.max(waitMs, AFTER_FAILURE_MS);
    return record.intent === null ? AFTER_FAILURE_MS : Math.max(waitMs, 1);
  }

  function observe(record: LedgerRecord, event: RecordEvent): void {
    const isOfToken = (event.type === 'stepFailed' || event.type === 'reconcileFailed') && event.of === 'token';
    const isFinal = 'isFinal' in event && event.isFinal;
    if (!isCoordinator && isOfToken) fail(new CannotJoinError(TOKEN_REFUSED, 'notAccepted'));
    else if (!isCoordinator && isFinal)
      fail(new Error(`${causeInWords(event)}. This worker leaves; the others continue.`));
    else throttle.onEvent(record, event);
    options.onEvent(record, event);
  }

  /** The record stays unfinished, and is tried again later. */
  async function drop(record: LedgerRecord, { message }: RefusedValueError): Promise<void> {
    if (++dropped <= MOST_NOTES) onNote(`${message} Records left for that: ${dropped}. The other records continue.`);
    throttle.valueRefused(record.supplier);
    await ledger.release(record, AFTER_REFUSED_VALUE_MS);
  }

  const claiming = works ? claimRepeatedly().catch(fail) : undefined;

  async function endOnce(): Promise<void> {
    stopOpening();
    ending.abort();
    onRoom();
    await claiming;
    while (inHand.size > 0) await Promise.all(inHand.keys());
    stopWatching();
    await throttle.close();
  }
  let ended: Promise<void> | undefined;
  return {
    ...{ throttle, fence, isReachable: state.isReachable },
    /** Returns the number of records that this process works on now. */
    records,
    /** Returns the counts of this process. */
    done: () => ({ ...throttle.work }),
    /** Rejects if the ledger cannot be used, or the worker must leave; otherwise it never settles. */
    failed,
    /** Aborts calls in flight. */
    breakOff: () => broken.abort(),
    /** Takes no more records. Resolves when its records have ended or are free for other workers. */
    end(): Promise<void> {
      ended ??= endOnce();
      return ended;
    },
  };
}
