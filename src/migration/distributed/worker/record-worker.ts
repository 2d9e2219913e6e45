/**
 * Exports `RecordWorker`, which takes jobs from the work queue and executes the steps of their records with `runRecord`. A job of the
 * queue `free` stops before the `process` call, which needs a slot of the queue `process`. The worker that processed an account also
 * sends its items, after it has returned the slot.
 */
import { setTimeout as after } from 'node:timers/promises';
import { type DataImportClient, internalsOf } from '../../../client.js';
import { RateLimitError } from '../../../errors/api-errors.js';
import type { ImportRecord } from '../../../validation/records/import-record.js';
import { type LedgerRecord, StaleRecordError } from '../../ledger/ledger.js';
import { RefusedValueError } from '../../ledger/postgres/database-error.js';
import type { RecordEvent } from '../../record/events/record-event.js';
import type { NextStepSettings } from '../../record/next-step.js';
import { type InFlightRecords, refreshInFlight } from '../../record/preconditions/in-flight-records.js';
import { CallNotAdmittedError, type RecordContext, type RecordProgress } from '../../record/record-context.js';
import { runRecord } from '../../record/run-record.js';
import type { CallSettings } from '../../record/steps/call-settings.js';
import { isProcessingStep } from '../../throttle/processing.js';
import { CannotJoinError } from '../cannot-join.js';
import type { DistributedLedger } from '../ledger/distributed-ledger.js';
import type { LoadedRecord } from '../ledger/due-records.js';
import type { Consumer, JobEnd, RecordJob } from '../queue/queue-consumer.js';
import type { QueueName, WorkQueue } from '../queue/work-queue.js';
import type { FirstAccountOfRun } from '../state/first-account-of-run.js';
import type { Fence } from './fence.js';
import type { WorkerThrottle } from './worker-throttle.js';

export interface RecordWorkerOptions {
  client: DataImportClient;
  ledger: DistributedLedger;
  queue: Pick<WorkQueue, 'add' | 'consume'>;
  throttle: WorkerThrottle;
  fence: Fence;
  inFlight: InFlightRecords;
  /** Resolves when the ledger has stored how long requests of this process may run. */
  ready: Promise<unknown>;
  /** Settings of the run; the signal is the fence's. */
  settings: Omit<CallSettings & NextStepSettings, 'client' | 'signal'>;
  first: Pick<FirstAccountOfRun, 'firstAccount' | 'mayTake'>;
  /** Limit of calls in flight in this process. */
  concurrency: number;
  /** Whether this is the coordinator: if its token is refused, the run halts; another worker only leaves. */
  isCoordinator: boolean;
  now: () => Date;
  onEvent: (record: LedgerRecord, event: RecordEvent) => void;
  onNote: (note: string) => void;
}

/** For a longer wait, the worker releases the record and the ledger stores when it is due. */
export const LONGEST_REST_MS = 6000;
/** Delay before a record is retried after a failure outside the record. */
export const AFTER_FAILURE_MS = 2000;
/** Jobs of `free` per allowed call in flight: while some wait for the disk, others call. */
const FREE_JOBS_A_CALL = 2;
/** Records per allowed call whose items are not sent yet; beyond this number, slots are returned later. */
const MOST_AFTER_SLOT = 4;
/** Delay before the slot of a refused call is returned: otherwise the next job would be refused before the limit is reduced. */
const HOLD_REFUSED_MS = 300;
const MOST_NOTES = 100;

/** A job of this worker, and its slot of `process`, if it has one. */
interface Task {
  queue: QueueName;
  onSlotFree: () => void;
}

export class RecordWorker {
  /** Rejects if the ledger cannot be used, or the worker must leave; otherwise it never settles. */
  readonly failed: Promise<never>;
  readonly #options: RecordWorkerOptions;
  readonly #free: Consumer;
  readonly #process: Consumer;
  readonly #broken = new AbortController();
  readonly #inHand = new Set<Promise<unknown>>();
  /** Records whose slots were returned, and whose items are being sent. */
  readonly #afterSlot = new Set<Promise<unknown>>();
  #fail: (error: unknown) => void = () => {};
  #takenOver = 0;
  #dropped = 0;
  /** One signal for all records while the fence stays open. */
  #signal = { of: undefined as AbortSignal | undefined, value: this.#broken.signal };

  constructor(options: RecordWorkerOptions) {
    this.#options = options;
    this.failed = new Promise<never>((_, reject) => {
      this.#fail = reject;
    });
    this.failed.catch(() => {});
    const { queue, concurrency } = options;
    const free: Task = { queue: 'free', onSlotFree: () => {} };
    this.#free = queue.consume('free', FREE_JOBS_A_CALL * concurrency, (job) =>
      tracked(this.#inHand, this.#handle(job, free)),
    );
    this.#process = queue.consume('process', 0, (job) => this.#inSlot(job));
  }

  /** Returns the number of records that this process works on now. */
  records(): number {
    return this.#inHand.size;
  }

  /** Returns the number of records that an earlier session or another worker had begun. */
  takenOver(): number {
    return this.#takenOver;
  }

  /** Sets the number of `process` slots; a slot that is in use beyond them is not reused. */
  setSlots(slots: number): void {
    this.#process.setConcurrency(slots);
  }

