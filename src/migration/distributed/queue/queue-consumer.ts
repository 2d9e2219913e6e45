/** Exports `QueueConsumer`, which takes the jobs of one queue. */
import { setTimeout as after } from 'node:timers/promises';
import type { IQueueBackend, Job, Worker } from 'bullmq';
import { z } from 'zod';
import type { RecordKey } from '../../ledger/ledger.js';
import { type Engine, within } from './queue-engine.js';

export interface RecordJob extends RecordKey {
  version: number;
}

/** `again`: the job gives its slot back, and waits for a new one with the record at this version. */
export type JobEnd = 'done' | { again: number };

export interface Consumer {
  /** Sets the maximum number of simultaneous jobs; 0 for none. */
  setConcurrency(concurrency: number): void;
  /** Takes no more jobs. Resolves when all taken jobs are done. */
  close(): Promise<void>;
}

export interface ConsumerOptions {
  engine: Engine;
  queue: string;
  /** Of the worker, as BullMQ stores it. */
  worker: string;
  concurrency: number;
  /** Does not reject. */
  handle: (job: RecordJob) => Promise<JobEnd>;
  /** Called for a job that another program added. */
  onInvalid: () => void;
}

const LARGEST_VERSION = 2 ** 31 - 1;
const JOB = z.object({
  supplier: z.string(),
  kind: z.enum(['business', 'account']),
  number: z.string(),
  version: z.int().nonnegative().max(LARGEST_VERSION),
});
/** BullMQ gives the job of a dead worker to another one after 10 to 20 s. */
const LOCKS = { lockDuration: 10_000, stalledInterval: 5000 };
/** Practically no limit: a stalled job is no failure of its record, but by default BullMQ fails it permanently at the second crash. */
const maxStalledCount = 1_000_000;
const RETRY_MS = 1000;
/** Time limit for reporting the result of a job to the engine, and for disconnecting. */
const CLOSE_MS = 3000;

export class QueueConsumer implements Consumer {
  readonly #options: ConsumerOptions;
  readonly #closing = new AbortController();
  /** Taken jobs that are not done. */
  readonly #running = new Set<Promise<unknown>>();
  #concurrency: number;
  #current: { worker: Worker<unknown, unknown, string, IQueueBackend>; ended: Promise<void> };
  #closed: Promise<void> | undefined;

  constructor(options: ConsumerOptions) {
    this.#options = options;
    this.#concurrency = options.concurrency;
    this.#current = this.#create();
    void this.#replaceUntilReady();
  }

  setConcurrency(concurrency: number): void {
    this.#concurrency = concurrency;
    this.#current.worker.concurrency = Math.max(1, concurrency);
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  #create() {
    const { engine, queue, worker: name } = this.#options;
    // BullMQ does not accept a concurrency of 0: the backend then takes no job.
    const backends = engine.consuming(() => this.#concurrency > 0);
    const options = { connection: {}, name, autorun: false, concurrency: Math.max(1, this.#concurrency) };
    const worker = new engine.bullmq.Worker(
      queue,
      (job, token) => this.#track(this.#run(job as unknown as Job, token)),
      { ...options, ...LOCKS, maxStalledCount, runRetryDelay: RETRY_MS },
      backends,
    );
    // The engine is unavailable or a lock was lost: the worker continues without it, and `isReachable` reports it.
    worker.on('error', () => {});
    return { worker, ended: worker.run().catch(() => {}) };
  }

  async #run(job: Job, token: string | undefined): Promise<void> {
    const { engine, handle, onInvalid } = this.#options;
    const { data } = JOB.safeParse(job.data);
    if (data === undefined) return onInvalid();
    const end = this.#closing.signal.aborted ? { again: data.version } : await handle(data);
    if (end === 'done') return;
    if (end.again !== data.version) await job.updateData({ ...data, version: end.again });
    await job.moveToWait(token);
    throw new engine.bullmq.WaitingError();
  }

  #track(task: Promise<void>): Promise<void> {
    const settled = task.catch(() => {});
    this.#running.add(settled);
    void settled.then(() => this.#running.delete(settled));
    return task;
  }

  /** BullMQ keeps an error of its first connection permanently. */
  async #replaceUntilReady(): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      try {
        await this.#current.worker.waitUntilReady();
        return;
      } catch {
        await ended(this.#current.worker.close(true));
        await after(RETRY_MS, undefined, { signal }).catch(() => {});
        if (!signal.aborted) this.#current = this.#create();
      }
    }
  }

  async #close(): Promise<void> {
    this.#closing.abort();
    const { worker, ended: workerEnded } = this.#current;
    // BullMQ's `close` waits forever for an unavailable engine, and leaves timers running.
    await worker.pause(true);
    const woken = ended(worker.getBackend().disconnectBlocking());
    while (this.#running.size > 0) await Promise.all(this.#running);
    await ended(Promise.all([woken, workerEnded]));
    await ended(worker.close(true));
  }
}

/** Resolves when the task has ended, or after `CLOSE_MS`. Never rejects. */
async function ended(task: Promise<unknown>): Promise<void> {
  await within(CLOSE_MS, task).catch(() => {});
}
