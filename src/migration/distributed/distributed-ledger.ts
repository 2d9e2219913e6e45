/** `openDistributedLedger`: a ledger on PostgreSQL at which several workers advance the records of one run. */
import { hostname } from 'node:os';
import type { Ledger, LedgerRecord, RecordKey } from '../ledger/ledger.js';
import { postgresBase } from '../ledger/postgres/base.js';
import { createBeside, postgresDirect, WRITE_TIMEOUT_MS } from '../ledger/postgres/connection.js';
import { ledgerDatabaseError } from '../ledger/postgres/database-error.js';
import { DEFAULT_PATIENCE_MS, type PostgresLedgerOptions } from '../ledger/postgres/postgres-ledger.js';
import { preparing } from '../ledger/postgres/run-lock.js';
import { DEFAULT_SCHEMA, LEDGER_ID } from '../ledger/postgres/schema.js';
import { createPostgresWriter } from '../ledger/postgres/writer.js';
import { createSqlLedger } from '../ledger/sql/sql-ledger.js';
import { createDueRecords, type DueRecord, type LoadedRecord } from './due-records.js';
import { loadCopy } from './postgres-copy.js';
import { enter } from './postgres-locks.js';
import { postgresRegister } from './postgres-register.js';
import { createStateRow, type StateRow } from './state-row.js';
import { createWorkerRows, type WorkerRows } from './worker-rows.js';

/** Where the text of a record is: in the ledger's database, or in a file that every worker can read. */
export type LinePlace = { text: string } | { source: string; start: number; length: number };

export interface DistributedLedger extends Ledger {
  /** Of this process; the owner of what it writes. */
  readonly workerId: string;
  readonly connectionString: string;
  readonly schema: string;
  /** An identifier of the ledger, of letters, digits and dashes. */
  readonly ledgerId: string;
  readonly state: StateRow;
  readonly workers: WorkerRows;
  /**
   * Resolves when record and line are on disk. Version 0 is written as version 1, with the contracts that a business
   * declares; of others only the line is kept, and the record is due. An account waits where its contract's business is
   * there and was not created. Many at a time go together.
   */
  register(record: LedgerRecord, contracts: readonly string[], line: LinePlace): Promise<LedgerRecord>;
  /** The record with its line; undefined where it is not known, has ended, or waits for its business. */
  load(key: RecordKey): Promise<LoadedRecord | undefined>;
  /** Nobody feeds the record before so many milliseconds have passed. */
  defer(record: RecordKey & { version: number }, ms: number): Promise<void>;
  /** Takes due records, in the order of first writing: they are fed to the work queue and not given again for 20 s. */
  takeDue(most: number): Promise<DueRecord[]>;
  /** All records that are unfinished are due: for a run that begins, or goes on. */
  makeAllDue(): Promise<void>;
  /** Whether a record is unfinished that does not wait for its business. */
  hasWork(): Promise<boolean>;
  /** How many such records there are, at most `most`. */
  countWork(most: number): Promise<number>;
  /** Takes the lines of the input out of the database. */
  forgetLines(): Promise<void>;
}

export interface DistributedLedgerOptions extends Omit<PostgresLedgerOptions, 'readOnly'> {
  /** Shown to people. */
  name: string;
  /** Of the process that reads the input; it makes the tables, and there is one at most. */
  isCoordinator?: boolean;
}

/** For the queries of a worker beside its writes. */
const CONNECTIONS = 4;
/** For the state, which nothing slow may hold up. */
const STATE_CONNECTIONS = 2;
const STATE_TIMEOUT_MS = 5000;

/**
 * Joins. Rejects with a `LedgerLockedError` where a run of one machine has the ledger, or another coordinator where this is
 * to be one; with a `NoLedgerError` where no distributed run was, unless this is the coordinator; and with a
 * `LedgerDatabaseError` where the server cannot be reached, or refuses.
 */
export async function openDistributedLedger(options: DistributedLedgerOptions): Promise<DistributedLedger> {
  const { connectionString, schema = DEFAULT_SCHEMA, patienceMs = DEFAULT_PATIENCE_MS, name } = options;
  const { isCoordinator = false, now = () => new Date() } = options;
  const base = await postgresBase({ connectionString, schema }, patienceMs);
  // What is opened is closed in the opposite order.
  const opened: (() => Promise<void>)[] = [() => base.leave()];
  const leave = async () => {
    for (const close of opened.splice(0).reverse()) await close();
  };
  try {
    // Whoever fills it learns at once what is not installed.
    const copying = isCoordinator ? loadCopy() : undefined;
    await copying;
    const entered = await enter(base, isCoordinator, now);
    const { where, reconnect: connect, named, pg, finders, patient, db } = base;
    const writer = createPostgresWriter({ ...entered, where, schema, connect, named });
    opened.push(() => writer.end());
    const pools = {
      beside: createBeside(pg, connectionString, {
        max: CONNECTIONS,
        timeoutMs: WRITE_TIMEOUT_MS,
        onConnect: preparing,
      }),
      state: createBeside(pg, connectionString, {
        ...{ max: STATE_CONNECTIONS, timeoutMs: STATE_TIMEOUT_MS, onConnect: preparing },
      }),
    };
    opened.push(() => pools.beside.end());
    opened.push(() => pools.state.end());
    const workers = createWorkerRows(pools.state, { schema, name, host: hostname(), pid: process.pid });
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
      ...ledger,
      workerId: workers.id,
      connectionString,
      schema,
      ledgerId: (await ledger.fact(LEDGER_ID)) ?? '',
      state: createStateRow(pools.state, schema),
      workers,
      register: postgresRegister(base, {
        pool: pools.beside,
        mine: entered.mine,
        copyFrom: () => copying ?? loadCopy(),
      }),
      ...createDueRecords(base, pools.beside),
    };
  } catch (error) {
    await leave();
    throw ledgerDatabaseError('open', base.where, error);
  }
}

export type { LoadedRecord };
