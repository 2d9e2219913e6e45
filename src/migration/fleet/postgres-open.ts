/** What is open at a fleet's ledger: read from indexes that hold nothing else, however much has ended. */
import { fromColumn } from '../ledger/column-text.js';
import type { RecordKind } from '../ledger/ledger.js';
import type { PostgresBase } from '../ledger/postgres-base.js';
import type { FleetLedger } from './fleet-ledger.js';
import { IS_THERE } from './member-row.js';

export function postgresOpen(base: PostgresBase): Pick<FleetLedger, 'unclaimed' | 'hasWork' | 'forgetLines'> {
  const { schema, finders, patient, named } = base;
  const sql = {
    unclaimed: `
      select seq, supplier, kind, number, version from ${schema}.record
      where "end" is null and not waits and seq > $1 and (owner is null or not exists (
        select from ${schema}.member where member.id = record.owner and ${IS_THERE}))
      order by seq limit $2`,
    hasWork: `select from ${schema}.record where "end" is null and not waits order by seq limit 1`,
  };
  return {
    unclaimed: (after, most) =>
      patient('read', async () => {
        const { rows } = await finders.query<{
          seq: number;
          supplier: string;
          kind: RecordKind;
          number: string;
          version: number;
        }>(named({ sql: sql.unclaimed, parameters: [after, most] }));
        const bells = rows.map(({ supplier, kind, number, version }) => ({
          supplier: fromColumn(supplier),
          kind,
          number: fromColumn(number),
          version,
        }));
        return { bells, last: rows.at(-1)?.seq ?? after };
      }),
    hasWork: () =>
      patient('read', async () => (await finders.query(named({ sql: sql.hasWork, parameters: [] }))).rows.length > 0),
    forgetLines: () => patient('write to', async () => void (await base.finders.query(`truncate ${schema}.line`))),
  };
}
