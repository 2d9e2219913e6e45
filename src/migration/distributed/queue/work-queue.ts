/**
 * Exports `openWorkQueue`: the two queues of a distributed run, on BullMQ. `process` has accounts whose next call is `process` or a dry
 * run, and its global concurrency is the adaptive limit; `free` has all other records. A job has the key of a record, and its version.
 * Lost, late or duplicate jobs are harmless: the ledger decides what a worker may do.
 */
import { createHash, randomInt } from 'node:crypto';
import type { Queue } from 'bullmq';
import { queueError, queueWarning } from './queue-address.js';
import { type Consumer, type JobEnd, QueueConsumer, type RecordJob } from './queue-consumer.js';
import { type Engine, openEngine, type QueueLoaders, queueLoaders, within } from './queue-engine.js';

export type QueueName = 'free' | 'process';
const QUEUE_NAMES: readonly QueueName[] = ['free', 'process'];

/** Each call rejects with a `QueueError` if the engine cannot be reached. */
export interface WorkQueue {
  /** Adds jobs. A record whose job waits or runs gets no second one. */
  add(name: QueueName, jobs: readonly RecordJob[]): Promise<void>;
  /** Returns the number of waiting jobs in both queues. */
  waiting(): Promise<number>;
  /** Sets the number of `process` jobs that may run at the same time on all machines. */
  setLimit(limit: number): Promise<void>;
  /** Returns the id that the run gave to this server; undefined if it has none, or has lost its data. */
  serverId(): Promise<number | undefined>;
  setServerId(id: number): Promise<void>;
  setPaused(isPaused: boolean): Promise<void>;
  /** Starts to take jobs. `handle` must not reject. */
  consume(name: QueueName, concurrency: number, handle: (job: RecordJob) => Promise<JobEnd>): Consumer;
  /** Returns whether the last request to the engine succeeded. */
  isReachable(): boolean;
  close(): Promise<void>;
}

export interface WorkQueueOptions {
  /** `redis://…`, `rediss://…`, `postgres://…` or `postgresql://…`. */
  queue: string;
  /** Separates the jobs of different runs. */
  ledgerId: string;
  /**
   * Schema of the ledger. The name of the queue's schema is derived from it.
   * @default 'data_import'
   */
  schema?: string | undefined;
  /** Of the worker, as BullMQ stores it. */
  name: string;
  /** Called with a warning at the start, when the engine becomes unavailable and available, and for invalid jobs. */
  onNote?: ((note: string) => void) | undefined;
}

const PROBE_MS = 2000;
const [LEAST_ID, MOST_ID] = [1_000_000, 2_000_000_000];

/** Returns an id for `setServerId`. It is stored as the global concurrency of the queue `free`, which is never reached. */
export function newServerId(): number {
  return randomInt(LEAST_ID, MOST_ID);
}

/** Returns the name of a queue. BullMQ does not allow colons in it. */
function queueNameOf(ledgerId: string, name: QueueName): string {
  return `data-import-${ledgerId}-${name}`;
}

/** Rejects with a `QueueError` if the engine cannot be reached now. Later it may be unavailable for some time. */
export async function openWorkQueue(
  { queue: address, ledgerId, schema, name, onNote = () => {} }: WorkQueueOptions,
  loaders: QueueLoaders = queueLoaders,
): Promise<WorkQueue> {
  const warning = queueWarning(address);
  if (warning !== undefined) onNote(warning);
  return new BullmqWorkQueue(await openEngine({ queue: address, schema }, loaders), ledgerId, name, onNote);
}

class BullmqWorkQueue implements WorkQueue {
  readonly #engine: Engine;
  readonly #ledgerId: string;
  readonly #worker: string;
  readonly #onNote: (note: string) => void;
  readonly #producers: Readonly<Record<QueueName, Producer>>;
  readonly #consumers = new Set<Consumer>();
  #isReachable = true;
  #isClosed = false;
  #invalidJobs = 0;
  #probe: NodeJS.Timeout;

