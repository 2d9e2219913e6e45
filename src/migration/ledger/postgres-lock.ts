/**
 * One run at a time on a ledger. The lock is an advisory one of the session that writes, so the server gives it back
 * when that connection ends, however that happens. The ledger's own row says who has it, and counts the runs: whoever
 * comes back after its connection broke learns from the count whether another run was there meanwhile.
 */
import { hostname } from 'node:os';
import type { Client } from 'pg';
import { type Holder, LedgerLockedError, lockedError } from './locked-error.js';
import { BY_KEY } from './postgres-connection.js';

/** What a session needs whatever its server has as a default. A machine that is gone gives its lock back within 30 s. */
const SESSION = `
  set tcp_keepalives_idle = 10;
  set tcp_keepalives_interval = 5;
  set tcp_keepalives_count = 3;
  set tcp_user_timeout = 30000;
  set idle_in_transaction_session_timeout = 60000;
  select set_config('synchronous_commit', 'on', false) where current_setting('synchronous_commit') = 'off'`;

/** Whether this session has the lock now. */
export async function tryLock(client: Client, schema: string): Promise<boolean> {
  await client.query(`${BY_KEY}; ${SESSION}`);
  const { rows } = await client.query<{ got: boolean }>(
    "select pg_try_advisory_lock(hashtextextended('data-import ledger ' || $1, 0)) as got",
    [schema],
  );
  return rows[0]?.got === true;
}

/** With the lock held: the next run's turn. */
export async function beginTurn(client: Client, schema: string, now: Date): Promise<string> {
  const { rows } = await client.query<{ turn: string }>(
    `update ${schema}.ledger set turn = turn + 1, pid = $1, host = $2, since = $3 returning turn::text`,
    [process.pid, hostname(), now.toISOString()],
  );
  return rows[0]?.turn ?? '';
}

/** After the connection broke: whether no other run was there meanwhile. */
export async function isStillTurn(client: Client, schema: string, turn: string): Promise<boolean> {
  const { rows } = await client.query(`select 1 from ${schema}.ledger where turn = $1`, [turn]);
  return rows.length === 1;
}

export function takenOver(where: string): LedgerLockedError {
  return new LedgerLockedError(
    `ledger: while the connection was lost, another run has taken over ${where}, so this one ends. ` +
      'Wait until that run has ended; then give the same command again.',
  );
}

/** To whoever wants the lock and cannot have it. */
export async function lockedBy(client: Client, where: string, schema: string): Promise<LedgerLockedError> {
  // Whoever is first may be making the tables just now.
  const found = await client
    .query<Holder>(`select pid, host, since from ${schema}.ledger where host is not null`)
    .catch(() => undefined);
  return lockedError(where, found?.rows[0]);
}
