/** Exports the rows of the workers of a distributed run, in the ledger's database: names, times of their reports, and counts of their work. */
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Pool } from 'pg';
import { postgresBase } from '../../ledger/postgres/base.js';
import { workersSql } from './queries.js';

/** A process that works, or has worked, in the run. */
export interface Worker {
  /** Id of this session of the worker. */
  id: string;
  /** Its `--name`, or the host name and the process id. */
  name: string;
  /** Its host name. */
  host: string;
  /** Its process id. */
  pid: number;
  /** When it joined: ISO datetime by the database's clock. */
  joinedAt: string;
  /** When it left; null while it is present, and after a kill. */
  leftAt: string | null;
  /** Whether its reports arrive. */
  isThere: boolean;
  /** The counts of its last report. */
  work: WorkerWork;
}

/** Counts of the work of a worker in this run. */
export interface WorkerWork {
  /** Records that ended at this worker. */
  ended: number;
  /** Requests, with and without an answer. */
  requests: number;
  /** Answers 429. */
  throttled: number;
  /** Records for which another worker or an earlier session had sent a request. */
  takenOver: number;
}

export const noWork = (): WorkerWork => ({ ended: 0, requests: 0, throttled: 0, takenOver: 0 });

export function sum(one: WorkerWork, other: WorkerWork): WorkerWork {
  const counts = Object.entries(one).map(([count, value]) => [count, value + other[count as keyof WorkerWork]]);
  return Object.fromEntries(counts);
}

export type WorkerRows = ReturnType<typeof createWorkerRows>;

/** Returns the rows, as used by this process. `name` is for status and report. */
export function createWorkerRows(pool: Pool, schema: string, name: string) {
  const id: string = randomUUID();
  const sql = workersSql(schema);
  return {
    id,
    join: async () => void (await pool.query(sql.join, [id, name, hostname(), process.pid, noWork()])),
    /** Marks the worker as left. The counts of its last report remain. */
    // Without the server, the worker is considered dead when its last report expires.
    leave: async () => void (await pool.query(sql.leave, [id]).catch(() => {})),
    /** Returns all workers of the run, also former ones, in the order of joining. */
    all: async () => (await pool.query<WorkerRow>(sql.all)).rows.map(workerOf),
  };
}

/** How long a command waits for an unavailable server. */
const PATIENCE_MS = 10_000;

/**
 * Returns the workers of the run in a ledger, for the commands status and report. Empty if the run is not distributed. Rejects with a
 * `LedgerDatabaseError` if the server does not answer.
 */
export async function workersOf(connectionString: string, schema: string): Promise<Worker[]> {
  const base = await postgresBase({ connectionString, schema }, PATIENCE_MS);
  const sql = workersSql(schema);
  try {
    return await base.patient('read', async () => (await base.finders.query<WorkerRow>(sql.all)).rows.map(workerOf));
  } finally {
    await base.leave();
  }
}

interface WorkerRow extends Pick<Worker, 'id' | 'name' | 'host' | 'pid' | 'work'> {
  joined_at: Date;
  left_at: Date | null;
  is_there: boolean;
}

function workerOf({ joined_at, left_at, is_there, work, ...row }: WorkerRow): Worker {
  return { ...row, joinedAt: joined_at.toISOString(), leftAt: left_at?.toISOString() ?? null, isThere: is_there, work };
}
