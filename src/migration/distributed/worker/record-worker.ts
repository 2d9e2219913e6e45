/**
 * Exports `RecordWorker`, which claims records of a distributed run and executes their steps with `runRecord`, as a run on one machine does.
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
import type { ClaimedRecord } from '../ledger/due-records.js';
import type { FirstAccountOfRun } from '../state/first-account-of-run.js';
import type { Fence } from './fence.js';
import type { WorkerThrottle } from './worker-throttle.js';

export interface RecordWorkerOptions {
  client: DataImportClient;
  ledger: DistributedLedger;
  throttle: WorkerThrottle;
  fence: Fence;
  inFlight: InFlightRecords;
  /** Resolves when the ledger has stored how long requests of this process may run. */
  ready: Promise<unknown>;
  /** Settings of the run; the signal is the fence's. */
  settings: Omit<CallSettings & NextStepSettings, 'client' | 'signal'>;
  first: Pick<FirstAccountOfRun, 'firstAccount' | 'mayTake'>;
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

export class RecordWorker {
  /** Rejects if the ledger cannot be used, or the worker must leave; otherwise it never settles. */
  readonly failed: Promise<never>;
  readonly #options: RecordWorkerOptions;
  readonly #broken = new AbortController();
  readonly #ending = new AbortController();
  /** The work on each claimed record. */
  readonly #inHand = new Map<Promise<void>, RecordKey>();
  readonly #claiming: Promise<void>;
  #fail: (error: unknown) => void = () => {};
  /** Resolves the wait for room, once a record has ended. */
  #onRoom = (): void => {};
  #dropped = 0;
  /** One signal for all records while the fence stays open. */
  #signal = { of: undefined as AbortSignal | undefined, value: this.#broken.signal };

  constructor(options: RecordWorkerOptions) {
    this.#options = options;
    this.failed = new Promise<never>((_, reject) => {
      this.#fail = reject;
    });
    this.failed.catch(() => {});
    this.#claiming = this.#claimRepeatedly().catch((error: unknown) => this.#fail(error));
  }

  /** Returns the number of records that this process works on now. */
  records(): number {
    return this.#inHand.size;
  }

