/** The ledger of a fleet where things happen at the same moment, or break off: nothing is lost, and nothing stays behind. */
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { LedgerRecord } from '../../src/migration/ledger/ledger.js';
import { hasPostgres, type PostgresServer, startPostgres } from '../migration/ledger/postgres-server.js';
import { all, business, record } from '../migration/ledger/records.js';
import { bellOf, type FleetStore, fresh, newFleetStore, register } from './fleet-ledger-store.js';
import { type Moment, openProxy } from './postgres-proxy.js';

describe.skipIf(!hasPostgres())('a fleet at a ledger', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server?.remove());
  const newStore = () => newFleetStore(() => server);

  async function newProxy() {
    const proxy = await openProxy(server.url);
    onTestFinished(() => proxy.close());
    return proxy;
  }
  /** Another session, in the midst of a transaction. */
  async function begin(...statements: string[]) {
    const client = new Client({ connectionString: server.url });
    await client.connect();
    onTestFinished(() => client.end());
    await client.query('begin');
    for (const statement of statements) await client.query(statement);
    return { commit: () => client.query('commit') };
  }
  /** Resolves when so many sessions wait for a lock of another one. */
  const areWaiting = (sessions: number) =>
    vi.waitFor(async () => {
      const waiting = await server.ask(
        "select from pg_stat_activity where application_name = 'data-import' and wait_event_type = 'Lock'",
      );
      expect(waiting.length).toBe(sessions);
    });

  describe('a business that comes to be while its accounts are registered', () => {
    async function withBusiness() {
      const store = newStore();
      const [coordinator, worker] = [await store.coordinate(), await store.join('W')];
      await worker.claim(bellOf(await register(coordinator, fresh('B-1', { kind: 'business' }), ['C-1'])));
      const ended = business('B-1', { version: 3, end: 'created' });
      const account = fresh('A-1', { contract: 'C-1' });
      return { store, coordinator, worker, ended, account };
    }
    const openOnes = async ({ unclaimed }: { unclaimed: FleetStoreLedger['unclaimed'] }) =>
      (await unclaimed(0, 10)).bells.map(({ number }) => number);
    type FleetStoreLedger = Awaited<ReturnType<FleetStore['coordinate']>>;

    test('first: they do not begin to wait', async () => {
      const { store, coordinator, ended, account } = await withBusiness();
      // What a member does in the transaction that ends it.
      const ending = await begin(
        `update ${store.schema}.record set "end" = 'created', version = ${ended.version}, owner = null where number = 'B-1'`,
        `update ${store.schema}.record set waits = false where waits and contract = 'C-1'`,
      );
      const registering = register(coordinator, account);
      await areWaiting(1);
      await ending.commit();
      await registering;
      expect(await openOnes(coordinator)).toEqual(['A-1']);
    });

    test('later: it frees them', async () => {
      const { store, coordinator, worker, ended, account } = await withBusiness();
      const holding = await begin(`lock table ${store.schema}.line in exclusive mode`);
      const registering = register(coordinator, account);
      await areWaiting(1);
      const ending = worker.write(ended);
      await areWaiting(2);
      await holding.commit();
      await Promise.all([registering, ending]);
      expect(await openOnes(coordinator)).toEqual(['A-1']);
    });

    test('and one that is refused frees none; tried again and created, it does', async () => {
      const { coordinator, worker, account } = await withBusiness();
      await register(coordinator, account);
      await worker.write(business('B-1', { version: 3, end: 'rejected' }));
      await register(coordinator, fresh('A-2', { contract: 'C-1' }));
      await register(coordinator, fresh('A-3', { contract: 'C-2' }));
      expect(await openOnes(coordinator)).toEqual(['A-3']);
      await coordinator.write(business('B-1', { version: 4 }));
      await register(coordinator, business('B-1', { version: 4 }));
      await coordinator.release(business('B-1', { version: 4 }));
      expect(await openOnes(coordinator)).toEqual(['B-1', 'A-3']);
      await worker.claim(bellOf(business('B-1', { version: 4 })));
      await worker.write(business('B-1', { version: 6, end: 'alreadyThere' }));
      expect(await openOnes(coordinator)).toEqual(['A-1', 'A-2', 'A-3']);
    });

    test('an account that is tried again waits for the business that it belongs to now', async () => {
      const { coordinator, account } = await withBusiness();
      const again = (version: number, contract: string): LedgerRecord => record('A-1', { version, contract });
      await register(coordinator, account);
      for (const [version, contract, open] of [
        [2, 'C-2', ['A-1']],
        [3, 'C-1', []],
      ] as const) {
        await coordinator.write(again(version, contract));
        await register(coordinator, again(version, contract));
        await coordinator.release(again(version, contract));
        expect(await openOnes(coordinator)).toEqual(open);
      }
    });
  });

  describe('a connection that is cut', () => {
    test('when a claim was carried out and nobody was told: it is had all the same, and once', async () => {
      const [store, proxy] = [newStore(), await newProxy()];
      const coordinator = await store.coordinate();
      const worker = await store.join('W', { connectionString: proxy.url, beatMs: 3_600_000 });
      const [one, other] = [await register(coordinator, fresh('A-1')), await register(coordinator, fresh('A-2'))];
      const line = { text: 'A-1' };
      expect(await worker.claim(bellOf(other))).toBeDefined();
      proxy.cutAt('selected');
      const claims = await Promise.all([
        worker.claim(bellOf(one)),
        worker.claim(bellOf(other)),
        worker.claim(bellOf(one)),
      ]);
      expect(claims).toEqual([{ record: { ...one, version: 2 }, line, isTakenOver: false }, undefined, undefined]);
      expect(await coordinator.claim({ ...bellOf(one), version: 2 })).toBeUndefined();
    });

    test('while a claim is being carried out: the next try waits for it, and has what it did', async () => {
      const [store, proxy] = [newStore(), await newProxy()];
      const coordinator = await store.coordinate();
      const worker = await store.join('W', { connectionString: proxy.url, beatMs: 3_600_000 });
      const one = await register(coordinator, fresh('A-1'));
      await store.ask(`create function ${store.schema}.dawdle() returns trigger language plpgsql as $$ begin
        perform pg_advisory_xact_lock(7); return new; end $$`);
      await store.ask(`create trigger dawdle before update on ${store.schema}.record
        for each row execute function ${store.schema}.dawdle()`);
      const holding = await begin('select pg_advisory_xact_lock(7)');
      const claiming = worker.claim(bellOf(one));
      await areWaiting(1);
      await proxy.down();
      await proxy.up();
      await areWaiting(2);
      await holding.commit();
      expect(await claiming).toMatchObject({ record: { version: 2 }, line: { text: 'A-1' } });
      expect(await coordinator.find(one)).toEqual(record('A-1', { version: 2 }));
    });

    test.each<Moment>(['copied', 'commit', 'answer'])(
      'while records are registered (%s): they are registered once, with their lines',
      async (moment) => {
        const [store, proxy] = [newStore(), await newProxy()];
        const coordinator = await store.coordinate({ connectionString: proxy.url });
        await register(coordinator, fresh('A-0'));
        proxy.cutAt(moment);
        const registered = await register(coordinator, fresh('B-1', { kind: 'business' }), ['C-1']);
        expect(registered).toEqual(business('B-1'));
        expect(await coordinator.business('SANDBOX_SUPPLIER', 'C-1')).toEqual(business('B-1'));
        expect(await all(coordinator.list())).toEqual([record('A-0'), business('B-1')]);
        expect(await coordinator.claim(bellOf(registered))).toMatchObject({ line: { text: 'B-1' } });
      },
    );

    test.each<Moment>(['write', 'written'])(
      'while a member writes (%s): its write is kept, and it knows',
      async (moment) => {
        const [store, proxy] = [newStore(), await newProxy()];
        const coordinator = await store.coordinate();
        const worker = await store.join('W', { connectionString: proxy.url, beatMs: 3_600_000 });
        const [one, other] = [await register(coordinator, fresh('A-1')), await register(coordinator, fresh('A-2'))];
        for (const bell of [one, other].map(bellOf)) await worker.claim(bell);
        proxy.cutAt(moment);
        await Promise.all([
          worker.write(record('A-1', { version: 3, intent: 'stage' })),
          worker.write(record('A-2', { version: 3, end: 'created' })),
        ]);
        expect(await coordinator.claim({ ...bellOf(one), version: 3 })).toBeUndefined();
        await worker.write(record('A-1', { version: 4, done: 'stage' }));
        expect(await coordinator.hasWork()).toBe(true);
      },
    );

    test('a write of which nobody was told is not taken for one that another member made since', async () => {
      const [store, proxy] = [newStore(), await newProxy()];
      const coordinator = await store.coordinate();
      const worker = await store.join('W', { connectionString: proxy.url, beatMs: 3_600_000 });
      const bell = bellOf(await register(coordinator, fresh('A-1')));
      await worker.claim(bell);
      await proxy.down();
      // As the other member's claim leaves it.
      const writing = worker.write(record('A-1', { version: 3 }));
      await store.expire(worker);
      expect(await coordinator.claim({ ...bell, version: 2 })).toMatchObject({
        record: { version: 3 },
        isTakenOver: true,
      });
      await proxy.up();
      await expect(writing).rejects.toThrow('account A-1 is not at version 2 any more; another worker has it.');
    });

    test('between member and server: the lease is lost, another joins when it is back, and leads where nobody does', async () => {
      const [store, proxy] = [newStore(), await newProxy()];
      const coordinator = await store.coordinate();
      const notes: string[] = [];
      const options = {
        connectionString: proxy.url,
        leaseMs: 1000,
        beatMs: 50,
        onNote: (note: string) => notes.push(note),
      };
      const worker = await store.join('W', options);
      expect(await worker.leads()).toBe(true);
      const { lease } = worker;
      const [{ id, generation }, signal] = [lease, lease.signal()];
      lease.work.ended = 3;
      await vi.waitFor(async () => expect((await coordinator.members())[1]?.work.ended).toBe(3));
      const bell = bellOf(await register(coordinator, fresh('A-1')));
      await worker.claim(bell);
      await proxy.down();
      await vi.waitFor(() => expect(signal.aborted).toBe(true), { timeout: 20_000 });
      expect(lease.isValid(generation)).toBe(false);
      expect(await worker.claim(bell)).toBeUndefined();
      await vi.waitFor(async () => expect(await coordinator.leads()).toBe(true));
      await vi.waitFor(async () =>
        expect(await coordinator.claim({ ...bell, version: 2 })).toMatchObject({ isTakenOver: true }),
      );
      await proxy.up();
      await vi.waitFor(() => expect(lease.isValid(generation + 1)).toBe(true));
      lease.work.ended = 5;
      await vi.waitFor(async () => {
        expect(await coordinator.members()).toMatchObject([
          { name: 'C', isThere: true },
          { name: 'W', id, isThere: false, leftAt: null, work: { ended: 3 } },
          { name: 'W', id: lease.id, isThere: true, work: { ended: 2 } },
        ]);
      });
      expect(await worker.leads()).toBe(false);
      expect(notes).toEqual([
        'the lease of this member is lost: what it had under way, others take over. It joins again.',
      ]);
      await worker.close();
      expect((await coordinator.members())[2]).toMatchObject({ isThere: false, leftAt: expect.any(String) });
    });
  });

  test('a server that refuses a batch: nothing of it is kept, and the next one is', async () => {
    const store = newStore();
    const coordinator = await store.coordinate();
    await store.ask(`create function ${store.schema}.refuse() returns trigger language plpgsql as $$ begin
      raise exception using errcode = '53100', message = 'No space left on device'; end $$`);
    await store.ask(`create trigger refuse before insert on ${store.schema}.line
      for each row execute function ${store.schema}.refuse()`);
    const refusal = `ledger: cannot write to ${store.where} (No space left on device). Make room on the disk of the server, and give the same command again.`;
    const refused = ['A-1', 'A-2'].map((number) =>
      expect(register(coordinator, fresh(number))).rejects.toThrow(refusal),
    );
    await Promise.all(refused);
    expect(await coordinator.counts()).toMatchObject({ total: 0 });
    await store.ask(`drop trigger refuse on ${store.schema}.line`);
    expect(await register(coordinator, fresh('A-2'))).toEqual(record('A-2'));
    expect(await coordinator.counts()).toMatchObject({ total: 1 });
  });

  test('of members that ask at the same time one leads, and another when that one leaves', async () => {
    const store = newStore();
    const members = [await store.coordinate(), await store.join('W1'), await store.join('W2')];
    const ask = async () => (await Promise.all(members.map((member) => member.leads()))).indexOf(true);
    const first = await ask();
    expect(await ask()).toBe(first);
    await members[first]?.lease.leave();
    expect(await members[first]?.leads()).toBe(false);
    expect(await ask()).not.toBe(first);
    expect(await ask()).toBeGreaterThanOrEqual(0);
  });

  describe.each(['fast', 'immediate'] as const)('a server that is restarted (%s)', (how) => {
    test('while a book is registered and its records are claimed and carried on: each is ended once', async () => {
      const store = newStore();
      const coordinator = await store.coordinate();
      const workers = [coordinator, await store.join('W1'), await store.join('W2')];
      const endings: string[] = [];
      async function carry(worker: typeof coordinator, registered: LedgerRecord): Promise<void> {
        const claimed = await worker.claim(bellOf(registered));
        if (claimed === undefined) return;
        const { record: held } = claimed;
        const announced: LedgerRecord = { ...held, version: held.version + 1, intent: 'process' };
        await worker.write(announced);
        await worker.write({ ...announced, version: announced.version + 1, intent: null, end: 'created' });
        endings.push(held.number);
      }
      const numbers = Array.from({ length: 300 }, (_, index) => `A-${index}`);
      const book = numbers.map(async (number) => {
        const registered = await register(coordinator, fresh(number));
        await Promise.all(workers.map((worker) => carry(worker, registered)));
      });
      await vi.waitFor(() => expect(endings.length).toBeGreaterThan(0));
      const late = register(coordinator, fresh('A-late'));
      await server.stop(how);
      const later = register(coordinator, fresh('A-later'));
      await server.start();
      await Promise.all([...book, late, later]);
      expect(new Set(endings).size).toBe(endings.length);
      const ended = (await all(coordinator.list({ end: 'created' }))).map(({ number }) => number);
      expect(ended.sort()).toEqual(endings.sort());
      expect(await coordinator.counts()).toMatchObject({ total: 302 });
      // What is not ended yet was a lost member's, and is free for the next.
      for (const worker of workers) await worker.lease.leave();
      const { bells } = await coordinator.unclaimed(0, 500);
      expect(bells.length).toBe(302 - endings.length);
    });
  });
});
