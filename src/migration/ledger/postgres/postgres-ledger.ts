/**
 * Exports `postgresLedger`: a ledger on PostgreSQL, for runs that another machine may resume, and for users who have such a server.
 */
import type { Ledger } from '../ledger.js';
import { createSqlLedger } from '../sql/sql-ledger.js';
import { postgresBase } from './base.js';
import { postgresDirect } from './connection.js';
import { LedgerDatabaseError, ledgerDatabaseError } from './database-error.js';
import { enter } from './run-lock.js';
import { DEFAULT_SCHEMA, expectTables } from './schema.js';
import { createPostgresWriter } from './writer.js';

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
    const entered = await enter(base, shared ? 'shared' : 'single', options.now ?? (() => new Date()));
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

async function refuseToWrite(where: string): Promise<never> {
  throw new LedgerDatabaseError(`ledger: ${where} was opened read-only. To write, open it without readOnly.`);
}
