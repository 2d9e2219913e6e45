/**
 * A fleet's turn at a ledger. The ledger's row counts the turns; where the last was a fleet's, it says that too, so that
 * members, who come and go, write in any turn of a fleet and in none of a run of one machine.
 */
import { hostname } from 'node:os';
import type { Client } from 'pg';
import type { Statement } from '../ledger/sql/direct.js';
import { askAtLeisure, inTransaction } from './postgres-leisure.js';
import { IS_THERE } from './worker-rows.js';

/** What finds a row as long as the last to begin was a fleet. A run of one machine counts its turn up alone. */
export function inFleetsTurn(schema: string): Statement {
  return { sql: `select 1 from ${schema}.ledger where turn = fleet_turn for share`, parameters: [] };
}

export async function isFleetsTurn(client: Client, schema: string): Promise<boolean> {
  const { rows } = await client.query(`select 1 from ${schema}.ledger where turn = fleet_turn`);
  return rows.length === 1;
}

/**
 * With the locks of the coordinator held: the next one. Nobody writes meanwhile, since every group looks at the row that
 * this changes. What members who are gone had is nobody's; where a run of one machine was here since, or nobody is there,
 * it is found out anew which accounts wait.
 */
export function beginFleetTurn(client: Client, schema: string, now: Date): Promise<string> {
  return inTransaction(client, async () => {
    // What reads nearly all of a table does so best from its beginning to its end.
    await client.query('set local enable_seqscan = on');
    const { rows: former } = await client.query<{ was_other: boolean; is_empty: boolean }>(
      `select turn is distinct from fleet_turn as was_other,
        not exists (select from ${schema}.member where ${IS_THERE}) as is_empty
        from ${schema}.ledger for update`,
    );
    const { rows } = await client.query<{ turn: string }>(
      `update ${schema}.ledger set turn = turn + 1, fleet_turn = turn + 1, pid = $1, host = $2, since = $3
        returning turn::text`,
      [process.pid, hostname(), now.toISOString()],
    );
    const [{ was_other: wasOther, is_empty: isEmpty } = { was_other: true, is_empty: true }] = former;
    if (isEmpty) await askAtLeisure(client, `update ${schema}.record set owner = null where owner is not null`);
    if (isEmpty || wasOther) for (const text of waitAnew(schema)) await askAtLeisure(client, text);
    return rows[0]?.turn ?? '';
  });
}

/** An account waits while the business that declares its contract is there, and has not come to be. */
function waitAnew(schema: string): string[] {
  const blocking = `
    from ${schema}.contract join ${schema}.record as business
      on (business.supplier, business.kind, business.number) = (contract.supplier, contract.kind, contract.number)
    where (contract.supplier, contract.contract) = (record.supplier, record.contract)
      and (business."end" is null or business."end" not in ('created', 'alreadyThere'))`;
  return [
    `update ${schema}.record set waits = false where waits and not exists (select ${blocking})`,
    `update ${schema}.record set waits = true ${blocking}
      and record."end" is null and not record.waits and record.kind = 'account'`,
  ];
}
