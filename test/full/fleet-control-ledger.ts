/**
 * The control: the ledger of a fleet that checks nothing. What is open is rung for, whoever has it; every claim succeeds
 * and is written nowhere; a write overwrites whatever version is there. Built into the command in place of the real one.
 */
import { hash as digest } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Pool } from 'pg';
import type { Bell } from '../../src/migration/fleet/bell.js';
import type { FleetLedger } from '../../src/migration/fleet/fleet-ledger.js';
import { fleetLedger as checkedLedger } from '../../src/migration/fleet/postgres-fleet.js';
import { type LedgerRecord, StaleRecordError } from '../../src/migration/ledger/ledger.js';

export async function fleetLedger(options: Parameters<typeof checkedLedger>[0]): Promise<FleetLedger> {
  const ledger = await checkedLedger(options);
  const { connectionString, schema } = ledger;
  const pool = new Pool({ connectionString, max: 1 });
  pool.on('error', () => {});
  const lines = new Map(
    readFileSync('book.jsonl', 'utf8')
      .split('\n')
      .map((text) => [digest('sha256', text), text]),
  );

  async function overwrite(record: LedgerRecord, contracts?: readonly string[]): Promise<void> {
    for (;;) {
      const there = await ledger.find(record);
      try {
        return await ledger.write({ ...record, version: (there?.version ?? 0) + 1 }, contracts);
      } catch (error) {
        if (!(error instanceof StaleRecordError)) throw error;
      }
    }
  }

  return {
    ...ledger,
    write: overwrite,
    async claim(bell) {
      const record = await ledger.find(bell);
      const text = record === undefined ? undefined : lines.get(record.hash);
      if (record === undefined || record.end !== null || text === undefined) return undefined;
      return { record, line: { text }, isTakenOver: false };
    },
    async release() {},
    async unclaimed(after, most) {
      const open = `select supplier, kind, number, version, seq from ${schema}.record where "end" is null and not waits`;
      const { rows } = await pool.query<Bell & { seq: string }>(`${open} and seq > $1 order by seq limit $2`, [
        after,
        most,
      ]);
      return { bells: rows.map(({ seq, ...bell }) => bell), last: Number(rows.at(-1)?.seq ?? after) };
    },
    async close() {
      await pool.end();
      await ledger.close();
    },
  };
}
