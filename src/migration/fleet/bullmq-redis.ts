/** BullMQ on Redis, by ioredis. */
import { loadForRedis, type QueueLoaders } from './bullmq-driver.js';
import { ANSWER_TIMEOUT_MS, CONNECT_TIMEOUT_MS, type Engine, steady } from './bullmq-engine.js';

/** Longer than those who answer wait for a job. A socket on which nothing comes for so long is given up. */
const SILENCE_MS = 15_000;
const RETRY_MS = 500;

export async function redisEngine(address: string, loaders: QueueLoaders): Promise<Engine> {
  const [bullmq, { Redis }] = await loadForRedis(loaders);
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
    ringing: (name, options, how) =>
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
    answering: steady((name, options, how) =>
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
