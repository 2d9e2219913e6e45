/**
 * `startRecordWorker`: takes jobs from the work queue and advances their records with `runRecord`. In the queue `free` a record
 * goes up to its next `process` call, which takes a slot of the queue `process`. Its items are sent by the worker that
 * processed it, after the slot was given back.
 */
import { setTimeout as after } from 'node:timers/promises';
import type { DataImportClient } from '../../client.js';
import { isRateLimitError } from '../../errors/guards.js';
import { type LedgerRecord, StaleRecordError } from '../ledger/ledger.js';
import { RefusedValueError } from '../ledger/postgres/database-error.js';
import type { RecordEvent } from '../record/apply-event.js';
import type { PlanSettings } from '../record/next-step.js';
import { type InFlightRecords, refreshInFlight } from '../record/preconditions/in-flight-records.js';
import { HeldBackError, type RecordProgress, type RecordRun, runRecord } from '../record/run-record.js';
import type { CallSettings } from '../record/step-calls.js';
import { isProcessingStep } from '../throttle/processing.js';
import type { DistributedLedger, LoadedRecord } from './distributed-ledger.js';
import { CannotJoinError } from './errors.js';
import type { Fence } from './fence.js';
import type { FirstAccountOfRun } from './first-account-of-run.js';
import type { LineReader } from './line-reader.js';
import type { JobEnd, RecordJob, WorkQueue } from './work-queue.js';
import type { WorkerThrottle } from './worker-throttle.js';

export interface RecordWorkerOptions {
  client: DataImportClient;
  ledger: DistributedLedger;
  queue: Pick<WorkQueue, 'add' | 'consume'>;
  lines: LineReader;
  throttle: WorkerThrottle;
  fence: Fence;
  inFlight: InFlightRecords;
  /** Resolves when the ledger knows for how long requests of this process may run. */
  ready: Promise<unknown>;
  /** As the run works; the signal is the fence's. */
  settings: Omit<CallSettings & PlanSettings, 'client' | 'signal'>;
  first: Pick<FirstAccountOfRun, 'firstAccount' | 'mayTake'>;
  /** Calls in flight at this process. */
  concurrency: number;
  /** The token of a worker that joined is its own matter; that of the coordinator is the run's. */
  isCoordinator: boolean;
  now: () => Date;
  onEvent: (record: LedgerRecord, event: RecordEvent) => void;
  onNote: (note: string) => void;
}

export interface RecordWorker {
  /** Records that this process works on now. */
  records(): number;
  /** Records that an earlier request or another worker had begun. */
  takenOver(): number;
  /** From now on it holds so many slots of `process`; one that it holds beyond them is not taken again. */
  setSlots(slots: number): void;
  /** Takes no more jobs; resolves when what was begun has ended or is left to the others. */
  end(): Promise<void>;
  /** Breaks off calls in flight. */
  breakOff(): void;
  /** Rejects where the ledger cannot be used, or the worker must leave; else it never settles. */
  failed: Promise<never>;
}

/** Jobs of `free` for each call that may be in flight: while some wait for the disk, others call. */
const FREE_JOBS_A_CALL = 2;
/** Records for each call whose items are still to be sent, before slots are held back. */
const MOST_AFTER_SLOT = 4;
/** So long a record is kept here between two questions; for longer, the ledger knows when it is due. */
const LONGEST_REST_MS = 6000;
/** A record that failed for no fault of its own is due again after so long. */
const AFTER_FAILURE_MS = 2000;
/** A refused call keeps its slot for a moment: else the next job would be refused before the limit is cut. */
const HOLD_REFUSED_MS = 300;
const MOST_NOTES = 100;

