/** The side of the doorbell that rings and counts. A connection on which something failed is not used again. */
import type { Queue } from 'bullmq';
import type { Bell } from './bell.js';
import { ANSWER_TIMEOUT_MS, type Engine } from './bullmq-engine.js';
import { within } from './doorbell-deadline.js';
import { jobOf } from './doorbell-job.js';

/** Nobody reads the events of the queue. */
const FEW_EVENTS = { events: { maxLen: 100 } };

export interface Ringing {
  ring(bells: readonly Bell[]): Promise<void>;
  waiting(): Promise<number>;
  close(): Promise<void>;
}

export function createRinging({ bullmq, ringing }: Engine, name: string): Ringing {
  let open: ReturnType<typeof create> | undefined;
  const create = () => {
    const queue = new bullmq.Queue(name, { connection: {}, streams: FEW_EVENTS }, ringing);
    // Whoever asks next is told.
    queue.on('error', () => {});
    return queue;
  };

  /** BullMQ keeps an error of its first connection for ever: the next one gets a queue of its own. */
  async function use<T>(task: (queue: Pick<Queue, 'addBulk' | 'getWaitingCount'>) => Promise<T>): Promise<T> {
    open ??= create();
    const queue = open;
    try {
      return await within(ANSWER_TIMEOUT_MS, task(queue));
    } catch (error) {
      if (open === queue) open = undefined;
      void end(queue);
      throw error;
    }
  }
  return {
    ring: (bells) => use(async (queue) => void (await queue.addBulk(bells.map(jobOf)))),
    waiting: () => use((queue) => queue.getWaitingCount()),
    async close() {
      if (open) await end(open);
      open = undefined;
    },
  };
}

/** Never rejects, and does not wait for a server that is away. */
async function end(queue: { getBackend(): { close(force?: boolean): Promise<void> } }): Promise<void> {
  await within(ANSWER_TIMEOUT_MS, queue.getBackend().close(true)).catch(() => {});
}
