/** Exports `describeTable`, which returns the columns of a source, and `loadTable`, which loads its rows into the database `loaded`. */
import { type Engine, literal, quoted } from './engine.js';
import { COPY_DELIMITER, type IdentifiedSource } from './source-text.js';

/** A table of the query. */
export interface Table {
  name: string;
  columns: { name: string; type: string }[];
}

/** `file`: the copy of the source, or a Parquet file itself. */
export async function describeTable(engine: Engine, source: IdentifiedSource, file: string): Promise<Table> {
  const { name } = source.declared;
  if (source.kind === 'csv')
    return { name, columns: source.columns.map((column) => ({ name: column, type: 'VARCHAR' })) };
  const reader =
    source.kind === 'parquet' ? `read_parquet(${literal(file)})` : `read_json(${literal(file)}, sample_size = -1)`;
  const found = await engine.connection.runAndReadAll(`DESCRIBE FROM ${reader}`);
  const columns = found.getRows().map(([column, type]) => ({ name: String(column), type: asWritten(String(type)) }));
  return { name, columns };
}

/** JSON has no dates: a text that looks like a date remains a text. */
function asWritten(type: string): string {
  return type.replace(/(^| )(?:DATE|TIME|TIMESTAMP(?:_\w+)?(?: WITH TIME ZONE)?|UUID)(?=$|[,)[])/g, '$1VARCHAR');
}

/** Creates the table without rows, which is enough to check a query. */
export async function createEmptyTable(engine: Engine, { name, columns }: Table): Promise<void> {
  const list = columns.map((column) => `${quoted(column.name)} ${column.type}`);
  await engine.run(`CREATE TABLE ${quoted(name)} (${list.join(', ')})`);
}

/** `longest`: size of the longest row of a copy in bytes. Returns the number of rows. */
export async function loadTable(
  engine: Engine,
  { kind }: IdentifiedSource,
  { name: table, columns }: Table,
  { file, longest }: { file: string; longest: number },
): Promise<number> {
  const name = `loaded.${quoted(table)}`;
  const types = columns.map((column) => `${literal(column.name)}: ${literal(column.type)}`).join(', ');
  const most = Math.max(longest + 1, FEWEST_BYTES);
  const reader = {
    parquet: `read_parquet(${literal(file)})`,
    json: `read_json(${literal(file)}, columns = {${types}})`,
    csv: `read_csv(${literal(file)}, delim = ${literal(COPY_DELIMITER)}, quote = '"', escape = '"', new_line = '\\n', header = false, nullstr = '', auto_detect = false, max_line_size = ${most}, buffer_size = ${4 * most}, columns = {${types}})`,
  }[kind];
  await engine.run(`CREATE TABLE ${name} AS FROM ${reader}`, 'CHECKPOINT loaded');
  const [rows] = await engine.column(`SELECT count(*) FROM ${name}`);
  return Number(rows);
}

/** DuckDB's own limit of a row. */
const FEWEST_BYTES = 2_097_152;

/** Creates the view that a query reads. With `slice`, only rows whose column is between the variables `low` and `high`. */
export async function createView(engine: Engine, { name, columns }: Table, slice: string | undefined): Promise<void> {
  const column = columns.find((one) => one.name.toLowerCase() === slice?.toLowerCase());
  const rows = `FROM loaded.${quoted(name)}`;
  await engine.run(`CREATE VIEW ${quoted(name)} AS ${column === undefined ? rows : sliceOf(rows, column)}`);
}

const HIGH = "getvariable('high')::VARCHAR";
const LOW = "getvariable('low')::VARCHAR";

/**
 * The variables are constants when a statement is planned. The column is compared without a function, so that DuckDB
 * filters the rows while it reads the table. The first slice has the rows without a value.
 */
function sliceOf(rows: string, { name, type }: Table['columns'][number]): string {
  const value = type === 'VARCHAR' ? quoted(name) : `${quoted(name)}::VARCHAR`;
  return `${rows} WHERE ${value} >= ${LOW} AND (${HIGH} IS NULL OR ${value} < ${HIGH})
    UNION ALL ${rows} WHERE ${value} IS NULL AND ${LOW} = ''`;
}