export function startRecordWorker(options: RecordWorkerOptions): RecordWorker {
  const { client, ledger, queue, lines, throttle, fence, inFlight, settings, first, concurrency } = options;
  const { isCoordinator, now, onEvent, onNote } = options;
  const broken = new AbortController();
  const inHand = new Set<Promise<unknown>>();
  /** Whose slots were given back: their items are being sent. */
  const afterSlot = new Set<Promise<unknown>>();
  let takenOver = 0;
  let fail: (error: unknown) => void = () => {};
  const failed = new Promise<never>((_, reject) => {
    fail = reject;
  });
  // Whoever asks for it is told.
  failed.catch(() => {});

  const noted = new Set<string>();
  const noteOnce = (what: string) => {
    if (noted.size < MOST_NOTES && !noted.has(what)) onNote(`a record cannot be worked on: ${what}`);
    noted.add(what);
  };
  let dropped = 0;
  /** The record stays unfinished, and is fed again later. */
  const drop = ({ supplier }: RecordJob, { message }: RefusedValueError): void => {
    if (++dropped <= MOST_NOTES) {
      onNote(`${message} Entries of the queue dropped for that: ${dropped}. The other records continue.`);
    }
    throttle.valueRefused(supplier);
  };
  const mayBegin = () => throttle.mayBegin() && !broken.signal.aborted && fence.isOpen();

  let signal = { of: undefined as AbortSignal | undefined, value: broken.signal };
  /** One for all records while the fence stays open: each listens to it. */
  const signalNow = (): AbortSignal => {
    const of = fence.signal();
    if (signal.of !== of) signal = { of, value: AbortSignal.any([of, broken.signal]) };
    return signal.value;
  };

  function tracked<T>(set: Set<Promise<unknown>>, task: Promise<T>): Promise<T> {
    const settled = task.catch(() => {});
    set.add(settled);
    void settled.then(() => set.delete(settled));
    return task;
  }

  /** Never rejects. */
  async function handle(job: RecordJob, inQueue: 'free' | 'process', onSlotFree: () => void): Promise<JobEnd> {
    try {
      await options.ready;
      const isWanted = mayBegin() && (job.kind !== 'account' || (await first.mayTake()));
      if (!isWanted) {
        // For another worker, or for the run when it goes on.
        await ledger.defer(job, 0);
        return 'done';
      }
      const loaded = await ledger.load(job);
      if (loaded === undefined) return 'done';
      return await advance(loaded, inQueue, onSlotFree);
    } catch (error) {
      if (error instanceof RefusedValueError) drop(job, error);
      // Another worker has it: it knows what to do.
      else if (!(error instanceof StaleRecordError)) fail(error);
      return 'done';
    }
  }

  async function advance(
    { record, line }: LoadedRecord,
    inQueue: 'free' | 'process',
    onSlotFree: () => void,
  ): Promise<JobEnd> {
    if (record.intent !== null) {
      takenOver++;
      // Another worker may have sent its request.
      if (!inFlight.isWaiting(record)) await refreshInFlight(ledger, client.inFlight);
    }
    const read = line === undefined ? { failure: MISSING } : await lines.read(line, record.hash);
    if (!('record' in read)) {
      noteOnce('failure' in read ? read.failure : read.problem.detail);
      throttle.observe(record, { happens: 'failed', step: 'check', code: 'line_unreadable' });
      await ledger.defer(record, AFTER_FAILURE_MS);
      return 'done';
    }
    let current = record;
    while (true) {
      let isRefused = false;
      const run: RecordRun = {
        ...settings,
        ...{ inFlight, client, ledger, now, firstAccount: first.firstAccount, signal: signalNow() },
        // The first account of a run goes alone up to its end: one call needs no slot.
        ...(inQueue === 'free' && { stopsBefore: (step) => first.firstAccount.isOver() && isProcessingStep(step) }),
        async inTurn(step, call) {
          try {
            return await throttle.inTurn(step, () => {
              if (fence.isOpen()) return call();
              throw new HeldBackError('this process had no contact to the ledger; others go on with its records.');
            });
          } catch (error) {
            if (!isProcessingStep(step) || !isRateLimitError(error) || error.mayHaveSucceeded) throw error;
            isRefused = true;
            throw new HeldBackError('the service refused the call for now (429); it is sent again from another slot.');
          }
        },
        onEvent(changed, event) {
          observe(changed, event);
          if (event.happens === 'done' && event.step === 'process') onSlotFree();
        },
      };
      const progress = await runRecord(current, read.record, run);
      current = progress.record;
      if (current.end !== null) return 'done';
      if (progress.stoppedBefore !== undefined) {
        await queue.add('process', [jobOf(current)]).catch(() => {});
        return 'done';
      }
      if (isRefused && inQueue === 'process') {
        await throttle.reportNow();
        await after(HOLD_REFUSED_MS * (1 + Math.random()));
        return { again: current.version };
      }
      const { waitMs } = progress;
      if (waitMs === undefined || waitMs > LONGEST_REST_MS || progress.hasFailed || inQueue === 'process') {
        await ledger.defer(current, restMs(progress));
        return 'done';
      }
      await throttle.sleep(waitMs);
      if (mayBegin()) continue;
      await ledger.defer(current, 0);
      return 'done';
    }
  }

  function restMs({ waitMs = 0, hasFailed, record }: RecordProgress): number {
    // What was held back is due at once: for another worker, or when the run goes on.
    if (!mayBegin()) return 0;
    if (hasFailed) return Math.max(waitMs, AFTER_FAILURE_MS);
    return record.intent === null ? AFTER_FAILURE_MS : Math.max(waitMs, 1);
  }

  function observe(record: LedgerRecord, event: RecordEvent): void {
    // What was held back by the fence says nothing of the service.
    if (!fence.isOpen()) return;
    const isOfToken = (event.happens === 'failed' || event.happens === 'questionFailed') && event.of === 'token';
    if (!isCoordinator && isOfToken) fail(tokenRefused());
    else throttle.observe(record, event);
    onEvent(record, event);
  }

  const free = queue.consume('free', FREE_JOBS_A_CALL * concurrency, (job) =>
    tracked(
      inHand,
      handle(job, 'free', () => {}),
    ),
  );
  const process = queue.consume('process', 0, (job) => {
    return new Promise<JobEnd>((resolve) => {
      let isFree = false;
      const onSlotFree = () => {
        if (isFree) return;
        isFree = true;
        void roomAfterSlot().then(() => resolve('done'));
      };
      const task = tracked(inHand, handle(job, 'process', onSlotFree));
      void tracked(afterSlot, task).then(resolve);
    });
  });

  /** Resolves when so few records have their items still to send that the next one may be processed. */
  async function roomAfterSlot(): Promise<void> {
    while (afterSlot.size > MOST_AFTER_SLOT * concurrency) await Promise.race(afterSlot);
  }

  return {
    records: () => inHand.size,
    takenOver: () => takenOver,
    failed,
    setSlots: (slots) => process.setConcurrency(slots),
    async end() {
      await Promise.all([free.close(), process.close()]);
      while (inHand.size > 0) await Promise.all(inHand);
    },
    breakOff: () => broken.abort(),
  };
}

function jobOf({ supplier, kind, number, version }: LedgerRecord): RecordJob {
  return { supplier, kind, number, version };
}

function tokenRefused(): CannotJoinError {
  return new CannotJoinError(
    'the service does not accept the token of this worker, so it leaves; the others go on. Give it a valid one.',
    'notAccepted',
  );
}

const MISSING = 'its line was taken out of the database. Give the input again, with the command that began the run.';
