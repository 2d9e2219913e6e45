/** The side of the doorbell that answers: a worker of BullMQ, which is put up again where it could not begin. */
import { setTimeout as after } from 'node:timers/promises';
import type { Answering, Bell } from './bell.js';
import type { Engine } from './bullmq-engine.js';
import { within } from './doorbell-deadline.js';
import { bellOf } from './doorbell-job.js';

/** How long a bell stays with a member of which nothing is heard, and how often that is looked at. */
const LOCK_MS = 15_000;
const STALLED_CHECK_MS = 5000;
/** Whoever dies over a bell says nothing about its record: what may be tried how often, the ledger knows. */
const NEVER_TOO_OFTEN = 1_000_000;
const RETRY_MS = 1000;
/** For telling the engine what was answered, and for leaving it. */
const CLOSE_TIMEOUT_MS = 3000;

interface AnsweringOptions {
  engine: Engine;
  queue: string;
  /** Of the member. */
  name: string;
  answer: (bell: Bell) => Promise<void>;
  atOnce: number;
  /** Told of what a handler threw, which it must not. */
  onError: (error: unknown) => void;
}

export function startAnswering({ engine, queue, name, answer, atOnce, onError }: AnsweringOptions): Answering {
  const { Worker: QueueWorker, WaitingError } = engine.bullmq;
  const closing = new AbortController();
  const isClosing = () => closing.signal.aborted;
  const underWay = new Set<Promise<void>>();
  let putUp = create();
  void supervise();

  function create() {
    const worker = new QueueWorker(
      queue,
      async (job, token) => {
        const bell = bellOf(job.data);
        if (bell === undefined) return;
        if (isClosing()) {
          await job.moveToWait(token);
          throw new WaitingError();
        }
        const answering = answer(bell).catch(onError);
        underWay.add(answering);
        await answering;
        underWay.delete(answering);
      },
      {
        connection: {},
        name,
        autorun: false,
        concurrency: atOnce,
        lockDuration: LOCK_MS,
        stalledInterval: STALLED_CHECK_MS,
        maxStalledCount: NEVER_TOO_OFTEN,
        runRetryDelay: RETRY_MS,
      },
      engine.answering,
    );
    // The engine away, a lock that was lost: the worker goes on by itself, and `isReachable` tells of it.
    worker.on('error', () => {});
    const running = worker.run().catch(() => {});
    return { worker, running };
  }

  /** BullMQ keeps an error of the first connection for ever. */
  async function supervise(): Promise<void> {
    while (!isClosing()) {
      try {
        await putUp.worker.waitUntilReady();
        return;
      } catch {
        await end(putUp.worker.close(true));
        await after(RETRY_MS, undefined, { signal: closing.signal }).catch(() => {});
        if (!isClosing()) putUp = create();
      }
    }
  }

  async function close(): Promise<void> {
    closing.abort();
    const { worker, running } = putUp;
    // Its own way to close waits for the engine, for ever where that is away, and leaves its timers behind.
    await worker.pause(true);
    const woken = end(worker.getBackend().disconnectBlocking());
    while (underWay.size > 0) await Promise.all(underWay);
    await end(Promise.all([woken, running]));
    await end(worker.close(true));
  }
  let closed: Promise<void> | undefined;
  return {
    close() {
      closed ??= close();
      return closed;
    },
  };
}

/** Never rejects, and does not wait for a server that is away. */
async function end(task: Promise<unknown>): Promise<void> {
  await within(CLOSE_TIMEOUT_MS, task).catch(() => {});
}
