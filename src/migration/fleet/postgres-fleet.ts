/** A ledger on PostgreSQL at which the members of a fleet work together. */
import { StaleRecordError } from '../ledger/ledger.js';
import { DEFAULT_PATIENCE_MS, type PostgresLedgerOptions } from '../ledger/postgres.js';
import { type PostgresBase, postgresBase } from '../ledger/postgres-base.js';
import { createBeside, postgresDirect, WRITE_TIMEOUT_MS } from '../ledger/postgres-connection.js';
import { ledgerDatabaseError } from '../ledger/postgres-error.js';
import { preparing } from '../ledger/postgres-lock.js';
import { DEFAULT_SCHEMA, LEDGER_ID } from '../ledger/postgres-schema.js';
import { createPostgresWriter } from '../ledger/postgres-writer.js';
import { createSqlLedger } from '../ledger/sql-ledger.js';
import type { FleetLedger, Lease } from './fleet-ledger.js';
import { createHeld } from './held.js';
import { createLease, type LeaseClocks, machineClocks } from './lease.js';
import { postgresClaims } from './postgres-claims.js';
import { type CopyFrom, loadCopy } from './postgres-copy.js';
import { enter } from './postgres-locks.js';
import { postgresMembers } from './postgres-members.js';
import { postgresOpen } from './postgres-open.js';
import { postgresRegister } from './postgres-register.js';

/** Of `fleetLedger(options)`. */
export interface FleetLedgerOptions extends Omit<PostgresLedgerOptions, 'readOnly'> {
  /** By which the member is known to people. */
  name: string;
  /** The one that reads the book; it makes the tables. */
  isCoordinator?: boolean;
  /** How long a member that is not heard of has what it claimed. */
  leaseMs?: number;
  beatMs?: number;
  /** Of this machine. */
  clocks?: LeaseClocks;
  /** Told, in one line for people, that the lease was lost. */
  onNote?: (note: string) => void;
}

const LEASE_MS = 10_000;
const BEAT_MS = 2000;
/** An answer to a beat that takes longer than this share of the lease does not come. */
const ANSWERED_WITHIN = 0.4;
/** For claims, for what is given back, and for what is registered. */
const BESIDE = 3;

/**
 * Joins as a member. Rejects with a `LedgerLockedError` where a run of one machine has the ledger, or another coordinator
 * where this is to be one; with a `NoLedgerError` where no fleet was, unless this is the coordinator; and with a
 * `LedgerDatabaseError` where the server cannot be reached, or refuses.
 */
export async function fleetLedger(options: FleetLedgerOptions): Promise<FleetLedger> {
  const { connectionString, schema = DEFAULT_SCHEMA, patienceMs = DEFAULT_PATIENCE_MS } = options;
  const { isCoordinator = false, now = () => new Date() } = options;
  const base = await postgresBase({ connectionString, schema }, patienceMs);
  // What is opened is closed in the opposite order.
  const opened: (() => Promise<void>)[] = [() => base.leave()];
  const leave = async () => {
    for (const close of opened.splice(0).reverse()) await close();
  };
  try {
    // Whoever fills it learns at once what is not installed.
    if (isCoordinator) await loadCopy();
    const entered = await enter(base, isCoordinator, now);
    const { where, schema, reconnect: connect, named } = base;
    const writer = createPostgresWriter({ ...entered, where, schema, connect, named });
    opened.push(() => writer.end());
    return await join(base, { ...options, entered, writer, opened, leave });
  } catch (error) {
    await leave();
    throw ledgerDatabaseError('open', base.where, error);
  }
}

interface Joining extends FleetLedgerOptions {
  entered: Awaited<ReturnType<typeof enter>>;
  writer: ReturnType<typeof createPostgresWriter>;
  opened: (() => Promise<void>)[];
  leave: () => Promise<void>;
}

async function join(base: PostgresBase, options: Joining): Promise<FleetLedger> {
  const { entered, writer, opened, leave, name, onNote = () => {} } = options;
  const { leaseMs = LEASE_MS, beatMs = BEAT_MS, clocks = machineClocks } = options;
  const { db, named, finders, patient, schema, connectionString, pg } = base;
  const held = createHeld();
  const ids = new Set<string>();

  const members = postgresMembers(base, { name, leaseMs, timeoutMs: ANSWERED_WITHIN * leaseMs, settled: held.settled });
  opened.push(() => members.close());
  const lease = await createLease({
    server: members,
    leaseMs,
    beatMs,
    clocks,
    async giveBack() {
      await Promise.all(held.all().map((record) => claims.release(record)));
    },
    onLost() {
      held.clear();
      onNote('the lease of this member is lost: what it had under way, others take over. It joins again.');
    },
  });
  const beside = createBeside(pg, connectionString, { max: BESIDE, timeoutMs: WRITE_TIMEOUT_MS, onConnect: preparing });
  opened.push(() => beside.end());
  opened.push(() => lease.leave());
  const claims = postgresClaims(base, { pool: beside, held, lease: () => lease });
  const ledger = createSqlLedger(db, {
    direct: postgresDirect(finders, named, writer.transact),
    read: (task) => patient('read', task),
    write: (task) => patient('write to', task),
    ownership: {
      id() {
        ids.add(lease.id);
        return lease.id;
      },
      isMine: (id) => id !== null && ids.has(id),
    },
    leave,
  });
  const ledgerId = (await ledger.fact(LEDGER_ID)) ?? '';
  let copying: Promise<CopyFrom> | undefined;

  return {
    ...ledger,
    async write(record, contracts) {
      try {
        await ledger.write(record, contracts);
        held.written(record);
      } catch (error) {
        if (error instanceof StaleRecordError) held.drop({ ...record, version: record.version - 1 });
        throw error;
      }
    },
    lease,
    connectionString,
    schema,
    ledgerId,
    register: postgresRegister(base, {
      pool: beside,
      mine: entered.mine,
      copyFrom() {
        copying ??= loadCopy();
        return copying;
      },
    }),
    ...claims,
    ...postgresOpen(base),
    members: () => patient('read', members.all),
    isClaimed: () => patient('read', members.isClaimed),
    leads: () => leads(lease, members.leads),
  };
}

/** Whoever holds no lease leads nobody. A server that cannot be asked has given the lock away. */
async function leads(lease: Lease, ask: () => Promise<boolean>): Promise<boolean> {
  if (!lease.isValid(lease.generation)) return false;
  return ask().catch(() => false);
}
