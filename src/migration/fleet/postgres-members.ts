/**
 * Who is there, in the ledger's database: a row a member, and a lease by the server's clock. It is asked on a connection
 * of its own, which nothing slow is sent on, and which holds the lock of whoever leads.
 */
import { hostname } from 'node:os';
import type { PostgresBase } from '../ledger/postgres-base.js';
import { createBeside } from '../ledger/postgres-connection.js';
import { keyOfLock, preparing } from '../ledger/postgres-lock.js';
import type { Member } from './fleet-ledger.js';
import type { LeaseServer } from './lease.js';
import { allMembers, IS_THERE, type MemberRow, memberOf } from './member-row.js';

export interface Members extends LeaseServer {
  all(): Promise<Member[]>;
  /** Whether this session has the lock of whoever leads now. */
  leads(): Promise<boolean>;
  /** Whether a member has a record. */
  isClaimed(): Promise<boolean>;
  close(): Promise<void>;
}

export interface MembersOptions {
  name: string;
  leaseMs: number;
  /** An answer that takes longer does not come. */
  timeoutMs: number;
  /** Number of the last claim with which this member had none left; undefined while it has some. */
  settled: () => number | undefined;
}

export function postgresMembers(base: PostgresBase, options: MembersOptions): Members {
  const { pg, connectionString, schema, finders } = base;
  const { name, leaseMs, timeoutMs, settled } = options;
  const pool = createBeside(pg, connectionString, { max: 1, timeoutMs, onConnect: preparing });
  const member = `${schema}.member`;
  const later = `clock_timestamp() + $2 * interval '1 ms'`;
  return {
    async join(id, work) {
      // One that joined and was not told does so again.
      await pool.query(
        `insert into ${member} (id, expires_at, name, host, pid, work, joined_at)
          values ($1, ${later}, $3, $4, $5, $6, clock_timestamp())
          on conflict (id) do update set expires_at = excluded.expires_at`,
        [id, leaseMs, name, hostname(), process.pid, work],
      );
    },
    async beat(id, work) {
      const { rowCount } = await pool.query(
        `update ${member} set expires_at = ${later}, work = $3, settled = coalesce($4, settled)
          where id = $1 and ${IS_THERE}`,
        [id, leaseMs, work, settled()],
      );
      return rowCount === 1;
    },
    async leave(id, work) {
      await pool.query(
        `update ${member} set left_at = clock_timestamp(), expires_at = least(expires_at, clock_timestamp()), work = $2
          where id = $1 and left_at is null`,
        [id, work],
      );
      // Somebody else leads from now on.
      await pool.query('select pg_advisory_unlock_all()');
    },
    async all() {
      const { rows } = await finders.query<MemberRow>(allMembers(schema));
      return rows.map(memberOf);
    },
    async leads() {
      const { rows } = await pool.query<{ got: boolean }>(
        `select pg_try_advisory_lock(${keyOfLock('leader')}) as got`,
        [schema],
      );
      return rows[0]?.got === true;
    },
    async isClaimed() {
      const { rows } = await finders.query(`select from ${member} where claiming > settled and ${IS_THERE} limit 1`);
      return rows.length > 0;
    },
    close: () => pool.end(),
  };
}
