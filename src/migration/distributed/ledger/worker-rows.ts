/** The workers of a distributed run, in the ledger's database: who they are, whether they are there, and what they have done. */
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Pool } from 'pg';
import { postgresBase } from '../../ledger/postgres/base.js';
import { workersSql } from './queries.js';

/** One process that works, or has worked, at the run. */
export interface Worker {
  /** Of one session of the worker. */
  id: string;
  /** As it was named: `--name`, or the machine's name and the process. */
  name: string;
  /** Name of its machine. */
  host: string;
  /** Its process there. */
  pid: number;
  /** ISO datetime by the database's clock. */
  joinedAt: string;
  /** The same; null while it is there, and for one that was killed. */
  leftAt: string | null;
  /** Whether its heartbeats come. */
  isThere: boolean;
  /** What it has done, as it told the ledger last. */
  work: WorkerWork;
}

/** What a worker has done in this run. */
export interface WorkerWork {
  /** Records that ended, by it. */
  ended: number;
  /** Requests that were answered, or failed. */
  requests: number;
  /** Answers 429. */
  throttled: number;
  /** Records with a request of another worker, or of an earlier session. */
  takenOver: number;
}

export const noWork = (): WorkerWork => ({ ended: 0, requests: 0, throttled: 0, takenOver: 0 });

export interface WorkerRows {
  readonly id: string;
  join(): Promise<void>;
  /** A heartbeat. */
  beat(work: WorkerWork): Promise<void>;
  /** The work of the last beat stays. */
  leave(): Promise<void>;
  /** Returns all that ever were, the first to join first. */
  all(): Promise<Worker[]>;
}

/** Of this process. `name` is shown to people. */
export function createWorkerRows(pool: Pool, schema: string, name: string): WorkerRows {
  const id = randomUUID();
  const sql = workersSql(schema);
  return {
    id,
    join: async () => void (await pool.query(sql.join, [id, name, hostname(), process.pid, noWork()])),
    beat: async (work) => void (await pool.query({ name: 'worker-beat', text: sql.beat, values: [id, work] })),
    // A server that is away lets the heartbeats run out.
    leave: async () => void (await pool.query(sql.leave, [id]).catch(() => {})),
    all: async () => (await pool.query<WorkerRow>(sql.all)).rows.map(workerOf),
  };
}

/** As long as a command waits for a server that is away for a moment. */
const PATIENCE_MS = 10_000;

/**
 * Returns the workers of the run in a ledger, for a command that is no worker; none where no distributed run was. Rejects with a
 * `LedgerDatabaseError` where the server does not answer.
 */
export async function workersOf(connectionString: string, schema: string): Promise<Worker[]> {
  const base = await postgresBase({ connectionString, schema }, PATIENCE_MS);
  const sql = workersSql(schema);
  try {
    return await base.patient('read', async () => {
      if ((await base.finders.query(sql.exists, [`${schema}.worker`])).rows.length === 0) return [];
      return (await base.finders.query<WorkerRow>(sql.all)).rows.map(workerOf);
    });
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
