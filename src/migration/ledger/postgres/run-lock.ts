/**
 * Locks a ledger for one run. The lock is an advisory lock of the writing session, so the server releases it when
 * that connection ends for any reason. The ledger's own row names the holder and counts the runs: a run that
 * reconnects compares the count to learn whether another run had the ledger in between.
 */
import { hostname } from 'node:os';
import { setTimeout as after } from 'node:timers/promises';
import type { Client, ClientBase } from 'pg';
import { type Holder, LedgerLockedError, lockedError } from '../locked-error.js';
import type { Statement } from '../sql/direct.js';
import { BY_KEY } from './connection.js';

/** Settings of every session, whatever the defaults of the server. The lock of a lost machine is released within 30 s. */
const SESSION = `
  set tcp_keepalives_idle = 10;
  set tcp_keepalives_interval = 5;
  set tcp_keepalives_count = 3;
  set tcp_user_timeout = 30000;
  set idle_in_transaction_session_timeout = 60000;
  set default_transaction_isolation = 'read committed';
  select set_config('synchronous_commit', 'on', false) where current_setting('synchronous_commit') = 'off'`;

/** Number of tries: the server may not have released the lock of a killed process yet. */
const LOCK_TRIES = 10;
const BETWEEN_TRIES_MS = 100;

/** Prepares a session. Call it first. */
export async function preparing(client: ClientBase): Promise<void> {
  await client.query(`${BY_KEY}; ${SESSION}`);
}

/** Returns the key of a lock: one of three locks per schema. */
export const keyOfLock = (what: 'ledger' | 'coordinator' | 'tables') =>
  `hashtextextended('data-import-sdk ${what} ' || $1, 0)`;

/** Tries to take the lock. Resolves with whether this session has it. */
export async function tryLock(client: Client, schema: string): Promise<boolean> {
  const { rows } = await client.query<{ got: boolean }>(`select pg_try_advisory_lock(${keyOfLock('ledger')}) as got`, [
    schema,
  ]);
  return rows[0]?.got === true;
}

/** Tries to share the lock with other workers, which excludes a run on one machine. Resolves with whether this session has it. */
export async function tryShare(client: Client, schema: string): Promise<boolean> {
  const sql = `select pg_try_advisory_lock_shared(${keyOfLock('ledger')}) as got`;
  const { rows } = await client.query<{ got: boolean }>(sql, [schema]);
  return rows[0]?.got === true;
}

/** Tries to get the lock for a second. */
export async function untilLocked(isLocked: () => Promise<boolean>): Promise<boolean> {
  for (let left = LOCK_TRIES; ; left--) {
    if (await isLocked()) return true;
    if (left === 0) return false;
    await after(BETWEEN_TRIES_MS);
  }
}

/** Counts this run in the ledger. Requires the lock. */
export async function beginTurn(client: Client, schema: string, now: Date): Promise<string> {
  const { rows } = await client.query<{ turn: string }>(
    `update ${schema}.ledger set turn = turn + 1, pid = $1, host = $2, since = $3 returning turn::text`,
    [process.pid, hostname(), now.toISOString()],
  );
  return rows[0]?.turn ?? '';
}

/**
 * A condition that matches a row only while this run has the lock. The row stays locked until the end of the
 * transaction, so another run cannot take the ledger before it.
 */
export function mineAt(schema: string, turn: string): Statement {
  return { sql: `select 1 from ${schema}.ledger where turn = $1 for share`, parameters: [turn] };
}

/** After a reconnect: resolves with whether no other run has used the ledger meanwhile. */
export async function isStillTurn(client: Client, schema: string, turn: string): Promise<boolean> {
  const { rows } = await client.query(`select 1 from ${schema}.ledger where turn = $1`, [turn]);
  return rows.length === 1;
}

export function takenOver(where: string): LedgerLockedError {
  return new LedgerLockedError(
    `ledger: while the connection was lost, another run has taken over ${where}, so this one ends. ` +
      'Wait until that run has ended, then repeat the command.',
  );
}

/** Returns the error for a caller that cannot take the lock because a run of one machine has it. */
export async function lockedBy(client: Client, where: string, schema: string): Promise<LedgerLockedError> {
  return lockedError(where, await holderIn(client, schema), SEVERAL);
}

const SEVERAL =
  ' To import from several machines, give --distributed, and start "data-import-sdk worker" on each of the others.';

/** Returns the error for a run on one machine if processes of a distributed run share the lock; undefined if none do. */
export async function lockedByWorkers(
  client: Client,
  where: string,
  schema: string,
): Promise<LedgerLockedError | undefined> {
  const found = await client
    .query<{ name: string; host: string }>(
      `select name, host from ${schema}.worker where left_at is null and expires_at > clock_timestamp() order by joined_at`,
    )
    .catch(() => undefined);
  const [first, ...others] = found?.rows ?? [];
  if (first === undefined) return undefined;
  const more = others.length === 0 ? '' : ` and ${others.length} more`;
  return new LedgerLockedError(
    `ledger: ${where} is in use by a distributed run: ${first.name} on ${first.host}${more}. ` +
      'To add a machine, start "data-import-sdk worker" on it; for a run without workers, end them first.',
  );
}

/** Returns the holder of the lock. */
export async function holderIn(client: Client, schema: string): Promise<Holder | undefined> {
  // The first process may still be creating the tables.
  const found = await client
    .query<Holder>(`select pid, host, since from ${schema}.ledger where host is not null`)
    .catch(() => undefined);
  return found?.rows[0];
}
