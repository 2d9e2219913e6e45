/** Statements straight to SQLite: what is asked on the ledger's connection, what is written by its writer. */
import type { Direct } from './direct.js';
import type { SqliteStatement, SqliteValue } from './sqlite-driver.js';
import type { SqliteWriter } from './sqlite-writer.js';

export function sqliteDirect(prepared: (sql: string) => SqliteStatement, { transact }: SqliteWriter): Direct {
  return {
    join: 'group_concat',
    rows: async ({ sql, parameters }) => prepared(sql).all(...(parameters as readonly SqliteValue[])),
    transact: async (writes) => transact(writes),
  };
}
