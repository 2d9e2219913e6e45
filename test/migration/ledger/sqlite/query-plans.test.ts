/** SQLite decides by itself how it finds the rows of a query: one that reads the whole table makes the start of a large run slow. */
import { Kysely } from 'kysely';
import { expect, test } from 'vitest';
import { openSqliteLedger } from '../../../../src/migration/index.js';
import { createStatements } from '../../../../src/migration/ledger/sql/queries.js';
import type { Tables } from '../../../../src/migration/ledger/sql/tables.js';
import { sqliteDialect } from '../../../../src/migration/ledger/sqlite/dialect.js';
import { loadSqlite, type SqliteValue } from '../../../../src/migration/ledger/sqlite/driver.js';
import { emptyFolder } from '../records.js';

test('the few lines of businesses are found by an index, not by reading the lines of all accounts', async () => {
  const path = `${emptyFolder()}/ledger.sqlite`;
  await (await openSqliteLedger(path)).close();
  const connection = (await loadSqlite())(path, { readOnly: true });
  const db = new Kysely<Tables>({ dialect: sqliteDialect(connection) });
  const planOf = (kind: 'populate' | 'business') => {
    const { sql, parameters } = createStatements(db).lines({ reading: 1, kind, after: 0 });
    return connection.prepare(`explain query plan ${sql}`).all(...(parameters as SqliteValue[]));
  };
  for (const kind of ['populate', 'business'] as const) {
    expect(planOf(kind)).toEqual([expect.objectContaining({ detail: expect.stringContaining('payload_first') })]);
  }
  await db.destroy();
});
