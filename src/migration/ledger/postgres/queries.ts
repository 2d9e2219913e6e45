/**
 * Exports `createRowsStatement`: one statement that writes a group of records, with a list for each column, so that a group of any
 * size takes one message and one answer.
 */
import type { RowWrite, Statement } from '../sql/direct.js';
import type { Row } from '../sql/tables.js';

/**
 * A condition that is always true. It makes the planner expect one record, so that it finds each record by its key. Otherwise a plan
 * made for a small ledger reads the whole table for each group.
 */
const FEW = `asked.kind in ('account', 'business', 'populate')`;

const KEY: readonly string[] = ['supplier', 'kind', 'number'];
const INTEGERS: ReadonlySet<string> = new Set(['version', 'line', 'intent_once']);

/**
 * Returns the statement for these rows, which returns the keys of the written ones. Every write is a compare-and-set on the version of
 * the record. `mine`: a query; if it finds no row, nothing is written. Its row stays locked until the commit.
 */
export function createRowsStatement(schema: string, mine: Statement): (writes: readonly RowWrite[]) => Statement {
  // Created with the first row, which has the columns.
  let known: { columns: readonly (keyof Row)[]; sql: string } | undefined;
  return (writes) => {
    const rows = writes.map(({ row }) => row);
    if (known === undefined) {
      const columns = Object.keys(rows[0] ?? {}) as (keyof Row)[];
      known = { columns, sql: rowsSql(schema, mine, columns) };
    }
    const lists = known.columns.map((column) => rows.map((row) => row[column]));
    return { sql: known.sql, parameters: [...mine.parameters, ...lists, writes.map(({ isOver }) => isOver)] };
  };
}

function rowsSql(schema: string, mine: Statement, columns: readonly string[]): string {
  const names = columns.map((column) => `"${column}"`).join(', ');
  const lists = columns.map((column, index) => {
    const type = INTEGERS.has(column) ? 'integer' : 'text';
    return `$${mine.parameters.length + index + 1}::${type}[]`;
  });
  lists.push(`$${mine.parameters.length + columns.length + 1}::boolean[]`);
  const changes = columns.filter((column) => !KEY.includes(column)).map((column) => `"${column}" = asked."${column}"`);
  const written = KEY.map((column) => `record.${column}`).join(', ');
  return `
    with mine as (${mine.sql}),
    asked as (select ${names}, is_over from unnest(${lists.join(', ')}) as asked(${names}, is_over)
      where exists (select from mine)),
    inserted as (
      insert into ${schema}.record (${names}, read_in) select ${names}, 0 from asked where version = 1
      on conflict (${KEY.join(', ')}) do nothing returning ${written}),
    updated as (
      update ${schema}.record set ${changes.join(', ')} from asked
      where asked.version > 1 and record.version = asked.version - 1 and ${FEW}
        and (record.supplier, record.kind, record.number) = (asked.supplier, asked.kind, asked.number)
      returning ${written}),
    written as (select * from inserted union all select * from updated),
    erased as (
      delete from ${schema}.payload using asked, written
      where asked.is_over and ${FEW} and (asked.supplier, asked.kind, asked.number) = (written.supplier, written.kind, written.number)
        and (payload.supplier, payload.kind, payload.number) = (asked.supplier, asked.kind, asked.number))
    select * from written`;
}
