/** `createProducer`: adds and counts the jobs of one queue. */
import { createHash } from 'node:crypto';
import type { Queue } from 'bullmq';
import { type Engine, within } from './queue-engine.js';
import type { RecordJob } from './work-queue.js';

export interface Producer {
  /** Rejects where the engine does not answer within 5 s. */
  use<T>(task: (queue: Queue) => Promise<T>): Promise<T>;
  /** Leaves a job as it is that waits or runs already. */
  add(jobs: readonly RecordJob[]): Promise<unknown>;
  close(): Promise<void>;
}

const ANSWER_MS = 5000;
/** Nobody reads the events of the queue. */
const FEW_EVENTS = { events: { maxLen: 100 } };
/** A job that is done must not keep the next one of the same id away. */
const JOB_OPTIONS = { attempts: 1, removeOnComplete: true, removeOnFail: true } as const;

/** BullMQ keeps an error of its first connection for good: after a failure, the next call gets a queue of its own. */
export function createProducer({ bullmq, producing }: Engine, name: string): Producer {
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
