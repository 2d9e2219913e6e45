/** The ledger on a PostgreSQL that is started here: the same promises as everywhere. */
import { describe, expect, test, vi } from 'vitest';
import type { Ledger } from '../../src/migration/ledger/ledger.js';
import { LedgerLockedError } from '../../src/migration/ledger/locked-error.js';
import { PATIENCE } from '../helpers/patience.js';
import { keepsItsPromises } from '../migration/ledger/conformance.js';
import { outlivesItsProcess } from '../migration/ledger/durable.js';
import { behavesAsTheModel } from '../migration/ledger/model-property.js';
import { newPostgresStore } from '../migration/ledger/postgres/store.js';
import { usePostgres } from '../migration/ledger/postgres/use-postgres.js';
import { record } from '../migration/ledger/records.js';

const { isThere, server } = usePostgres();

describe.skipIf(!isThere)('on PostgreSQL', () => {
  const newStore = () => newPostgresStore(() => server.url);
  keepsItsPromises(() => newStore().open());
  behavesAsTheModel(() => newStore().open(), 10);
  outlivesItsProcess(newStore);

  test('records are found by their keys, also with query plans of a small ledger', async () => {
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
    await vi.waitFor(async () => expect((await scans()).keyed).toBeGreaterThanOrEqual(before.keyed + 40), PATIENCE);
    expect((await scans()).whole).toBe(before.whole);
  });

  test('a group of records reads only those, also with a query plan of a small ledger', async () => {
    const store = newStore();
    const ledger = await store.open();
    const numbers = Array.from({ length: 400 }, (_, index) => `A-${index}`);
    const all = (version: number, of: readonly string[]) =>
      Promise.all(of.map((number) => ledger.write(record(number, { version }))));
    for (const version of [1, 2, 3, 4, 5, 6, 7]) await all(version, numbers.slice(0, 2));
    await store.ask(`analyze ${store.schema}.record`);
    await all(1, numbers.slice(2));
    for (const at of [2, 42, 82, 122, 162, 202, 242, 282, 322, 362]) await all(2, numbers.slice(at, at + 40));
    await ledger.close();
    const read = async () => {
      const [counted] = await store.ask(
        `select seq_scan::int as whole, (seq_tup_read + idx_tup_fetch)::int as rows, n_tup_upd::int as written
          from pg_stat_user_tables where schemaname = '${store.schema}' and relname = 'record'`,
      );
      return counted as { whole: number; rows: number; written: number };
    };
    // A session tells its counts when it ends.
    await vi.waitFor(async () => expect((await read()).written).toBe(410), PATIENCE);
    expect((await read()).rows).toBe(410);
  });

  test('shared, several processes write at the same time, each record by compare-and-set, and a run is kept away', async () => {
    const store = newStore();
    const both = await Promise.all([store.open({ shared: true }), store.open({ shared: true })]);
    const [one, other] = both as [Ledger, Ledger];
    await one.write(record('A-1'));
    const writes = both.map((ledger) => ledger.write(record('A-1', { version: 2 })));
    expect((await Promise.allSettled(writes)).map(({ status }) => status).toSorted()).toEqual([
      'fulfilled',
      'rejected',
    ]);
    expect(await other.find(record('A-1'))).toMatchObject({ version: 2 });
    await expect(store.open()).rejects.toThrow(LedgerLockedError);
    await Promise.all(both.map((ledger) => ledger.close()));
    const run = await store.open();
    await expect(store.open({ shared: true })).rejects.toThrow(LedgerLockedError);
    await run.close();
  });

  test('a write that another default isolation level would abort is stored', async () => {
    const store = newStore();
    await (await store.open()).close();
    await store.ask(`create function ${store.schema}.note() returns trigger language plpgsql as $$ begin
      new.source = current_setting('transaction_isolation'); return new; end $$`);
    await store.ask(`create trigger note before insert on ${store.schema}.record
      for each row execute function ${store.schema}.note()`);
    const ledger = await store.open({
      connectionString: `${server.url}?options=-c%20default_transaction_isolation%3Dserializable`,
    });
    await ledger.write(record('A-1'));
    expect(await ledger.find(record('A-1'))).toMatchObject({ source: 'read committed' });
  });
});
