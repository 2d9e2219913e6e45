/**
 * A ledger on PostgreSQL: for runs that another machine may resume, and for operators who already have such a server.
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
   * Opens the ledger without a lock and without writing, to read it during a run.
   * @default false
   */
  readOnly?: boolean;
  /**
   * For `migrateRecord` in several processes: each takes a part of the lock, and a run on one machine is kept away meanwhile.
   * @default false
   */
  shared?: boolean;
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

export const DEFAULT_RECONNECT_MS = 60_000;

/**
 * Makes the tables where there are none. Rejects with a `LedgerLockedError` where a run has the ledger, and with a
 * `LedgerDatabaseError` that says what to do where the server cannot be reached, refuses, or holds something else.
 * Every write is on the server's disk before it resolves.
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

/** Other processes may write as well: every write is a compare-and-set on the version of the record. */
async function takePart(base: PostgresBase): Promise<Entered> {
  const { schema, where, db } = base;
  const client = await base.connect();
  try {
    await preparing(client);
    if (!(await untilLocked(() => tryShare(client, schema)))) throw await lockedBy(client, where, schema);
    await checkServer(db, where);
    // Several may begin at the same time.
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
  throw new LedgerDatabaseError(`ledger: ${where} was opened to be read. Open it without readOnly to write.`);
}
