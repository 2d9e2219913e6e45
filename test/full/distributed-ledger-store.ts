/** The ledger of a distributed run in its own schema, and the records that tests write into it. */
import { onTestFinished } from 'vitest';
import {
  type DistributedLedger,
  type Joined,
  type JoinOptions,
  joinRun,
} from '../../src/migration/distributed/ledger/distributed-ledger.js';
import type { LedgerRecord } from '../../src/migration/ledger/ledger.js';
import type { PostgresServer } from '../migration/ledger/postgres/server.js';
import { newPostgresStore, type PostgresStore } from '../migration/ledger/postgres/store.js';
import { record, storedLine } from '../migration/ledger/records.js';

/** The ledger with the state of the run. */
type OpenLedger = DistributedLedger & Pick<Joined, 'state'>;

export interface DistributedStore extends PostgresStore {
  join(name: string, options?: Partial<JoinOptions>): Promise<OpenLedger>;
  coordinate(options?: Partial<JoinOptions>): Promise<OpenLedger>;
  /** As a process that was killed: its connections end, and its heartbeats have run out. */
  vanish(ledger: DistributedLedger): Promise<void>;
}

const now = () => new Date('2026-01-15T09:00:00Z');

export function newDistributedStore(server: () => PostgresServer): DistributedStore {
  const store = newPostgresStore(() => server().url);
  const join = async (name: string, options: Partial<JoinOptions> = {}) => {
    const connection = { connectionString: server().url, schema: store.schema };
    const { ledger, state } = await joinRun({
      ...{ ...connection, name, now, isCoordinator: false, onNote: () => {} },
      ...options,
    });
    onTestFinished(() => ledger.close());
    return { ...ledger, state };
  };
  return {
    ...store,
    join,
    coordinate: (options) => join('C', { isCoordinator: true, ...options }),
    async vanish(ledger) {
      await ledger.close();
      await store.ask(
        `update ${store.schema}.worker set left_at = null, expires_at = clock_timestamp() - interval '1 ms' where id = '${ledger.workerId}'`,
      );
    },
  };
}

/** Not in the ledger yet. */
export const fresh = (number: string, more: Partial<LedgerRecord> = {}) => record(number, { version: 0, ...more });

const numbersOf = async (claimed: ReturnType<DistributedLedger['claim']>) =>
  (await claimed).map(({ record: { number } }) => number);

/** The numbers of the records that a worker claims. `inHand`: what it has claimed before. */
export const claimedBy = (
  ledger: DistributedLedger,
  most: number,
  inHand: Parameters<DistributedLedger['claim']>[1] = [],
) => numbersOf(ledger.claim(most, inHand));

/** Stores a line of the record, and registers the record. */
export async function register(ledger: DistributedLedger, entry: LedgerRecord, contracts: readonly string[] = []) {
  await ledger.addLines(1, [storedLine(entry)]);
  return ledger.register(entry, contracts);
}
