/**
 * The few statements that run for every record, without Kysely: Kysely needs ten times as long to build one as SQLite
 * needs to run it. Each is compiled once, with the names of its values as placeholders.
 */
import type { CompiledQuery } from 'kysely';
import type { Row } from './tables.js';

/** Runs a compiled statement with the driver of the database. */
export interface Direct {
  /** The function that makes one text of a column's texts and what stands between them. */
  join: string;
  rows(statement: Statement): Promise<readonly unknown[]>;
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

/** A row of version 1 is new; of another, it takes the place of the version before. */
export interface RowWrite {
  row: Row;
  after: readonly Statement[];
}

/** The same write as one statement. */
export interface DirectWrite {
  write: Statement;
  after: readonly Statement[];
}

/** From a query whose values are names, what makes a statement of an object that has values by these names. */
export function compiled(query: { compile(): CompiledQuery }): (values: object) => Statement {
  const { sql, parameters } = query.compile();
  const names = parameters as readonly string[];
  return (values) => ({ sql, parameters: names.map((name) => (values as Record<string, unknown>)[name]) });
}

/** Names in the places of a row's values. */
export function namesOf<Row extends object>(row: Row): Row {
  return Object.fromEntries(Object.keys(row).map((name) => [name, name])) as Row;
}
