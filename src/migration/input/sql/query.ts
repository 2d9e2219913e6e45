/** Exports `checkQuery`, which checks that a text is one SELECT of records, and `createRecordView`, which creates the records as JSON. */
import { closestName } from '../../../validation/known-names.js';
import { InputError } from '../input-error.js';
import type { SqlFile } from './declarations.js';
import { describeDuckDbError } from './duckdb-error.js';
import { type Engine, literal, quoted } from './engine.js';
import type { Table } from './tables.js';

export type ColumnType = import('@duckdb/node-api').DuckDBType;

/** A column of the result. */
export interface ResultColumn {
  name: string;
  type: ColumnType;
}

const OBJECTS = ['populate', 'business', 'account', 'payment_instruction'];
const LISTS = ['notes', 'transactions', 'statements', 'payment_instructions'];
const KINDS = ['populate', 'business', 'account'];

/** Checks the query without executing it. Rejects with an `InputError` if it is not one SELECT whose columns are parts of a record. */
export async function checkQuery(engine: Engine, sql: SqlFile, tables: readonly Table[]): Promise<ResultColumn[]> {
  const { StatementType } = engine.duckDb;
  if (isBlank(sql.text)) throw new InputError(`${sql.name}: must hold one SELECT; found none.`);
  try {
    const statements = await engine.connection.extractStatements(sql.text);
    if (statements.count !== 1) {
      throw new InputError(`${sql.name}: must hold one SELECT; found ${statements.count} statements.`);
    }
    const prepared = await statements.prepare(0);
    if (prepared.statementType !== StatementType.SELECT) {
      throw new InputError(
        `${sql.name}: must hold one SELECT; found ${StatementType[prepared.statementType] ?? 'another statement'}.`,
      );
    }
    if (prepared.parameterCount > 0) {
      throw new InputError(`${sql.name}: the query has parameters (? or $1); expected values.`);
    }
    const columns = Array.from({ length: prepared.columnCount }, (_, index) => ({
      name: prepared.columnName(index),
      type: prepared.columnType(index),
    }));
    checkColumns(sql.name, columns, engine);
    return columns;
  } catch (error) {
    throw (await otherStatement(engine, sql)) ?? describeDuckDbError(error, sql, { tables });
  }
}

/** An operator of a plan of DuckDB. */
interface Operator {
  children: Operator[];
  /** `Projections`: of one column a text. */
  extra_info: { Table?: string; Projections?: string | string[] };
}

/** What drops columns that nothing reads. Every other optimizer may also drop what the rows of a source make unnecessary. */
const KEPT_OPTIMIZERS = ['unused_columns', 'cte_inlining'];

/** Returns the names of the columns that the query reads, for each table that it reads. Tables without rows are enough. */
export async function columnsRead(engine: Engine, sql: SqlFile): Promise<Map<string, string[]>> {
  const kept = KEPT_OPTIMIZERS.map(literal).join(', ');
  const others = await engine.column(`SELECT name FROM duckdb_optimizers() WHERE name NOT IN (${kept})`);
  await engine.run(`SET disabled_optimizers = ${literal(others.join(','))}`);
  const explained = await engine.connection.runAndReadAll(`EXPLAIN (FORMAT json) ${sql.text}`);
  await engine.run('RESET disabled_optimizers');
  const read = new Map<string, string[]>();
  const add = ({ children, extra_info: { Table: table, Projections: columns = [] } }: Operator) => {
    // `memory.main."order"`
    const name = table?.slice(table.lastIndexOf('.') + 1).replaceAll('"', '');
    if (name !== undefined) read.set(name, [...(read.get(name) ?? []), ...[columns].flat()]);
    for (const child of children) add(child);
  };
  for (const operator of JSON.parse(String(explained.getRows()[0]?.[1])) as Operator[]) add(operator);
  return read;
}

/** Returns whether the plan has the column, or a part of it: `address.town`. */
export function isRead(column: string, read: readonly string[]): boolean {
  return read.some((one) => one === column || one.startsWith(`${column}.`));
}

/** Returns the error of a statement that is no SELECT. DuckDB also finds another one in it, such as a table that does not exist. */
async function otherStatement(engine: Engine, { name, text }: SqlFile): Promise<InputError | undefined> {
  const [parsed] = await engine.column(`SELECT json_serialize_sql(${literal(text)})`);
  if (!String(parsed).includes('"Only SELECT statements')) return undefined;
  const [word = ''] = /^\w+/.exec(text.replace(COMMENTS_AND_BLANKS, ' ').trim()) ?? [];
  const found = word === '' || /^with$/i.test(word) ? 'another statement' : word.toUpperCase();
  return new InputError(`${name}: must hold one SELECT; found ${found}.`);
}

