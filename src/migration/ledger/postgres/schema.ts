/** The tables of a ledger on PostgreSQL: whether they are there, of which version, and what its server must be. */
import { randomUUID } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import { SCHEMA_VERSION, type TableWays, upgrade } from '../sql/schema.js';
import type { Tables } from '../sql/tables.js';
import { LedgerDatabaseError, NoLedgerError } from './database-error.js';

/** Earlier ones lack a bound for connections that have died. */
const OLDEST_SERVER = 12;

/** Of the schema that holds a ledger, where none is named. */
export const DEFAULT_SCHEMA = 'data_import';

/** The name by which a ledger is known, in its facts: a run folder tells from it whose it is. */
export const LEDGER_ID = 'ledger';

/** Throws a `LedgerDatabaseError` for a server on which what was acknowledged may be lost. */
export async function checkServer(db: Kysely<Tables>, where: string): Promise<void> {
  const { rows } = await sql<{ fsync: string; encoding: string; version: string }>`
    select current_setting('fsync') as fsync, current_setting('server_encoding') as encoding,
      current_setting('server_version') as version`.execute(db);
  const [{ fsync, encoding, version } = { fsync: '', encoding: '', version: '' }] = rows;
  const refuse = (why: string) => {
    throw new LedgerDatabaseError(`ledger: ${where} cannot hold one: ${why}`);
  };
  if (Number.parseInt(version, 10) < OLDEST_SERVER) {
    refuse(`its server is PostgreSQL ${version}. Take one of version ${OLDEST_SERVER} or later.`);
  }
  if (fsync !== 'on') refuse('its server has fsync off, and may lose what it acknowledged. Turn fsync on.');
  if (encoding !== 'UTF8') refuse(`its encoding is ${encoding}. Make a database whose encoding is UTF8.`);
}

/** Rejects with a `NoLedgerError` where there is none. */
export async function expectTables(db: Kysely<Tables>, schema: string, where: string): Promise<void> {
  const version = await versionOf(db, schema, where);
  if (version === 0) {
    throw new NoLedgerError(`ledger: ${where} holds no ledger. A run with this address makes one; then look again.`);
  }
  if (version < SCHEMA_VERSION) {
    throw new LedgerDatabaseError(
      `ledger: ${where} is of an earlier version. A run brings it up to date; then look again.`,
    );
  }
}

/** With the lock held: makes them, or brings them up to date. */
export async function prepareTables(db: Kysely<Tables>, schema: string, where: string): Promise<void> {
  const version = await versionOf(db, schema, where);
  if (version === SCHEMA_VERSION) return;
  const { rows } = await sql`select 1 from pg_namespace where nspname = ${schema}`.execute(db);
  // Not "if not exists": that needs the right to make one, also where it is there.
  if (rows.length === 0) await sql.raw(`create schema ${schema}`).execute(db);
  await upgrade(db, version, waysIn(schema));
}

function waysIn(schema: string): TableWays {
  return {
    counter: ['bigint', (column) => column.generatedByDefaultAsIdentity().primaryKey()],
    async noteVersion(db, version) {
      await sql
        .raw(
          `create table if not exists ${schema}.ledger (
            version integer not null, turn bigint not null, pid integer, host text, since text)`,
        )
        .execute(db);
      const { rows } = await sql.raw(`update ${schema}.ledger set version = ${version} returning 1`).execute(db);
      if (rows.length > 0) return;
      await sql.raw(`insert into ${schema}.ledger (version, turn) values (${version}, 0)`).execute(db);
      await db.insertInto('fact').values({ name: LEDGER_ID, value: randomUUID() }).execute();
    },
  };
}

/** 0 for a schema that is not there, or has nothing in it. Throws for what is no ledger, or newer than this program. */
async function versionOf(db: Kysely<Tables>, schema: string, where: string): Promise<number> {
  const { rows: tables } = await sql<{ name: string }>`
    select relname::text as name from pg_class where relnamespace = to_regnamespace(${schema}) and relkind in ('r', 'p', 'v')
  `.execute(db);
  if (tables.length === 0) return 0;
  if (!tables.some(({ name }) => name === 'ledger')) {
    throw new LedgerDatabaseError(`ledger: ${where} holds something else. Name another schema, or another database.`);
  }
  const { rows } = await sql<{ version: number }>`select version from ${sql.table(`${schema}.ledger`)}`.execute(db);
  const version = rows[0]?.version ?? 0;
  if (version > SCHEMA_VERSION) {
    throw new LedgerDatabaseError(
      `ledger: ${where} was written by a later version of this program (tables ${version}, known ${SCHEMA_VERSION}). ` +
        'Use that version, or a later one.',
    );
  }
  return version;
}
