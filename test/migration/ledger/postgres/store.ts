/** Stores for ledgers on PostgreSQL: each has its own schema, which is dropped after the test. */
import { Client } from 'pg';
import { onTestFinished } from 'vitest';
import {
  type PostgresLedgerOptions,
  postgresLedger,
} from '../../../../src/migration/ledger/postgres/postgres-ledger.js';
import type { Store } from '../durable.js';

export interface PostgresStore extends Omit<Store, 'open'> {
  schema: string;
  open(options?: Partial<PostgresLedgerOptions>): ReturnType<Store['open']>;
  /** As its owner. */
  ask(sql: string): Promise<Record<string, unknown>[]>;
}

const now = () => new Date('2026-01-15T09:00:00Z');
let made = 0;

/** `url`: known once the server runs. */
export function newPostgresStore(url: () => string): PostgresStore {
  const schema = `test_${process.pid}_${++made}`;
  const { hostname, port, pathname } = new URL(url());
  const ask = async (sql: string) => {
    const client = new Client({ connectionString: url() });
    try {
      await client.connect();
      return (await client.query<Record<string, unknown>>(sql)).rows;
    } finally {
      await client.end();
    }
  };
  onTestFinished(async () => void (await ask(`drop schema if exists ${schema} cascade`)));
  return {
    where: `schema ${schema} of database ${pathname.slice(1)} on ${hostname}:${port}`,
    refusal:
      'and only one run at a time can use it. Wait until that run has ended, or end it. Then repeat the command. To import from several ' +
      'machines, give --distributed, and start "data-import-sdk worker" on each of the others.',
    schema,
    ask,
    async open(options = {}) {
      const ledger = await postgresLedger({ connectionString: url(), schema, now, ...options });
      onTestFinished(() => ledger.close());
      return ledger;
    },
    makeLater: async () => void (await ask(`update ${schema}.ledger set version = 999`)),
  };
}