  constructor(engine: Engine, ledgerId: string, worker: string, onNote: (note: string) => void) {
    this.#engine = engine;
    this.#ledgerId = ledgerId;
    this.#worker = worker;
    this.#onNote = onNote;
    this.#producers = {
      free: createProducer(engine, queueNameOf(ledgerId, 'free')),
      process: createProducer(engine, queueNameOf(ledgerId, 'process')),
    };
    this.#probe = setTimeout(() => this.#probeRepeatedly(), PROBE_MS);
  }

  async add(name: QueueName, jobs: readonly RecordJob[]): Promise<void> {
    if (jobs.length > 0) await this.#ask('add jobs at', this.#producers[name].add(jobs));
  }

  async waiting(): Promise<number> {
    const counts = this.#all().map((producer) => producer.use((queue) => queue.getWaitingCount()));
    const [ofFree = 0, ofProcess = 0] = await this.#ask('count the jobs at', Promise.all(counts));
    return ofFree + ofProcess;
  }

  async setLimit(limit: number): Promise<void> {
    const task = this.#producers.process.use((queue) => queue.setGlobalConcurrency(limit));
    await this.#ask('set the limit at', task);
  }

  async serverId(): Promise<number | undefined> {
    const task = this.#producers.free.use((queue) => queue.getGlobalConcurrency());
    return (await this.#ask('read the id of', task)) ?? undefined;
  }

  async setServerId(id: number): Promise<void> {
    const task = this.#producers.free.use((queue) => queue.setGlobalConcurrency(id));
    await this.#ask('set the id of', task);
  }

  async setPaused(isPaused: boolean): Promise<void> {
    const set = this.#all().map((producer) => producer.use((queue) => (isPaused ? queue.pause() : queue.resume())));
    await this.#ask('pause or resume', Promise.all(set));
  }

  consume(name: QueueName, concurrency: number, handle: (job: RecordJob) => Promise<JobEnd>): Consumer {
    const consumer = new QueueConsumer({
      ...{ engine: this.#engine, queue: queueNameOf(this.#ledgerId, name), worker: this.#worker },
      ...{ concurrency, handle, onInvalid: () => this.#noteInvalidJob() },
    });
    this.#consumers.add(consumer);
    return consumer;
  }

  isReachable(): boolean {
    return this.#isReachable;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#probe);
    // Records in progress may still add jobs.
    await Promise.all([...this.#consumers].map((consumer) => consumer.close()));
    await Promise.all(this.#all().map((producer) => producer.close()));
  }

  #all(): readonly Producer[] {
    return [this.#producers.free, this.#producers.process];
  }

  async #ask<T>(doing: string, task: Promise<T>): Promise<T> {
    const { words } = this.#engine;
    try {
      const result = await task;
      this.#setReachable(true, `queue: ${words} is back.`);
      return result;
    } catch (cause) {
      const error = queueError(doing, words, cause);
      this.#setReachable(false, `${error.message} Retrying until it is available.`);
      throw error;
    }
  }

  #setReachable(isReachable: boolean, note: string): void {
    if (!this.#isClosed && isReachable !== this.#isReachable) this.#onNote(note);
    this.#isReachable = isReachable;
  }

  async #probeRepeatedly(): Promise<void> {
    await this.waiting().catch(() => {});
    if (!this.#isClosed) this.#probe = setTimeout(() => this.#probeRepeatedly(), PROBE_MS);
  }

  #noteInvalidJob(): void {
    this.#invalidJobs++;
    const { words } = this.#engine;
    this.#onNote(
      `queue: ${this.#invalidJobs} of its jobs are from another program and were dropped. Find out what else writes to ${words}.`,
    );
  }
}

/** Adds and counts the jobs of one queue. */
interface Producer {
  /** Rejects if the engine does not answer within 5 s. */
  use<T>(task: (queue: Queue) => Promise<T>): Promise<T>;
  /** Adds jobs, except for records whose job waits or runs. */
  add(jobs: readonly RecordJob[]): Promise<unknown>;
  close(): Promise<void>;
}

const ANSWER_MS = 5000;
/** No process reads the events of the queue. */
const FEW_EVENTS = { events: { maxLen: 100 } };
/** Done jobs are removed, because BullMQ ignores a new job with the id of an existing one. */
const JOB_OPTIONS = { attempts: 1, removeOnComplete: true, removeOnFail: true } as const;

/** BullMQ keeps an error of its first connection permanently: after a failure, the next call creates a new queue. */
function createProducer({ bullmq, producing }: Engine, name: string): Producer {
  let current: Queue | undefined;
  const create = (): Queue => {
    const queue = new bullmq.Queue(name, { connection: {}, streams: FEW_EVENTS }, producing) as unknown as Queue;
    // The next call rejects.
    queue.on('error', () => {});
    return queue;
  };
  const end = async (queue: Queue | undefined): Promise<void> => {
    const { getBackend } = (queue ?? {}) as { getBackend?(): { close(force: boolean): Promise<void> } };
    await within(ANSWER_MS, Promise.resolve(getBackend?.call(queue).close(true))).catch(() => {});
  };
  async function use<T>(task: (queue: Queue) => Promise<T>): Promise<T> {
    current ??= create();
    const queue = current;
    try {
      return await within(ANSWER_MS, task(queue));
    } catch (error) {
      if (current === queue) current = undefined;
      void end(queue);
      throw error;
    }
  }
  return {
    use,
    add: (jobs) => use((queue) => queue.addBulk(jobs.map(bullmqJob))),
    async close() {
      await end(current);
      current = undefined;
    },
  };
}

/** Returns the job of a record, with an id that is unique in each queue: a hash, because BullMQ allows neither integers nor colons in ids. */
function bullmqJob({ supplier, kind, number, version }: RecordJob) {
  const key = JSON.stringify([supplier, kind, number]);
  const jobId = `record-${createHash('sha256').update(key).digest('base64url')}`;
  return { name: kind, data: { supplier, kind, number, version }, opts: { ...JOB_OPTIONS, jobId } };
}
