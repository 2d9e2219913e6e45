/**
 * Exports `createWriter`, which commits writes in this thread or in a separate one. A commit waits for the disk, and in the thread of the
 * run it would delay the handling of answers. So a ledger with many writes gets a separate thread, except where none can be started,
 * as in some bundles.
 */
import { Worker } from 'node:worker_threads';
import type { DirectWrite } from '../sql/direct.js';

/** Runs the writes. Returns for each whether it matched its row. */
type Transact = (writes: readonly DirectWrite[]) => readonly boolean[] | Promise<readonly boolean[]>;

export interface SqliteWriter {
  transact: Transact;
  /** Closes the writer when no write is pending. */
  close(): Promise<void>;
}

export interface ThreadData {
  path: string;
  /** Whether it uses `node:sqlite`, and not the package. */
  isOwn: boolean;
  /** Pragmas of the connection. */
  settings: readonly string[];
}

/** A statement by its index among those sent to the thread, and its values. */
type IndexedStatement = readonly [place: number, parameters: readonly unknown[]];

export interface ThreadGroup {
  /** Statements that were not sent to the thread before. */
  statements: readonly string[];
  writes: readonly (readonly [...IndexedStatement, after: readonly IndexedStatement[]])[];
}

export type ThreadReply =
  | { isWritten: readonly boolean[] }
  | { error: { message: string; code?: string; errcode?: number; errstr?: string } };

/** Number of writes before a thread is started: a short run would end before that. */
const AFTER_WRITES = 1000;

/** `auto`: a separate thread once there are many writes; `always` from the first write on; `never`. */
export type ThreadChoice = 'auto' | 'never' | 'always';

export function createWriter(here: Transact, data: ThreadData, choice: ThreadChoice): SqliteWriter {
  let written = 0;
  let thread: Promise<SqliteWriter | undefined> | undefined;
  /** The thread, used as soon as it has started, except for a group that this thread has begun. */
  let writer: SqliteWriter | undefined;
  const start = () => {
    thread = startThread(data).then(
      (started) => {
        writer = started;
        return started;
      },
      (error) => {
        if (choice === 'always') throw error;
        return undefined;
      },
    );
  };
  return {
    async transact(writes) {
      if (thread === undefined && (choice === 'always' || (choice === 'auto' && written >= AFTER_WRITES))) start();
      if (choice === 'always') await thread;
      written += writes.length;
      return (writer ?? { transact: here }).transact(writes);
    },
    async close() {
      await (await thread?.catch(() => undefined))?.close();
    },
  };
}

interface Pending {
  resolve: (isWritten: readonly boolean[]) => void;
  reject: (error: Error) => void;
}

/** Resolves when the thread can write. Rejects if none can be started. */
function startThread(workerData: ThreadData): Promise<SqliteWriter> {
  // Some versions of Node.js print an experimental warning for their SQLite.
  const execArgv = workerData.isOwn ? ['--disable-warning=ExperimentalWarning'] : [];
  const worker = new Worker(new URL('./sqlite-thread.mjs', import.meta.url), { workerData, execArgv });
  const places = new Map<string, number>();
  let pending: Pending | undefined;
  let gone: Error | undefined;
  const exited = new Promise<void>((resolve) => worker.once('exit', () => resolve()));

  const ends = (error: Error) => {
    gone ??= error;
    pending?.reject(gone);
    pending = undefined;
  };
  worker.on('error', ends);
  worker.on('exit', () => ends(new Error('ledger: the thread that writes it has ended.')));

  const encode = ({ write, after }: DirectWrite, statements: string[]): ThreadGroup['writes'][number] => {
    const place = (sql: string): number => {
      let at = places.get(sql);
      if (at === undefined) {
        at = places.size;
        places.set(sql, at);
        statements.push(sql);
      }
      return at;
    };
    return [place(write.sql), write.parameters, after.map(({ sql, parameters }) => [place(sql), parameters] as const)];
  };

  const writer: SqliteWriter = {
    transact: (writes) =>
      new Promise((resolve, reject) => {
        if (gone !== undefined) return reject(gone);
        pending = { resolve, reject };
        const statements: string[] = [];
        const encoded = writes.map((write) => encode(write, statements));
        // The process waits for a pending commit.
        worker.ref();
        worker.postMessage(JSON.stringify({ statements, writes: encoded } satisfies ThreadGroup));
      }),
    async close() {
      worker.ref();
      worker.postMessage(null);
      await exited;
    },
  };

  return new Promise((resolve, reject) => {
    pending = { resolve: () => {}, reject };
    worker.on('message', (message: 'ready' | ThreadReply) => {
      const { resolve: written, reject: failed } = pending ?? { resolve() {}, reject() {} };
      pending = undefined;
      worker.unref();
      if (message === 'ready') resolve(writer);
      else if ('isWritten' in message) written(message.isWritten);
      else failed(Object.assign(new Error(message.error.message), message.error));
    });
  });
}
