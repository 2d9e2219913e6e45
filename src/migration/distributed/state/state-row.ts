/** `createStateRow`: the row of `RunState` in the ledger's PostgreSQL. A change holds the row until it is stored. */
import type { Pool } from 'pg';
import { stateSql } from '../ledger/queries.js';
import type { RunState } from './run-state.js';

export interface StateRow {
  /** undefined before a run was begun. `now`: milliseconds since 1970 by the database's clock. */
  read(): Promise<{ state: RunState | undefined; now: number }>;
  /**
   * Stores what `change` makes of the state, and returns it. `whileHeld` is awaited before others may change the row: what it does
   * elsewhere keeps the order of the changes.
   */
  change(
    change: (state: RunState | undefined, now: number) => RunState,
    whileHeld?: (before: RunState | undefined, after: RunState) => Promise<void>,
  ): Promise<{ state: RunState; now: number }>;
  /** Whether this process has the next tick: one process a second has it. */
  takeTick(): Promise<boolean>;
}

interface Row {
  state: RunState | null;
  now: number;
}

/** There is no such table, or no such schema: no run was begun. */
const ABSENT: ReadonlySet<unknown> = new Set(['42P01', '3F000']);

export function createStateRow(pool: Pool, schema: string): StateRow {
  const sql = stateSql(schema);
  return {
    async read() {
      try {
        const { rows } = await pool.query<Row>({ name: 'state-read', text: sql.read });
        return { state: inCurrentForm(rows[0]?.state), now: rows[0]?.now ?? 0 };
      } catch (error) {
        if (ABSENT.has((error as { code?: unknown }).code)) return { state: undefined, now: 0 };
        throw error;
      }
    },
    async change(change, whileHeld) {
      const client = await pool.connect();
      let isStored = false;
      try {
        await client.query('begin');
        const { rows } = await client.query<Row>({ name: 'state-lock', text: sql.lock });
        const [row] = rows;
        if (row === undefined) throw new Error('distributed run: its ledger has no run to change.');
        const before = inCurrentForm(row.state);
        const state = change(before, row.now);
        if (state !== before) {
          await client.query({ name: 'state-write', text: sql.write, values: [jsonText(state)] });
          await whileHeld?.(before, state);
        }
        await client.query('commit');
        isStored = true;
        return { state, now: row.now };
      } finally {
        // An interrupted transaction ends with its connection.
        client.release(!isStored);
      }
    },
    takeTick: async () => (await pool.query({ name: 'state-tick', text: sql.tick })).rowCount === 1,
  };
}

/** An earlier version stored the last failure as a list of texts. It is dropped here, and the next failure replaces it. */
function inCurrentForm(state: RunState | null | undefined): RunState | undefined {
  for (const { totals } of Object.values(state?.workers ?? {})) {
    if (Array.isArray(totals.lastFailure)) totals.lastFailure = null;
  }
  return state ?? undefined;
}

/** As PostgreSQL takes it: without the character 0 and halves of characters, which a quoted answer of the service may have. */
export function jsonText(json: unknown): string {
  return JSON.stringify(json, (_, value: unknown) =>
    typeof value === 'string' ? value.replace(/\0|\p{Surrogate}/gu, '\ufffd') : value,
  );
}
