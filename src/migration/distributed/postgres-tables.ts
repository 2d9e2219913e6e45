/** What a fleet needs beside the tables of a ledger. Its coordinator makes it; members find it, or are told so. */
import type { Kysely } from 'kysely';
import type { Client } from 'pg';
import { LedgerDatabaseError, NoLedgerError } from '../ledger/postgres/database-error.js';
import { expectTables } from '../ledger/postgres/schema.js';
import type { Tables } from '../ledger/sql/tables.js';
import { askAtLeisure, inTransaction } from './postgres-leisure.js';

/** Of these tables; the ledger's own row says which it has. */
const FLEET_VERSION = 2;

/**
 * Indexes hold only what is open, or waits: they stay small when nearly all has ended, and no change of version or owner
 * touches one. Room in each page lets a row's next version lie beside it.
 */
const statements = (schema: string): readonly string[] => [
  `alter table ${schema}.ledger
    add column if not exists fleet_version integer,
    add column if not exists fleet_turn bigint`,
  `alter table ${schema}.record
    add column if not exists owner text,
    add column if not exists waits boolean not null default false,
    add column if not exists due_at timestamptz`,
  `alter table ${schema}.record set (fillfactor = 80)`,
  `create index if not exists record_open on ${schema}.record (seq) where "end" is null and not waits`,
  `create index if not exists record_waits on ${schema}.record (supplier, contract) where waits`,
  `create index if not exists contract_of_business on ${schema}.contract (supplier, number)`,
  `create table if not exists ${schema}.line (
    hash bytea primary key, body bytea, source text, start bigint, length integer)`,
  `alter table ${schema}.line alter column body set storage external`,
  `create table if not exists ${schema}.member (
    id text primary key, name text not null, host text not null, pid integer not null,
    joined_at timestamptz not null, expires_at timestamptz not null, left_at timestamptz,
    work jsonb not null)`,
  `create table if not exists ${schema}.run_state (
    one boolean primary key default true check (one), state jsonb, ticked_at timestamptz) with (fillfactor = 50)`,
  `insert into ${schema}.run_state (one) values (true) on conflict do nothing`,
  `drop table if exists ${schema}.orders`,
  `update ${schema}.ledger set fleet_version = ${FLEET_VERSION}`,
];

/** With the locks of the coordinator held: makes them, or brings them up to date. */
export async function prepareFleet(client: Client, schema: string, where: string): Promise<void> {
  const version = await versionOf(client, schema, where);
  if (version === FLEET_VERSION) return;
  await inTransaction(client, async () => {
    for (const text of statements(schema)) await askAtLeisure(client, text);
  });
}

/** Rejects with a `NoLedgerError` where no fleet was. */
export async function expectFleet(client: Client, db: Kysely<Tables>, schema: string, where: string): Promise<void> {
  try {
    await expectTables(db, schema, where);
  } catch (error) {
    throw error instanceof NoLedgerError ? noFleet(where) : error;
  }
  if ((await versionOf(client, schema, where)) < FLEET_VERSION) throw noFleet(where);
}

function noFleet(where: string): NoLedgerError {
  return new NoLedgerError(
    `ledger: ${where} holds no ledger of a fleet. A run with --fleet makes one; then start this again.`,
  );
}

/** 0 where no fleet was. Throws for what a newer program made. */
async function versionOf(client: Client, schema: string, where: string): Promise<number> {
  const { rows } = await client.query<{ version: number | null }>(
    `select (to_jsonb(ledger) ->> 'fleet_version')::integer as version from ${schema}.ledger`,
  );
  const version = rows[0]?.version ?? 0;
  if (version > FLEET_VERSION) {
    throw new LedgerDatabaseError(
      `ledger: ${where} is that of a fleet of a later version of this program (tables ${version}, known ${FLEET_VERSION}). ` +
        'Use that version, or a later one.',
    );
  }
  return version;
}
