/** Exports `postgresBase`, the connections that the ledger of a single run and that of a distributed run share. */
import { setTimeout as after } from 'node:timers/promises';
import { Kysely, PostgresDialect, type PostgresPool, type PostgresPoolClient } from 'kysely';
import type { Client, Pool } from 'pg';
import type { Tables } from '../sql/tables.js';
import { checkPlace, type PostgresPlace, placeInWords } from './address.js';
import { createFinders, createNames, createReaders, createWriterClient } from './connection.js';
import { hasNoFreeConnection, isStarting, LedgerDatabaseError, ledgerDatabaseError } from './database-error.js';
import { loadPg, type Pg } from './driver.js';
import { retryConnection } from './retry-connection.js';

export type PostgresBase = Awaited<ReturnType<typeof postgresBase>>;

/** Returns the base without connecting. Rejects with a `LedgerDatabaseError` for an invalid address. */
export async function postgresBase(place: PostgresPlace, patienceMs: number) {
  checkPlace(place);
  const { connectionString, schema } = place;
  const pg = await loadPg();
  const where = placeInWords(newClient(pg, connectionString), schema);
  const finders = createFinders(pg, connectionString);
  const readers = createReaders(pg, connectionString);
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: closingFailed(readers) }) }).withSchema(schema);
  const reconnect = async () => {
    const client = newClient(pg, connectionString);
    await client.connect();
    return client;
  };
  const connect = () => whenStarted(reconnect);
  let leaving: Promise<void> | undefined;
  return {
    pg,
    connectionString,
    schema,
    /** Description of the database without secrets. */
    where,
    /** Opens a connection for writing. Waits for a server that is starting. */
    connect,
    /** Connects without a retry: the caller has its own time limit. */
    reconnect,
    /** Rejects with a `LedgerDatabaseError` if each statement may be executed by another session. Call it before anything else. */
    expectSessions: () => expectSessions(connect, where),
    finders,
    db,
    /** Adds the name of a prepared statement. */
    named: createNames(),
    /** Repeats a task while the database is unavailable. `doing`: for the error message, such as "write to". */
    patient: <T>(doing: string, task: (isAgain: boolean) => Promise<T>) =>
      retryConnection(patienceMs, task).catch((error: unknown) => {
        throw ledgerDatabaseError(doing, where, error);
      }),
    /** May be called again. */
    leave(): Promise<void> {
      leaving ??= finders.end().then(() => db.destroy());
      return leaving;
    },
  };
}

/**
 * A pooler may give each transaction or statement another session of the server, such as PgBouncer with `pool_mode = transaction`. Locks
 * would then stay in its sessions after the run, and settings would reach other programs: it is found before there are any.
 */
async function expectSessions(connect: () => Promise<Client>, where: string): Promise<void> {
  const one = await connect();
  let other: Client | undefined;
  try {
    other = await connect();
    const pids: unknown[] = [];
    // In this order, a pooler that takes its sessions in turn is found as well as one that takes the last one used.
    for (const client of [one, other, other, one]) {
      pids.push((await client.query<{ pid: number }>('select pg_backend_pid() as pid')).rows[0]?.pid);
    }
    if (pids[0] === pids[3] && pids[1] === pids[2] && pids[0] !== pids[1]) return;
  } finally {
    await Promise.all([one.end(), other?.end()]);
  }
  throw new LedgerDatabaseError(
    `ledger: ${where} is behind a connection pooler that gives each transaction another session. Give the address of the server ` +
      'itself, or of a pooler with session pooling (PgBouncer: pool_mode = session).',
  );
}

/** As a query of the pool itself, and unlike Kysely, closes a connection whose query failed: one that began while the database was read-only stays so. */
function closingFailed(pool: Pool): PostgresPool {
  return {
    async connect() {
      const client = await pool.connect();
      let hasFailed = false;
      const query = (sql: string, values: readonly unknown[]) =>
        client.query(sql, [...values]).catch((error: unknown) => {
          hasFailed = true;
          throw error;
        });
      return { query: query as unknown as PostgresPoolClient['query'], release: () => client.release(hasFailed) };
    },
    end: () => pool.end(),
  };
}

const STARTING_TRIES = 10;

/** Returns a client. Throws if the address refers to something invalid, such as a missing certificate file. */
function newClient(pg: Pg, connectionString: string): Client {
  try {
    return createWriterClient(pg, connectionString);
  } catch (cause) {
    const { code, path } = cause as NodeJS.ErrnoException;
    const what = path === undefined ? 'its address is invalid' : `${path} cannot be read (${code})`;
    throw new LedgerDatabaseError(`ledger: ${what}. Correct the address, and try again.`, { cause });
  }
}

/** Connects, and waits for up to ten seconds while the server reports that it is starting or has no free connection. */
async function whenStarted(connect: () => Promise<Client>): Promise<Client> {
  for (let left = STARTING_TRIES; ; left--) {
    try {
      return await connect();
    } catch (error) {
      if (!(isStarting(error) || hasNoFreeConnection(error)) || left === 0) throw error;
      await after(1000);
    }
  }
}
