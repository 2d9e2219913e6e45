/** The board of a fleet on a real PostgreSQL: messages reach all, orders are kept, and both outlive a server that goes away. */
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Board, CompactEvent, FleetMessage, FleetOrders } from '../../src/migration/fleet/board.js';
import { type PostgresBoardOptions, postgresBoard } from '../../src/migration/fleet/postgres-board.js';
import { LedgerDatabaseError } from '../../src/migration/ledger/postgres-error.js';
import { ORDERS } from '../migration/fleet/fleet-of-paces.js';
import { hasPostgres, PASSWORD, type PostgresServer, startPostgres } from '../migration/ledger/postgres-server.js';
import { newPostgresStore } from '../migration/ledger/postgres-store.js';
import { openProxy } from './postgres-proxy.js';

const cooldown = (forMs: number): FleetMessage => ({ is: 'cooldown', from: 'm1', forMs, scope: 'process' });
/** What a test does not ask for in time is not coming. */
const within = { timeout: 20_000, interval: 20 };

describe.skipIf(!hasPostgres())('a board on PostgreSQL', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server?.remove());

  async function openStore({ table = true } = {}) {
    const { schema, ask, where } = newPostgresStore(() => server.url);
    await ask(`create schema ${schema}`);
    const makeTable = () =>
      ask(`create table ${schema}.orders (one boolean primary key default true check (one), body jsonb not null)`);
    if (table) await makeTable();
    async function open(options: Partial<PostgresBoardOptions> = {}) {
      const notes: string[] = [];
      const onNote = (note: string) => void notes.push(note);
      const board = await postgresBoard({ connectionString: server.url, schema, onNote, ...options });
      onTestFinished(() => board.close());
      const heard: FleetMessage[] = [];
      board.hear((message) => void heard.push(message));
      return { board, heard, notes };
    }
    return { schema, ask, where, makeTable, open };
  }
  const begin = (board: Board) => board.change(() => ORDERS);

  describe('messages', () => {
    test('reach all members, also the one that said them, in their order', async () => {
      const { open } = await openStore();
      const members = [await open(), await open(), await open()];
      await members[0]?.board.say(cooldown(100));
      await members[0]?.board.say(cooldown(200));
      for (const { heard } of members) {
        await vi.waitFor(() => expect(heard).toEqual([cooldown(100), cooldown(200)]), within);
      }
    });

    test('do not reach the fleet of another schema', async () => {
      const [one, other] = [await openStore(), await openStore()];
      const [here, there] = [await one.open(), await other.open()];
      await here.board.say(cooldown(100));
      await vi.waitFor(() => expect(here.heard).toHaveLength(1), within);
      await there.board.say(cooldown(200));
      await vi.waitFor(() => expect(there.heard).toEqual([cooldown(200)]), within);
    });

    test('that are longer than a notification come in several, and nothing is lost or told twice', async () => {
      const { open } = await openStore();
      const { board, heard } = await open();
      const events = Array.from({ length: 2000 }, (_, index): CompactEvent => ['ended', 'rejected', [`é-${index}`]]);
      const report = {
        answers: 7,
        throttled: 1,
        latenciesMs: [3],
        troubles: [[2, '429']] as [number, string][],
        isFull: true,
        requests: 9,
        events,
      };
      await board.say({ is: 'report', from: 'm1', report });
      const reports = () => heard.flatMap((message) => (message.is === 'report' ? [message.report] : []));
      await vi.waitFor(() => expect(reports().flatMap((one) => one.events)).toEqual(events), within);
      expect(reports().length).toBeGreaterThan(1);
      expect(reports().reduce((sum, { answers }) => sum + answers, 0)).toBe(7);
      expect(reports().flatMap(({ latenciesMs }) => latenciesMs)).toEqual([3]);
    });

    test('of somebody else on the same channel are left alone', async () => {
      const { open, ask } = await openStore();
      const { board, heard, notes } = await open();
      await board.say(cooldown(100));
      await vi.waitFor(() => expect(heard).toHaveLength(1), within);
      const [row] = await server.ask(
        "select query from pg_stat_activity where query like 'listen data_import_%' limit 1",
      );
      const channel = String(row?.['query']).replace('listen ', '');
      for (const text of [
        'nonsense',
        '{"is":"cooldown"}',
        '{"is":"cooldown","from":"x","forMs":"soon","scope":"all"}',
        'null',
      ]) {
        await ask(`select pg_notify('${channel}', '${text}')`);
      }
      await board.say(cooldown(200));
      await vi.waitFor(() => expect(heard).toContainEqual(cooldown(200)), within);
      expect([heard, notes]).toEqual([[cooldown(100), cooldown(200)], []]);
    });
  });

  describe('orders', () => {
    test('there are none before a run has made the table, and then they come by themselves', async () => {
      const { open, makeTable } = await openStore({ table: false });
      const { board, notes } = await open();
      expect(board.orders()).toBeUndefined();
      await makeTable();
      const { board: other } = await open();
      await begin(other);
      await vi.waitFor(() => expect(board.orders()).toEqual(ORDERS), within);
      expect(notes).toEqual([]);
    });

    test('hold at once for whoever changes them, soon for all, and for whoever comes later', async () => {
      const { open } = await openStore();
      const [first, second] = [await open(), await open()];
      const told: FleetOrders[] = [];
      second.board.onOrders((orders) => void told.push(orders));
      expect(await begin(first.board)).toEqual(ORDERS);
      expect(first.board.orders()).toEqual(ORDERS);
      await vi.waitFor(() => expect(told).toEqual([ORDERS]), within);
      await second.board.change((orders) => ({ ...(orders ?? ORDERS), rps: 7 }));
      await vi.waitFor(() => expect(first.board.orders()?.rps).toBe(7), within);
      expect((await open()).board.orders()).toEqual({ ...ORDERS, rps: 7 });
    });

    test('are changed one at a time, whoever does it: nothing is overwritten', async () => {
      const { open } = await openStore();
      const boards = await Promise.all([open(), open(), open()]);
      const changes = boards.flatMap(({ board }) =>
        Array.from({ length: 40 }, () => board.change((orders = ORDERS) => ({ ...orders, turn: orders.turn + 1 }))),
      );
      await Promise.all(changes);
      for (const { board } of boards) await vi.waitFor(() => expect(board.orders()?.turn).toBe(120), within);
    });

    test('that stay as they are are written by nobody, and told to nobody', async () => {
      const { open, ask, schema } = await openStore();
      const { board } = await open();
      await begin(board);
      const told: FleetOrders[] = [];
      board.onOrders((orders) => void told.push(orders));
      const row = () => ask(`select xmin::text from ${schema}.orders`);
      const before = await row();
      await board.change((orders) => ({ ...(orders ?? ORDERS) }));
      expect([await row(), told]).toEqual([before, []]);
    });

    test('are read again where the notification was lost', async () => {
      const { open, ask, schema } = await openStore();
      const { board } = await open();
      await begin(board);
      await ask(`update ${schema}.orders set body = jsonb_set(body, '{rps}', '5')`);
      await vi.waitFor(() => expect(board.orders()?.rps).toBe(5), within);
    });

    test('a reason that quotes what no JSON of the server can hold is kept all the same', async () => {
      const { open } = await openStore();
      const { board } = await open();
      await begin(board);
      await board.change((orders) => ({ ...(orders ?? ORDERS), paused: 'a\0b\ud800c 😀' }));
      expect(board.orders()?.paused).toBe('a\ufffdb\ufffdc 😀');
    });

    test('whoever waits for the row keeps no message waiting', async () => {
      const { open, schema } = await openStore();
      const { board, heard } = await open();
      await begin(board);
      const { Client } = await import('pg');
      const holder = new Client({ connectionString: server.url });
      await holder.connect();
      onTestFinished(() => holder.end());
      await holder.query(`begin; select 1 from ${schema}.orders for update`);
      const changed = board.change((orders) => ({ ...(orders ?? ORDERS), rps: 9 }));
      await vi.waitFor(
        async () => expect(await server.ask('select 1 from pg_locks where not granted')).toHaveLength(1),
        within,
      );
      await board.say(cooldown(100));
      await vi.waitFor(() => expect(heard).toEqual([cooldown(100)]), within);
      await holder.query('commit');
      expect((await changed).rps).toBe(9);
    });
  });

  describe('when the server goes away', () => {
    test.each(['fast', 'immediate'] as const)('by a restart (%s): all goes on by itself', async (how) => {
      const { open, ask, schema, where } = await openStore();
      const [one, other] = [await open(), await open()];
      await begin(one.board);
      await server.stop(how);
      await vi.waitFor(
        () => expect([one.board.isConnected(), other.board.isConnected()]).toEqual([false, false]),
        within,
      );
      expect(one.board.orders()).toEqual(ORDERS);
      await expect(one.board.say(cooldown(1))).resolves.toBeUndefined();
      const changed = one.board.change((orders) => ({ ...(orders ?? ORDERS), rps: 3 }));
      await server.start();
      expect((await changed).rps).toBe(3);
      for (const { board } of [one, other]) {
        await vi.waitFor(() => expect([board.isConnected(), board.orders()?.rps]).toEqual([true, 3]), within);
      }
      await one.board.say(cooldown(100));
      await vi.waitFor(() => expect(other.heard).toContainEqual(cooldown(100)), within);
      expect(await ask(`select body->'rps' as rps from ${schema}.orders`)).toEqual([{ rps: 3 }]);
      expect(one.notes).toEqual([
        expect.stringMatching(`^ledger: cannot reach ${where} \\(.*\\)\\. .*$`),
        `board: ${where} is reached again.`,
      ]);
      expect(one.notes.join()).not.toContain(PASSWORD);
    });

    test('what was changed meanwhile is known when it is back, and told', async () => {
      const { open, schema } = await openStore();
      const proxy = await openProxy(server.url);
      onTestFinished(() => proxy.close());
      const near = await open();
      const far = await open({ connectionString: proxy.url });
      await begin(near.board);
      await vi.waitFor(() => expect(far.board.orders()).toEqual(ORDERS), within);
      const told: (string | null)[] = [];
      far.board.onOrders(({ paused }) => void told.push(paused));
      await proxy.down();
      await vi.waitFor(() => expect(far.board.isConnected()).toBe(false), within);
      await near.board.change((orders) => ({ ...(orders ?? ORDERS), paused: 'by the operator' }));
      expect(far.board.orders()?.paused).toBeNull();
      await proxy.up();
      await vi.waitFor(() => expect(told).toEqual(['by the operator']), within);
      await vi.waitFor(() => expect(far.board.isConnected()).toBe(true), within);
      expect(schema).toMatch(/^test_/);
    });

    test('for longer than its patience: the change is refused, and says what to do', async () => {
      const { open, where } = await openStore();
      const proxy = await openProxy(server.url);
      onTestFinished(() => proxy.close());
      const { board } = await open({ connectionString: proxy.url, patienceMs: 300 });
      await begin(board);
      await proxy.down();
      const far = where.replace(new URL(server.url).port, new URL(proxy.url).port);
      await expect(board.change((orders) => ({ ...(orders ?? ORDERS), rps: 1 }))).rejects.toThrow(
        `ledger: cannot write to ${far} (`,
      );
    });
  });

  test('a database that cannot be reached, or used, is said when it is opened, without the password', async () => {
    const wrong = server.urlOf('with_password', 'wrong');
    const refused = await postgresBoard({ connectionString: wrong, schema: 'data_import', onNote: () => {} }).catch(
      (error: unknown) => error,
    );
    expect(refused).toBeInstanceOf(LedgerDatabaseError);
    expect(String(refused)).toContain('Mend user or password');
    expect(String(refused)).not.toContain('wrong');
  });

  test('closed, it leaves no connection behind', async () => {
    const { open } = await openStore();
    const { board } = await open();
    await begin(board);
    await board.close();
    const mine = "select 1 from pg_stat_activity where application_name = 'data-import'";
    await vi.waitFor(async () => expect(await server.ask(mine)).toEqual([]), within);
    await expect(board.change(() => ORDERS)).rejects.toThrow('board: it was closed before the orders were changed.');
  });
});
