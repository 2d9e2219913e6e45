/** What a distributed run keeps in PostgreSQL beside a ledger: lines, due records, and the row of its state. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RunState } from '../../src/migration/distributed/state/run-state.js';
import { firstLimit } from '../../src/migration/throttle/limits/adaptive-limit.js';
import { hasPostgres, type PostgresServer, startPostgres } from '../migration/ledger/postgres/server.js';
import { record, storedLine } from '../migration/ledger/records.js';
import { dueOf, fresh, newDistributedStore, register } from './distributed-ledger-store.js';

describe.skipIf(!hasPostgres())('a distributed ledger', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server?.remove());
  const newStore = () => newDistributedStore(() => server);

  describe('the line of a record', () => {
    test('is returned with its record, with every character', async () => {
      const ledger = await newStore().coordinate();
      const payload = { account: { note: 'é€𝄞\0 \\ \t' } };
      await ledger.addLines(1, [storedLine(record('A-1'), JSON.stringify(payload))]);
      await ledger.register(fresh('A-1'), []);
      expect(await ledger.load(record('A-1'))).toEqual({ record: record('A-1'), payload });
    });

    test('is the one whose hash the record has, of several lines with its number', async () => {
      const ledger = await newStore().coordinate();
      const other = storedLine(record('A-1', { hash: 'f'.repeat(64) }), '{"account":{"number":"other"}}');
      await ledger.addLines(1, [other, storedLine(record('A-1')), { ...other, hash: 'e'.repeat(64) }]);
      await ledger.register(fresh('A-1'), []);
      expect((await ledger.load(record('A-1')))?.payload).toEqual({ account: { number: 'A-1' } });
    });

    test('is erased with the write that ends the record', async () => {
      const store = newStore();
      const ledger = await store.coordinate();
      await register(ledger, fresh('A-1'));
      await ledger.write(record('A-1', { version: 2, outcome: 'created' }), [], true);
      expect(await store.ask(`select number from ${store.schema}.payload`)).toEqual([]);
    });

    test('that is damaged ends the worker with the row, and without the text of the line', async () => {
      const store = newStore();
      const ledger = await store.coordinate();
      await register(ledger, fresh('A-1'));
      await store.ask(`update ${store.schema}.payload set body = '{"account":{"name":"Secret"'`);
      await expect(ledger.load(record('A-1'))).rejects.toThrow(/row 1 of its table payload/);
      await expect(ledger.load(record('A-1'))).rejects.not.toThrow(/Secret/);
    });
  });

  describe('a due record', () => {
    test('is given once, in the order of first writing, and again when it was deferred and the time is over', async () => {
      const store = newStore();
      const ledger = await store.coordinate();
      for (const number of ['A-1', 'A-2', 'A-3']) await register(ledger, fresh(number));
      expect(await ledger.takeDue(2)).toEqual([record('A-1'), record('A-2')].map(dueOf));
      expect(await ledger.takeDue(2)).toEqual([dueOf(record('A-3'))]);
      expect(await ledger.takeDue(2)).toEqual([]);
      await ledger.defer(record('A-2'), 0);
      await ledger.defer(record('A-3'), 60_000);
      expect(await ledger.takeDue(2)).toEqual([dueOf(record('A-2'))]);
      await ledger.makeAllDue();
      expect(await ledger.takeDue(9)).toHaveLength(3);
    });

    test('is not deferred at another version, and not given once it has ended', async () => {
      const store = newStore();
      const ledger = await store.coordinate();
      await register(ledger, fresh('A-1'));
      await ledger.takeDue(1);
      await ledger.defer(record('A-1', { version: 2 }), 0);
      expect(await ledger.takeDue(1)).toEqual([]);
      await ledger.write(record('A-1', { version: 2, outcome: 'created' }));
      await store.makeDue();
      expect(await ledger.takeDue(1)).toEqual([]);
      expect(await ledger.load(record('A-1'))).toBeUndefined();
      expect([await ledger.hasWork(), await ledger.countWork(10)]).toEqual([false, 0]);
    });

    test('of two workers that take at the same time, each has its own', async () => {
      const store = newStore();
      const coordinator = await store.coordinate();
      const worker = await store.join('W');
      const numbers = Array.from({ length: 200 }, (_, index) => `A-${String(index).padStart(3, '0')}`);
      await Promise.all(numbers.map((number) => register(coordinator, fresh(number))));
      const taken = await Promise.all([coordinator.takeDue(150), worker.takeDue(150)]);
      expect(
        taken
          .flat()
          .map(({ number }) => number)
          .toSorted(),
      ).toEqual([...new Set(taken.flat().map(({ number }) => number))].toSorted());
      const rest = await worker.takeDue(200);
      expect([...taken.flat(), ...rest].map(({ number }) => number).toSorted()).toEqual(numbers);
    });

    test('an account waits for its business, and is due when the business was created', async () => {
      const ledger = await newStore().coordinate();
      await register(ledger, fresh('B-1', { kind: 'business' }), ['C-1']);
      await register(ledger, fresh('A-1', { contract: 'C-1' }));
      expect((await ledger.takeDue(9)).map(({ number }) => number)).toEqual(['B-1']);
      expect(await ledger.load({ supplier: 'ACME', kind: 'account', number: 'A-1' })).toBeUndefined();
      await ledger.write(record('B-1', { kind: 'business', version: 2, outcome: 'created' }));
      expect((await ledger.takeDue(9)).map(({ number }) => number)).toEqual(['A-1']);
    });
  });

  describe('the state', () => {
    const state = (limit: number) => ({ limit: firstLimit(limit, { least: 1, most: 999 }) }) as RunState;

    test('is changed by one process at a time, and effects while the row is locked have the same order', async () => {
      const store = newStore();
      const ledgers = [await store.coordinate(), await store.join('W'), await store.join('X')];
      expect((await ledgers[0]?.state.read())?.state).toBeUndefined();
      await ledgers[0]?.state.change(() => state(1));
      const limits: number[] = [];
      await Promise.all(
        Array.from({ length: 60 }, (_, index) =>
          ledgers[index % 3]?.state.change(
            (before) => state((before?.limit.limit ?? 0) + 1),
            async (_before, after) => void limits.push(after.limit.limit),
          ),
        ),
      );
      expect(limits).toEqual(Array.from({ length: 60 }, (_, index) => index + 2));
      expect((await ledgers[2]?.state.read())?.state?.limit.limit).toBe(61);
    });

    test('is unlocked 3 s after a process that locked it was suspended', async () => {
      const store = newStore();
      const [still, other] = [await store.coordinate(), await store.join('W')];
      await still.state.change(() => state(1));
      let goOn = () => {};
      const standstill = new Promise<void>((resolve) => {
        goOn = resolve;
      });
      let holding = () => {};
      const held = new Promise<void>((resolve) => {
        holding = resolve;
      });
      const changed = still.state.change(
        () => state(2),
        () => {
          holding();
          return standstill;
        },
      );
      changed.catch(() => {});
      await held;
      expect((await other.state.change((before) => before ?? state(9))).state.limit.limit).toBe(1);
      goOn();
      await expect(changed).rejects.toThrow();
    });

    test('is unchanged if a change throws, and the row is unlocked', async () => {
      const ledger = await newStore().coordinate();
      await ledger.state.change(() => state(1));
      const refused = ledger.state.change(() => {
        throw new Error('no');
      });
      await expect(refused).rejects.toThrow('no');
      expect((await ledger.state.change((before) => before ?? state(9))).state.limit.limit).toBe(1);
    });

    test('removes characters that PostgreSQL cannot store', async () => {
      const ledger = await newStore().coordinate();
      const ended = { state: 'halted', reason: 'said \0 and \ud800', notAccepted: null } as const;
      await ledger.state.change(() => ({ ...state(1), ended }));
      expect((await ledger.state.read()).state?.ended?.reason).toBe('said \ufffd and \ufffd');
    });

    test('is ticked by one process in a second', async () => {
      const store = newStore();
      const ledgers = [await store.coordinate(), await store.join('W'), await store.join('X')];
      const ticks = await Promise.all(ledgers.map((ledger) => ledger.state.takeTick()));
      expect(ticks.filter(Boolean)).toHaveLength(1);
    });
  });
});
