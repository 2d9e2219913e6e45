/** Exports `workersIn`, which reads the rows of the workers of a distributed run: names, times of their reports, and counts of their work. */
import type { Pool } from 'pg';
import { workersSql } from './claim-records-sql.js';

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

/** Returns all workers of the run, also former ones, in the order of joining. */
export async function workersIn(pool: Pool, schema: string): Promise<Worker[]> {
  return (await pool.query<WorkerRow>(workersSql(schema).all)).rows.map(workerOf);
}

interface WorkerRow extends Pick<Worker, 'id' | 'name' | 'host' | 'pid' | 'work'> {
  joined_at: Date;
  left_at: Date | null;
  is_there: boolean;
}

function workerOf({ joined_at, left_at, is_there, work, ...row }: WorkerRow): Worker {
  return { ...row, joinedAt: joined_at.toISOString(), leftAt: left_at?.toISOString() ?? null, isThere: is_there, work };
}
