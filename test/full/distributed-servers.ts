/** PostgreSQL for the ledger, for all tests of a file. */
import { afterAll, beforeAll } from 'vitest';
import { hasPostgres, type PostgresServer, startPostgres } from '../migration/ledger/postgres/server.js';

export interface DistributedServers {
  /** Whether there is a PostgreSQL, or it could be installed. */
  isThere: boolean;
  /** Address of the ledger's database. Only while tests run. */
  database(): string;
}

/** Starts the server before the tests of the file, and removes it after. */
export function useDistributedServers(): DistributedServers {
  const isThere = hasPostgres();
  let server: PostgresServer | undefined;
  beforeAll(async () => {
    if (isThere) server = await startPostgres();
  });
  afterAll(async () => {
    await server?.remove();
  });
  return { isThere, database: () => server?.url ?? '' };
}
