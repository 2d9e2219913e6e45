/** Exports `createTables`, the tables of a ledger. The ledger stores their version; tables of another version are refused. */
import { type ColumnBuilderCallback, type ColumnDataType, type Kysely, sql } from 'kysely';
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

async function tables(db: Kysely<Tables>, { counter }: TableWays): Promise<void> {
  await db.schema
    .createTable('record')
    .addColumn('seq', ...counter)
    // The columns that every write compares and every start reads come first.
    .addColumn('supplier', 'text', (column) => column.notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('number', 'text', (column) => column.notNull())
    .addColumn('version', 'integer', (column) => column.notNull())
    .addColumn('outcome', 'text')
    .addColumn('hash', 'text', (column) => column.notNull())
    .addColumn('done', 'text')
    .addColumn('intent', 'text')
    .addColumn('service_number', 'text')
    .addColumn('unknown', 'text', (column) => column.notNull())
    .addColumn('errors', 'text', (column) => column.notNull())
    .addColumn('contract', 'text')
    .addColumn('source', 'text', (column) => column.notNull())
    .addColumn('line', 'integer', (column) => column.notNull())
    .addColumn('updated_at', 'text', (column) => column.notNull())
    .addColumn('intent_at', 'text')
    .addColumn('intent_hash', 'text')
    .addColumn('items', 'text')
    .addColumn('intent_once', 'integer')
    .addColumn('content_hash', 'text')
    .addColumn('corrected_from', 'text')
    .addColumn('stage_unanswered_at', 'text')
    .addColumn('warnings', 'text')
    .addColumn('difference', 'text')
    .addColumn('decisions', 'text')
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
  await db.schema
    .createTable('payload')
    .addColumn('seq', ...counter)
    .addColumn('reading', 'integer', (column) => column.notNull())
    .addColumn('supplier', 'text', (column) => column.notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('number', 'text', (column) => column.notNull())
    .addColumn('hash', 'text', (column) => column.notNull())
    .addColumn('content_hash', 'text', (column) => column.notNull())
    .addColumn('source', 'text', (column) => column.notNull())
    .addColumn('line', 'integer', (column) => column.notNull())
    .addColumn('label', 'text')
    .addColumn('cells', 'text')
    .addColumn('corrects', 'text')
    .addColumn('body', 'text', (column) => column.notNull())
    .addUniqueConstraint('payload_key', ['supplier', 'kind', 'number', 'hash'])
    .execute();
  // These few come before all accounts.
  await db.schema
    .createIndex('payload_first')
    .on('payload')
    .columns(['kind', 'seq'])
    .where('kind', '!=', sql.lit('account'))
    .execute();
  await db.schema
    .createTable('contract')
    .addColumn('supplier', 'text', (column) => column.notNull())
    .addColumn('contract', 'text', (column) => column.notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('number', 'text', (column) => column.notNull())
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
