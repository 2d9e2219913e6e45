/**
 * Who may have a ledger at the same time. Each member shares the lock that a run of one machine has alone, in the session
 * that writes; one of them is the coordinator, and holds a second one. All die with their connections.
 */
import type { Client } from 'pg';
import { inWords, LedgerLockedError } from '../ledger/locked-error.js';
import type { PostgresBase } from '../ledger/postgres/base.js';
import {
  holderIn,
  isStillTurn,
  keyOfLock,
  lockedBy,
  mineAt,
  preparing,
  tryShare,
  untilLocked,
} from '../ledger/postgres/run-lock.js';
import { checkServer, prepareTables } from '../ledger/postgres/schema.js';
import type { WriterOptions } from '../ledger/postgres/writer.js';
import { expectFleet, prepareFleet } from './postgres-tables.js';
import { beginFleetTurn, inFleetsTurn, isFleetsTurn } from './postgres-turn.js';

type Entered = Pick<WriterOptions, 'client' | 'mine' | 'lock' | 'isStillMine'>;

/** The session that writes, with its locks, and how another one gets them after it broke. */
export async function enter(base: PostgresBase, isCoordinator: boolean, now: () => Date): Promise<Entered> {
  const { schema, where, db } = base;
  const client = await base.connect();
  try {
    await preparing(client);
    if (!(await untilLocked(() => tryShare(client, schema)))) throw await lockedBy(client, where, schema);
    if (!isCoordinator) {
      await expectFleet(client, db, schema, where);
      return {
        client,
        mine: inFleetsTurn(schema),
        lock: (next) => tryShare(next, schema),
        isStillMine: (next) => isFleetsTurn(next, schema),
      };
    }
    if (!(await untilLocked(() => coordinate(client, schema)))) throw await coordinatedBy(client, where, schema);
    await checkServer(db, where);
    await prepareTables(db, schema, where);
    await prepareFleet(client, schema, where);
    const turn = await beginFleetTurn(client, schema, now());
    return {
      client,
      mine: mineAt(schema, turn),
      lock: async (next) => (await tryShare(next, schema)) && (await coordinate(next, schema)),
      isStillMine: (next) => isStillTurn(next, schema, turn),
    };
  } catch (error) {
    await client.end();
    throw error;
  }
}

async function coordinate(client: Client, schema: string): Promise<boolean> {
  const sql = `select pg_try_advisory_lock(${keyOfLock('coordinator')}) as got`;
  const { rows } = await client.query<{ got: boolean }>(sql, [schema]);
  return rows[0]?.got === true;
}

async function coordinatedBy(client: Client, where: string, schema: string): Promise<LedgerLockedError> {
  const who = inWords(await holderIn(client, schema));
  return new LedgerLockedError(
    `ledger: ${where} is in use by ${who}, which reads the book for its fleet, and one run does that. ` +
      'Help it with "data-import worker", or wait until it has ended; then give the same command again.',
  );
}
