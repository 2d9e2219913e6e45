/**
 * Exports `enter`, which locks a ledger for one run. The lock is an advisory lock of the writing session, so the server releases it when
 * that connection ends for any reason. The ledger's own row names the holder and counts the runs: a run that
 * reconnects compares the count to learn whether another run had the ledger in between.
 */
import { hostname } from 'node:os';
import { setTimeout as after } from 'node:timers/promises';
import type { Client, ClientBase } from 'pg';
import { type Holder, inWords, LedgerLockedError, lockedError } from '../locked-error.js';
import type { Statement } from '../sql/direct.js';
import type { PostgresBase } from './base.js';
import { preparing } from './connection.js';
import { checkServer, expectTables, prepareTables } from './schema.js';

/** Number of tries: the server may not have released the lock of a killed process yet. */
const LOCK_TRIES = 10;
const BETWEEN_TRIES_MS = 100;

type Lock = 'ledger' | 'coordinator' | 'tables';

/** Returns the key of a lock: one of three locks per schema. */
const keyOfLock = (what: Lock) => `hashtextextended('data-import-sdk ${what} ' || $1, 0)`;

/** SQL: the locks that sessions have. */
const heldLocks = (what: Lock) => `
  select pid from pg_locks where locktype = 'advisory' and objsubid = 1 and granted
    and database = (select oid from pg_database where datname = current_database())
    and (classid::bigint << 32 | objid::bigint) = ${keyOfLock(what)}`;

/** SQL: the begin of the name of a worker's session, before the id of the worker. */
const SESSION_OF = "'data-import '";

/** How a process uses a ledger: as a run on one machine, as a process of a distributed run, or for `migrateRecord` beside others. */
export type Part = 'single' | 'coordinator' | 'worker' | 'shared';

/** A session that writes, with its locks. */
export interface Entered {
  client: Client;
  /** Matches a row as long as no other run has used the ledger since. The row stays locked until the end of the transaction. */
  mine: Statement;
  /** Tries to take the locks with another session. Resolves with whether it has them. */
  lock: (session: Client) => Promise<boolean>;
}

/**
 * Opens the session that writes. All processes of a distributed run, and those of `migrateRecord`, share the lock that a run on one machine
 * holds exclusively; the coordinator holds a second one. A counter in the ledger (`turn`) is incremented by each run: workers may write in
 * turns of a distributed run, and not in those of a run on one machine. Takes the locks first, so that no other process creates the tables
 * at the same time. Rejects with a `LedgerLockedError` if another run has the ledger, and with a `NoLedgerError` for a worker if there is none.
 * `workerId`: of a process of a distributed run. The name of its session has it, so that another process finds whose lock it is.
 */
export async function enter(base: PostgresBase, part: Part, now: () => Date, workerId?: string): Promise<Entered> {
  const { schema, where, db } = base;
  const client = await base.connect();
  const locks = {
    ledger: tryLock(schema, 'ledger', part !== 'single', workerId),
    coordinator: tryLock(schema, 'coordinator'),
  };
  try {
    await preparing(client);
    if (!(await untilLocked(() => locks.ledger(client)))) {
      const byWorkers = part === 'single' ? await lockedByWorkers(client, where, schema) : undefined;
      throw byWorkers ?? lockedError(where, await holderIn(client, schema), SEVERAL);
    }
    if (part === 'coordinator' && !(await untilLocked(() => locks.coordinator(client)))) {
      throw lockedByCoordinator(where, await holderIn(client, schema));
    }
    if (part === 'worker') await expectTables(db, schema, where);
    else {
      await checkServer(db, where);
      // Several processes of `migrateRecord` may start at the same time.
      await client.query(`select pg_advisory_lock(${keyOfLock('tables')})`, [schema]);
      await prepareTables(db, schema, where);
      await client.query(`select pg_advisory_unlock(${keyOfLock('tables')})`, [schema]);
    }
    return {
      client,
      mine: await mineIn(client, part, schema, now),
      lock: async (next) => (await locks.ledger(next)) && (part !== 'coordinator' || (await locks.coordinator(next))),
    };
  } catch (error) {
    await client.end();
    throw error;
  }
}

function tryLock(schema: string, what: Lock, isShared = false, workerId?: string) {
  const sql = `select pg_try_advisory_lock${isShared ? '_shared' : ''}(${keyOfLock(what)}) as got,
    case when $2::text is not null then set_config('application_name', ${SESSION_OF} || $2, false) end`;
  return async (session: Client) =>
    (await session.query<{ got: boolean }>(sql, [schema, workerId])).rows[0]?.got === true;
}

async function mineIn(client: Client, part: Part, schema: string, now: () => Date): Promise<Statement> {
  if (part === 'shared') return { sql: 'select 1', parameters: [] };
  if (part === 'worker') {
    return { sql: `select 1 from ${schema}.ledger where turn = distributed_turn for share`, parameters: [] };
  }
  const { rows } = await client.query<{ turn: string }>(
    `update ${schema}.ledger set turn = turn + 1, distributed_turn = case when $4 then turn + 1 else distributed_turn end,
      pid = $1, host = $2, since = $3 returning turn::text`,
    [process.pid, hostname(), now().toISOString(), part === 'coordinator'],
  );
  return { sql: `select 1 from ${schema}.ledger where turn = $1 for share`, parameters: [rows[0]?.turn ?? ''] };
}

