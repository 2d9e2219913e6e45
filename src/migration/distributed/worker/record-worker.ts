/**
 * Exports `recordWorker`, which claims records of a distributed run and executes their steps with `runRecord`, as a run on one machine does.
 * It owns a record until that has ended or must wait for long.
 */
import { setTimeout as after } from 'node:timers/promises';
import { type DataImportClient, internalsOf } from '../../../client.js';
import { type LedgerRecord, type RecordKey, StaleRecordError } from '../../ledger/ledger.js';
import { RefusedValueError } from '../../ledger/postgres/database-error.js';
import type { RecordEvent } from '../../record/events/record-event.js';
import type { NextStepSettings } from '../../record/next-step.js';
import { type InFlightRecords, refreshInFlight } from '../../record/preconditions/in-flight-records.js';
import type { RecordContext, RecordProgress } from '../../record/record-context.js';
import { runRecord } from '../../record/run-record.js';
import type { CallSettings } from '../../record/steps/call-settings.js';
import { CannotJoinError } from '../cannot-join.js';
import type { DistributedLedger } from '../ledger/distributed-ledger.js';
import type { ClaimedRecord } from '../ledger/shared-records.js';
import type { FirstAccountOfRun } from '../state/first-account-of-run.js';
import type { Fence } from './fence.js';
import type { WorkerThrottle } from './worker-throttle.js';

interface RecordWorkerOptions {
  client: DataImportClient;
  ledger: DistributedLedger;
  throttle: WorkerThrottle;
  fence: Fence;
  inFlight: InFlightRecords;
  /** Resolves when the ledger has stored how long requests of this process may run. */
  ready: Promise<unknown>;
  /** Settings of the run; the signal is the fence's. */
  settings: Omit<CallSettings & NextStepSettings, 'client' | 'signal'>;
  first: FirstAccountOfRun;
  isWholeInputKnown: () => boolean;
  /** Limit of calls in flight in this process. */
  concurrency: number;
  /** Whether this is the coordinator: if its token is refused, the run halts; another worker only leaves. */
  isCoordinator: boolean;
  now: () => Date;
  onEvent: (record: LedgerRecord, event: RecordEvent) => void;
  onNote: (note: string) => void;
}

/** For a longer wait, the worker releases the record, and the ledger stores when it is due. */
export const LONGEST_REST_MS = 6000;
/** Delay before a record is retried after a failure outside the record. */
export const AFTER_FAILURE_MS = 2000;
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

export type RecordWorker = ReturnType<typeof recordWorker>;

export function recordWorker(options: RecordWorkerOptions) {
  const { client, ledger, throttle, fence, first, inFlight, settings, concurrency, isCoordinator, onNote } = options;
  const broken = new AbortController();
  const ending = new AbortController();
  /** The work on each claimed record. */
  const inHand = new Map<Promise<void>, RecordKey>();
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
    await options.ready;
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
      const claimed = isAccepting()
        ? await ledger.claim(concurrency, [...inHand.values()], await first.mayTake().catch(() => false))
        : [];
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
      // Another worker has the record, and continues it.
      else if (!(error instanceof StaleRecordError)) fail(error);
    }
  }

  async function advance({ record, payload }: ClaimedRecord): Promise<void> {
    if (record.intent !== null) {
      throttle.work.takenOver++;
      // Another worker may have sent its request.
      if (!inFlight.isWaiting(record)) await refreshInFlight(ledger, internalsOf(client).shared.inFlight);
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
      ...{ ...settings, inFlight, client, ledger, now: options.now, signal: ofFence.both },
      firstAccount: first.firstAccount(),
      isWholeInputKnown: options.isWholeInputKnown(),
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
    // A call that the fence aborted is no evidence about the service.
    if (!fence.isOpen()) return;
    const isOfToken = (event.type === 'stepFailed' || event.type === 'reconcileFailed') && event.of === 'token';
    if (!isCoordinator && isOfToken) fail(tokenRefused());
    else throttle.onEvent(record, event);
    options.onEvent(record, event);
  }

  /** The record stays unfinished, and is tried again later. */
  async function drop(record: LedgerRecord, { message }: RefusedValueError): Promise<void> {
    if (++dropped <= MOST_NOTES) onNote(`${message} Records left for that: ${dropped}. The other records continue.`);
    throttle.valueRefused(record.supplier);
    await ledger.release(record, AFTER_REFUSED_VALUE_MS);
  }

  const claiming = claimRepeatedly().catch(fail);
  return {
    /** Rejects if the ledger cannot be used, or the worker must leave; otherwise it never settles. */
    failed,
    /** Returns the number of records that this process works on now. */
    records: () => inHand.size,
    /** Claims no more records. Resolves when its records have ended or are free for other workers. */
    async end(): Promise<void> {
      ending.abort();
      onRoom();
      await claiming;
      while (inHand.size > 0) await Promise.all(inHand.keys());
    },
    /** Aborts calls in flight. */
    breakOff: () => broken.abort(),
  };
}

function tokenRefused(): CannotJoinError {
  return new CannotJoinError(
    'the service does not accept the token of this worker, so it leaves; the other workers continue. Start it with a valid token.',
    'notAccepted',
  );
}
