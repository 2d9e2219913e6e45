/** What a distributed run keeps in PostgreSQL beside a ledger: who works on which record, and the row of its state. */
import { describe, expect, onTestFinished, test } from 'vitest';
import { joinRun } from '../../src/migration/distributed/ledger/distributed-ledger.js';
import type { RunState } from '../../src/migration/distributed/state/run-state.js';
import type { LedgerRecord } from '../../src/migration/ledger/ledger.js';
import { firstLimit } from '../../src/migration/throttle/limits/adaptive-limit.js';
import { newPostgresStore } from '../migration/ledger/postgres/store.js';
import { usePostgres } from '../migration/ledger/postgres/use-postgres.js';
import { record, storedLine } from '../migration/ledger/records.js';

const { isThere, server } = usePostgres();

/** A process that has joined the run in a schema. */
async function join(schema: string, name: string, isCoordinator = false) {
  const now = () => new Date('2026-01-15T09:00:00Z');
  const connection = { connectionString: server.url, schema };
  const { ledger, state } = await joinRun({ ...connection, name, now, isCoordinator, onNote: () => {} });
  onTestFinished(() => ledger.close());
  return {
    ...{ ledger, state },
    /** Stores a line of the record, and registers the record. */
    async register(entry: LedgerRecord, contracts: readonly string[] = []) {
      await ledger.addLines(1, [storedLine(entry)]);
      return ledger.register(entry, contracts);
    },
    /** The numbers of the records that it claims. `inHand`: those of the records that it has claimed before. */
    async claim(most: number, ...inHand: string[]) {
      const claimed = await ledger.claim(
        most,
        inHand.map((number) => record(number)),
      );
      return claimed.map((one) => one.record.number);
    },
    /** As a process that was killed: its connections end, and its heartbeats have run out. */
    async vanish() {
      await ledger.close();
      await server.ask(
        `update ${schema}.worker set left_at = null, expires_at = clock_timestamp() - interval '1 ms' where id = '${ledger.workerId}'`,
      );
    },
  };
}

/** A coordinator in a new schema that has registered records of these numbers. */
async function coordinate(...numbers: string[]) {
  const { schema } = newPostgresStore(() => server.url);
  const coordinator = await join(schema, 'C', true);
  for (const number of numbers) await coordinator.register(fresh(number));
  return { schema, coordinator };
}

/** Not in the ledger yet. */
const fresh = (number: string, more: Partial<LedgerRecord> = {}) => record(number, { version: 0, ...more });

