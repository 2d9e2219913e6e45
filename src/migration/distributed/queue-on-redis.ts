/** BullMQ on Redis, by ioredis. */
import {
  ANSWER_TIMEOUT_MS,
  CONNECT_TIMEOUT_MS,
  type Engine,
  loaded,
  type QueueLoaders,
  steady,
} from './queue-backend.js';

/** Longer than those who answer wait for a job. A socket on which nothing comes for so long is given up. */
const SILENCE_MS = 15_000;
const RETRY_MS = 500;

export async function redisEngine(address: string, loaders: QueueLoaders): Promise<Engine> {
  const [bullmq, { Redis }] = await loaded(
    ...(['a queue on Redis', 'bullmq@6 ioredis@5', Promise.all([loaders.bullmq(), loaders.ioredis()])] as const),
  );
  const both = { url: address, connectTimeout: CONNECT_TIMEOUT_MS, keepAlive: 10_000 };
  return {
    bullmq,
    async prepare() {
      const client = new Redis(address, { ...both, lazyConnect: true, retryStrategy: () => null });
      let cause: Error | undefined;
      client.on('error', (error) => {
        cause = error;
      });
      try {
        await client.connect();
        await client.ping();
      } catch (error) {
        // "Connection is closed." says less than why.
        throw cause ?? error;
      } finally {
        client.disconnect();
      }
    },
    producing: (name, options, how) =>
      bullmq.createRedisBackend(
        name,
        {
          ...options,
          connection: {
            ...both,
            commandTimeout: ANSWER_TIMEOUT_MS,
            enableOfflineQueue: false,
            maxRetriesPerRequest: 0,
            retryStrategy: () => RETRY_MS,
          },
        },
        how,
      ),
    consuming: steady((name, options, how) =>
      bullmq.createRedisBackend(
        name,
        {
          ...options,
          connection: { ...both, socketTimeout: SILENCE_MS, maxRetriesPerRequest: null, retryStrategy: () => RETRY_MS },
        },
        how,
      ),
    ),
  };
}
