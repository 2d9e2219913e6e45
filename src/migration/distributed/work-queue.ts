/**
 * `openWorkQueue`: the two queues of a distributed run on BullMQ. `process` holds accounts whose next call processes or tries
 * them, and its global concurrency is the adaptive limit; `free` holds everything else. A job carries the key of a record and
 * the version that it was made for, never a payload. A job that is lost, comes twice or comes late does no harm: the ledger
 * decides what may be done.
 */
import { createHash } from 'node:crypto';
import { setTimeout as after } from 'node:timers/promises';
import type { Job, Queue } from 'bullmq';
import { z } from 'zod';
import type { RecordKey } from '../ledger/ledger.js';
import { type Engine, type QueueLoaders, queueLoaders, takingWhile, within } from './queue-backend.js';
import { openEngine } from './queue-engine.js';
import { queueError, queueWarning } from './queue-error.js';

export type QueueName = 'free' | 'process';
export const QUEUE_NAMES: readonly QueueName[] = ['free', 'process'];

export interface RecordJob extends RecordKey {
  version: number;
}

/** `again`: the job gives its slot back and waits for another one, for the record at this version. */
export type JobEnd = 'done' | { again: number };

export interface WorkQueue {
  /** A job that waits or runs already stays as it is. */
  add(name: QueueName, jobs: readonly RecordJob[]): Promise<void>;
  /** Jobs that wait, in both queues. */
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

interface Consumer {
  /** How many jobs it may have from now on; 0 for none. */
  setConcurrency(concurrency: number): void;
  /** Takes no more jobs; resolves when those that were taken are done. */
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
  /** Called with a warning at the start, when the engine is lost and when it is back, and for jobs that are none. */
  onNote?: ((note: string) => void) | undefined;
}

const PROBE_MS = 2000;
/** A job whose worker is not heard of is given to another one after 10 to 20 s. */
const LOCK_MS = 10_000;
const STALLED_CHECK_MS = 5000;
/** A job that is stalled says nothing about its record: BullMQ would fail it for good at the second crash. */
const NEVER_TOO_OFTEN = 1_000_000;
const RETRY_MS = 1000;
/** For telling the engine what became of a job, and for leaving it. */
const CLOSE_MS = 3000;
const ANSWER_MS = 5000;
/** Nobody reads the events of the queue. */
const FEW_EVENTS = { events: { maxLen: 100 } };
/** A job that is done must not keep the next one of the same name away. */
const JOB_OPTIONS = { attempts: 1, removeOnComplete: true, removeOnFail: true } as const;

/** BullMQ takes no colons in the name of a queue. */
export function queueNameOf(ledgerId: string, name: QueueName): string {
  return `data-import-${ledgerId}-${name}`;
}

/** Rejects with a `QueueError` where the engine is not reached now; later it may go and come. */
export async function openWorkQueue(
  options: WorkQueueOptions,
  loaders: QueueLoaders = queueLoaders,
): Promise<WorkQueue> {
  const { queue: address, ledgerId, schema, name: worker, onNote = () => {} } = options;
  const warning = queueWarning(address);
  if (warning !== undefined) onNote(warning);
  const { engine, words } = await openEngine({ queue: address, schema }, loaders);
  const producers = new Map(QUEUE_NAMES.map((name) => [name, createProducer(engine, queueNameOf(ledgerId, name))]));
  const consumers = new Set<Consumer>();
  let [isReachable, isClosed, invalid] = [true, false, 0];
  let probe: NodeJS.Timeout | undefined;

  const producer = (name: QueueName) => producers.get(name) as Producer;
  async function asked<T>(doing: string, task: Promise<T>): Promise<T> {
    try {
      const result = await task;
      reached(true);
      return result;
    } catch (cause) {
      const error = queueError(doing, words, cause);
      reached(false, error);
      throw error;
    }
  }
  function reached(isReached: boolean, error?: Error): void {
    if (isClosed || isReached === isReachable) return;
    isReachable = isReached;
    onNote(isReached ? `queue: ${words} is back.` : `${error?.message} Tried again until it is back.`);
  }
  const each = async (task: (queue: Queue) => Promise<unknown>): Promise<void> => {
    await Promise.all(QUEUE_NAMES.map((name) => producer(name).use(task)));
  };
  async function waiting(): Promise<number> {
    const counts = QUEUE_NAMES.map((name) => producer(name).use((queue) => queue.getWaitingCount()));
    return asked(
      'count the jobs at',
      Promise.all(counts).then((all) => all.reduce((sum, count) => sum + count, 0)),
    );
  }
  function probeLater(): void {
    probe = setTimeout(async () => {
      await waiting().catch(() => {});
      if (!isClosed) probeLater();
    }, PROBE_MS);
  }
  probeLater();

  return {
    async add(name, jobs) {
      if (jobs.length === 0) return;
      await asked(
        'add jobs at',
        producer(name).use((queue) => queue.addBulk(jobs.map(bullmqJobOf))),
      );
    },
    waiting,
    setLimit: (limit) =>
      asked(
        'set the limit at',
        producer('process').use(async (queue) => void (await queue.setGlobalConcurrency(limit))),
      ),
    setPaused: (isPaused) =>
      asked(
        'pause or resume',
        each((queue) => (isPaused ? queue.pause() : queue.resume())),
      ),
    consume(name, concurrency, handle) {
      const onInvalid = () => {
        invalid++;
        onNote(`queue: ${invalid} of its jobs are none of this program and were dropped. Who else writes to ${words}?`);
      };
      const queue = queueNameOf(ledgerId, name);
      const consumer = startConsumer({ engine, queue, worker, concurrency, handle, onInvalid });
      consumers.add(consumer);
      return consumer;
    },
    isReachable: () => isReachable,
    async close() {
      isClosed = true;
      clearTimeout(probe);
      await Promise.all([...consumers].map((consumer) => consumer.close()));
      await Promise.all([...producers.values()].map((one) => one.close()));
    },
  };
}

const KEY = z.object({
  supplier: z.string(),
  kind: z.enum(['business', 'account']),
  number: z.string(),
  version: z
    .int()
    .nonnegative()
    .max(2 ** 31 - 1),
});

function bullmqJobOf({ supplier, kind, number, version }: RecordJob) {
  // One job for a record in each queue. BullMQ takes neither integers nor colons as ids, and account numbers have both.
  const id = createHash('sha256')
    .update(JSON.stringify([supplier, kind, number]))
    .digest('base64url');
  return { name: kind, data: { supplier, kind, number, version }, opts: { ...JOB_OPTIONS, jobId: `record-${id}` } };
}

interface Producer {
  use<T>(task: (queue: Queue) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** BullMQ keeps an error of its first connection for good: the next call gets a queue of its own. */
function createProducer({ bullmq, producing }: Engine, name: string): Producer {
  let open: Queue | undefined;
  const create = (): Queue => {
    const queue = new bullmq.Queue(name, { connection: {}, streams: FEW_EVENTS }, producing) as unknown as Queue;
    // The next call rejects.
    queue.on('error', () => {});
    return queue;
  };
  const end = async (queue: Queue) => {
    const backend = (queue as unknown as { getBackend(): { close(force: boolean): Promise<void> } }).getBackend();
    await within(ANSWER_MS, backend.close(true)).catch(() => {});
  };
  return {
    async use(task) {
      open ??= create();
      const queue = open;
      try {
        return await within(ANSWER_MS, task(queue));
      } catch (error) {
        if (open === queue) open = undefined;
        void end(queue);
        throw error;
      }
    },
    async close() {
      if (open !== undefined) await end(open);
      open = undefined;
    },
  };
}

interface ConsumerOptions {
  engine: Engine;
  queue: string;
  worker: string;
  concurrency: number;
  handle: (job: RecordJob) => Promise<JobEnd>;
  onInvalid: () => void;
}

function startConsumer({ engine, queue, worker, concurrency, handle, onInvalid }: ConsumerOptions): Consumer {
  const { Worker: QueueWorker, WaitingError } = engine.bullmq;
  const closing = new AbortController();
  const isClosing = () => closing.signal.aborted;
  const inHand = new Set<Promise<unknown>>();
  let most = concurrency;
  let current = create();
  void supervise();

  async function run(job: Job, token: string | undefined): Promise<void> {
    const { data } = KEY.safeParse(job.data);
    if (data === undefined) return onInvalid();
    const end = isClosing() ? { again: data.version } : await handle(data);
    if (end === 'done') return;
    if (end.again !== data.version) await job.updateData({ ...data, version: end.again });
    await job.moveToWait(token);
    throw new WaitingError();
  }

  function create() {
    const made = new QueueWorker(
      queue,
      (job, token) => {
        const running = run(job as unknown as Job, token);
        const settled = running.catch(() => {});
        inHand.add(settled);
        void settled.then(() => inHand.delete(settled));
        return running;
      },
      {
        ...{ connection: {}, name: worker, autorun: false, concurrency: Math.max(1, most) },
        ...{ lockDuration: LOCK_MS, stalledInterval: STALLED_CHECK_MS, maxStalledCount: NEVER_TOO_OFTEN },
        runRetryDelay: RETRY_MS,
      },
      // BullMQ takes no 0.
      takingWhile(() => most > 0, engine.consuming),
    );
    // The engine away, a lock lost: the worker goes on by itself, and `isReachable` tells of it.
    made.on('error', () => {});
    const running = made.run().catch(() => {});
    return { made, running };
  }

  /** BullMQ keeps an error of the first connection for good. */
  async function supervise(): Promise<void> {
    while (!isClosing()) {
      try {
        await current.made.waitUntilReady();
        return;
      } catch {
        await end(current.made.close(true));
        await after(RETRY_MS, undefined, { signal: closing.signal }).catch(() => {});
        if (!isClosing()) current = create();
      }
    }
  }

  async function close(): Promise<void> {
    closing.abort();
    const { made, running } = current;
    // Its own way to close waits for the engine without end where that is away, and leaves its timers behind.
    await made.pause(true);
    const woken = end(made.getBackend().disconnectBlocking());
    while (inHand.size > 0) await Promise.all(inHand);
    await end(Promise.all([woken, running]));
    await end(made.close(true));
  }
  let closed: Promise<void> | undefined;
  return {
    setConcurrency(concurrency) {
      most = concurrency;
      current.made.concurrency = Math.max(1, most);
    },
    close() {
      closed ??= close();
      return closed;
    },
  };
}

/** Never rejects, and does not wait for a server that is away. */
async function end(task: Promise<unknown>): Promise<void> {
  await within(CLOSE_MS, task).catch(() => {});
}