describe.skipIf(!isThere)('a distributed ledger', () => {
  describe('a record that is claimed', () => {
    test('comes with its line, with every character', async () => {
      const { ledger } = (await coordinate()).coordinator;
      const payload = { account: { note: 'é€𝄞\0 \\ \t' } };
      await ledger.addLines(1, [storedLine(record('A-1'), JSON.stringify(payload))]);
      await ledger.register(fresh('A-1'), []);
      expect(await ledger.claim(1, [])).toEqual([{ record: record('A-1'), payload }]);
    });

    test('comes with the line whose hash it has, of several lines with its number', async () => {
      const { ledger } = (await coordinate()).coordinator;
      const other = storedLine(record('A-1', { hash: 'f'.repeat(64) }), '{"account":{"number":"other"}}');
      await ledger.addLines(1, [other, storedLine(record('A-1')), { ...other, hash: 'e'.repeat(64) }]);
      await ledger.register(fresh('A-1'), []);
      expect(await ledger.claim(2, [])).toMatchObject([{ payload: { account: { number: 'A-1' } } }]);
    });

    test('has no line any more after the write that ends it', async () => {
      const { schema, coordinator } = await coordinate('A-1');
      await coordinator.ledger.write(record('A-1', { version: 2, outcome: 'created' }), [], true);
      expect(await server.ask(`select number from ${schema}.payload`)).toEqual([]);
    });

    test.each([
      ['is damaged', 'update SCHEMA.payload set body = \'{"account":{"name":"Secret"\''],
      ['is missing', 'delete from SCHEMA.payload'],
    ])('and whose line %s ends the worker with the row, and without the text', async (_, damage) => {
      const { schema, coordinator } = await coordinate('A-1');
      await server.ask(damage.replace('SCHEMA', schema));
      const claiming = coordinator.claim(1);
      await expect(claiming).rejects.toThrow(/row 1 of its table (payload|record)/);
      await expect(claiming).rejects.not.toThrow(/Secret/);
    });

    test('is given once, in the order of first writing, and again when it was released and the time is over', async () => {
      const { ledger, claim } = (await coordinate('A-1', 'A-2', 'A-3')).coordinator;
      expect(await claim(2)).toEqual(['A-1', 'A-2']);
      expect(await claim(2, 'A-1', 'A-2')).toEqual(['A-3']);
      expect(await claim(2, 'A-1', 'A-2', 'A-3')).toEqual([]);
      await ledger.release(record('A-2'), 0);
      await ledger.release(record('A-3'), 60_000);
      expect(await claim(2, 'A-1')).toEqual(['A-2']);
      await ledger.makeAllDue();
      expect(await claim(9, 'A-1', 'A-2')).toEqual(['A-3']);
    });

    test('is given again to its worker if that does not have it in hand: the answer to the claim was lost', async () => {
      const { claim } = (await coordinate('A-1', 'A-2', 'A-3')).coordinator;
      await claim(2);
      expect(await claim(9, 'A-1')).toEqual(['A-2', 'A-3']);
      expect(await claim(9, 'A-1', 'A-2', 'A-3')).toEqual([]);
    });

    test('stays with its worker through its writes, and no worker gets it once it has ended', async () => {
      const { schema, coordinator } = await coordinate('A-1');
      const worker = await join(schema, 'W');
      await worker.claim(1);
      await worker.ledger.write(record('A-1', { version: 2 }));
      expect(await coordinator.claim(1)).toEqual([]);
      await worker.ledger.write(record('A-1', { version: 3, outcome: 'created' }));
      await worker.vanish();
      expect(await coordinator.claim(1)).toEqual([]);
      expect(await coordinator.ledger.countWork(10)).toBe(0);
    });

    test('is given to another worker when the heartbeats of its worker have ended, which cannot release it any more', async () => {
      const { schema, coordinator } = await coordinate('A-1');
      const [worker, other, gone] = [await join(schema, 'W'), await join(schema, 'X'), await join(schema, 'W')];
      await worker.claim(1);
      await worker.vanish();
      expect(await other.claim(1)).toEqual(['A-1']);
      await gone.ledger.release(record('A-1'), 0);
      expect(await coordinator.claim(1)).toEqual([]);
    });

    test('of two workers that claim at the same time, each has its own', async () => {
      const { schema, coordinator } = await coordinate();
      const worker = await join(schema, 'W');
      const numbers = Array.from({ length: 200 }, (_, index) => `A-${String(index).padStart(3, '0')}`);
      await Promise.all(numbers.map((number) => coordinator.register(fresh(number))));
      const [first, second] = await Promise.all([coordinator.claim(150), worker.claim(150)]);
      const taken = [...first, ...second];
      expect(taken.toSorted()).toEqual([...new Set(taken)].toSorted());
      const rest = await worker.claim(200, ...second);
      expect([...taken, ...rest].toSorted()).toEqual(numbers);
    });

    test('is given again only after it is registered again, if it was set aside', async () => {
      const { ledger, claim, register } = (await coordinate()).coordinator;
      const business = record('B-1', { kind: 'business' });
      await register({ ...business, version: 0 }, ['C-1']);
      await claim(1);
      await ledger.release(business, null);
      expect([await claim(9), await ledger.countWork(9), await ledger.countSetAside(['business'])]).toEqual([[], 0, 1]);
      await ledger.register(business, []);
      expect([await claim(9), await ledger.countSetAside(['business'])]).toEqual([['B-1'], 0]);
      expect(await ledger.business('SANDBOX_SUPPLIER', 'C-1')).toEqual(business);
    });

    test('that had ended before this session, until the late answer to a worker, is given only after it is registered again', async () => {
      const { schema, coordinator } = await coordinate('A-1');
      const worker = await join(schema, 'W');
      await worker.ledger.write(record('A-1', { version: 2, outcome: 'unknown' }));
      await coordinator.ledger.close();
      const { ledger, claim, register } = await join(schema, 'C', true);
      await ledger.makeAllDue();
      // It waits for its business, so it is not counted.
      await ledger.write(record('A-2'));
      await worker.ledger.write(record('A-1', { version: 3 }));
      await worker.ledger.release(record('A-1'), 0);
      expect([await claim(9), await ledger.countWork(9)]).toEqual([[], 0]);
      expect([await ledger.countSetAside(['business']), await ledger.countSetAside(['account'])]).toEqual([0, 1]);
      await register(record('A-1', { version: 3 }));
      expect([await claim(9), await ledger.countSetAside(['account'])]).toEqual([['A-1'], 0]);
    });

    test('and that the coordinator has written, but not worked on, is free for any worker once it is registered', async () => {
      const { schema, coordinator } = await coordinate('A-1');
      const worker = await join(schema, 'W');
      await worker.claim(1);
      await worker.ledger.close();
      await coordinator.ledger.close();
      const next = await join(schema, 'C', true);
      await next.ledger.write(record('A-1', { version: 2 }));
      await next.register(record('A-1', { version: 2 }));
      expect(await (await join(schema, 'X')).claim(1)).toEqual(['A-1']);
    });
  });

  describe('the state', () => {
    const stateOf = (limit: number) => ({ limit: firstLimit(limit, { least: 1, most: 999 }) }) as RunState;

    test('is changed by one process at a time', async () => {
      const { schema, coordinator } = await coordinate();
      const processes = [coordinator, await join(schema, 'W'), await join(schema, 'X')];
      expect(coordinator.state.current()).toBeUndefined();
      const limits: number[] = [];
      const count = (before: RunState | undefined) => {
        limits.push((before?.limit.limit ?? 0) + 1);
        return stateOf(limits.at(-1) ?? 0);
      };
      await Promise.all(Array.from({ length: 60 }, (_, index) => processes[index % 3]?.state.begin(count)));
      expect(limits).toEqual(Array.from({ length: 60 }, (_, index) => index + 1));
    });

    test('is unchanged if a change throws, and the row is unlocked; characters that PostgreSQL cannot store are removed', async () => {
      const { schema, coordinator } = await coordinate();
      const { state } = coordinator;
      const ended = { state: 'halted', reason: 'said \0 and \ud800', notAccepted: null } as const;
      await state.begin(() => ({ ...stateOf(1), ended }));
      const refused = state.begin(() => {
        throw new Error('no');
      });
      await expect(refused).rejects.toThrow('no');
      await state.begin((before) => before ?? stateOf(9));
      const { state: ofOther } = await join(schema, 'W');
      expect(ofOther.current()).toEqual({ ...stateOf(1), ended: { ...ended, reason: 'said \ufffd and \ufffd' } });
    });
  });
});
