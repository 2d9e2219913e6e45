/** Exports `sqliteDirect`: direct statements to SQLite. Queries use the connection of the ledger, writes its writer. */
import { type Kysely, sql } from 'kysely';
import { compiled, type Direct, namesOf, type Statement } from '../sql/direct.js';
import type { Row, Tables } from '../sql/tables.js';
import type { SqliteStatement, SqliteValue } from './driver.js';
import type { SqliteWriter } from './writer.js';

export function sqliteDirect(
  db: Kysely<Tables>,
  prepared: (sql: string) => SqliteStatement,
  { transact }: SqliteWriter,
): Direct {
  // Compiled with the first row, which has the columns.
  let statementOf: ReturnType<typeof compileWrites> | undefined;
  const { supplier, kind, number } = namesOf({ supplier: '', kind: 'account' as const, number: '' });
  const erase = compiled(db.deleteFrom('payload').where(({ and }) => and({ supplier, kind, number })));
  const writing = (row: Row) => {
    statementOf ??= compileWrites(db, row);
    return statementOf(row);
  };
  return {
    join: 'group_concat',
    rows: async ({ sql, parameters }) => prepared(sql).all(...(parameters as readonly SqliteValue[])),
    transact: async (writes) =>
      transact(
        writes.map(({ row, isOver, after }) => ({
          write: writing(row),
          after: isOver ? [...after, erase(row)] : after,
        })),
      ),
  };
}

/** Compiles the writes of a row. Every write is a compare-and-set on the version of the record. */
function compileWrites(db: Kysely<Tables>, row: Row): (row: Row) => Statement {
  const names = namesOf(row);
  const { supplier, kind, number, ...changed } = names;
  const insert = compiled(
    db
      .insertInto('record')
      .values(names)
      .onConflict((conflict) => conflict.columns(['supplier', 'kind', 'number']).doNothing()),
  );
  const update = compiled(
    db
      .updateTable('record')
      .set(changed)
      .where(({ and }) => and({ supplier, kind, number }))
      .where('version', '=', sql<number>`${'version'} - 1`),
  );
  return (row) => (row.version === 1 ? insert(row) : update(row));
}
