/** The workers of a distributed run, in the ledger's database: who they are, whether they are there, and what they have done. */
import { randomUUID } from 'node:crypto';
import type { Pool } from 'pg';
import { postgresBase } from '../ledger/postgres/base.js';

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

/** A worker that is not heard of for so long counts as gone: others take its records over. */
const GONE = "interval '5 seconds'";

/** What is true of the row of a worker whose heartbeats come. */
export const IS_THERE = 'member.left_at is null and member.expires_at > clock_timestamp()';

export interface WorkerRows {
  readonly id: string;
  join(): Promise<void>;
  beat(work: WorkerWork): Promise<void>;
  /** The work of the last beat stays. */
  leave(): Promise<void>;
  /** All that ever were, the first to join first. */
  all(): Promise<Worker[]>;
}

export function createWorkerRows(
  pool: Pool,
  { schema, name, host, pid }: { schema: string; name: string; host: string; pid: number },
): WorkerRows {
  const id = randomUUID();
  const table = `${schema}.member`;
  return {
    id,
    async join() {
      await pool.query(
        `insert into ${table} (id, expires_at, name, host, pid, work, joined_at)
          values ($1, clock_timestamp() + ${GONE}, $2, $3, $4, $5, clock_timestamp())
          on conflict (id) do update set expires_at = excluded.expires_at`,
        [id, name, host, pid, noWork()],
      );
    },
    async beat(work) {
      await pool.query({
        name: 'worker-beat',
        text: `update ${table} set expires_at = clock_timestamp() + ${GONE}, work = $2 where id = $1`,
        values: [id, work],
      });
    },
    async leave() {
      // A server that is away lets the heartbeats run out.
      await pool
        .query(`update ${table} set left_at = clock_timestamp() where id = $1 and left_at is null`, [id])
        .catch(() => {});
    },
    all: async () => (await pool.query<WorkerRow>(allWorkers(schema))).rows.map(workerOf),
  };
}

/** As long as a command waits for a server that is away for a moment. */
const PATIENCE_MS = 10_000;

/**
 * The workers of the run in a ledger, for a command that is no worker; none where no distributed run was. Rejects with a
 * `LedgerDatabaseError` where the server does not answer.
 */
export async function workersOf(connectionString: string, schema: string): Promise<Worker[]> {
  const base = await postgresBase({ connectionString, schema }, PATIENCE_MS);
  try {
    return await base.patient('read', async () => {
      const { rows } = await base.finders.query('select where to_regclass($1) is not null', [`${schema}.member`]);
      if (rows.length === 0) return [];
      return (await base.finders.query<WorkerRow>(allWorkers(schema))).rows.map(workerOf);
    });
  } finally {
    await base.leave();
  }
}

interface WorkerRow {
  id: string;
  name: string;
  host: string;
  pid: number;
  joined_at: Date;
  left_at: Date | null;
  is_there: boolean;
  work: WorkerWork;
}

function allWorkers(schema: string): string {
  return `select id, name, host, pid, joined_at, left_at, ${IS_THERE} as is_there, work
    from ${schema}.member order by joined_at, id`;
}

function workerOf({ id, name, host, pid, joined_at, left_at, is_there, work }: WorkerRow): Worker {
  const leftAt = left_at === null ? null : left_at.toISOString();
  return { id, name, host, pid, joinedAt: joined_at.toISOString(), leftAt, isThere: is_there, work };
}