  /** Takes no more jobs. Resolves when its records have ended or are free for other workers. */
  async end(): Promise<void> {
    await Promise.all([this.#free.close(), this.#process.close()]);
    while (this.#inHand.size > 0) await Promise.all(this.#inHand);
  }

  /** Aborts calls in flight. */
  breakOff(): void {
    this.#broken.abort();
  }

  /** Resolves when the slot can be returned: after `process`, and after a delay if too many records have unsent items. */
  #inSlot(job: RecordJob): Promise<JobEnd> {
    return new Promise((resolve) => {
      const onSlotFree = async () => {
        const most = MOST_AFTER_SLOT * this.#options.concurrency;
        while (this.#afterSlot.size > most) await Promise.race(this.#afterSlot);
        resolve('done');
      };
      const task = this.#handle(job, { queue: 'process', onSlotFree: () => void onSlotFree() });
      void tracked(this.#afterSlot, tracked(this.#inHand, task)).then(resolve);
    });
  }

  /** Never rejects. */
  async #handle(job: RecordJob, task: Task): Promise<JobEnd> {
    const { ledger, ready, first } = this.#options;
    try {
      await ready;
      const isWanted = this.#isAccepting() && (job.kind !== 'account' || (await first.mayTake()));
      // The record is due for another worker, or for the next session.
      if (!isWanted) await ledger.defer(job, 0);
      const loaded = isWanted ? await ledger.load(job) : undefined;
      return loaded === undefined ? 'done' : await this.#advance(loaded, task);
    } catch (error) {
      if (error instanceof RefusedValueError) this.#drop(job, error);
      // Another worker has the record, and continues it.
      else if (!(error instanceof StaleRecordError)) this.#fail(error);
      return 'done';
    }
  }

  async #advance({ record, payload }: LoadedRecord, task: Task): Promise<JobEnd> {
    const { ledger, queue, throttle, inFlight, client } = this.#options;
    if (record.intent !== null) {
      this.#takenOver++;
      // Another worker may have sent its request.
      if (!inFlight.isWaiting(record)) await refreshInFlight(ledger, internalsOf(client).shared.inFlight);
    }
    for (let current = record; ; ) {
      const { progress, isRefused } = await this.#run(current, payload, task);
      current = progress.record;
      if (current.outcome !== null) return 'done';
      if (progress.stoppedBefore !== undefined) {
        // If the engine is unavailable, the feeder adds the record later.
        await queue.add('process', [current]).catch(() => {});
        return 'done';
      }
      if (isRefused && task.queue === 'process') {
        await throttle.reportNow();
        await after(HOLD_REFUSED_MS * (1 + Math.random()));
        return { again: current.version };
      }
      const { waitMs = Number.POSITIVE_INFINITY, hasFailed } = progress;
      const isKept = waitMs <= LONGEST_REST_MS && !hasFailed && task.queue === 'free';
      if (isKept) await throttle.sleep(waitMs);
      if (isKept && this.#isAccepting()) continue;
      await ledger.defer(current, isKept ? 0 : this.#restMs(progress));
      return 'done';
    }
  }

  /** Executes the next steps of the record. `isRefused`: the service answered `process` with 429. */
  async #run(record: LedgerRecord, payload: ImportRecord, { queue, onSlotFree }: Task) {
    const { settings, throttle, fence, inFlight, client, ledger, now, first } = this.#options;
    let isRefused = false;
    const { firstAccount } = first;
    const run: RecordContext = {
      ...{ ...settings, inFlight, client, ledger, now, firstAccount, signal: this.#currentSignal() },
      // The first account of a run needs no slot, because no other call is in flight until it has ended.
      ...(queue === 'free' && { stopsBefore: (step) => firstAccount.isOver() && isProcessingStep(step) }),
      async schedule(step, call) {
        try {
          return await throttle.schedule(step, () => fence.send(call));
        } catch (error) {
          if (!isProcessingStep(step) || !(error instanceof RateLimitError) || error.mayHaveSucceeded) throw error;
          isRefused = true;
          throw new CallNotAdmittedError('the service refused the call with 429; it is sent again in another slot.');
        }
      },
      onEvent: (changed, event) => {
        this.#observe(changed, event);
        if (event.type === 'stepSucceeded' && event.step === 'process') onSlotFree();
      },
    };
    const progress = await runRecord(record, payload, run);
    return { progress, isRefused };
  }

  #isAccepting(): boolean {
    const { throttle, fence } = this.#options;
    return throttle.isAccepting() && !this.#broken.signal.aborted && fence.isOpen();
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

  /** Drops the job. The record stays unfinished, and is fed again later. */
  #drop({ supplier }: RecordJob, { message }: RefusedValueError): void {
    if (++this.#dropped <= MOST_NOTES) {
      const note = `${message} Entries of the queue dropped for that: ${this.#dropped}. The other records continue.`;
      this.#options.onNote(note);
    }
    this.#options.throttle.valueRefused(supplier);
  }
}

function tracked<T>(set: Set<Promise<unknown>>, task: Promise<T>): Promise<T> {
  const settled = task.catch(() => {});
  set.add(settled);
  void settled.then(() => set.delete(settled));
  return task;
}

function tokenRefused(): CannotJoinError {
  return new CannotJoinError(
    'the service does not accept the token of this worker, so it leaves; the other workers continue. Start it with a valid token.',
    'notAccepted',
  );
}
