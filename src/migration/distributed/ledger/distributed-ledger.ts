/** Exports `joinRun`, which opens the ledger that the processes of one run share, and the state of the run. */
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { ClientBase } from 'pg';
import type { Ledger } from '../../ledger/ledger.js';
import { createWriters, preparing, WRITE_TIMEOUT_MS } from '../../ledger/postgres/connection.js';
import {
  DEFAULT_RECONNECT_MS,
  openToWrite,
  type PostgresLedgerOptions,
  withBase,
} from '../../ledger/postgres/postgres-ledger.js';
import { DEFAULT_SCHEMA } from '../../ledger/postgres/schema.js';
import { openSharedState, type SharedState } from '../state/shared-state.js';
import { createStateRow } from '../state/state-row.js';
import { workersSql } from './claim-records-sql.js';
import { createSharedRecords, type SharedRecords } from './shared-records.js';
import { noWork, type Worker, workersIn } from './worker-rows.js';

export interface DistributedLedger extends Ledger, SharedRecords {
  /** Id of this process, stored as the owner of the records that it writes. */
  readonly workerId: string;
  /** Returns all workers of the run, also former ones, in the order of joining. */
  workers(): Promise<Worker[]>;
  /** Repeats the task while the server is unavailable or the row of the state is locked. Rejects with a `LedgerDatabaseError` after a minute. */
  patiently<T>(task: () => Promise<T>): Promise<T>;
}

/** A process that has joined. Its ledger is closed when it leaves. */
export interface Joined {
  ledger: DistributedLedger;
  state: SharedState;
}

export interface JoinOptions extends Omit<PostgresLedgerOptions, 'readOnly' | 'shared' | 'schema'> {
  schema?: string | undefined;
  /**
   * Name of the worker in status and report.
   * @default the host name and the process id
   */
  name?: string | undefined;
  /** Whether this process reads the input. It creates the tables. At most one process does. */
  isCoordinator: boolean;
  onNote: (note: string) => void;
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
export async function joinRun(options: JoinOptions): Promise<Joined> {
  const { connectionString, schema = DEFAULT_SCHEMA, patienceMs = DEFAULT_RECONNECT_MS, now } = options;
  const { name = `${hostname()}-${process.pid}`, isCoordinator, onNote } = options;
  const workerId: string = randomUUID();
  const sql = workersSql(schema);
  return withBase({ connectionString, schema }, patienceMs, async (base) => {
    const forRecords = createWriters(base.pg, connectionString, FOR_RECORDS);
    const forState = createWriters(base.pg, connectionString, FOR_STATE);
    const { ledger, mine } = await openToWrite(base, isCoordinator ? 'coordinator' : 'worker', {
      now,
      ownership: { id: () => workerId, isMine: (id) => id === workerId },
      async leave() {
        // Without the server, the worker is considered dead when its last report expires.
        await forState.query(sql.leave, [workerId]).catch(() => {});
        await Promise.all([forState.end(), forRecords.end()]);
      },
    });
    try {
      await forState.query(sql.join, [workerId, name, hostname(), process.pid, noWork()]);
      const patiently = <T>(task: () => Promise<T>) => base.patient('write to', task);
      const records = createSharedRecords(base, forRecords, mine, workerId);
      const workers = () => base.patient('read', () => workersIn(forState, schema));
      return {
        ledger: { ...ledger, ...records, workerId, workers, patiently },
        state: await openSharedState({ row: createStateRow(forState, schema), patiently, onNote }),
      };
    } catch (error) {
      await ledger.close();
      throw error;
    }
  });
}
