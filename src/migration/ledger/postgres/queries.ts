/**
 * A group of records as PostgreSQL writes it: one statement, so that it costs one message and one answer, however many
 * there are. Each column comes as a list.
 */
import type { Statement } from '../sql/direct.js';
import type { Row } from '../sql/tables.js';

/**
 * Says nothing about the records of a list, and much to the server, which guesses by it that there is one: it finds each
 * by its key then. Else a plan that it made while the ledger was small reads all of it with every group.
 */
const FEW = `asked.kind in ('account', 'business')`;

/** A record of a distributed run that was fed, or written, is not fed again before: its job may be lost with the queue's data. */
export const NOT_FED_FOR = "interval '20 seconds'";

const KEY: readonly string[] = ['supplier', 'kind', 'number'];
const INTEGERS: ReadonlySet<string> = new Set(['version', 'line', 'intent_once']);

/**
 * Gives what writes these rows, and answers with the keys of those that it wrote. Every write is a compare-and-set on the
 * record's version. `mine`: nothing is written where it finds no row; what it finds it holds until the commit.
 */
export function createRowsStatement(schema: string, mine: Statement): (rows: readonly Row[]) => Statement {
  // Made with the first row: it says itself which columns it has.
  let known: { columns: readonly (keyof Row)[]; sql: string } | undefined;
  return (rows) => {
    if (known === undefined) {
      const columns = Object.keys(rows[0] ?? {}) as (keyof Row)[];
      known = { columns, sql: rowsSql(schema, mine, columns) };
    }
    const lists = known.columns.map((column) => rows.map((row) => row[column]));
    return { sql: known.sql, parameters: [...mine.parameters, ...lists] };
  };
}

function rowsSql(schema: string, mine: Statement, columns: readonly string[]): string {
  const names = columns.map((column) => `"${column}"`).join(', ');
  const lists = columns.map((column, index) => {
    const type = INTEGERS.has(column) ? 'integer' : 'text';
    return `$${mine.parameters.length + index + 1}::${type}[]`;
  });
  const changes = columns.filter((column) => !KEY.includes(column)).map((column) => `"${column}" = asked."${column}"`);
  // In a distributed run, a record that a worker writes is not fed to the work queue for a while.
  if (columns.includes('owner')) changes.push(`due_at = clock_timestamp() + ${NOT_FED_FOR}`);
  const written = KEY.map((column) => `record.${column}`).join(', ');
  return `
    with mine as (${mine.sql}),
    asked as (select ${names} from unnest(${lists.join(', ')}) as asked(${names}) where exists (select from mine)),
    inserted as (
      insert into ${schema}.record (${names}) select ${names} from asked where version = 1
      on conflict (${KEY.join(', ')}) do nothing returning ${written}),
    updated as (
      update ${schema}.record set ${changes.join(', ')} from asked
      where asked.version > 1 and record.version = asked.version - 1 and ${FEW}
        and (record.supplier, record.kind, record.number) = (asked.supplier, asked.kind, asked.number)
      returning ${written})
    select * from inserted union all select * from updated`;
}
