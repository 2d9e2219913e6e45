/**
 * Who may have a ledger at the same time. Each member shares the lock that a run of one machine has alone, in the session
 * that writes; one of them is the coordinator, and holds a second one. All die with their connections.
 */
import { hostname } from 'node:os';
import type { Client } from 'pg';
import type { Statement } from '../ledger/direct.js';
import { LedgerLockedError } from '../ledger/locked-error.js';
import type { PostgresBase } from '../ledger/postgres-base.js';
import { isStillTurn, keyOfLock, lockedBy, mineAt, preparing, untilLocked } from '../ledger/postgres-lock.js';
import { checkServer, expectTables, prepareTables } from '../ledger/postgres-schema.js';
import type { WriterOptions } from '../ledger/postgres-writer.js';
import { beginFleetTurn, expectFleet, prepareFleet } from './postgres-tables.js';

type Entered = Pick<WriterOptions, 'client' | 'mine' | 'lock' | 'isStillMine'>;

/** The session that writes, with its locks, and how another one gets them after it broke. */
export async function enter(base: PostgresBase, isCoordinator: boolean, now: () => Date): Promise<Entered> {
  const { schema, where, db } = base;
  const client = await base.connect();
  try {
    await preparing(client);
    if (!(await untilLocked(() => share(client, schema)))) throw await lockedBy(client, where, schema);
    if (!isCoordinator) {
      await expectTables(db, schema, where);
      await expectFleet(client, schema, where);
      return {
        client,
        mine: inFleetsTurn(schema),
        lock: (next) => share(next, schema),
        isStillMine: (next) => isFleetsTurn(next, schema),
      };
    }
    if (!(await untilLocked(() => coordinate(client, schema)))) throw await coordinatedBy(client, where, schema);
    await checkServer(db, where);
    await prepareTables(db, schema, where);
    await prepareFleet(client, schema, where);
    const turn = await beginFleetTurn(client, schema, { pid: process.pid, host: hostname(), now: now() });
    return {
      client,
      mine: mineAt(schema, turn),
      lock: async (next) => (await share(next, schema)) && (await coordinate(next, schema)),
      isStillMine: (next) => isStillTurn(next, schema, turn),
    };
  } catch (error) {
    await client.end();
    throw error;
  }
}

/** What finds a row as long as the last to begin was a fleet. A run of one machine counts its turn up alone. */
export function inFleetsTurn(schema: string): Statement {
  return { sql: `select 1 from ${schema}.ledger where turn = fleet_turn for share`, parameters: [] };
}

async function isFleetsTurn(client: Client, schema: string): Promise<boolean> {
  const { rows } = await client.query(`select 1 from ${schema}.ledger where turn = fleet_turn`);
  return rows.length === 1;
}

function share(client: Client, schema: string): Promise<boolean> {
  return got(client, `select pg_try_advisory_lock_shared(${keyOfLock('ledger')}) as got`, schema);
}

function coordinate(client: Client, schema: string): Promise<boolean> {
  return got(client, `select pg_try_advisory_lock(${keyOfLock('coordinator')}) as got`, schema);
}

async function got(client: Client, sql: string, schema: string): Promise<boolean> {
  const { rows } = await client.query<{ got: boolean }>(sql, [schema]);
  return rows[0]?.got === true;
}

async function coordinatedBy(client: Client, where: string, schema: string): Promise<LedgerLockedError> {
  // Whoever is first may be making the tables just now.
  const found = await client
    .query<{ pid: number; host: string; since: string }>(
      `select pid, host, since from ${schema}.ledger where host is not null`,
    )
    .catch(() => undefined);
  const [holder] = found?.rows ?? [];
  const who =
    holder === undefined ? 'another process' : `process ${holder.pid} on ${holder.host} since ${holder.since}`;
  return new LedgerLockedError(
    `ledger: ${where} is in use by ${who}, which reads the book for its fleet; one run does that. ` +
      'Help it with "data-import worker", or wait until it has ended; then give the same command again.',
  );
}
