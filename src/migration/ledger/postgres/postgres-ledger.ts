/**
 * Exports `postgresLedger`: a ledger on PostgreSQL, for runs that another machine may resume, and for users who have such a server.
 */
import { sql } from 'kysely';
import { checkOptionKinds, clockOf, type OptionKinds } from '../../../validation/option-kinds.js';
import type { Ledger } from '../ledger.js';
import type { Ownership } from '../sql/queries.js';
import { createSqlLedger } from '../sql/sql-ledger.js';
import type { PostgresPlace } from './address.js';
import { type PostgresBase, postgresBase } from './base.js';
import { postgresDirect } from './connection.js';
import { LedgerDatabaseError, ledgerDatabaseError } from './database-error.js';
import { enter, type Part } from './run-lock.js';
import { DEFAULT_SCHEMA, expectTables } from './schema.js';
import { createPostgresWriter } from './writer.js';

/** Options of `postgresLedger`. */
export interface PostgresLedgerOptions {
  /** `postgres://user@host:5432/database`. Missing parts are taken from PGUSER, PGPASSWORD and the like. */
  connectionString: string;
  /**
   * Schema of the database, for one ledger. It is created if it does not exist.
   * @default 'data_import'
   */
  schema?: string;
  /**
   * Opens the ledger without a lock and without writing, to read it during a run.
   * @default false
   */
  readOnly?: boolean;
  /**
   * For `migrateRecord` in several processes, which share the lock. A run on one machine cannot use the ledger meanwhile.
   * @default false
   */
  shared?: boolean;
  /**
   * How long a run waits for a lost server, such as one that is restarted, in milliseconds.
   * @default 60000
   */
  patienceMs?: number;
  /**
   * The clock for the start time that the lock shows.
   * @default the clock of the machine
   */
  now?: () => Date;
}

const KINDS: OptionKinds<PostgresLedgerOptions> = {
  connectionString: 'string',
  schema: 'string?',
  readOnly: 'boolean?',
  shared: 'boolean?',
  patienceMs: 'number?',
  now: 'function?',
};

export const DEFAULT_RECONNECT_MS = 60_000;

/**
 * Opens the ledger, and creates its tables if they do not exist. Every write is on the disk of the server when it resolves. Rejects
 * with a `LedgerLockedError` if a run has the ledger, and with a `LedgerDatabaseError` that has the remedy if the server cannot be
 * reached or refuses, or if the schema has other tables.
 */
export async function postgresLedger(options: PostgresLedgerOptions): Promise<Ledger> {
  checkOptionKinds('postgresLedger', options, KINDS);
  const {
    connectionString,
    schema = DEFAULT_SCHEMA,
    readOnly = false,
    shared = false,
    patienceMs = DEFAULT_RECONNECT_MS,
  } = options;
  const now = clockOf('postgresLedger', options.now);
  return withBase({ connectionString, schema }, patienceMs, async (base) => {
    const { where, db, finders, named, patient, leave } = base;
    if (!readOnly) return (await openToWrite(base, shared ? 'shared' : 'single', { now })).ledger;
    await expectTables(db, schema, where);
    return createSqlLedger(db, {
      direct: postgresDirect(finders, named, () => refuseToWrite(where)),
      read: (task) => patient('read', task),
      write: () => refuseToWrite(where),
      leave,
    });
  });
}

/** Opens something on a new base, and leaves the base if that fails. Rejects with a `LedgerDatabaseError` that has the remedy. */
export async function withBase<Opened>(
  place: PostgresPlace,
  patienceMs: number,
  open: (base: PostgresBase) => Promise<Opened>,
): Promise<Opened> {
  const base = await postgresBase(place, patienceMs);
  try {
    await base.expectSessions();
    return await open(base);
  } catch (error) {
    await base.leave();
    throw ledgerDatabaseError('open', base.where, error);
  }
}

/** Takes the locks of this part, and returns the ledger with the session that writes. `leave`: called first when the ledger is closed. */
export async function openToWrite(
  base: PostgresBase,
  part: Part,
  options: { now?: (() => Date) | undefined; ownership?: Ownership; leave?: () => Promise<void> },
) {
  const { where, schema, named, patient } = base;
  const { now = () => new Date(), leave = async () => {}, ...ownership } = options;
  const session = await enter(base, part, now, options.ownership?.id());
  const writer = createPostgresWriter({ ...session, where, schema, named, connect: base.reconnect });
  const ledger = createSqlLedger(base.db, {
    ...ownership,
    direct: postgresDirect(base.finders, named, writer.transact),
    read: (task) => patient('read', task),
    write: (task) => patient('write to', task),
    async leave() {
      await leave();
      await writer.end();
      await base.leave();
    },
  });
  return { mine: session.mine, ledger: { ...ledger, tables: () => tablesOf(base) } };
}

/** The numbers of database and table: `pg_restore` creates the table anew, and a server copies them with the whole cluster only. */
async function tablesOf({ where, db, schema, patient }: PostgresBase) {
  const { rows } = await patient('read', () =>
    sql<{ id: string }>`
      select concat_ws('/', (select oid from pg_database where datname = current_database()), to_regclass(${`${schema}.record`})::oid) as id
    `.execute(db),
  );
  return { where, id: rows[0]?.id ?? '' };
}

async function refuseToWrite(where: string): Promise<never> {
  throw new LedgerDatabaseError(`ledger: ${where} was opened read-only. To write, open it without readOnly.`);
}
