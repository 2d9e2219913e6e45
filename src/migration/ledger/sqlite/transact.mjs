// @ts-check
/**
 * Exports functions that write to SQLite with prepared statements. Plain JavaScript, because the separate thread has no loader for
 * TypeScript; the main thread uses the same file.
 *
 * @import { DirectWrite, Statement } from '../sql/direct.js'
 * @import { SqliteConnection, SqliteStatement, SqliteValue } from './driver.js'
 */

/**
 * Returns a function that prepares each statement once.
 *
 * @param {SqliteConnection} connection
 * @returns {(sql: string) => SqliteStatement}
 */
export function preparing(connection) {
  /** @type {Map<string, SqliteStatement>} */
  const known = new Map();
  return (sql) => {
    let statement = known.get(sql);
    if (statement === undefined) {
      statement = connection.prepare(sql);
      known.set(sql, statement);
    }
    return statement;
  };
}

/**
 * Runs the writes in one transaction. Returns for each write whether it matched its row; the writes after one that matched
 * no row are not run.
 *
 * @param {SqliteConnection} connection
 * @param {(sql: string) => SqliteStatement} prepared
 * @returns {(writes: readonly DirectWrite[]) => boolean[]}
 */
export function transacting(connection, prepared) {
  /** @param {Statement} statement */
  const run = ({ sql, parameters }) => prepared(sql).run(.../** @type {readonly SqliteValue[]} */ (parameters));
  return (writes) => {
    // A plain "begin" takes the write lock at its first write, too late to wait for it.
    prepared('begin immediate').run();
    try {
      const isWritten = writes.map(({ write, after }) => {
        const hasRow = Number(run(write).changes) === 1;
        if (hasRow) after.forEach(run);
        return hasRow;
      });
      prepared('commit').run();
      return isWritten;
    } catch (error) {
      // SQLite ends a transaction by itself after some failures; a second end would hide the failure.
      if (connection.isTransaction) prepared('rollback').run();
      throw error;
    }
  };
}
