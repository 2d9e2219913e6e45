/**
 * The few statements that every record costs, past Kysely: to put one together takes it ten times as long as SQLite to
 * carry it out. Kysely compiles each once, with the names of its values in the places of the values.
 */
import type { CompiledQuery } from 'kysely';
import type { Row } from './tables.js';

/** A database's own way to carry out what is compiled. */
export interface Direct {
  /** The function that makes one text of a column's texts and what stands between them. */
  join: string;
  rows(statement: Statement): Promise<readonly unknown[]>;
  /** All or nothing. Gives for each write whether it found its row; what comes after a write is carried out only then. */
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

/** The same, as a statement of its own. */
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
