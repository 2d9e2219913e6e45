/** `createStateRow`: the row of `RunState` in the ledger's PostgreSQL. A change holds the row until it is stored. */
import type { Pool, PoolClient } from 'pg';
import { DistributedRunError } from './errors.js';
import type { RunState } from './run-state.js';

export interface StateRow {
  /** undefined before a run was begun. `now`: milliseconds since 1970 by the database's clock. */
  read(): Promise<{ state: RunState | undefined; now: number }>;
  /**
   * Stores what `change` makes of the state; its result is stored as it is. `whileHeld` is awaited before others may change
   * the row: what it does elsewhere keeps the order of the changes.
   */
  change(
    change: (state: RunState | undefined, now: number) => RunState,
    whileHeld?: (before: RunState | undefined, after: RunState) => Promise<void>,
  ): Promise<{ state: RunState; now: number }>;
  /** Whether this process has the next tick: one process a second has it. */
  takeTick(): Promise<boolean>;
}

const CLOCK_MS = '(extract(epoch from clock_timestamp()) * 1000)::float8';
/** There is no such table, or no such schema: no run was begun. */
const ABSENT: ReadonlySet<unknown> = new Set(['42P01', '3F000']);
const BETWEEN_TICKS = "interval '950 milliseconds'";

export function createStateRow(pool: Pool, schema: string): StateRow {
  const table = `${schema}.run_state`;
  return {
    async read() {
      try {
        const { rows } = await pool.query<{ state: RunState | null; now: number }>({
          ...{ name: 'state-read', text: `select state, ${CLOCK_MS} as now from ${table}` },
        });
        return { state: rows[0]?.state ?? undefined, now: rows[0]?.now ?? 0 };
      } catch (error) {
        if (ABSENT.has((error as { code?: unknown }).code)) return { state: undefined, now: 0 };
        throw error;
      }
    },
    async change(change, whileHeld) {
      const client = await pool.connect();
      let isDone = false;
      try {
        const changed = await inRow(client, change, whileHeld);
        isDone = true;
        return changed;
      } finally {
        // A transaction that broke off ends with its connection.
        client.release(!isDone);
      }
    },
    async takeTick() {
      const { rowCount } = await pool.query({
        name: 'state-tick',
        text: `update ${table} set ticked_at = clock_timestamp()
          where ticked_at is null or ticked_at < clock_timestamp() - ${BETWEEN_TICKS}`,
      });
      return rowCount === 1;
    },
  };

  async function inRow(client: PoolClient, ...[change, whileHeld]: Parameters<StateRow['change']>) {
    await client.query('begin');
    const { rows } = await client.query<{ state: RunState | null; now: number }>({
      name: 'state-lock',
      text: `select state, ${CLOCK_MS} as now from ${table} for update`,
    });
    const [row] = rows;
    if (row === undefined) throw new DistributedRunError('distributed run: its ledger has no run to change.');
    const before = row.state ?? undefined;
    const state = change(before, row.now);
    if (state !== before) {
      await client.query({ name: 'state-write', text: `update ${table} set state = $1`, values: [jsonText(state)] });
      await whileHeld?.(before, state);
    }
    await client.query('commit');
    return { state, now: row.now };
  }
}

/** jsonb takes neither the character 0 nor halves of characters, and a reason may quote what the service said. */
function jsonText(state: RunState): string {
  return JSON.stringify(state, (_, value: unknown) =>
    typeof value === 'string' ? value.replace(/\0|\p{Surrogate}/gu, '\ufffd') : value,
  );
}
