/** `startConsumer`: takes the jobs of one queue. */
import { setTimeout as after } from 'node:timers/promises';
import type { Job } from 'bullmq';
import { z } from 'zod';
import type { RecordKey } from '../ledger/ledger.js';
import { type Engine, within } from './queue-engine.js';

export interface RecordJob extends RecordKey {
  version: number;
}

/** `again`: the job gives its slot back and waits for another one, for the record at this version. */
export type JobEnd = 'done' | { again: number };

export interface Consumer {
  /** How many jobs it may have from now on; 0 for none. */
  setConcurrency(concurrency: number): void;
  /** Takes no more jobs; resolves when those that were taken are done. */
  close(): Promise<void>;
}

export interface ConsumerOptions {
  engine: Engine;
  queue: string;
  /** Of the worker, as the dashboard shows it. */
  worker: string;
  concurrency: number;
  /** Does not reject. */
  handle: (job: RecordJob) => Promise<JobEnd>;
  /** Called for a job that is not one of this program. */
  onInvalid: () => void;
}

const LARGEST_VERSION = 2 ** 31 - 1;
const JOB = z.object({
  supplier: z.string(),
  kind: z.enum(['business', 'account']),
  number: z.string(),
  version: z.int().nonnegative().max(LARGEST_VERSION),
});
/** A job whose worker is not heard of is given to another one after 10 to 20 s. */
const LOCKS = { lockDuration: 10_000, stalledInterval: 5000 };
/** A stalled job says nothing about its record: BullMQ would fail it for good at the second crash. */
const maxStalledCount = 1_000_000;
const RETRY_MS = 1000;
/** Time limit for reporting the result of a job to the engine, and for disconnecting. */
const CLOSE_MS = 3000;

export function startConsumer({ engine, queue, worker, concurrency, handle, onInvalid }: ConsumerOptions): Consumer {
  const { Worker: BullmqWorker, WaitingError } = engine.bullmq;
  const closing = new AbortController();
  const inHand = new Set<Promise<unknown>>();
  let most = concurrency;

  async function run(job: Job, token: string | undefined): Promise<void> {
    const { data } = JOB.safeParse(job.data);
    if (data === undefined) return onInvalid();
    const end = closing.signal.aborted ? { again: data.version } : await handle(data);
    if (end === 'done') return;
    if (end.again !== data.version) await job.updateData({ ...data, version: end.again });
    await job.moveToWait(token);
    throw new WaitingError();
  }
  function tracked(task: Promise<void>): Promise<void> {
    const settled = task.catch(() => {});
    inHand.add(settled);
    void settled.then(() => inHand.delete(settled));
    return task;
  }
  function create() {
    // BullMQ takes no concurrency of 0: then the backend takes no job.
    const backends = engine.consuming(() => most > 0);
    const options = { connection: {}, name: worker, autorun: false, concurrency: Math.max(1, most) };
    const made = new BullmqWorker(
      queue,
      (job, token) => tracked(run(job as unknown as Job, token)),
      { ...options, ...LOCKS, maxStalledCount, runRetryDelay: RETRY_MS },
      backends,
    );
    // The engine is unavailable or a lock was lost: the worker continues without it, and `isReachable` reports it.
    made.on('error', () => {});
    return { made, running: made.run().catch(() => {}) };
  }
  let current = create();

  /** BullMQ keeps an error of its first connection permanently. */
  async function replaceUntilReady(): Promise<void> {
    while (!closing.signal.aborted) {
      try {
        await current.made.waitUntilReady();
        return;
      } catch {
        await ended(current.made.close(true));
        await after(RETRY_MS, undefined, { signal: closing.signal }).catch(() => {});
        if (!closing.signal.aborted) current = create();
      }
    }
  }
  void replaceUntilReady();

  async function close(): Promise<void> {
    closing.abort();
    const { made, running } = current;
    // BullMQ's own way to close waits without end for an engine that is away, and leaves its timers behind.
    await made.pause(true);
    const woken = ended(made.getBackend().disconnectBlocking());
    while (inHand.size > 0) await Promise.all(inHand);
    await ended(Promise.all([woken, running]));
    await ended(made.close(true));
  }
  let closed: Promise<void> | undefined;
  return {
    setConcurrency(next) {
      most = next;
      current.made.concurrency = Math.max(1, most);
    },
    close() {
      closed ??= close();
      return closed;
    },
  };
}

/** Never rejects, and does not wait for a server that is away. */
async function ended(task: Promise<unknown>): Promise<void> {
  await within(CLOSE_MS, task).catch(() => {});
}
