/**
 * `openWorkQueue`: the two queues of a distributed run on BullMQ. `process` holds accounts whose next call processes or dry-runs
 * them, and its global concurrency is the adaptive limit; `free` holds everything else. A job carries the key of a record and the
 * version that it was made for. A job that is lost, late or there twice does no harm: the ledger decides what may be done.
 */
import { createHash } from 'node:crypto';
import type { Queue } from 'bullmq';
import { queueError, queueWarning } from './queue-address.js';
import { type Consumer, type JobEnd, type RecordJob, startConsumer } from './queue-consumer.js';
import { type Engine, openEngine, type QueueLoaders, queueLoaders, within } from './queue-engine.js';

export type QueueName = 'free' | 'process';
export const QUEUE_NAMES: readonly QueueName[] = ['free', 'process'];

/** Each call rejects with a `QueueError` where the engine is not reached. */
export interface WorkQueue {
  /** A job that waits or runs already stays as it is. */
  add(name: QueueName, jobs: readonly RecordJob[]): Promise<void>;
  /** Returns how many jobs wait, in both queues. */
  waiting(): Promise<number>;
  /** How many jobs of `process` may run at the same time, on all machines. */
  setLimit(limit: number): Promise<void>;
  setPaused(isPaused: boolean): Promise<void>;
  /** `handle` does not reject. */
  consume(name: QueueName, concurrency: number, handle: (job: RecordJob) => Promise<JobEnd>): Consumer;
  /** Whether the engine was reached the last time that it was asked. */
  isReachable(): boolean;
  close(): Promise<void>;
}

export interface WorkQueueOptions {
  /** `redis://…`, `rediss://…`, `postgres://…` or `postgresql://…`. */
  queue: string;
  /** Keeps the jobs of one run from those of another. */
  ledgerId: string;
  /**
   * Schema of the ledger; the queue's is next to it.
   * @default 'data_import'
   */
  schema?: string | undefined;
  /** Of the worker, as the dashboard shows it. */
  name: string;
  /** Called with a warning at the start, when the engine is lost and when it is back, and for invalid jobs. */
  onNote?: ((note: string) => void) | undefined;
}

const PROBE_MS = 2000;

/** BullMQ takes no colons in the name of a queue. */
export function queueNameOf(ledgerId: string, name: QueueName): string {
  return `data-import-${ledgerId}-${name}`;
}

/** Rejects with a `QueueError` where the engine is not reached now; later it may go and come. */
export async function openWorkQueue(
  { queue: address, ledgerId, schema, name: worker, onNote = () => {} }: WorkQueueOptions,
  loaders: QueueLoaders = queueLoaders,
): Promise<WorkQueue> {
  const warning = queueWarning(address);
  if (warning !== undefined) onNote(warning);
  const engine = await openEngine({ queue: address, schema }, loaders);
  const { words } = engine;
  const free = createProducer(engine, queueNameOf(ledgerId, 'free'));
  const process = createProducer(engine, queueNameOf(ledgerId, 'process'));
  const consumers = new Set<Consumer>();
  let [isReachable, isClosed, invalid] = [true, false, 0];

  function reached(isReached: boolean, note: string): void {
    if (!isClosed && isReached !== isReachable) onNote(note);
    isReachable = isReached;
  }
  async function asked<T>(doing: string, task: Promise<T>): Promise<T> {
    try {
      const result = await task;
      reached(true, `queue: ${words} is back.`);
      return result;
    } catch (cause) {
      const error = queueError(doing, words, cause);
      reached(false, `${error.message} Tried again until it is back.`);
      throw error;
    }
  }
  async function waiting(): Promise<number> {
    const counts = [free, process].map((producer) => producer.use((queue) => queue.getWaitingCount()));
    const [ofFree = 0, ofProcess = 0] = await asked('count the jobs at', Promise.all(counts));
    return ofFree + ofProcess;
  }
  let probe = setTimeout(probeAgain, PROBE_MS);
  async function probeAgain(): Promise<void> {
    await waiting().catch(() => {});
    if (!isClosed) probe = setTimeout(probeAgain, PROBE_MS);
  }
  const onInvalid = (): void => {
    invalid++;
    onNote(`queue: ${invalid} of its jobs are none of this program and were dropped. Who else writes to ${words}?`);
  };

  return {
    async add(name, jobs) {
      const producer = name === 'free' ? free : process;
      if (jobs.length > 0) await asked('add jobs at', producer.add(jobs));
    },
    waiting,
    async setLimit(limit) {
      await asked(
        'set the limit at',
        process.use((queue) => queue.setGlobalConcurrency(limit)),
      );
    },
    async setPaused(isPaused) {
      const set = [free, process].map((one) => one.use((queue) => (isPaused ? queue.pause() : queue.resume())));
      await asked('pause or resume', Promise.all(set));
    },
    consume(name, concurrency, handle) {
      const queue = queueNameOf(ledgerId, name);
      const consumer = startConsumer({ engine, queue, worker, concurrency, handle, onInvalid });
      consumers.add(consumer);
      return consumer;
    },
    isReachable: () => isReachable,
    async close() {
      isClosed = true;
      clearTimeout(probe);
      // Records that are still advanced add jobs.
      await Promise.all([...consumers].map((consumer) => consumer.close()));
      await Promise.all([free.close(), process.close()]);
    },
  };
}

/** Adds and counts the jobs of one queue. */
interface Producer {
  /** Rejects where the engine does not answer within 5 s. */
  use<T>(task: (queue: Queue) => Promise<T>): Promise<T>;
  /** Leaves a job as it is that waits or runs already. */
  add(jobs: readonly RecordJob[]): Promise<unknown>;
  close(): Promise<void>;
}

const ANSWER_MS = 5000;
/** No process reads the events of the queue. */
const FEW_EVENTS = { events: { maxLen: 100 } };
/** A job that is done must not keep the next one of the same id away. */
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

/** One job for a record in each queue. BullMQ takes neither integers nor colons as ids, and account numbers have both. */
function bullmqJob({ supplier, kind, number, version }: RecordJob) {
  const key = JSON.stringify([supplier, kind, number]);
  const jobId = `record-${createHash('sha256').update(key).digest('base64url')}`;
  return { name: kind, data: { supplier, kind, number, version }, opts: { ...JOB_OPTIONS, jobId } };
}
