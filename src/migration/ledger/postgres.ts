/** A ledger on PostgreSQL: for a run that is to go on from another machine, and for whoever has such a server anyway. */
import { setTimeout as after } from 'node:timers/promises';
import { Kysely, PostgresDialect } from 'kysely';
import type { Client } from 'pg';
import type { Ledger } from './ledger.js';
import {
  createFinders,
  createNames,
  createReaders,
  createWriterClient,
  postgresDirect,
} from './postgres-connection.js';
import { loadPg, type Pg } from './postgres-driver.js';
import { isStarting, LedgerDatabaseError, ledgerDatabaseError } from './postgres-error.js';
import { beginTurn, lockedBy, tryLock } from './postgres-lock.js';
import { patiently } from './postgres-patience.js';
import { checkPlace, placeInWords } from './postgres-place.js';
import { checkServer, DEFAULT_SCHEMA, expectTables, prepareTables } from './postgres-schema.js';
import { createPostgresWriter } from './postgres-writer.js';
import { createSqlLedger } from './sql-ledger.js';
import type { Tables } from './tables.js';

/** Of `postgresLedger(options)`. */
export interface PostgresLedgerOptions {
  /** `postgres://user@host:5432/database`. What it leaves out is taken from PGUSER, PGPASSWORD and their like. */
  connectionString: string;
  /**
   * Schema of the database: holds one ledger, and is made where it is not there.
   * @default 'data_import'
   */
  schema?: string;
  /**
   * To look at it while a run goes on: takes no lock and writes nothing.
   * @default false
   */
  readOnly?: boolean;
  /**
   * Milliseconds for which a run waits for a server that has gone away, such as one that is restarted.
   * @default 60000
   */
  patienceMs?: number;
  /**
   * Says since when the lock is held.
   * @default the machine's clock
   */
  now?: () => Date;
}

const DEFAULT_PATIENCE_MS = 60_000;

/** A process that was killed just now may still be giving its lock back. */
const LOCK_TRIES = 10;
const BETWEEN_TRIES_MS = 100;

/**
 * Makes the tables where there are none. Rejects with a `LedgerLockedError` where a run has the ledger, and with a
 * `LedgerDatabaseError` that says what to do where the server cannot be reached, refuses, or holds something else.
 * Every write is on the server's disk before it resolves.
 */
export async function postgresLedger(options: PostgresLedgerOptions): Promise<Ledger> {
  const { connectionString, schema = DEFAULT_SCHEMA, readOnly = false, patienceMs = DEFAULT_PATIENCE_MS } = options;
  checkPlace({ connectionString, schema });
  const pg = await loadPg();
  const { where, connect } = clientsOf(pg, connectionString, schema);
  const patient = <T>(doing: string, task: (isAgain: boolean) => Promise<T>) =>
    patiently(patienceMs, task).catch((error: unknown) => {
      throw ledgerDatabaseError(doing, where, error);
    });
  const finders = createFinders(pg, connectionString);
  const readers = createReaders(pg, connectionString);
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: readers }) }).withSchema(schema);
  const leave = async () => {
    await finders.end();
    await db.destroy();
  };
  const named = createNames();
  const read = <T>(task: () => Promise<T>) => patient('read', task);
  try {
    if (readOnly) {
      await expectTables(db, schema, where);
      return createSqlLedger(db, {
        direct: postgresDirect(finders, named, () => refuseToWrite(where)),
        read,
        write: () => refuseToWrite(where),
        leave,
      });
    }
    const { client, turn } = await takeTurn(connect, db, { schema, where, now: options.now ?? (() => new Date()) });
    const writer = createPostgresWriter({ client, turn, schema, where, connect, named });
    return createSqlLedger(db, {
      direct: postgresDirect(finders, named, writer.transact),
      read,
      write: (task) => patient('write to', task),
      async leave() {
        await writer.end();
        await leave();
      },
    });
  } catch (error) {
    await leave();
    throw ledgerDatabaseError('open', where, error);
  }
}

interface Clients {
  where: string;
  connect: () => Promise<Client>;
}

function clientsOf(pg: Pg, connectionString: string, schema: string): Clients {
  const where = placeInWords(newClient(pg, connectionString), schema);
  return {
    where,
    async connect() {
      const client = newClient(pg, connectionString);
      await client.connect();
      return client;
    },
  };
}

/** What the address names may be wrong in itself, such as the file of a certificate that is not there. */
function newClient(pg: Pg, connectionString: string): Client {
  try {
    return createWriterClient(pg, connectionString);
  } catch (cause) {
    const { code, path } = cause as NodeJS.ErrnoException;
    const what = path === undefined ? 'what its address says cannot be meant' : `${path} cannot be read (${code})`;
    throw new LedgerDatabaseError(`ledger: ${what}. Mend the address, and try again.`, { cause });
  }
}

interface Place {
  schema: string;
  where: string;
  now: () => Date;
}

/** The lock comes first: nobody else makes the tables at the same time. */
async function takeTurn(
  connect: Clients['connect'],
  db: Kysely<Tables>,
  { schema, where, now }: Place,
): Promise<{ client: Client; turn: string }> {
  const client = await whenStarted(connect);
  try {
    for (let left = LOCK_TRIES; !(await tryLock(client, schema)); left--) {
      if (left === 0) throw await lockedBy(client, where, schema);
      await after(BETWEEN_TRIES_MS);
    }
    await checkServer(db, where);
    await prepareTables(db, schema, where);
    return { client, turn: await beginTurn(client, schema, now()) };
  } catch (error) {
    await client.end();
    throw error;
  }
}

/** A server that says that it is starting up is as good as there. */
async function whenStarted(connect: Clients['connect']): Promise<Client> {
  for (let left = LOCK_TRIES; ; left--) {
    try {
      return await connect();
    } catch (error) {
      if (!isStarting(error) || left === 0) throw error;
      await after(1000);
    }
  }
}

async function refuseToWrite(where: string): Promise<never> {
  throw new LedgerDatabaseError(`ledger: ${where} was opened to be read. Open it without readOnly to write.`);
}
