/** Exports `sqliteDialect`, Kysely's SQLite dialect on a connection of `node:sqlite` or of the package. */
import { type SqliteDatabase, SqliteDialect, type SqliteStatement } from 'kysely';
import type { SqliteConnection, SqliteValue } from './driver.js';

export function sqliteDialect(connection: SqliteConnection): SqliteDialect {
  return new SqliteDialect({ database: databaseOf(connection) });
}

const NOTHING: SqliteStatement = {
  reader: false,
  all: () => [],
  iterate: () => [].values(),
  run: () => ({ changes: 0, lastInsertRowid: 0 }),
};

/** Returns the database for Kysely. There are few different statements, so each prepared statement is kept. */
function databaseOf(connection: SqliteConnection): SqliteDatabase {
  const prepared = new Map<string, SqliteStatement>();
  return {
    prepare(sql) {
      // SQLite ends a transaction by itself after some failures; a second end would hide the failure.
      if (sql === 'rollback' && !connection.isTransaction) return NOTHING;
      const known = prepared.get(sql);
      if (known !== undefined) return known;
      const statement = statementOf(connection, sql);
      prepared.set(sql, statement);
      return statement;
    },
    close: () => connection.close(),
  };
}

function statementOf(connection: SqliteConnection, sql: string): SqliteStatement {
  // A plain "begin" takes the write lock at its first write, too late to wait for it.
  const statement = connection.prepare(sql === 'begin' ? 'begin immediate' : sql);
  const values = (parameters: readonly unknown[]) => parameters as readonly SqliteValue[];
  return {
    reader: statement.columns().length > 0,
    all: (parameters) => statement.all(...values(parameters)),
    iterate: (parameters) => statement.iterate(...values(parameters)),
    run: (parameters) => statement.run(...values(parameters)),
  };
}
