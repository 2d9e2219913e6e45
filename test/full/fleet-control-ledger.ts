/**
 * The control: the ledger of a fleet that checks nothing. Every claim succeeds and is written nowhere, and a write
 * overwrites whatever version is there. Built into the command in the place of the real one, by its name.
 */
import { hash as digest } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { FleetLedger } from '../../src/migration/fleet/fleet-ledger.js';
import { fleetLedger as checkedLedger } from '../../src/migration/fleet/postgres-fleet.js';
import { type LedgerRecord, StaleRecordError } from '../../src/migration/ledger/ledger.js';

export async function fleetLedger(options: Parameters<typeof checkedLedger>[0]): Promise<FleetLedger> {
  const ledger = await checkedLedger(options);
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

  return Object.create(ledger, {
    write: { value: overwrite },
    claim: {
      async value(bell: LedgerRecord) {
        const record = await ledger.find(bell);
        const text = record === undefined ? undefined : lines.get(record.hash);
        if (record === undefined || record.end !== null || text === undefined) return undefined;
        return { record, line: { text }, isTakenOver: false };
      },
    },
    release: { value: async () => {} },
  });
}
