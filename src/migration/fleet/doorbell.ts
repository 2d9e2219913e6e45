/** The doorbell of a fleet on BullMQ, whose queue lies on Redis or on PostgreSQL. */
import type { Answering, Doorbell } from './bell.js';
import { type QueueLoaders, queueLoaders } from './bullmq-driver.js';
import { startAnswering } from './doorbell-answering.js';
import { createRinging } from './doorbell-ringing.js';
import { openEngine, queueNameOf } from './queue-engine.js';
import { queueError } from './queue-error.js';

export interface DoorbellOptions {
  /** `redis://…`, `rediss://…`, `postgres://…` or `postgresql://…`. */
  queue: string;
  /** Keeps the bells of one run from those of another. */
  ledgerId: string;
  /**
   * Schema of the ledger; the queue's lies beside it.
   * @default 'data_import'
   */
  schema?: string | undefined;
  /** Of the member, as the dashboard shows who answers. */
  name: string;
  /** Told once when the engine goes, and once when it is back. */
  onNote?: ((note: string) => void) | undefined;
}

const PROBE_MS = 2000;

/** Rejects with a `QueueError` where the engine is not reached now; later it may go and come. */
export async function openDoorbell(
  { queue, ledgerId, schema, name, onNote = () => {} }: DoorbellOptions,
  loaders: QueueLoaders = queueLoaders,
): Promise<Doorbell> {
  const { engine, words } = await openEngine({ queue, schema }, loaders);
  const queueName = queueNameOf(ledgerId);
  const ringing = createRinging(engine, queueName);
  const answerings = new Set<Answering>();
  let [isReachable, isClosed] = [true, false];
  let probe: NodeJS.Timeout | undefined;

  async function waiting(): Promise<number> {
    try {
      const count = await ringing.waiting();
      reached(true);
      return count;
    } catch (cause) {
      const error = queueError('count the bells at', words, cause);
      reached(false, error);
      throw error;
    }
  }
  function reached(isReached: boolean, error?: Error): void {
    if (isClosed || isReached === isReachable) return;
    isReachable = isReached;
    onNote(isReached ? `queue: ${words} is back.` : `${error?.message} Tried again until it is back.`);
  }
  function probeLater(): void {
    probe = setTimeout(async () => {
      await waiting().catch(() => {});
      if (!isClosed) probeLater();
    }, PROBE_MS);
  }
  probeLater();

  return {
    async ring(bells) {
      if (bells.length === 0) return;
      await ringing.ring(bells).catch((cause: unknown) => {
        throw queueError('ring at', words, cause);
      });
    },
    waiting,
    answer(answer, atOnce) {
      const onError = (error: unknown) => onNote(`queue: a bell was answered with an error (${String(error)}).`);
      const answering = startAnswering({ engine, queue: queueName, name, answer, atOnce, onError });
      answerings.add(answering);
      return answering;
    },
    isReachable: () => isReachable,
    async close() {
      isClosed = true;
      clearTimeout(probe);
      await Promise.all([...answerings].map((answering) => answering.close()));
      await ringing.close();
    },
  };
}