/** Tries to get the lock for a second. */
async function untilLocked(isLocked: () => Promise<boolean>): Promise<boolean> {
  for (let left = LOCK_TRIES; ; left--) {
    if (await isLocked()) return true;
    if (left === 0) return false;
    await after(BETWEEN_TRIES_MS);
  }
}

export function takenOver(where: string): LedgerLockedError {
  return new LedgerLockedError(
    `ledger: while the connection was lost, another run has taken over ${where}, so this one ends. ` +
      'Wait until that run has ended, then repeat the command.',
  );
}

function lockedByCoordinator(where: string, holder: Holder | undefined): LedgerLockedError {
  return new LedgerLockedError(
    `ledger: ${where} is in use by ${inWords(holder)}, which reads the input of the distributed run; only one process can do that. ` +
      'Add workers with "data-import-sdk worker", or wait until it has ended and repeat the command.',
  );
}

const SEVERAL =
  ' To import from several machines, give --distributed, and start "data-import-sdk worker" on each of the others.';

/** A process of a distributed run that has the lock. */
interface Locker extends Pick<Holder, 'pid' | 'host'> {
  name: string;
  /** The process id of its session on the server. */
  session: number;
  /** Since when its next heartbeat is overdue; null if it is not. */
  silentSince: Date | null;
}

/** Returns the error for a run on one machine if processes of a distributed run share the lock; undefined if none do. */
async function lockedByWorkers(client: Client, where: string, schema: string): Promise<LedgerLockedError | undefined> {
  const found = await client
    .query<Locker>(
      `select name, host, worker.pid, held.pid as session,
        case when left_at is null and expires_at <= clock_timestamp() then expires_at end as "silentSince"
      from (${heldLocks('ledger')}) held join pg_stat_activity using (pid)
        join ${schema}.worker on application_name = ${SESSION_OF} || id order by joined_at`,
      [schema],
    )
    .catch(() => undefined);
  const all = found?.rows ?? [];
  const [first, ...others] = all.filter(({ silentSince }) => silentSince === null);
  if (first === undefined) return all.length === 0 ? undefined : lockedBySilent(where, all);
  const more = others.length === 0 ? '' : ` and ${others.length} more`;
  const begins = `ledger: ${where} is in use by a distributed run: ${first.name} on ${first.host}${more}. `;
  const coordinator = await coordinatorIn(client, schema).catch(() => undefined);
  if (coordinator?.isThere === false) return new LedgerLockedError(begins + withoutCoordinator(coordinator), true);
  return new LedgerLockedError(
    `${begins}Wait until it has ended, or end it with "data-import-sdk drain", then repeat the command. ` +
      'To add a machine to it, start "data-import-sdk worker" there.',
  );
}

/** A suspended process may continue at any time, so its lock is not ignored. */
function lockedBySilent(where: string, silent: readonly Locker[]): LedgerLockedError {
  const names = silent.map(
    ({ name, host, pid, silentSince }) =>
      `${name} on ${host} (process ${pid}), without a heartbeat since ${silentSince?.toISOString()}`,
  );
  const sessions = silent.map(({ session }) => `pg_terminate_backend(${session})`);
  return new LedgerLockedError(
    `ledger: ${where} is in use by a distributed run: ${names.join('; ')}. It is suspended, or its connection hangs. ` +
      `End that process, or its session on the database server with "select ${sessions.join(', ')}"; then repeat the command. ` +
      'The server ends the session of a machine that is off or has no network by itself within 30 s.',
  );
}

function withoutCoordinator({ holder }: Coordinator): string {
  return (
    `Its coordinator${holder === null ? '' : `, ${inWords(holder)},`} has ended, so its workers wait and the run does not end. ` +
    'Give the command of the run again to continue it; or stop the workers with "data-import-sdk drain", and repeat this command.'
  );
}

/** The process that reads the input of the last distributed run. */
export interface Coordinator {
  /** Whether it has its lock. */
  isThere: boolean;
  /** null if another command has opened the ledger since. */
  holder: Holder | null;
}

/** Returns the coordinator; undefined if no run of the ledger was distributed. */
export async function coordinatorIn(
  session: Pick<ClientBase, 'query'>,
  schema: string,
): Promise<Coordinator | undefined> {
  const { rows } = await session.query<Coordinator>(
    `select exists (${heldLocks('coordinator')}) as "isThere",
      case when turn = distributed_turn then json_build_object('pid', pid, 'host', host, 'since', since) end as holder
    from ${schema}.ledger where distributed_turn > 0`,
    [schema],
  );
  return rows[0];
}

/** Returns the holder of the lock. */
async function holderIn(client: Client, schema: string): Promise<Holder | undefined> {
  // The first process may still be creating the tables.
  const found = await client
    .query<Holder>(`select pid, host, since from ${schema}.ledger where host is not null`)
    .catch(() => undefined);
  return found?.rows[0];
}
