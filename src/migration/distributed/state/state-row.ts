/** Exports `createStateRow`: the row of `RunState` in the ledger's database. A change locks the row until it is stored. */
import type { Pool } from 'pg';
import { stateSql } from '../ledger/claim-records-sql.js';
import type { RunState } from './run-state.js';

export type StateRow = ReturnType<typeof createStateRow>;

interface Row {
  state: RunState | null;
  now: number;
}

/** SQLSTATEs of a missing table or schema: no run was begun. */
const ABSENT: ReadonlySet<unknown> = new Set(['42P01', '3F000']);

export function createStateRow(pool: Pool, schema: string) {
  const sql = stateSql(schema);
  return {
    /** Reads the state; undefined before a run was begun. `now`: milliseconds since 1970 by the database's clock. */
    async read(): Promise<{ state: RunState | undefined; now: number }> {
      try {
        const { rows } = await pool.query<Row>({ name: 'state-read', text: sql.read });
        return { state: rows[0]?.state ?? undefined, now: rows[0]?.now ?? 0 };
      } catch (error) {
        if (ABSENT.has((error as { code?: unknown }).code)) return { state: undefined, now: 0 };
        throw error;
      }
    },
    /** Applies `change` to the state, stores and returns the result. `worker`: the id of a worker whose report this is, and so its heartbeat. */
    async change(
      change: (state: RunState | undefined, now: number) => RunState,
      worker?: string,
    ): Promise<{ state: RunState; now: number }> {
      const client = await pool.connect();
      let isStored = false;
      try {
        await client.query('begin');
        const { rows } = await client.query<Row>({ name: 'state-lock', text: sql.lock });
        const [row] = rows;
        if (row === undefined) throw new Error('distributed run: its ledger has no run to change.');
        const before = row.state ?? undefined;
        const state = change(before, row.now);
        const values = [jsonText(state), worker, worker && state.workers[worker]?.work];
        if (state !== before) await client.query({ name: 'state-write', text: sql.write, values });
        await client.query('commit');
        isStored = true;
        return { state, now: row.now };
      } finally {
        // After an error the connection is destroyed, which ends its transaction.
        client.release(!isStored);
      }
    },
  };
}

/** Returns the JSON text without U+0000 and unpaired surrogates, which PostgreSQL rejects and quoted answers may contain. */
export function jsonText(json: unknown): string {
  return JSON.stringify(json, (_, value: unknown) =>
    typeof value === 'string' ? value.replace(/\0|\p{Surrogate}/gu, '\ufffd') : value,
  );
}
