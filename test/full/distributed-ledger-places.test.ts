/** Who may have a ledger at the same time: the workers of a distributed run and one coordinator, or a run on one machine. */
import { hostname } from 'node:os';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { joinRun } from '../../src/migration/distributed/join.js';
import { LedgerLockedError } from '../../src/migration/ledger/locked-error.js';
import { NoLedgerError } from '../../src/migration/ledger/postgres/database-error.js';
import { hasPostgres, type PostgresServer, startPostgres } from '../migration/ledger/postgres/server.js';
import { all, business, record } from '../migration/ledger/records.js';
import { dueOf, fresh, newDistributedStore, register } from './distributed-ledger-store.js';
import { openProxy } from './postgres-proxy.js';

describe.skipIf(!hasPostgres())('a place for a ledger', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server?.remove());
  const newStore = () => newDistributedStore(() => server);

  async function newProxy() {
    const proxy = await openProxy(server.url);
    onTestFinished(() => proxy.close());
    return proxy;
  }
  const errorOf = async (opening: Promise<unknown>): Promise<Error> =>
    opening.then(
      () => new Error('It was opened.'),
      (error) => error,
    );

  test('without a run: a worker prints the command that creates one, and creates nothing', async () => {
    const store = newStore();
    const refused = await errorOf(store.join('W'));
    expect(refused).toBeInstanceOf(NoLedgerError);
    expect(refused.message).toBe(
      `ledger: ${store.where} has no ledger of a distributed run. Start a run with --distributed, then repeat this command.`,
    );
    expect(await server.ask(`select 1 from pg_namespace where nspname = '${store.schema}'`)).toEqual([]);
  });

  test('after only a run on one machine: the same, until a coordinator has begun', async () => {
    const store = newStore();
    const single = await store.open();
    await single.write(record('A-1'));
    await single.close();
    await expect(store.join('W')).rejects.toThrow(NoLedgerError);
    const coordinator = await store.coordinate();
    const worker = await store.join('W');
    expect(await all(coordinator.list())).toEqual([record('A-1')]);
    // The coordinator has not read its line yet.
    expect([await worker.load(record('A-1')), await worker.hasWork()]).toEqual([undefined, false]);
    await register(coordinator, record('A-1'));
    expect(await worker.load(record('A-1'))).toMatchObject({ record: record('A-1') });
    expect(await worker.hasWork()).toBe(true);
  });

  test('during a run of one machine: no worker joins, and each prints the holder', async () => {
    const store = newStore();
    await (await store.coordinate()).close();
    const single = await store.open();
    for (const refused of [await errorOf(store.join('W')), await errorOf(store.coordinate())]) {
      expect(refused).toBeInstanceOf(LedgerLockedError);
      expect(refused.message).toBe(
        `ledger: ${store.where} is in use by process ${process.pid} on ${hostname()} since 2026-01-15T09:00:00.000Z, ` +
          'and only one run at a time can use it. Wait until that run has ended, or end it. Then repeat the command.',
      );
    }
    await single.close();
    await store.coordinate();
  });

  test('with workers present: no run of one machine starts, and it prints how to run with them', async () => {
    const store = newStore();
    const coordinator = await store.coordinate();
    const worker = await store.join('W');
    await coordinator.close();
    const refused = await errorOf(store.open());
    expect(refused).toBeInstanceOf(LedgerLockedError);
    expect(refused.message).toBe(
      `ledger: ${store.where} is in use by a distributed run: W on ${hostname()}. ` +
        'Add --distributed to join them, or end them first.',
    );
    const other = await store.join('X');
    await expect(store.open()).rejects.toThrow(`W on ${hostname()} and 1 more.`);
    await worker.close();
    await other.close();
    await store.open();
  });

  test('after a coordinator has ended: the next one continues with the present workers', async () => {
    const store = newStore();
    const first = await store.coordinate();
    const worker = await store.join('W');
    await register(first, fresh('A-1'));
    await worker.write(record('A-1', { version: 2 }));
    await first.close();
    const next = await store.coordinate();
    expect(await next.takeDue(10)).toEqual([]);
    await worker.write(record('A-1', { version: 3, outcome: 'created' }));
    expect(await next.hasWork()).toBe(false);
    expect(next.ledgerId).toBe(first.ledgerId);
    expect(next.ledgerId).toMatch(/^[0-9a-f-]{36}$/);
  });

  test('after the death of a worker: its last records are due at once', async () => {
    const store = newStore();
    const first = await store.coordinate();
    const worker = await store.join('W');
    await register(first, fresh('A-1'));
    await register(first, fresh('A-2'));
    await worker.write(record('A-1', { version: 2, done: 'stage' }));
    await first.write(record('A-2', { version: 2, done: 'stage' }));
    expect(await first.takeDue(10)).toEqual([]);
    await store.vanish(worker);
    expect(await first.takeDue(10)).toEqual([dueOf(record('A-1', { version: 2, done: 'stage' }))]);
    expect(await first.takeDue(10)).toEqual([]);
    expect(await first.workers.all()).toMatchObject([
      { name: 'C', isThere: true },
      { name: 'W', isThere: false, leftAt: null },
    ]);
  });

  test('after a run on one machine in between: the waiting accounts are computed again, also with a live worker', async () => {
    const store = newStore();
    const first = await store.coordinate();
    await register(first, fresh('B-1', { kind: 'business' }), ['C-1']);
    const freed = await register(first, fresh('A-1', { contract: 'C-1' }));
    await first.close();
    const single = await store.open();
    await single.write(business('B-1', { version: 2, outcome: 'created' }));
    await single.write(business('B-2'), ['C-2']);
    await single.write(record('A-2', { contract: 'C-2' }));
    await single.write(business('B-3', { outcome: 'rejected' }), ['C-3']);
    await single.write(record('A-3', { contract: 'C-3' }));
    await single.write(record('A-4', { contract: 'C-3', outcome: 'skipped' }));
    await single.write(record('A-5', { contract: 'C-4' }));
    await single.close();
    await store.join('W');
    const next = await store.coordinate();
    await store.makeDue();
    // No line was read in this session.
    expect([await next.takeDue(10), await next.countWork(10), await next.load(freed)]).toEqual([[], 0, undefined]);
    for (const one of [freed, business('B-2'), record('A-2', { contract: 'C-2' }), record('A-5')])
      await register(next, one);
    await register(next, record('A-3', { contract: 'C-3' }));
    expect(await next.takeDue(10)).toEqual([freed, business('B-2'), record('A-5')].map(dueOf));
  });

  test('without a free connection: a process waits until there is one, and reports it once', async () => {
    const store = newStore();
    const notes: string[] = [];
    await server.ask('alter role importer connection limit 2');
    onTestFinished(async () => void (await server.ask('alter role importer connection limit -1')));
    const { schema } = store;
    const joining = joinRun({
      database: server.url,
      schema,
      isCoordinator: true,
      onNote: (note) => notes.push(note),
    });
    joining.catch(() => {});
    await vi.waitFor(() => expect(notes).not.toEqual([]), { timeout: 20_000 });
    await server.ask('alter role importer connection limit -1');
    const joined = await joining;
    onTestFinished(() => joined.close());
    expect(notes).toEqual([expect.stringMatching(/has no free connections.* Retrying for a minute\.$/)]);
    expect(joined.ledger.ledgerId).toMatch(/^[0-9a-f-]{36}$/);
  });

  describe('whose connection was lost', () => {
    test('to a worker, while a run on one machine took it over: it writes nothing', async () => {
      const [store, proxy] = [newStore(), await newProxy()];
      const coordinator = await store.coordinate();
      const worker = await store.join('W', { connectionString: proxy.url });
      await register(coordinator, fresh('A-1'));
      await worker.write(record('A-1', { version: 2 }));
      await proxy.down();
      await coordinator.close();
      const single = await store.open();
      await proxy.up();
      for (const end of ['while it runs', 'after it has ended']) {
        const refused = await errorOf(worker.write(record('A-1', { version: 3, outcome: 'created' })));
        expect(refused, end).toBeInstanceOf(LedgerLockedError);
        expect(refused.message).toContain('another run has taken over schema test_');
        await single.close();
      }
      const next = await store.coordinate();
      expect(await all(next.list())).toEqual([record('A-1', { version: 2 })]);
      await worker.write(record('A-1', { version: 3, outcome: 'created' }));
    });

    test('to the coordinator, while another replaced it: it writes and registers nothing; the workers continue', async () => {
      const [store, proxy] = [newStore(), await newProxy()];
      const first = await store.coordinate({ connectionString: proxy.url });
      const worker = await store.join('W');
      await register(first, fresh('A-1'));
      await proxy.down();
      const next = await store.coordinate();
      await proxy.up();
      for (const end of ['while it runs', 'after it has ended']) {
        await expect(first.write(record('A-2')), end).rejects.toThrow(LedgerLockedError);
        await expect(register(first, fresh('A-2')), end).rejects.toThrow('another run has taken over schema test_');
        await next.close();
      }
      await worker.write(record('A-1', { version: 2, outcome: 'created' }));
      expect(await all(worker.list())).toEqual([record('A-1', { version: 2, outcome: 'created' })]);
    });

    test('by the word of an administrator: coordinator and workers have their locks again with their next writes', async () => {
      const store = newStore();
      const coordinator = await store.coordinate();
      const worker = await store.join('W');
      await server.ask("select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'data-import'");
      await coordinator.write(record('A-1'));
      await worker.write(record('A-2'));
      await expect(store.coordinate()).rejects.toThrow('which reads the input of the distributed run');
      await coordinator.close();
      await expect(store.open()).rejects.toThrow(`is in use by a distributed run: W on ${hostname()}.`);
      await worker.close();
      await store.open();
    });

    test('to a run of one machine, while a distributed run began: it writes nothing more', async () => {
      const [store, proxy] = [newStore(), await newProxy()];
      const single = await store.open({ connectionString: proxy.url });
      await single.write(record('A-1'));
      await proxy.down();
      await store.coordinate();
      await proxy.up();
      await expect(single.write(record('A-1', { version: 2 }))).rejects.toThrow(LedgerLockedError);
    });
  });

  test('tables of version 2, with other names, are brought up to date by the next coordinator and keep their records', async () => {
    const store = newStore();
    const { schema } = store;
    const first = await store.coordinate();
    const added = await register(first, fresh('A-1'));
    await first.close();
    await store.ask(`alter table ${schema}.ledger rename column distributed_version to fleet_version`);
    await store.ask(`alter table ${schema}.ledger rename column distributed_turn to fleet_turn`);
    await store.ask(`alter table ${schema}.worker rename to member`);
    await store.ask(`update ${schema}.ledger set fleet_version = 2`);
    const next = await store.coordinate();
    await store.join('W');
    expect(await next.find(added)).toEqual(added);
    const rows = await store.ask(
      `select column_name as name from information_schema.columns where table_schema = '${schema}' and column_name like '%fleet%'`,
    );
    expect(rows).toEqual([]);
    expect((await next.workers.all()).map(({ name }) => name)).toContain('W');
  });

  test('tables of a later version of the program are refused', async () => {
    const store = newStore();
    await (await store.coordinate()).close();
    await store.ask(`update ${store.schema}.ledger set distributed_version = 7`);
    for (const open of [() => store.join('W'), () => store.coordinate()]) {
      await expect(open()).rejects.toThrow(
        `ledger: ${store.where} was created by a later version of this program (tables 7, known 4). ` +
          'Use that version, or a later one.',
      );
    }
  });
});
