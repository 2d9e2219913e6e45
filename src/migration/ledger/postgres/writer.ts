/**
 * Exports `createPostgresWriter`: the one connection that writes. It has the lock, so no other run can write between its commits. If
 * it breaks, the writer reconnects, and continues only if no other run has used the ledger meanwhile.
 */
import type { Client } from 'pg';
import { idOf, type RecordKey } from '../ledger.js';
import type { RowWrite, Statement } from '../sql/direct.js';
import { preparing } from './connection.js';
import { isLost } from './database-error.js';
import { createRowsStatement } from './queries.js';
import { type Entered, takenOver } from './run-lock.js';

export interface WriterOptions extends Entered {
  where: string;
  schema: string;
  connect: () => Promise<Client>;
  /** Adds the name of the prepared statement. */
  named: (statement: Statement) => { name: string; text: string; values: unknown[] };
}

/** The server has not noticed yet that the former connection is gone, so the former session still has the lock. */
class StillLockedError extends Error {
  override readonly name = 'StillLockedError';
  readonly code = '08006';
}

export function createPostgresWriter(options: WriterOptions) {
  const { client, where, schema, mine, connect, lock, named } = options;
  const statementOf = createRowsStatement(schema, mine);
  let current: Client | undefined = client;

  /** Resolves with whether no other run has used the ledger meanwhile. */
  const isMine = async (client: Client) => (await client.query(named(mine))).rowCount === 1;

  async function session(): Promise<Client> {
    if (current !== undefined) return current;
    const next = await connect();
    try {
      await preparing(next);
      const hasLock = await lock(next);
      // The count in the row includes every run that had it.
      if (!(await isMine(next))) throw takenOver(where);
      if (!hasLock) throw new StillLockedError('the server has not yet noticed that the connection before is gone');
    } catch (error) {
      await next.end().catch(() => {});
      throw error;
    }
    current = next;
    return next;
  }

  async function write(client: Client, writes: readonly RowWrite[]): Promise<readonly boolean[]> {
    const { rows } = await client.query<RecordKey>(named(statementOf(writes)));
    if (rows.length === writes.length) return writes.map(() => true);
    if (!(await isMine(client))) throw takenOver(where);
    const written = new Set(rows.map(idOf));
    return writes.map(({ row }) => written.has(idOf(row)));
  }

  async function commit(client: Client, writes: readonly RowWrite[]): Promise<readonly boolean[]> {
    // A single statement is a transaction.
    if (writes.every(({ after }) => after.length === 0)) return write(client, writes);
    const [, isWritten] = await answers([client.query('begin'), write(client, writes)]);
    const after = writes.flatMap((write, index) => (isWritten[index] === true ? write.after : []));
    await answers([...after.map((statement) => client.query(named(statement))), client.query('commit')]);
    return isWritten;
  }

  return {
    async transact(writes: readonly RowWrite[]): Promise<readonly boolean[]> {
      const client = await session();
      try {
        return await commit(client, writes);
      } catch (error) {
        if (isLost(error)) {
          current = undefined;
          await client.end().catch(() => {});
        } else await client.query('rollback').catch(() => {});
        throw error;
      }
    },
    async end(): Promise<void> {
      await current?.end();
      current = undefined;
    },
  };
}

/** Resolves with the answers of statements that were sent together. Rejects with the first error, which is the cause of the others. */
async function answers<Sent extends readonly Promise<unknown>[] | []>(
  sent: Sent,
): Promise<{ -readonly [At in keyof Sent]: Awaited<Sent[At]> }> {
  await Promise.allSettled(sent);
  return Promise.all(sent);
}
