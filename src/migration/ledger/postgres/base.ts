/** What every ledger on PostgreSQL stands on, a single run's and a distributed run's: where it is, how it is reached, and how long. */
import { setTimeout as after } from 'node:timers/promises';
import { Kysely, PostgresDialect } from 'kysely';
import type { Client, Pool } from 'pg';
import type { Tables } from '../sql/tables.js';
import { checkPlace, type PostgresPlace, placeInWords } from './address.js';
import { createFinders, createNames, createReaders, createWriterClient } from './connection.js';
import { isStarting, LedgerDatabaseError, ledgerDatabaseError } from './database-error.js';
import { loadPg, type Pg } from './driver.js';
import { retryConnection } from './retry-connection.js';

export interface PostgresBase {
  pg: Pg;
  connectionString: string;
  schema: string;
  /** In words that hold no secret. */
  where: string;
  /** A connection that writes; waits for a server that is starting up. */
  connect(): Promise<Client>;
  /** Connects without a retry: the caller has its own time limit. */
  reconnect(): Promise<Client>;
  finders: Pool;
  db: Kysely<Tables>;
  /** The name under which the server keeps a statement prepared. */
  named: ReturnType<typeof createNames>;
  /** `doing`: "write to". */
  patient<T>(doing: string, task: (isAgain: boolean) => Promise<T>): Promise<T>;
  leave(): Promise<void>;
}

/** Opens no connection yet. Rejects with a `LedgerDatabaseError` for an invalid address. */
export async function postgresBase(place: PostgresPlace, patienceMs: number): Promise<PostgresBase> {
  checkPlace(place);
  const { connectionString, schema } = place;
  const pg = await loadPg();
  const where = placeInWords(newClient(pg, connectionString), schema);
  const finders = createFinders(pg, connectionString);
  const readers = createReaders(pg, connectionString);
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: readers }) }).withSchema(schema);
  const reconnect = async () => {
    const client = newClient(pg, connectionString);
    await client.connect();
    return client;
  };
  return {
    pg,
    connectionString,
    schema,
    where,
    connect: () => whenStarted(reconnect),
    reconnect,
    finders,
    db,
    named: createNames(),
    patient: (doing, task) =>
      retryConnection(patienceMs, task).catch((error: unknown) => {
        throw ledgerDatabaseError(doing, where, error);
      }),
    async leave() {
      await finders.end();
      await db.destroy();
    },
  };
}

const STARTING_TRIES = 10;

/** What the address names may be wrong in itself, such as the file of a certificate that is not there. */
function newClient(pg: Pg, connectionString: string): Client {
  try {
    return createWriterClient(pg, connectionString);
  } catch (cause) {
    const { code, path } = cause as NodeJS.ErrnoException;
    const what = path === undefined ? 'its address is invalid' : `${path} cannot be read (${code})`;
    throw new LedgerDatabaseError(`ledger: ${what}. Correct the address, and try again.`, { cause });
  }
}

/** A server that says that it is starting up is as good as there. */
async function whenStarted(connect: () => Promise<Client>): Promise<Client> {
  for (let left = STARTING_TRIES; ; left--) {
    try {
      return await connect();
    } catch (error) {
      if (!isStarting(error) || left === 0) throw error;
      await after(1000);
    }
  }
}
