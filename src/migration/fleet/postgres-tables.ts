/** What a fleet needs beside the tables of a ledger. Its coordinator makes it; members find it, or are told so. */
import type { Client } from 'pg';
import { LedgerDatabaseError, NoLedgerError } from '../ledger/postgres-error.js';

/** Of these tables; the ledger's own row says which it has. */
const FLEET_VERSION = 1;

/** Indexes of ten million records may take their time. */
const query_timeout = 3_600_000;

function ask(client: Client, text: string, values: unknown[] = []) {
  const query = { text, values, query_timeout };
  return client.query(query);
}

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
    add column if not exists waits boolean not null default false`,
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
    claiming bigint not null default 0, settled bigint not null default 0, work jsonb not null)`,
  `create table if not exists ${schema}.orders (one boolean primary key default true check (one), body jsonb not null)`,
  `update ${schema}.ledger set fleet_version = ${FLEET_VERSION}`,
];

/** With the locks of the coordinator held: makes them, or brings them up to date. */
export async function prepareFleet(client: Client, schema: string, where: string): Promise<void> {
  const version = await versionOf(client, schema, where);
  if (version === FLEET_VERSION) return;
  await client.query('begin');
  try {
    for (const text of statements(schema)) await ask(client, text);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback').catch(() => {});
    throw error;
  }
}

/** Rejects with a `NoLedgerError` where no fleet was. */
export async function expectFleet(client: Client, schema: string, where: string): Promise<void> {
  if ((await versionOf(client, schema, where)) < FLEET_VERSION) throw noFleet(where);
}

export function noFleet(where: string): NoLedgerError {
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

/**
 * The next turn of a fleet. Nobody writes meanwhile: every group looks at the row that this changes. What members who
 * are gone had is nobody's; where a run of one machine was here since, or nobody is there, it is found out again which
 * accounts wait.
 */
export async function beginFleetTurn(
  client: Client,
  schema: string,
  me: { pid: number; host: string; now: Date },
): Promise<string> {
  const isThere = 'left_at is null and expires_at > clock_timestamp()';
  await client.query('begin');
  try {
    // What reads nearly all of a table does so best in its order.
    await client.query('set local enable_seqscan = on');
    const { rows: former } = await ask(
      client,
      `select turn is distinct from fleet_turn as was_other, not exists (select from ${schema}.member where ${isThere}) as is_empty
        from ${schema}.ledger for update`,
    );
    const { rows } = await ask(
      client,
      `update ${schema}.ledger set turn = turn + 1, fleet_turn = turn + 1, pid = $1, host = $2, since = $3
        returning turn::text`,
      [me.pid, me.host, me.now.toISOString()],
    );
    const { was_other: wasOther, is_empty: isEmpty } = former[0] as { was_other: boolean; is_empty: boolean };
    if (isEmpty) await ask(client, `update ${schema}.record set owner = null where owner is not null`);
    if (isEmpty || wasOther) {
      await ask(
        client,
        `update ${schema}.record set waits = not waits
          where "end" is null and kind = 'account' and waits <> ${waitsFor(schema, 'record')}`,
      );
    }
    await client.query('commit');
    return (rows[0] as { turn: string }).turn;
  } catch (error) {
    await client.query('rollback').catch(() => {});
    throw error;
  }
}

/** Whether the business that an account belongs to is there, and has not come to be. */
function waitsFor(schema: string, account: string): string {
  return `exists (
    select from ${schema}.contract join ${schema}.record as business
      on (business.supplier, business.kind, business.number) = (contract.supplier, contract.kind, contract.number)
    where (contract.supplier, contract.contract) = (${account}.supplier, ${account}.contract)
      and (business."end" is null or business."end" not in ('created', 'alreadyThere')))`;
}
