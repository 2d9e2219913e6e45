/** Exports the checks of a PostgreSQL server and of the tables of a ledger, and their creation. */
import { randomUUID } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import { createTables, OTHER_VERSION, SCHEMA_VERSION, type TableWays } from '../sql/schema.js';
import type { Tables } from '../sql/tables.js';
import { LedgerDatabaseError, NoLedgerError } from './database-error.js';

/** Oldest supported version. Earlier ones do not detect broken connections in time. */
const OLDEST_SERVER = 12;

/** Default schema. */
export const DEFAULT_SCHEMA = 'data_import';

/** Name of the fact with the id of the ledger, by which a run folder recognises its ledger. */
export const LEDGER_ID = 'ledger';

/** Rejects with a `LedgerDatabaseError` if the server may lose acknowledged writes, or is not supported. */
export async function checkServer(db: Kysely<Tables>, where: string): Promise<void> {
  const { rows } = await sql<{ fsync: string; encoding: string; version: string }>`
    select current_setting('fsync') as fsync, current_setting('server_encoding') as encoding,
      current_setting('server_version') as version`.execute(db);
  const [{ fsync, encoding, version } = { fsync: '', encoding: '', version: '' }] = rows;
  const refuse = (why: string) => {
    throw new LedgerDatabaseError(`ledger: ${where} cannot be used for a ledger: ${why}`);
  };
  if (Number.parseInt(version, 10) < OLDEST_SERVER) {
    refuse(`its server is PostgreSQL ${version}. Use version ${OLDEST_SERVER} or later.`);
  }
  if (fsync !== 'on') refuse('its server has fsync off, and may lose acknowledged writes. Turn fsync on.');
  if (encoding !== 'UTF8') refuse(`its encoding is ${encoding}. Create a database with the encoding UTF8.`);
}

/** Rejects with a `NoLedgerError` if the tables do not exist. */
export async function expectTables(db: Kysely<Tables>, schema: string, where: string): Promise<void> {
  if ((await versionOf(db, schema, where)) > 0) return;
  throw new NoLedgerError(`ledger: ${where} has no ledger. A run with this address creates it.`);
}

/** Creates the tables if there are none. Requires the lock. */
export async function prepareTables(db: Kysely<Tables>, schema: string, where: string): Promise<void> {
  if ((await versionOf(db, schema, where)) > 0) return;
  const { rows } = await sql`select 1 from pg_namespace where nspname = ${schema}`.execute(db);
  // Not "if not exists": that requires the right to create a schema even if it exists.
  if (rows.length === 0) await sql.raw(`create schema ${schema}`).execute(db);
  await createTables(db, waysIn(schema));
}

/**
 * What the workers of a distributed run need. The index has only unfinished records, so it stays small when nearly all have ended, and no
 * change of version or owner touches it. `read_in`: the session that registered the record last; 0 if none did, null if a worker has given it
 * back and it must be registered again. The fill factor leaves space in each page for a row's next version.
 */
const tablesOfWorkers = (schema: string) => `
  alter table ${schema}.record add column owner text, add column due_at timestamptz, add column read_in bigint;
  alter table ${schema}.record set (fillfactor = 80);
  create index record_due on ${schema}.record (read_in, seq) where outcome is null;
  create table ${schema}.worker (
    id text primary key, name text not null, host text not null, pid integer not null,
    joined_at timestamptz not null, expires_at timestamptz not null, left_at timestamptz, work jsonb not null);
  create table ${schema}.run_state (
    one boolean primary key default true check (one), state jsonb) with (fillfactor = 50);
  insert into ${schema}.run_state (one) values (true)`;

function waysIn(schema: string): TableWays {
  return {
    counter: ['bigint', (column) => column.generatedByDefaultAsIdentity().primaryKey()],
    async noteVersion(db, version) {
      await sql
        .raw(
          `create table ${schema}.ledger (
            version integer not null, turn bigint not null, distributed_turn bigint, pid integer, host text, since text)`,
        )
        .execute(db);
      await sql.raw(`insert into ${schema}.ledger (version, turn) values (${version}, 0)`).execute(db);
      await sql.raw(tablesOfWorkers(schema)).execute(db);
      await db.insertInto('fact').values({ name: LEDGER_ID, value: randomUUID() }).execute();
    },
  };
}

/** Resolves with the version of the tables; 0 for a missing or empty schema. Rejects for other tables and for another version. */
async function versionOf(db: Kysely<Tables>, schema: string, where: string): Promise<number> {
  const { rows: tables } = await sql<{ name: string }>`
    select relname::text as name from pg_class where relnamespace = to_regnamespace(${schema}) and relkind in ('r', 'p', 'v')
  `.execute(db);
  if (tables.length === 0) return 0;
  if (!tables.some(({ name }) => name === 'ledger')) {
    throw new LedgerDatabaseError(`ledger: ${where} has other tables. Give another schema or another database.`);
  }
  const { rows } = await sql<{ version: number }>`select version from ${sql.table(`${schema}.ledger`)}`.execute(db);
  const version = rows[0]?.version ?? 0;
  if (version !== 0 && version !== SCHEMA_VERSION) throw new LedgerDatabaseError(`ledger: ${where} ${OTHER_VERSION}`);
  return version;
}
