/** What a distributed run keeps in PostgreSQL beside a ledger: who works on which record, and the row of its state. */
import { describe, expect, test } from 'vitest';
import type { RunState } from '../../src/migration/distributed/state/run-state.js';
import { firstLimit } from '../../src/migration/throttle/limits/adaptive-limit.js';
import { usePostgres } from '../migration/ledger/postgres/use-postgres.js';
import { record, storedLine } from '../migration/ledger/records.js';
import { claimedBy, fresh, newDistributedStore, register } from './distributed-ledger-store.js';

/** The records of these numbers, as a worker has them in hand. */
const of = (...numbers: string[]) => numbers.map((number) => record(number));

const { isThere, server } = usePostgres();

describe.skipIf(!isThere)('a distributed ledger', () => {
  const newStore = () => newDistributedStore(() => server);

  describe('a record that is claimed', () => {
    test('comes with its line, with every character', async () => {
      const ledger = await newStore().coordinate();
      const payload = { account: { note: 'é€𝄞\0 \\ \t' } };
      await ledger.addLines(1, [storedLine(record('A-1'), JSON.stringify(payload))]);
      await ledger.register(fresh('A-1'), []);
      expect(await ledger.claim(1, [])).toEqual([{ record: record('A-1'), payload }]);
    });

    test('comes with the line whose hash it has, of several lines with its number', async () => {
      const ledger = await newStore().coordinate();
      const other = storedLine(record('A-1', { hash: 'f'.repeat(64) }), '{"account":{"number":"other"}}');
      await ledger.addLines(1, [other, storedLine(record('A-1')), { ...other, hash: 'e'.repeat(64) }]);
      await ledger.register(fresh('A-1'), []);
      expect(await ledger.claim(2, [])).toMatchObject([{ payload: { account: { number: 'A-1' } } }]);
    });

    test('has no line any more after the write that ends it', async () => {
      const store = newStore();
      const ledger = await store.coordinate();
      await register(ledger, fresh('A-1'));
      await ledger.write(record('A-1', { version: 2, outcome: 'created' }), [], true);
      expect(await store.ask(`select number from ${store.schema}.payload`)).toEqual([]);
    });

    test.each([
      ['is damaged', 'update SCHEMA.payload set body = \'{"account":{"name":"Secret"\''],
      ['is missing', 'delete from SCHEMA.payload'],
    ])('and whose line %s ends the worker with the row, and without the text', async (_, damage) => {
      const store = newStore();
      const ledger = await store.coordinate();
      await register(ledger, fresh('A-1'));
      await store.ask(damage.replace('SCHEMA', store.schema));
      const claiming = ledger.claim(1, []);
      await expect(claiming).rejects.toThrow(/row 1 of its table (payload|record)/);
      await expect(claiming).rejects.not.toThrow(/Secret/);
    });

    test('is given once, in the order of first writing, and again when it was released and the time is over', async () => {
      const store = newStore();
      const ledger = await store.coordinate();
      for (const number of ['A-1', 'A-2', 'A-3']) await register(ledger, fresh(number));
      expect(await claimedBy(ledger, 2)).toEqual(['A-1', 'A-2']);
      expect(await claimedBy(ledger, 2, of('A-1', 'A-2'))).toEqual(['A-3']);
      expect(await claimedBy(ledger, 2, of('A-1', 'A-2', 'A-3'))).toEqual([]);
      await ledger.release(record('A-2'), 0);
      await ledger.release(record('A-3'), 60_000);
      expect(await claimedBy(ledger, 2, of('A-1'))).toEqual(['A-2']);
      await ledger.makeAllDue();
      expect(await claimedBy(ledger, 9, of('A-1', 'A-2'))).toEqual(['A-3']);
    });

    test('is given again to its worker if that does not have it in hand: the answer to the claim was lost', async () => {
      const ledger = await newStore().coordinate();
      for (const number of ['A-1', 'A-2', 'A-3']) await register(ledger, fresh(number));
      await ledger.claim(2, []);
      expect(await claimedBy(ledger, 9, of('A-1'))).toEqual(['A-2', 'A-3']);
      expect(await claimedBy(ledger, 9, of('A-1', 'A-2', 'A-3'))).toEqual([]);
    });

    test('stays with its worker through its writes, and no worker gets it once it has ended', async () => {
      const store = newStore();
      const [coordinator, worker] = [await store.coordinate(), await store.join('W')];
      await register(coordinator, fresh('A-1'));
      await worker.claim(1, []);
      await worker.write(record('A-1', { version: 2 }));
      expect(await claimedBy(coordinator, 1)).toEqual([]);
      await worker.write(record('A-1', { version: 3, outcome: 'created' }));
      await store.vanish(worker);
      expect(await claimedBy(coordinator, 1)).toEqual([]);
      expect(await coordinator.countWork(10)).toBe(0);
    });

    test('is given to another worker when the heartbeats of its worker have ended, which cannot release it any more', async () => {
      const store = newStore();
      const [coordinator, worker, other] = [await store.coordinate(), await store.join('W'), await store.join('X')];
      await register(coordinator, fresh('A-1'));
      await worker.claim(1, []);
      const gone = await store.join('W');
      await store.vanish(worker);
      expect(await claimedBy(other, 1)).toEqual(['A-1']);
      await gone.release(record('A-1'), 0);
      expect(await claimedBy(coordinator, 1)).toEqual([]);
    });

    test('of two workers that claim at the same time, each has its own', async () => {
      const store = newStore();
      const coordinator = await store.coordinate();
      const worker = await store.join('W');
      const numbers = Array.from({ length: 200 }, (_, index) => `A-${String(index).padStart(3, '0')}`);
      await Promise.all(numbers.map((number) => register(coordinator, fresh(number))));
      const [first, second] = await Promise.all([claimedBy(coordinator, 150), claimedBy(worker, 150)]);
      const taken = [...first, ...second];
      expect(taken.toSorted()).toEqual([...new Set(taken)].toSorted());
      const rest = await claimedBy(worker, 200, of(...second));
      expect([...taken, ...rest].toSorted()).toEqual(numbers);
    });

    test('is given again only after it is registered again, if it was set aside', async () => {
      const ledger = await newStore().coordinate();
      const business = record('B-1', { kind: 'business' });
      await register(ledger, { ...business, version: 0 }, ['C-1']);
      await ledger.claim(1, []);
      await ledger.release(business, null);
      expect([await claimedBy(ledger, 9), await ledger.countWork(9), await ledger.countSetAside()]).toEqual([[], 0, 1]);
      await ledger.register(business, []);
      expect([await claimedBy(ledger, 9), await ledger.countSetAside()]).toEqual([['B-1'], 0]);
      expect(await ledger.business('SANDBOX_SUPPLIER', 'C-1')).toEqual(business);
    });

    test('and that the coordinator has written, but not worked on, is free for any worker once it is registered', async () => {
      const store = newStore();
      const [coordinator, worker] = [await store.coordinate(), await store.join('W')];
      await register(coordinator, fresh('A-1'));
      await worker.claim(1, []);
      await worker.close();
      await coordinator.close();
      const next = await store.coordinate();
      await next.write(record('A-1', { version: 2 }));
      await register(next, record('A-1', { version: 2 }));
      const other = await store.join('X');
      expect(await claimedBy(other, 1)).toEqual(['A-1']);
    });
  });

  describe('the state', () => {
    const state = (limit: number) => ({ limit: firstLimit(limit, { least: 1, most: 999 }) }) as RunState;

    test('is changed by one process at a time', async () => {
      const store = newStore();
      const ledgers = [await store.coordinate(), await store.join('W'), await store.join('X')];
      expect(ledgers[0]?.state.current()).toBeUndefined();
      const limits: number[] = [];
      await Promise.all(
        Array.from({ length: 60 }, (_, index) =>
          ledgers[index % 3]?.state.begin((before) => {
            const limit = (before?.limit.limit ?? 0) + 1;
            limits.push(limit);
            return state(limit);
          }),
        ),
      );
      expect(limits).toEqual(Array.from({ length: 60 }, (_, index) => index + 1));
    });

    test('is unchanged if a change throws, and the row is unlocked; characters that PostgreSQL cannot store are removed', async () => {
      const store = newStore();
      const ledger = await store.coordinate();
      const ended = { state: 'halted', reason: 'said \0 and \ud800', notAccepted: null } as const;
      await ledger.state.begin(() => ({ ...state(1), ended }));
      const refused = ledger.state.begin(() => {
        throw new Error('no');
      });
      await expect(refused).rejects.toThrow('no');
      await ledger.state.begin((before) => before ?? state(9));
      const { state: ofOther } = await store.join('W');
      expect(ofOther.current()).toEqual({ ...state(1), ended: { ...ended, reason: 'said \ufffd and \ufffd' } });
    });
  });
});
