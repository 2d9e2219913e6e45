/** Exports `checkQuery`, which checks that a text is one SELECT of records, and `createRecordView`, which creates the records as JSON. */
import { closestName } from '../../../validation/known-names.js';
import { SqlError } from '../input-error.js';
import type { SqlFile } from './declarations.js';
import { describeDuckDbError } from './duckdb-error.js';
import { type Engine, quoted } from './engine.js';
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

/** Checks the query without executing it. Rejects with a `SqlError` if it is not one SELECT whose columns are parts of a record. */
export async function checkQuery(engine: Engine, sql: SqlFile, tables: readonly Table[]): Promise<ResultColumn[]> {
  const { StatementType } = engine.duckDb;
  if (isBlank(sql.text)) throw new SqlError(`${sql.name}: must hold one SELECT; found none.`);
  try {
    const statements = await engine.connection.extractStatements(sql.text);
    if (statements.count !== 1) {
      throw new SqlError(`${sql.name}: must hold one SELECT; found ${statements.count} statements.`);
    }
    const prepared = await statements.prepare(0);
    if (prepared.statementType !== StatementType.SELECT) {
      throw new SqlError(
        `${sql.name}: must hold one SELECT; found ${StatementType[prepared.statementType] ?? 'another statement'}.`,
      );
    }
    if (prepared.parameterCount > 0) {
      throw new SqlError(`${sql.name}: the query has parameters (? or $1); expected values.`);
    }
    const columns = Array.from({ length: prepared.columnCount }, (_, index) => ({
      name: prepared.columnName(index),
      type: prepared.columnType(index),
    }));
    checkColumns(sql.name, columns, engine);
    return columns;
  } catch (error) {
    throw describeDuckDbError(error, sql, { tables });
  }
}

/** Returns whether the text has only comments, blanks and semicolons. */
function isBlank(text: string): boolean {
  return text.replace(/\/\*[^*]*\*+(?:[^/*][^*]*\*+)*\/|--.*|[\s;]/g, '') === '';
}

function checkColumns(file: string, columns: readonly ResultColumn[], engine: Engine): void {
  const known = [...OBJECTS, ...LISTS];
  const seen = new Set<string>();
  for (const { name, type } of columns) {
    if (!known.includes(name)) {
      const closest = closestName(name, known);
      const meant = closest === undefined ? '' : ` Did you mean ${closest}?`;
      throw new SqlError(
        `${file}: the result has a column "${name}"; expected columns of ${known.join(', ')}.${meant}`,
      );
    }
    if (seen.has(name)) throw new SqlError(`${file}: the result has two columns "${name}"; expected one.`);
    seen.add(name);
    const expected = OBJECTS.includes(name) ? 'STRUCT' : 'LIST';
    if (!isOf(type, expected, engine)) {
      throw new SqlError(`${file}: the column "${name}" is ${type.toString()}; expected a ${expected} or JSON.`);
    }
  }
  if (KINDS.some((name) => seen.has(name))) return;
  throw new SqlError(
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
