/**
 * Exports `compiled` and `Direct`, for the statements that run for every record: Kysely takes ten times as long to build a statement as
 * SQLite to run it. So each is compiled once, with the names of its values as placeholders.
 */
import type { CompiledQuery } from 'kysely';
import type { Row } from './tables.js';

/** Runs a compiled statement with the driver of the database. */
export interface Direct {
  /** SQL function that joins the texts of a column with a separator. */
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
export function compiled(query: { compile(): CompiledQuery }): (values: object) => Statement {
  const { sql, parameters } = query.compile();
  const names = parameters as readonly string[];
  return (values) => ({ sql, parameters: names.map((name) => (values as Record<string, unknown>)[name]) });
}

/** Returns a row with the names of its columns as values. */
export function namesOf<Row extends object>(row: Row): Row {
  return Object.fromEntries(Object.keys(row).map((name) => [name, name])) as Row;
}
