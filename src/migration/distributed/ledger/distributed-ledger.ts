/** `openDistributedLedger`: a ledger on PostgreSQL at which several workers advance the records of one run. */
import type { ClientBase } from 'pg';
import type { Ledger } from '../../ledger/ledger.js';
import { postgresBase } from '../../ledger/postgres/base.js';
import { createBeside, postgresDirect, WRITE_TIMEOUT_MS } from '../../ledger/postgres/connection.js';
import { ledgerDatabaseError } from '../../ledger/postgres/database-error.js';
import { DEFAULT_RECONNECT_MS, type PostgresLedgerOptions } from '../../ledger/postgres/postgres-ledger.js';
import { preparing } from '../../ledger/postgres/run-lock.js';
import { DEFAULT_SCHEMA, LEDGER_ID } from '../../ledger/postgres/schema.js';
import { createPostgresWriter } from '../../ledger/postgres/writer.js';
import { createSqlLedger } from '../../ledger/sql/sql-ledger.js';
import { createStateRow, type StateRow } from '../state/state-row.js';
import { createDueRecords, type DueRecords } from './due-records.js';
import { createRegister, type Register } from './register.js';
import { createWorkerRows, type WorkerRows } from './worker-rows.js';
import { enterRun } from './write-session.js';

export interface DistributedLedger extends Ledger, DueRecords {
  /** Of this process; the owner of what it writes. */
  readonly workerId: string;
  readonly schema: string;
  /** An identifier of the ledger, of letters, digits and dashes. */
  readonly ledgerId: string;
  readonly state: StateRow;
  readonly workers: WorkerRows;
  /** Tries again while the server is away or the row of the state is held. Rejects with a `LedgerDatabaseError` after a minute. */
  patiently<T>(task: () => Promise<T>): Promise<T>;
  register: Register;
}

export interface DistributedLedgerOptions extends Omit<PostgresLedgerOptions, 'readOnly' | 'shared'> {
  /** Shown to people. */
  name: string;
  /** Of the process that reads the input; it makes the tables, and there is one at most. */
  isCoordinator?: boolean;
}

/** For the queries of a worker beside its writes. */
const BESIDE = { max: 4, timeoutMs: WRITE_TIMEOUT_MS, onConnect: preparing };
/** For the state, which nothing slow may hold up: a process that stands still while it holds the row loses it. */
const FOR_STATE = {
  ...{ max: 2, timeoutMs: 5000 },
  async onConnect(client: ClientBase) {
    await preparing(client);
    await client.query("set idle_in_transaction_session_timeout = '3s'");
  },
};

/**
 * Joins. Rejects with a `LedgerLockedError` where a run on one machine has the ledger, or another coordinator where this is
 * to be one; with a `NoLedgerError` where no distributed run was, unless this is the coordinator; and with a
 * `LedgerDatabaseError` where the server cannot be reached, or refuses.
 */
export async function openDistributedLedger(options: DistributedLedgerOptions): Promise<DistributedLedger> {
  const { connectionString, schema = DEFAULT_SCHEMA, patienceMs = DEFAULT_RECONNECT_MS, name } = options;
  const { isCoordinator = false, now = () => new Date() } = options;
  const base = await postgresBase({ connectionString, schema }, patienceMs);
  const { where, reconnect: connect, named, pg, finders, patient, db } = base;
  // What is opened is closed in the opposite order.
  const opened: (() => Promise<void>)[] = [() => base.leave()];
  const leave = async () => {
    for (const close of opened.splice(0).reverse()) await close();
  };
  try {
    const session = await enterRun(base, isCoordinator, now);
    const writer = createPostgresWriter({ ...session, where, schema, connect, named });
    const beside = createBeside(pg, connectionString, BESIDE);
    const forState = createBeside(pg, connectionString, FOR_STATE);
    opened.push(
      () => writer.end(),
      () => beside.end(),
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
    const ledgerId = (await ledger.fact(LEDGER_ID)) ?? '';
    return {
      ...{ ...ledger, ...createDueRecords(base, beside), workerId: workers.id, schema, ledgerId, workers },
      patiently: (task) => patient('write to', task),
      state: createStateRow(forState, schema),
      register: createRegister(base, beside, session.mine),
    };
  } catch (error) {
    await leave();
    throw ledgerDatabaseError('open', where, error);
  }
}
