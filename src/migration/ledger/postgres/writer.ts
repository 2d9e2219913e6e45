/**
 * The one connection that writes. It holds the lock, so no other run can write between its commits. If it fails, the
 * writer connects again and continues only if no other run had the ledger in between.
 */
import type { Client } from 'pg';
import type { RecordKey } from '../ledger.js';
import { idOf } from '../record-id.js';
import type { RowWrite, Statement } from '../sql/direct.js';
import { isLost } from './database-error.js';
import { createRowsStatement } from './queries.js';
import { preparing, takenOver } from './run-lock.js';

export interface PostgresWriter {
  /** All or nothing; gives for each write whether it found its row. */
  transact(writes: readonly RowWrite[]): Promise<readonly boolean[]>;
  /** Gives the lock back. */
  end(): Promise<void>;
}

export interface WriterOptions {
  /** Connected, with its locks, and in its turn. */
  client: Client;
  where: string;
  schema: string;
  /** Matches no row if another run has the ledger. */
  mine: Statement;
  connect: () => Promise<Client>;
  /** Whether a new session has the locks now. */
  lock: (client: Client) => Promise<boolean>;
  /** Called after a reconnect: whether no other run has or had the ledger in between. */
  isStillMine: (client: Client) => Promise<boolean>;
  /** With the name under which the server keeps it prepared. */
  named: (statement: Statement) => { name: string; text: string; values: unknown[] };
}

/** The session of the connection that broke has the lock still; the server will notice that it is gone. */
class StillLockedError extends Error {
  override readonly name = 'StillLockedError';
  readonly code = '08006';
}

export function createPostgresWriter(options: WriterOptions): PostgresWriter {
  const { client, where, schema, mine, connect, lock, isStillMine, named } = options;
  const statementOf = createRowsStatement(schema, mine);
  let current: Client | undefined = client;

  async function session(): Promise<Client> {
    if (current !== undefined) return current;
    const next = await connect();
    try {
      await preparing(next);
      const hasLock = await lock(next);
      // The count in the row includes every run that had it.
      if (!(await isStillMine(next))) throw takenOver(where);
      if (!hasLock) throw new StillLockedError('the server has not yet noticed that the connection before is gone');
    } catch (error) {
      await next.end().catch(() => {});
      throw error;
    }
    current = next;
    return next;
  }

  async function write(client: Client, writes: readonly RowWrite[]): Promise<readonly boolean[]> {
    const { rows } = await client.query<RecordKey>(named(statementOf(writes.map(({ row }) => row))));
    if (rows.length === writes.length) return writes.map(() => true);
    const { rowCount } = await client.query(named(mine));
    if (rowCount !== 1) throw takenOver(where);
    const written = new Set(rows.map(idOf));
    return writes.map(({ row }) => written.has(idOf(row)));
  }

  async function commit(client: Client, writes: readonly RowWrite[]): Promise<readonly boolean[]> {
    // A statement by itself is a transaction.
    if (writes.every(({ after }) => after.length === 0)) return write(client, writes);
    const [, isWritten] = await answers([client.query('begin'), write(client, writes)]);
    const after = writes.flatMap((write, index) => (isWritten[index] === true ? write.after : []));
    await answers([...after.map((statement) => client.query(named(statement))), client.query('commit')]);
    return isWritten;
  }

  return {
    async transact(writes) {
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
    async end() {
      await current?.end();
      current = undefined;
    },
  };
}

/** They are sent without waiting for each other; what fails first tells why the rest of the transaction does. */
async function answers<Sent extends readonly Promise<unknown>[] | []>(
  sent: Sent,
): Promise<{ -readonly [At in keyof Sent]: Awaited<Sent[At]> }> {
  await Promise.allSettled(sent);
  return Promise.all(sent);
}
