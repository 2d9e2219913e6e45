/** The engine at an address: the one that is meant, reached, with all that the queue needs there. */
import { type QueueLoaders, queueLoaders } from './bullmq-driver.js';
import { CONNECT_TIMEOUT_MS, type Engine } from './bullmq-engine.js';
import { postgresEngine } from './bullmq-postgres.js';
import { redisEngine } from './bullmq-redis.js';
import { within } from './doorbell-deadline.js';
import { queueError } from './queue-error.js';
import { queuePlace } from './queue-place.js';

/** The tables of a queue are made by one, and waited for by the others. */
const PREPARE_TIMEOUT_MS = 60_000 + CONNECT_TIMEOUT_MS;

/** Rejects with a `QueueError`. `schema` is the ledger's, `words` say where the engine is. */
export async function openEngine(
  { queue, schema = 'data_import' }: { queue: string; schema?: string | undefined },
  loaders: QueueLoaders = queueLoaders,
): Promise<{ engine: Engine; words: string }> {
  const { engine: kind, words } = queuePlace(queue);
  const engine = kind === 'redis' ? await redisEngine(queue, loaders) : await postgresEngine(queue, schema, loaders);
  await within(PREPARE_TIMEOUT_MS, engine.prepare()).catch((cause: unknown) => {
    throw queueError('open', words, cause);
  });
  return { engine, words };
}

/** BullMQ takes no colons in the name of a queue. */
export function queueNameOf(ledgerId: string): string {
  return `data-import-${ledgerId}`;
}
