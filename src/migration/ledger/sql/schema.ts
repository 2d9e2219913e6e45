/** Exports `upgrade`, which updates the tables of a ledger from an earlier version. The ledger stores its version. */
import { type ColumnBuilderCallback, type ColumnDataType, type Kysely, sql } from 'kysely';
import type { Tables } from './tables.js';

/** Differences between the databases. */
export interface TableWays {
  /** A column that counts its rows from 1. */
  counter: [ColumnDataType, ColumnBuilderCallback];
  /** Stores the version, in the transaction that creates the tables. */
  noteVersion(db: Kysely<Tables>, version: number): Promise<void>;
}

type Change = (db: Kysely<Tables>, ways: TableWays) => Promise<void>;

/** The changes from version to version. A published one is never changed. */
const CHANGES: readonly Change[] = [
  firstTables,
  intentColumns,
  itemsColumn,
  intentOnceColumn,
  contentHashColumn,
  correctedFromColumn,
  outcomeNames,
  stageUnansweredAtColumn,
  warningsColumn,
];

export const SCHEMA_VERSION = CHANGES.length;

/** Updates the tables from that version to this one, in one transaction. */
export async function upgrade(db: Kysely<Tables>, from: number, ways: TableWays): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    for (const change of CHANGES.slice(from)) await change(transaction, ways);
    await ways.noteVersion(transaction, SCHEMA_VERSION);
  });
}

async function firstTables(db: Kysely<Tables>, { counter }: TableWays): Promise<void> {
  await db.schema
    .createTable('record')
    .addColumn('seq', ...counter)
    // The columns that every write compares and every start reads come first.
    .addColumn('supplier', 'text', (column) => column.notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('number', 'text', (column) => column.notNull())
    .addColumn('version', 'integer', (column) => column.notNull())
    .addColumn('end', 'text')
    .addColumn('hash', 'text', (column) => column.notNull())
    .addColumn('done', 'text')
    .addColumn('intent', 'text')
    .addColumn('platform_number', 'text')
    .addColumn('unknown', 'text', (column) => column.notNull())
    .addColumn('errors', 'text', (column) => column.notNull())
    .addColumn('contract', 'text')
    .addColumn('source', 'text', (column) => column.notNull())
    .addColumn('line', 'integer', (column) => column.notNull())
    .addColumn('updated_at', 'text', (column) => column.notNull())
    .addUniqueConstraint('record_key', ['supplier', 'kind', 'number'])
    .execute();
  await db.schema
    .createIndex('record_service_number')
    .on('record')
    .column('platform_number')
    .where('platform_number', 'is not', null)
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

/** Adds the time and the payload hash of an intent. */
async function intentColumns(db: Kysely<Tables>): Promise<void> {
  await db.schema.alterTable('record').addColumn('intent_at', 'text').execute();
  await db.schema.alterTable('record').addColumn('intent_hash', 'text').execute();
  // The last write of such a record stored its intent.
  await db
    .updateTable('record')
    .set(({ ref }) => ({ intent_at: ref('updated_at'), intent_hash: ref('hash') }))
    .where('intent', 'is not', null)
    .execute();
}

/** Adds the counts of items by outcome. */
async function itemsColumn(db: Kysely<Tables>): Promise<void> {
  await db.schema.alterTable('record').addColumn('items', 'text').execute();
}

/** Adds the mark of an intent whose request must not be repeated unasked. */
async function intentOnceColumn(db: Kysely<Tables>): Promise<void> {
  await db.schema.alterTable('record').addColumn('intent_once', 'integer').execute();
}

/** Adds the content hash. */
async function contentHashColumn(db: Kysely<Tables>): Promise<void> {
  await db.schema.alterTable('record').addColumn('content_hash', 'text').execute();
}

/** Adds the content hash of the line that a corrected line replaced. */
async function correctedFromColumn(db: Kysely<Tables>): Promise<void> {
  await db.schema.alterTable('record').addColumn('corrected_from', 'text').execute();
}

/** Renames columns and an outcome that had other names in earlier versions. */
async function outcomeNames(db: Kysely<Tables>): Promise<void> {
  await db.schema.alterTable('record').renameColumn('end', 'outcome').execute();
  await db.schema.alterTable('record').renameColumn('platform_number', 'service_number').execute();
  await db
    .updateTable('record')
    .set({ outcome: 'alreadyImported' })
    .where(sql<boolean>`outcome = 'alreadyThere'`)
    .execute();
}

/** Adds the time of a staging request that may still replace newer data. */
async function stageUnansweredAtColumn(db: Kysely<Tables>): Promise<void> {
  await db.schema.alterTable('record').addColumn('stage_unanswered_at', 'text').execute();
}

/** Adds the warnings of the local check. */
async function warningsColumn(db: Kysely<Tables>): Promise<void> {
  await db.schema.alterTable('record').addColumn('warnings', 'text').execute();
}
