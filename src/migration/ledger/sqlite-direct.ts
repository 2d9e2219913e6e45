/** Statements straight to SQLite, each prepared once and kept. */
import type { Direct, Statement } from './direct.js';
import type { SqliteConnection, SqliteStatement, SqliteValue } from './sqlite-driver.js';

export function sqliteDirect(connection: SqliteConnection): Direct {
  const known = new Map<string, SqliteStatement>();
  const prepared = (sql: string): SqliteStatement => {
    let statement = known.get(sql);
    if (statement === undefined) {
      statement = connection.prepare(sql);
      known.set(sql, statement);
    }
    return statement;
  };
  const run = ({ sql, parameters }: Statement) => prepared(sql).run(...(parameters as readonly SqliteValue[]));
  return {
    join: 'group_concat',
    rows: async ({ sql, parameters }) => prepared(sql).all(...(parameters as readonly SqliteValue[])),
    async transact(writes) {
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
    },
  };
}
