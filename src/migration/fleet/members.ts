/** Who works, or has worked, at the run of a ledger: for whoever looks on, and is no member. */
import { postgresBase } from '../ledger/postgres-base.js';
import type { Member } from './fleet-ledger.js';
import { allMembers, type MemberRow, memberOf } from './member-row.js';

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
      const { rows } = await base.finders.query<MemberRow>(allMembers(schema));
      return rows.map(memberOf);
    });
  } finally {
    await base.leave();
  }
}
