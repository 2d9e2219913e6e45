/** Who works, or has worked, at the run of a ledger: for whoever looks on, and is no member. */
import { postgresBase } from '../ledger/postgres-base.js';
import type { Member, MemberWork } from './fleet-ledger.js';

interface MemberRow {
  id: string;
  name: string;
  host: string;
  pid: number;
  joined_at: Date;
  left_at: Date | null;
  is_there: boolean;
  work: MemberWork;
}

/** As long as a command waits for a server that is away for a moment. */
const PATIENCE_MS = 10_000;

/** The first to join first; none where no fleet was. Rejects with a `LedgerDatabaseError` where the server does not say. */
export async function fleetMembers(connectionString: string, schema: string): Promise<Member[]> {
  const base = await postgresBase({ connectionString, schema }, PATIENCE_MS);
  try {
    return await base.patient('read', async () => {
      const { rows: tables } = await base.finders.query('select where to_regclass($1) is not null', [
        `${schema}.member`,
      ]);
      if (tables.length === 0) return [];
      const { rows } = await base.finders.query<MemberRow>(
        `select id, name, host, pid, joined_at, left_at, work,
            left_at is null and expires_at > clock_timestamp() as is_there
          from ${schema}.member order by joined_at, id`,
      );
      return rows.map(memberOf);
    });
  } finally {
    await base.leave();
  }
}

function memberOf({ id, name, host, pid, joined_at, left_at, is_there, work }: MemberRow): Member {
  return {
    id,
    name,
    host,
    pid,
    joinedAt: joined_at.toISOString(),
    leftAt: left_at === null ? null : left_at.toISOString(),
    isThere: is_there,
    work,
  };
}
