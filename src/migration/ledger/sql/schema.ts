/** Exports `createTables`, the tables of a ledger. The ledger stores their version; tables of another version are refused. */
import { type ColumnBuilderCallback, type ColumnDataType, type CreateTableBuilder, type Kysely, sql } from 'kysely';
import type { Tables } from './tables.js';

/** Differences between the databases. */
export interface TableWays {
  /** A column that counts its rows from 1. */
  counter: [ColumnDataType, ColumnBuilderCallback];
  /** Stores the version, in the transaction that creates the tables. */
  noteVersion(db: Kysely<Tables>, version: number): Promise<void>;
}

/** Changes with every change of the tables. */
export const SCHEMA_VERSION = 13;

/** What to do about tables of another version. */
export const OTHER_VERSION =
  'was written by another version of this program. Continue with that version, or begin a new run in another folder or schema.';

/** Creates the tables in one transaction. */
export async function createTables(db: Kysely<Tables>, ways: TableWays): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    await tables(transaction, ways);
    await ways.noteVersion(transaction, SCHEMA_VERSION);
  });
}

/** The columns that every write compares and every start reads come first. */
const RECORD = `supplier text not null, kind text not null, number text not null, version integer not null, outcome text,
  hash text not null, done text, intent text, service_number text, unknown text not null, errors text not null,
  contract text, source text not null, line integer not null, updated_at text not null, intent_at text, intent_hash text,
  items text, intent_once integer, content_hash text, corrected_from text, stage_unanswered_at text, warnings text,
  difference text, decisions text`;

const PAYLOAD = `reading integer not null, supplier text not null, kind text not null, number text not null,
  hash text not null, content_hash text not null, source text not null, line integer not null, label text, cells text,
  corrects text, body text not null`;

const CONTRACT = 'supplier text not null, contract text not null, kind text not null, number text not null';

/** Returns the table with further columns, which are written as in SQL. */
function withColumns(table: CreateTableBuilder<string, string>, columns: string): CreateTableBuilder<string, string> {
  return columns.split(',').reduce((before, column) => {
    const [name = '', type, ...isNeverNull] = column.trim().split(/\s+/);
    return before.addColumn(name, type as ColumnDataType, (one) => (isNeverNull.length > 0 ? one.notNull() : one));
  }, table);
}

async function tables(db: Kysely<Tables>, { counter }: TableWays): Promise<void> {
  await withColumns(db.schema.createTable('record').addColumn('seq', ...counter), RECORD)
    .addUniqueConstraint('record_key', ['supplier', 'kind', 'number'])
    .execute();
  await db.schema
    .createIndex('record_service_number')
    .on('record')
    .column('service_number')
    .where('service_number', 'is not', null)
    .execute();
  // A start asks for these few of all records.
  await db.schema
    .createIndex('record_corrected')
    .on('record')
    .columns(['seq', 'corrected_from'])
    .where('corrected_from', 'is not', null)
    .execute();
  // Apart from the states of records, because each write of a state would write it again.
  await withColumns(db.schema.createTable('payload').addColumn('seq', ...counter), PAYLOAD)
    .addUniqueConstraint('payload_key', ['supplier', 'kind', 'number', 'hash'])
    .execute();
  // These few come before all accounts.
  await db.schema
    .createIndex('payload_first')
    .on('payload')
    .columns(['kind', 'seq'])
    .where('kind', '!=', sql.lit('account'))
    .execute();
  await withColumns(db.schema.createTable('contract'), CONTRACT)
    .addPrimaryKeyConstraint('contract_key', ['supplier', 'contract'])
    .addForeignKeyConstraint('contract_business', ['supplier', 'kind', 'number'], 'record', [
      'supplier',
      'kind',
      'number',
    ])
    .execute();
  await db.schema
    .createTable('fact')
    .addColumn('name', 'text', (column) => column.primaryKey().notNull())
    .addColumn('value', 'text', (column) => column.notNull())
    .execute();
}
