/** `openEngine`: BullMQ on Redis or PostgreSQL, by the address. */
import { CONNECT_TIMEOUT_MS, type Engine, type QueueLoaders, queueLoaders, within } from './queue-backend.js';
import { queueError, queuePlace } from './queue-error.js';
import { postgresEngine } from './queue-on-postgres.js';
import { redisEngine } from './queue-on-redis.js';

/** The tables of a queue are made by one process, and waited for by the others. */
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
