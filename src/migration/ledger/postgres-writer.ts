/**
 * The one connection that writes. It holds the lock, so whatever it commits, no other run has written meanwhile. Where
 * it breaks, another is made, and goes on only if nobody else had the ledger between the two.
 */
import type { Client, QueryResult } from 'pg';
import type { DirectWrite, Statement } from './direct.js';
import { together } from './postgres-connection.js';
import { isLost } from './postgres-error.js';
import { preparing, takenOver } from './postgres-lock.js';

export interface PostgresWriter {
  /** All or nothing; gives for each write whether it found its row. */
  transact(writes: readonly DirectWrite[]): Promise<readonly boolean[]>;
  /** Gives the lock back. */
  end(): Promise<void>;
}

export interface WriterOptions {
  /** Connected, with its locks, and in its turn. */
  client: Client;
  where: string;
  /** First in every group: finds no row where somebody else has the ledger. */
  mine: Statement;
  connect: () => Promise<Client>;
  /** Whether a new session has the locks now. */
  lock: (client: Client) => Promise<boolean>;
  /** After the connection broke: whether nobody else has, or had, the ledger meanwhile. */
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
  const { client, where, mine, connect, lock, isStillMine, named } = options;
  let current: Client | undefined = client;

  async function session(): Promise<Client> {
    if (current !== undefined) return current;
    const next = await connect();
    try {
      await preparing(next);
      const hasLock = await lock(next);
      // Whoever else has it, or had it, was counted.
      if (!(await isStillMine(next))) throw takenOver(where);
      if (!hasLock) throw new StillLockedError('the server has not yet noticed that the connection before is gone');
    } catch (error) {
      await next.end().catch(() => {});
      throw error;
    }
    current = next;
    return next;
  }

  async function commit(client: Client, writes: readonly DirectWrite[]): Promise<readonly boolean[]> {
    const asked = together(client, () => [
      client.query('begin isolation level read committed'),
      client.query(named(mine)),
      ...writes.map(({ write }) => client.query(named(write))),
    ]);
    const [, found, ...written] = await answers(asked);
    if (found?.rowCount !== 1) throw takenOver(where);
    const isWritten = written.map(({ rowCount }) => rowCount === 1);
    const after = writes.flatMap((write, index) => (isWritten[index] === true ? write.after : []));
    const ended = together(client, () => [
      ...after.map((statement) => client.query(named(statement))),
      client.query('commit'),
    ]);
    await answers(ended);
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
async function answers(sent: readonly Promise<QueryResult>[]): Promise<QueryResult[]> {
  const all = await Promise.allSettled(sent);
  return all.map((one) => {
    if (one.status === 'rejected') throw one.reason;
    return one.value;
  });
}