  /** Claims no more records. Resolves when its records have ended or are free for other workers. */
  async end(): Promise<void> {
    this.#ending.abort();
    this.#onRoom();
    await this.#claiming;
    while (this.#inHand.size > 0) await Promise.all(this.#inHand.keys());
  }

  /** Aborts calls in flight. */
  breakOff(): void {
    this.#broken.abort();
  }

  async #claimRepeatedly(): Promise<void> {
    const { ledger, ready, concurrency, first, throttle } = this.#options;
    const { signal } = this.#ending;
    const most = RECORDS_PER_CALL * concurrency;
    await ready;
    // From now on the other workers see it.
    await throttle.reportNow();
    while (!signal.aborted) {
      const room = most - this.#inHand.size;
      if (room < concurrency) {
        await new Promise<void>((resolve) => {
          this.#onRoom = resolve;
        });
        continue;
      }
      // No more at a time, so that workers that begin together share the records.
      const claimed = this.#isAccepting()
        ? await ledger.claim(concurrency, [...this.#inHand.values()], await first.mayTake().catch(() => false))
        : [];
      for (const one of claimed) this.#begin(one);
      if (claimed.length === 0) await rest(BETWEEN_CLAIMS_MS, signal);
    }
  }

  #begin(claimed: ClaimedRecord): void {
    const work = this.#handle(claimed).finally(() => {
      this.#inHand.delete(work);
      this.#onRoom();
    });
    this.#inHand.set(work, claimed.record);
  }

  /** Never rejects. */
  async #handle(claimed: ClaimedRecord): Promise<void> {
    const { ledger } = this.#options;
    const { record } = claimed;
    try {
      // Otherwise the record is due for another worker, or for the next session.
      if (this.#isAccepting()) await this.#advance(claimed);
      else await ledger.release(record, 0);
    } catch (error) {
      if (error instanceof RefusedValueError) await this.#drop(record, error).catch(this.#fail);
      // Another worker has the record, and continues it.
      else if (!(error instanceof StaleRecordError)) this.#fail(error);
    }
  }

  async #advance({ record, payload }: ClaimedRecord): Promise<void> {
    const { ledger, throttle, inFlight, client } = this.#options;
    if (record.intent !== null) {
      throttle.work.takenOver++;
      // Another worker may have sent its request.
      if (!inFlight.isWaiting(record)) await refreshInFlight(ledger, internalsOf(client).shared.inFlight);
    }
    for (let current = record; ; ) {
      const progress = await runRecord(current, payload, this.#context());
      current = progress.record;
      if (current.outcome !== null) return;
      const { waitMs = Number.POSITIVE_INFINITY, hasFailed } = progress;
      const isKept = waitMs <= LONGEST_REST_MS && !hasFailed;
      if (isKept) await throttle.sleep(waitMs);
      if (isKept && this.#isAccepting()) continue;
      return ledger.release(current, progress.awaitsAccounts ? null : isKept ? 0 : this.#restMs(progress));
    }
  }

  #context(): RecordContext {
    const { settings, throttle, fence, inFlight, client, ledger, now, first, isWholeInputKnown } = this.#options;
    return {
      ...{ ...settings, inFlight, client, ledger, now, signal: this.#currentSignal() },
      firstAccount: first.firstAccount,
      isWholeInputKnown: isWholeInputKnown(),
      schedule: (step, call) => throttle.schedule(step, () => fence.send(call)),
      onEvent: (changed, event) => this.#observe(changed, event),
    };
  }

  #isAccepting(): boolean {
    const { throttle, fence } = this.#options;
    return throttle.isAccepting() && !this.#broken.signal.aborted && !this.#ending.signal.aborted && fence.isOpen();
  }

  #restMs({ waitMs = 0, hasFailed, record }: RecordProgress): number {
    // A delayed record is due at once: for another worker, or for the next session.
    if (!this.#isAccepting()) return 0;
    if (hasFailed) return Math.max(waitMs, AFTER_FAILURE_MS);
    return record.intent === null ? AFTER_FAILURE_MS : Math.max(waitMs, 1);
  }

  #currentSignal(): AbortSignal {
    const of = this.#options.fence.signal();
    if (this.#signal.of !== of) this.#signal = { of, value: AbortSignal.any([of, this.#broken.signal]) };
    return this.#signal.value;
  }

  #observe(record: LedgerRecord, event: RecordEvent): void {
    const { fence, throttle, isCoordinator, onEvent } = this.#options;
    // A call that the fence aborted is no evidence about the service.
    if (!fence.isOpen()) return;
    const isOfToken = (event.type === 'stepFailed' || event.type === 'reconcileFailed') && event.of === 'token';
    if (!isCoordinator && isOfToken) this.#fail(tokenRefused());
    else throttle.onEvent(record, event);
    onEvent(record, event);
  }

  /** The record stays unfinished, and is tried again later. */
  async #drop(record: LedgerRecord, { message }: RefusedValueError): Promise<void> {
    const { onNote, throttle, ledger } = this.#options;
    if (++this.#dropped <= MOST_NOTES) {
      onNote(`${message} Records left for that: ${this.#dropped}. The other records continue.`);
    }
    throttle.valueRefused(record.supplier);
    await ledger.release(record, AFTER_REFUSED_VALUE_MS);
  }
}

/** Resolves after `ms` milliseconds, or when the signal aborts. */
async function rest(ms: number, signal: AbortSignal): Promise<void> {
  await after(ms, undefined, { signal }).catch(() => {});
}

function tokenRefused(): CannotJoinError {
  return new CannotJoinError(
    'the service does not accept the token of this worker, so it leaves; the other workers continue. Start it with a valid token.',
    'notAccepted',
  );
}
