/** The ledger on a PostgreSQL that is started here: the same promises as everywhere. */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { keepsItsPromises } from '../migration/ledger/conformance.js';
import { outlivesItsProcess } from '../migration/ledger/durable.js';
import { behavesAsTheModel } from '../migration/ledger/model-property.js';
import { hasPostgres, type PostgresServer, startPostgres } from '../migration/ledger/postgres-server.js';
import { newPostgresStore } from '../migration/ledger/postgres-store.js';
import { record } from '../migration/ledger/records.js';

describe.skipIf(!hasPostgres())('on PostgreSQL', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server?.remove());

  const newStore = () => newPostgresStore(() => server.url);
  keepsItsPromises(() => newStore().open());
  behavesAsTheModel(() => newStore().open(), 10);
  outlivesItsProcess(newStore);

  test('records are found by their keys, also by plans that were made while the ledger was small', async () => {
    const store = newStore();
    const numbers = Array.from({ length: 60 }, (_, index) => `A-${index}`);
    const first = await store.open();
    await Promise.all(numbers.map((number) => first.write(record(number))));
    await first.close();
    await store.ask(`analyze ${store.schema}.record`);
    const scans = async () => {
      const [counted] = await store.ask(
        `select seq_scan::int as whole, idx_scan::int as keyed from pg_stat_user_tables where schemaname = '${store.schema}' and relname = 'record'`,
      );
      return counted as { whole: number; keyed: number };
    };
    const before = await scans();

    const ledger = await store.open();
    for (const number of numbers.slice(0, 20)) {
      await ledger.find(record(number));
      await ledger.write(record(number, { version: 2 }));
    }
    await ledger.close();
    // A session tells its counts when it ends.
    await vi.waitFor(async () => expect((await scans()).keyed).toBeGreaterThanOrEqual(before.keyed + 40));
    expect((await scans()).whole).toBe(before.whole);
  });
});
