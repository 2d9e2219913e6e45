/** PostgreSQL for all tests of a file. */
import { afterAll, beforeAll } from 'vitest';
import { hasPostgres, type PostgresServer, startPostgres } from './server.js';

/**
 * Starts the server before the tests of the file, and removes it after; `server` is filled then. `isThere`: whether there is a PostgreSQL,
 * or it could be installed.
 */
export function usePostgres(prepare: (server: PostgresServer) => unknown = () => {}) {
  const isThere = hasPostgres();
  const server = {} as PostgresServer;
  beforeAll(async () => {
    if (!isThere) return;
    Object.assign(server, await startPostgres());
    await prepare(server);
  });
  afterAll(() => (server as Partial<PostgresServer>).remove?.());
  return { isThere, server };
}
