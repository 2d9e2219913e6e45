/** PostgreSQL for the ledger and Redis for the queue, for all tests of a file. */
import { afterAll, beforeAll } from 'vitest';
import { hasRedis, type RedisServer, startRedis } from '../migration/distributed/redis-server.js';
import { hasPostgres, type PostgresServer, startPostgres } from '../migration/ledger/postgres/server.js';

export interface DistributedServers {
  /** Whether there is a PostgreSQL, or it could be installed. */
  isThere: boolean;
  /** Whether there is a Redis as well. */
  isRedisThere: boolean;
  /** Address of the ledger's database. Only while tests run. */
  database(): string;
  /** Address of Redis; undefined if there is none. Only while tests run. */
  redis(): string | undefined;
}

/** Starts the servers before the tests of the file, and removes them after. `aof`: Redis writes each change to a file. */
export function useDistributedServers({ aof }: { aof: boolean }): DistributedServers {
  const isThere = hasPostgres();
  const isRedisThere = isThere && hasRedis();
  let server: PostgresServer | undefined;
  let redis: RedisServer | undefined;
  beforeAll(async () => {
    if (isThere) server = await startPostgres();
    if (isRedisThere) redis = await startRedis({ aof });
  });
  afterAll(async () => {
    await redis?.remove();
    await server?.remove();
  });
  return { isThere, isRedisThere, database: () => server?.url ?? '', redis: () => redis?.url };
}
