/**
 * Exports `compiled` and `Direct`, for the statements that run for every record: Kysely takes ten times as long to build a statement as
 * SQLite to run it. So each is compiled once, with the names of its values as placeholders.
 */
import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { RecordKey } from '../ledger.js';
import type { Row, Tables } from './tables.js';

/** Runs a compiled statement with the driver of the database. */
export interface Direct {
  rows(statement: Statement): Promise<readonly unknown[]>;
  /** The same for many rows. */
  page(statement: Statement): Promise<readonly unknown[]>;
  /**
   * Runs the writes in one transaction. Returns for each write whether it matched its row; the writes after one that
   * matched no row are not run.
   */
  transact(writes: readonly RowWrite[]): Promise<readonly boolean[]>;
}

export interface Statement {
  sql: string;
  parameters: readonly unknown[];
}

/** A write of one row. Version 1 inserts it; a later version replaces the version before. */
export interface RowWrite {
  row: Row;
  /** Whether the lines of the record are erased. */
  isOver: boolean;
  after: readonly Statement[];
}

/** The same write as one statement. */
export interface DirectWrite {
  write: Statement;
  after: readonly Statement[];
}

/** Compiles a query whose values are names. Returns a function that creates the statement from an object with these values. */
export function compiled(query: RawBuilder<unknown>, db: Kysely<Tables>): (values: object) => Statement {
  const { sql, parameters } = query.compile(db);
  const names = parameters as readonly string[];
  return (values) => ({ sql, parameters: names.map((name) => (values as Record<string, unknown>)[name]) });
}

/** Returns the name of a table as the database knows it: with the schema, if it has one. */
export function tableIn(db: Kysely<Tables>, table: keyof Tables): RawBuilder<unknown> {
  return sql.raw(db.selectFrom(table).selectAll().compile().sql.replace('select * from ', ''));
}

/** The condition that a row has the key of these values. */
export function hasKey({ supplier, kind, number }: RecordKey): RawBuilder<boolean> {
  return sql`supplier = ${supplier} and kind = ${kind} and number = ${number}`;
}

/** The values of a key that is not known yet, by their names. */
export const KEY = { supplier: 'supplier', kind: 'kind' as RecordKey['kind'], number: 'number' };