const COMMENTS_AND_BLANKS = /\/\*[^*]*\*+(?:[^/*][^*]*\*+)*\/|--.*|[\s;]/g;

/** Returns whether the text has only comments, blanks and semicolons. */
function isBlank(text: string): boolean {
  return text.replace(COMMENTS_AND_BLANKS, '') === '';
}

function checkColumns(file: string, columns: readonly ResultColumn[], engine: Engine): void {
  const known = [...OBJECTS, ...LISTS];
  const seen = new Set<string>();
  for (const { name, type } of columns) {
    if (!known.includes(name)) {
      const closest = closestName(name, known);
      const meant = closest === undefined ? '' : ` Did you mean ${closest}?`;
      throw new InputError(
        `${file}: the result has a column "${name}"; expected columns of ${known.join(', ')}.${meant}`,
      );
    }
    if (seen.has(name)) throw new InputError(`${file}: the result has two columns "${name}"; expected one.`);
    seen.add(name);
    const expected = OBJECTS.includes(name) ? 'STRUCT' : 'LIST';
    if (!isOf(type, expected, engine)) {
      throw new InputError(`${file}: the column "${name}" is ${type.toString()}; expected a ${expected} or JSON.`);
    }
  }
  if (KINDS.some((name) => seen.has(name))) return;
  throw new InputError(
    `${file}: the result has none of the columns ${KINDS.join(', ')}; expected one, with what each record is.`,
  );
}

function isOf({ typeId, alias }: ColumnType, expected: 'STRUCT' | 'LIST', { duckDb }: Engine): boolean {
  const { DuckDBTypeId: id } = duckDb;
  if (typeId === id.SQLNULL || alias === 'JSON') return true;
  if (expected === 'STRUCT') return typeId === id.STRUCT || typeId === id.MAP;
  return typeId === id.LIST || typeId === id.ARRAY;
}

/** Views of the package. No source can have these names. */
const RESULT = '"#result"';
export const RECORD = '"#record"';

/** Text before the query in `createRecordView`: positions in errors include it. */
export const BEFORE_QUERY = `CREATE VIEW ${RESULT} AS `;

/**
 * Creates the view `RECORD` of `kind` (0 pre-population, 1 business, 2 account), `key` (JSON) and `text`: the record as JSON.
 */
export async function createRecordView(engine: Engine, sql: SqlFile, columns: readonly ResultColumn[]): Promise<void> {
  const has = (name: string) => columns.some((column) => column.name === name);
  const parts = columns.map(({ name }) => `coalesce(',"${name}":' || to_json(${quoted(name)})::VARCHAR, '')`);
  const text = `'{' || substr(concat(${parts.join(', ')}), 2) || '}'`;
  const kinds = ['populate', 'business'].flatMap((name, kind) =>
    has(name) ? `WHEN ${name} IS NOT NULL THEN ${kind}` : [],
  );
  const keys = columns.flatMap((column) => keyOf(column, engine) ?? []);
  await engine.run(
    `${BEFORE_QUERY}${sql.text}`,
    `CREATE VIEW ${RECORD} AS SELECT ${kinds.length === 0 ? '2' : `CASE ${kinds.join(' ')} ELSE 2 END`} AS kind,
      to_json(coalesce(${[...keys, "''"].join(', ')}))::VARCHAR AS key,
      ${text} AS text FROM ${RESULT}`,
  );
}

const NUMBERS: Readonly<Record<string, string>> = {
  business: 'external_business_identifier',
  account: 'external_account_number',
};

/** The sort key of records. The local check reports a record without it. */
function keyOf({ name, type }: ResultColumn, { duckDb }: Engine): string | undefined {
  const number = NUMBERS[name];
  if (number === undefined) return undefined;
  if (type.alias === 'JSON') return `${quoted(name)}->>'$.${number}'`;
  const { STRUCT } = duckDb.DuckDBTypeId;
  const isField =
    type.typeId === STRUCT && (type as import('@duckdb/node-api').DuckDBStructType).entryNames.includes(number);
  return isField ? `${quoted(name)}.${number}::VARCHAR` : undefined;
}
