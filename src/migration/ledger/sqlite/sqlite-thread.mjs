// @ts-check
/**
 * The thread that commits writes and waits for the disk while the run continues. Receives each group of writes as JSON, which takes a
 * third of the time of a structured clone; answers with one digit per write.
 *
 * @import { SqliteConnection } from './driver.js'
 * @import { ThreadData, ThreadGroup, ThreadReply } from './writer.js'
 */
import { getPriority, setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { preparing, transacting } from './transact.mjs';

// The kernel may let a woken thread preempt the one that woke it: with all cores busy, that is the run in the middle
// of a turn. A lower priority prevents this. On other systems than Linux it would apply to the whole process.
if (process.platform === 'linux') setPriority(Math.min(getPriority() + 5, 19));

const { path, isOwn, settings } = /** @type {ThreadData} */ (workerData);
/** @type {{ DatabaseSync: new (path: string) => SqliteConnection }} */
const { DatabaseSync } = isOwn
  ? /** @type {any} */ (process).getBuiltinModule('node:sqlite')
  : await import('@photostructure/sqlite');

const connection = new DatabaseSync(path);
for (const setting of settings) connection.exec(`pragma ${setting}`);
const transact = transacting(connection, preparing(connection));

/** Each statement is sent once; later writes name its index. @type {string[]} */
const known = [];
/** @param {readonly [number, readonly unknown[]]} entry */
const statementOf = ([place, parameters]) => ({ sql: known[place] ?? '', parameters });

/** @param {string} text @returns {ThreadReply} */
function commit(text) {
  try {
    const { statements, writes } = /** @type {ThreadGroup} */ (JSON.parse(text));
    known.push(...statements);
    const isWritten = transact(
      writes.map(([place, parameters, after]) => ({
        write: statementOf([place, parameters]),
        after: after.map(statementOf),
      })),
    );
    return { isWritten };
  } catch (error) {
    // The properties of an SQLite error are not copied between threads automatically.
    const { message, code, errcode, errstr } = /** @type {Error & Record<string, any>} */ (error);
    return { error: { message, code, errcode, errstr } };
  }
}

parentPort?.on('message', (/** @type {string | null} */ message) => {
  if (message !== null) return parentPort?.postMessage(commit(message));
  connection.close();
  parentPort?.close();
});
parentPort?.postMessage('ready');
