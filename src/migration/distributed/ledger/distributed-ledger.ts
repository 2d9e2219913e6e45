/** Exports `openDistributedLedger`: a PostgreSQL ledger that the workers of one run share. */
import type { ClientBase } from 'pg';
import type { Ledger } from '../../ledger/ledger.js';
import { postgresBase } from '../../ledger/postgres/base.js';
import { createWriters, postgresDirect, WRITE_TIMEOUT_MS } from '../../ledger/postgres/connection.js';
import { ledgerDatabaseError } from '../../ledger/postgres/database-error.js';
import { DEFAULT_RECONNECT_MS, type PostgresLedgerOptions } from '../../ledger/postgres/postgres-ledger.js';
import { enter, preparing } from '../../ledger/postgres/run-lock.js';
import { DEFAULT_SCHEMA } from '../../ledger/postgres/schema.js';
import { createPostgresWriter } from '../../ledger/postgres/writer.js';
import { createSqlLedger } from '../../ledger/sql/sql-ledger.js';
import { createStateRow, type StateRow } from '../state/state-row.js';
import { createSharedRecords, type SharedRecords } from './shared-records.js';
import { createWorkerRows, type WorkerRows } from './worker-rows.js';

export interface DistributedLedger extends Ledger, SharedRecords {
  /** Id of this process, stored as the owner of the records that it writes. */
  readonly workerId: string;
  readonly state: StateRow;
  readonly workers: WorkerRows;
  /** Repeats the task while the server is unavailable or the row of the state is locked. Rejects with a `LedgerDatabaseError` after a minute. */
  patiently<T>(task: () => Promise<T>): Promise<T>;
}

export interface DistributedLedgerOptions extends Omit<PostgresLedgerOptions, 'readOnly' | 'shared'> {
  /** Name of the worker in status and report. */
  name: string;
  /** Whether this process reads the input. It creates the tables. At most one process does. */
  isCoordinator?: boolean;
}

/** Connections of a worker for queries, in addition to the one for writes. */
const FOR_RECORDS = { max: 4, timeoutMs: WRITE_TIMEOUT_MS, onConnect: preparing };
/** Connections for the state, with short time limits: a process that stalls with the row locked loses the lock. */
const FOR_STATE = {
  ...{ max: 2, timeoutMs: 5000 },
  async onConnect(client: ClientBase) {
    await preparing(client);
    await client.query("set idle_in_transaction_session_timeout = '3s'");
  },
};

/**
 * Joins. Rejects with a `LedgerLockedError` if a run on one machine uses the ledger, or if this is the coordinator and another one
 * does; with a `NoLedgerError` if a worker finds no distributed run; and with a `LedgerDatabaseError` if the server cannot be reached
 * or refuses.
 */
export async function openDistributedLedger(options: DistributedLedgerOptions): Promise<DistributedLedger> {
  const { connectionString, schema = DEFAULT_SCHEMA, patienceMs = DEFAULT_RECONNECT_MS, name } = options;
  const { isCoordinator = false, now = () => new Date() } = options;
  const base = await postgresBase({ connectionString, schema }, patienceMs);
  const { where, reconnect: connect, named, pg, finders, patient, db } = base;
  // Closed in the reverse order of opening.
  const opened: (() => Promise<void>)[] = [() => base.leave()];
  const leave = async () => {
    for (const close of opened.splice(0).reverse()) await close();
  };
  try {
    await base.expectSessions();
    const session = await enter(base, isCoordinator ? 'coordinator' : 'worker', now);
    const writer = createPostgresWriter({ ...session, where, schema, connect, named });
    const forRecords = createWriters(pg, connectionString, FOR_RECORDS);
    const forState = createWriters(pg, connectionString, FOR_STATE);
    opened.push(
      () => writer.end(),
      () => forRecords.end(),
      () => forState.end(),
    );
    const workers = createWorkerRows(forState, schema, name);
    await workers.join();
    opened.push(() => workers.leave());
    const ledger = createSqlLedger(db, {
      direct: postgresDirect(finders, named, writer.transact),
      read: (task) => patient('read', task),
      write: (task) => patient('write to', task),
      ownership: { id: () => workers.id, isMine: (id) => id === workers.id },
      leave,
    });
    return {
      ...{
        ...ledger,
        ...createSharedRecords(base, forRecords, session.mine, workers.id),
        workerId: workers.id,
        workers,
      },
      patiently: (task) => patient('write to', task),
      state: createStateRow(forState, schema),
    };
  } catch (error) {
    await leave();
    throw ledgerDatabaseError('open', where, error);
  }
}
