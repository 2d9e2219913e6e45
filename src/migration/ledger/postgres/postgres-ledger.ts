/**
 * Exports `postgresLedger`: a ledger on PostgreSQL, for runs that another machine may resume, and for users who have such a server.
 */
import type { Ledger } from '../ledger.js';
import { createSqlLedger } from '../sql/sql-ledger.js';
import { type PostgresBase, postgresBase } from './base.js';
import { postgresDirect } from './connection.js';
import { LedgerDatabaseError, ledgerDatabaseError } from './database-error.js';
import {
  beginTurn,
  isStillTurn,
  keyOfLock,
  lockedBy,
  lockedByWorkers,
  mineAt,
  preparing,
  tryLock,
  tryShare,
  untilLocked,
} from './run-lock.js';
import { checkServer, DEFAULT_SCHEMA, expectTables, prepareTables } from './schema.js';
import { createPostgresWriter, type WriterOptions } from './writer.js';

/** Options of `postgresLedger`. */
export interface PostgresLedgerOptions {
  /** `postgres://user@host:5432/database`. Missing parts are taken from PGUSER, PGPASSWORD and the like. */
  connectionString: string;
  /**
   * Schema of the database, for one ledger. It is created if it does not exist.
   * @default 'data_import'
   */
  schema?: string;
  /**
   * Opens the ledger without a lock and without writing, to read it during a run.
   * @default false
   */
  readOnly?: boolean;
  /**
   * For `migrateRecord` in several processes, which share the lock. A run on one machine cannot use the ledger meanwhile.
   * @default false
   */
  shared?: boolean;
  /**
   * How long a run waits for a lost server, such as one that is restarted, in milliseconds.
   * @default 60000
   */
  patienceMs?: number;
  /**
   * The clock for the start time that the lock shows.
   * @default the clock of the machine
   */
  now?: () => Date;
}

export const DEFAULT_RECONNECT_MS = 60_000;

/**
 * Opens the ledger, and creates its tables if they do not exist. Every write is on the disk of the server when it resolves. Rejects
 * with a `LedgerLockedError` if a run has the ledger, and with a `LedgerDatabaseError` that has the remedy if the server cannot be
 * reached or refuses, or if the schema has other tables.
 */
export async function postgresLedger(options: PostgresLedgerOptions): Promise<Ledger> {
  const {
    connectionString,
    schema = DEFAULT_SCHEMA,
    readOnly = false,
    shared = false,
    patienceMs = DEFAULT_RECONNECT_MS,
  } = options;
  const base = await postgresBase({ connectionString, schema }, patienceMs);
  const { where, db, finders, named, leave } = base;
  const read = <T>(task: () => Promise<T>) => base.patient('read', task);
  try {
    await base.expectSessions();
    if (readOnly) {
      await expectTables(db, schema, where);
      return createSqlLedger(db, {
        direct: postgresDirect(finders, named, () => refuseToWrite(where)),
        read,
        write: () => refuseToWrite(where),
        leave,
      });
    }
    const entered = shared ? await takePart(base) : await takeTurn(base, options.now ?? (() => new Date()));
    const writer = createPostgresWriter({ ...entered, where, schema, named, connect: base.reconnect });
    return createSqlLedger(db, {
      direct: postgresDirect(finders, named, writer.transact),
      read,
      write: (task) => base.patient('write to', task),
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

/** Takes the lock first, so that no other process creates the tables at the same time. */
async function takeTurn(base: PostgresBase, now: () => Date): Promise<Entered> {
  const { schema, where, db } = base;
  const client = await base.connect();
  try {
    await preparing(client);
    if (!(await untilLocked(() => tryLock(client, schema)))) {
      throw (await lockedByWorkers(client, where, schema)) ?? (await lockedBy(client, where, schema));
    }
    await checkServer(db, where);
    await prepareTables(db, schema, where);
    const turn = await beginTurn(client, schema, now());
    return {
      client,
      mine: mineAt(schema, turn),
      lock: (next) => tryLock(next, schema),
      isStillMine: (next) => isStillTurn(next, schema, turn),
    };
  } catch (error) {
    await client.end();
    throw error;
  }
}

/** Shares the lock with other processes: every write is a compare-and-set on the version of the record. */
async function takePart(base: PostgresBase): Promise<Entered> {
  const { schema, where, db } = base;
  const client = await base.connect();
  try {
    await preparing(client);
    if (!(await untilLocked(() => tryShare(client, schema)))) throw await lockedBy(client, where, schema);
    await checkServer(db, where);
    // Several processes may start at the same time.
    await client.query(`select pg_advisory_lock(${keyOfLock('tables')})`, [schema]);
    await prepareTables(db, schema, where);
    await client.query(`select pg_advisory_unlock(${keyOfLock('tables')})`, [schema]);
    return {
      client,
      mine: { sql: 'select 1', parameters: [] },
      lock: (next) => tryShare(next, schema),
      isStillMine: async () => true,
    };
  } catch (error) {
    await client.end();
    throw error;
  }
}

type Entered = Pick<WriterOptions, 'client' | 'mine' | 'lock' | 'isStillMine'>;

async function refuseToWrite(where: string): Promise<never> {
  throw new LedgerDatabaseError(`ledger: ${where} was opened read-only. To write, open it without readOnly.`);
}
