/** The ledger of a fleet in a schema of its own, and what tests put into it. */
import { onTestFinished } from 'vitest';
import type { Bell } from '../../src/migration/fleet/bell.js';
import type { FleetLedger } from '../../src/migration/fleet/fleet-ledger.js';
import { type FleetLedgerOptions, fleetLedger } from '../../src/migration/fleet/postgres-fleet.js';
import type { LedgerRecord } from '../../src/migration/ledger/ledger.js';
import type { PostgresServer } from '../migration/ledger/postgres-server.js';
import { newPostgresStore, type PostgresStore } from '../migration/ledger/postgres-store.js';
import { record } from '../migration/ledger/records.js';

export interface FleetStore extends PostgresStore {
  join(name: string, options?: Partial<FleetLedgerOptions>): Promise<FleetLedger>;
  coordinate(options?: Partial<FleetLedgerOptions>): Promise<FleetLedger>;
  /** As if so many seconds had gone by for the server since the member's last beat. */
  expire(ledger: FleetLedger): Promise<void>;
  /** As a process that was killed: its connections end, it gives nothing back, and its lease has run out. */
  vanish(ledger: FleetLedger): Promise<void>;
}

const now = () => new Date('2026-01-15T09:00:00Z');

export function newFleetStore(server: () => PostgresServer): FleetStore {
  const store = newPostgresStore(() => server().url);
  const join = async (name: string, options: Partial<FleetLedgerOptions> = {}) => {
    const ledger = await fleetLedger({ connectionString: server().url, schema: store.schema, name, now, ...options });
    onTestFinished(() => ledger.close());
    return ledger;
  };
  const expire = async ({ lease }: FleetLedger) =>
    void (await store.ask(
      `update ${store.schema}.member set expires_at = clock_timestamp() - interval '1 ms' where id = '${lease.id}'`,
    ));
  return {
    ...store,
    join,
    coordinate: (options) => join('C', { isCoordinator: true, ...options }),
    expire,
    async vanish(ledger) {
      const { id } = ledger.lease;
      const before = await store.ask(`select * from ${store.schema}.record where owner = '${id}'`);
      await ledger.close();
      await store.ask(`update ${store.schema}.member set left_at = null where id = '${id}'`);
      for (const { seq } of before) {
        await store.ask(`update ${store.schema}.record set owner = '${id}' where seq = ${seq}`);
      }
    },
  };
}

/** Not in the ledger yet. */
export const fresh = (number: string, more: Partial<LedgerRecord> = {}) => record(number, { version: 0, ...more });

export const bellOf = ({ supplier, kind, number, version }: LedgerRecord): Bell => ({
  supplier,
  kind,
  number,
  version,
});

/** Registered, with its number as its line. */
export const register = (ledger: FleetLedger, entry: LedgerRecord, contracts: readonly string[] = []) =>
  ledger.register(entry, contracts, { text: entry.number });
