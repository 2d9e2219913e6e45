/**
 * Exports `enterRun`, which opens the database session for writes, with its locks. All processes of a distributed run share the lock
 * that a run on one machine holds exclusively; the coordinator holds a second one. Locks end with their connections. A counter in the
 * ledger (`turn`) is incremented by each run: workers may write in turns of a distributed run, and not in turns of a run on one machine.
 */
import { hostname } from 'node:os';
import type { Client } from 'pg';
import { inWords, LedgerLockedError } from '../../ledger/locked-error.js';
import type { PostgresBase } from '../../ledger/postgres/base.js';
import { NoLedgerError } from '../../ledger/postgres/database-error.js';
import {
  holderIn,
  isStillTurn,
  keyOfLock,
  lockedBy,
  mineAt,
  preparing,
  tryShare,
  untilLocked,
} from '../../ledger/postgres/run-lock.js';
import { checkServer, expectTables, prepareTables } from '../../ledger/postgres/schema.js';
import type { WriterOptions } from '../../ledger/postgres/writer.js';
import { isOurTurn, tablesSql, turnSql } from './queries.js';

export type WriteSession = Pick<WriterOptions, 'client' | 'mine' | 'lock' | 'isStillMine'>;

/**
 * Opens the session. Rejects with a `LedgerLockedError` if a run on one machine or another coordinator uses the ledger, and with a
 * `NoLedgerError` for a worker if there is no distributed run.
 */
export async function enterRun(base: PostgresBase, isCoordinator: boolean, now: () => Date): Promise<WriteSession> {
  const { schema, where } = base;
  const client = await base.connect();
  try {
    await preparing(client);
    if (!(await untilLocked(() => tryShare(client, schema)))) throw await lockedBy(client, where, schema);
    return isCoordinator ? await asCoordinator(base, client, now) : await asWorker(base, client);
  } catch (error) {
    await client.end();
    throw error;
  }
}

async function asWorker({ schema, where, db }: PostgresBase, client: Client): Promise<WriteSession> {
  const none = new NoLedgerError(
    `ledger: ${where} has no ledger of a distributed run. Start a run with --distributed, then repeat this command.`,
  );
  await expectTables(db, schema, where).catch((error: unknown) => {
    throw error instanceof NoLedgerError ? none : error;
  });
  if (!(await hasTables(client, schema))) throw none;
  const mine = isOurTurn(schema);
  return {
    ...{ client, mine, lock: (next) => tryShare(next, schema) },
    isStillMine: async (next) => (await next.query(mine.sql)).rows.length === 1,
  };
}

async function asCoordinator(base: PostgresBase, client: Client, now: () => Date): Promise<WriteSession> {
  const { schema, where, db } = base;
  if (!(await untilLocked(() => coordinate(client, schema)))) {
    const who = inWords(await holderIn(client, schema));
    throw new LedgerLockedError(
      `ledger: ${where} is in use by ${who}, which reads the input of the distributed run; only one process can do that. ` +
        'Add workers with "data-import-sdk worker", or wait until it has ended and repeat the command.',
    );
  }
  await checkServer(db, where);
  await prepareTables(db, schema, where);
  // PostgreSQL executes several statements in one message as one transaction.
  if (!(await hasTables(client, schema))) await client.query(slow(tablesSql(schema)));
  const turn = await beginTurn(client, schema, now());
  return {
    ...{ client, mine: mineAt(schema, turn), isStillMine: (next) => isStillTurn(next, schema, turn) },
    lock: async (next) => (await tryShare(next, schema)) && (await coordinate(next, schema)),
  };
}

async function coordinate(client: Client, schema: string): Promise<boolean> {
  const sql = `select pg_try_advisory_lock(${keyOfLock('coordinator')}) as got`;
  return (await client.query<{ got: boolean }>(sql, [schema])).rows[0]?.got === true;
}

async function hasTables(client: Client, schema: string): Promise<boolean> {
  const { rows } = await client.query<{ exists: boolean }>(turnSql(schema).exists, [`${schema}.run_state`]);
  return rows[0]?.exists === true;
}

/**
 * Begins the next turn of a distributed run. No process writes in the meantime, because every group commit reads the
 * row that this changes. If no worker is present, all records lose their owners.
 */
async function beginTurn(client: Client, schema: string, now: Date): Promise<string> {
  const sql = turnSql(schema);
  // These statements read most of the table: a sequential scan is the fastest plan.
  await client.query('begin; set local enable_seqscan = on');
  try {
    const { rows: found } = await client.query<{ is_empty: boolean }>(sql.isEmpty);
    const parameters = [process.pid, hostname(), now.toISOString()];
    const { rows } = await client.query<{ turn: string }>(sql.next, parameters);
    if (found[0]?.is_empty !== false) await client.query(slow(sql.forgetOwners));
    await client.query('commit');
    return rows[0]?.turn ?? '';
  } catch (error) {
    await client.query('rollback').catch(() => {});
    throw error;
  }
}

/** Returns a query with a long time limit, because a ledger may have ten million records. */
function slow(text: string): { text: string } {
  const query = { text, query_timeout: 3_600_000 };
  return query;
}
