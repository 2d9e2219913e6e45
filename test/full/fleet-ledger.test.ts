/** A ledger that the members of a fleet work at together: every promise of a ledger, and those of a fleet's. */
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { StaleRecordError } from '../../src/migration/ledger/ledger.js';
import { keepsItsPromises } from '../migration/ledger/conformance.js';
import { outlivesItsProcess } from '../migration/ledger/durable.js';
import { behavesAsTheModel } from '../migration/ledger/model-property.js';
import { hasPostgres, type PostgresServer, startPostgres } from '../migration/ledger/postgres-server.js';
import { all, business, record } from '../migration/ledger/records.js';
import { bellOf, fresh, newFleetStore, register } from './fleet-ledger-store.js';

describe.skipIf(!hasPostgres())('a fleet at a ledger on PostgreSQL', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server?.remove());
  const newStore = () => newFleetStore(() => server);

  describe('as any other', () => {
    const newLedgerStore = () => {
      const { coordinate, open, ...store } = newStore();
      return {
        ...store,
        refusal:
          'which reads the book for its fleet, and one run does that. ' +
          'Help it with "data-import worker", or wait until it has ended; then give the same command again.',
        open: ({ readOnly = false } = {}) => (readOnly ? open({ readOnly }) : coordinate()),
      };
    };
    keepsItsPromises(() => newLedgerStore().open());
    behavesAsTheModel(() => newLedgerStore().open(), 10);
    outlivesItsProcess(newLedgerStore);
  });

  describe('the book', () => {
    test('comes back line by line, with every character and by its hash', async () => {
      const { coordinate, join } = newStore();
      const coordinator = await coordinate();
      const worker = await join('W');
      const odd = [
        '\0',
        '\u0001',
        '"',
        "'",
        '\\',
        '\\N',
        '\\.',
        '\n',
        '\r\n',
        '\t',
        '\b\f\v',
        '{,}',
        'é',
        '雪',
        '🏠',
        ' ',
      ];
      const texts = Array.from(
        { length: 5000 },
        (_, index) => `${index} ${odd[index % odd.length]} ${'x'.repeat(index % 700)}`,
      );
      const entries = texts.map((text, index) =>
        fresh(`A-${text.slice(0, 12)}`, {
          hash: createHash('sha256').update(text).digest('hex'),
          contract: `C${odd[index % odd.length]}`,
          source: `book\\${odd[index % odd.length]}.jsonl`,
          line: index + 1,
        }),
      );
      const registered = await Promise.all(
        entries.map((entry, index) => coordinator.register(entry, [], { text: texts[index] ?? '' })),
      );
      expect(registered).toEqual(entries.map((entry) => ({ ...entry, version: 1 })));
      expect(await all(coordinator.list())).toEqual(registered);

      const claimed = await Promise.all(registered.map((one) => worker.claim(bellOf(one))));
      expect(claimed.map((one) => one?.line)).toEqual(texts.map((text) => ({ text })));
      expect(claimed.map((one) => one?.record)).toEqual(registered.map((one) => ({ ...one, version: 2 })));
    });

    test('may stay where it is: then it is told where each line stands', async () => {
      const { coordinate } = newStore();
      const ledger = await coordinate();
      const place = { source: 'book/part\\1\n.jsonl', start: 5_000_000_000, length: 1234 };
      const registered = await ledger.register(fresh('A-1'), [], place);
      expect(await ledger.claim(bellOf(registered))).toMatchObject({ line: place });
    });

    test('is taken out of the database: a record has no line then, until it is given again', async () => {
      const { coordinate } = newStore();
      const ledger = await coordinate();
      const registered = await register(ledger, fresh('A-1'));
      await ledger.forgetLines();
      const held = await ledger.claim(bellOf(registered));
      expect(held).toEqual({ record: record('A-1', { version: 2 }), line: undefined, isTakenOver: false });
      await ledger.release(record('A-1', { version: 2 }));
      expect(await register(ledger, record('A-1', { version: 2 }))).toEqual(record('A-1', { version: 2 }));
      expect(await ledger.claim(bellOf(record('A-1', { version: 2 })))).toMatchObject({ line: { text: 'A-1' } });
    });

    test('may move: a line is where it was last said to be', async () => {
      const { coordinate } = newStore();
      const ledger = await coordinate();
      const place = { source: 'book.jsonl', start: 0, length: 3 };
      const claimOf = async (version: number) => {
        const found = await ledger.claim(bellOf(record('A-1', { version })));
        await ledger.release(record('A-1', { version: version + 1 }));
        return found?.line;
      };
      await ledger.register(fresh('A-1'), [], place);
      await ledger.register(record('A-1'), [], { ...place, source: 'moved.jsonl' });
      expect(await claimOf(1)).toEqual({ ...place, source: 'moved.jsonl' });
      await register(ledger, record('A-1', { version: 2 }));
      expect(await claimOf(2)).toEqual({ text: 'A-1' });
      await ledger.register(record('A-1', { version: 3 }), [], place);
      expect(await claimOf(3)).toEqual(place);
    });

    test('a second record by a number that is there is refused, and changes nothing; the same one again is none', async () => {
      const { coordinate } = newStore();
      const ledger = await coordinate();
      await register(ledger, fresh('A-1'));
      await expect(register(ledger, fresh('A-1'))).resolves.toEqual(record('A-1'));
      const results = await Promise.allSettled([
        ledger.register(fresh('A-1', { line: 2, hash: 'ab'.repeat(32) }), [], { text: 'other' }),
        register(ledger, fresh('A-2')),
        ledger.register(fresh('A-2', { line: 3 }), [], { text: 'other' }),
      ]);
      expect(results.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'rejected']);
      expect(results[0]).toMatchObject({ reason: expect.any(StaleRecordError) });
      expect(await all(ledger.list())).toEqual([record('A-1'), record('A-2')]);
    });

    test('of two businesses in one batch that declare one contract, the later has it', async () => {
      const { coordinate } = newStore();
      const ledger = await coordinate();
      await Promise.all(
        ['B-2', 'B-1'].map((number) => register(ledger, fresh(number, { kind: 'business' }), ['C-1', '{"\\,}'])),
      );
      expect(await ledger.business('SANDBOX_SUPPLIER', 'C-1')).toEqual(business('B-1'));
      expect(await ledger.business('SANDBOX_SUPPLIER', '{"\\,}')).toEqual(business('B-1'));
    });
  });

  describe('a claim', () => {
    test('of three members that race for 500 records, each record goes to one', async () => {
      const { coordinate, join } = newStore();
      const members = [await coordinate(), await join('W1'), await join('W2')];
      const registered = await Promise.all(
        Array.from({ length: 500 }, (_, index) => register(members[0] as never, fresh(`A-${index}`))),
      );
      const claims = await Promise.all(
        members.map((member) => Promise.all(registered.map((one) => member.claim(bellOf(one))))),
      );
      const claimed = claims.flatMap((of) => of.flatMap((one) => one?.record ?? []));
      expect(claimed.map(({ number }) => number).sort()).toEqual(registered.map(({ number }) => number).sort());
      expect(new Set(claimed.map(({ version }) => version))).toEqual(new Set([2]));
    });

    test('is refused for another version, for what has ended, and for what nobody knows', async () => {
      const { coordinate, join } = newStore();
      const ledger = await coordinate();
      const worker = await join('W');
      await register(ledger, fresh('A-1'));
      await ledger.write(record('A-2', { end: 'rejected' }));
      for (const bell of [record('A-1', { version: 2 }), fresh('A-1'), record('A-2'), record('A-3')]) {
        expect(await worker.claim(bellOf(bell))).toBeUndefined();
      }
      expect(await ledger.find(record('A-1'))).toEqual(record('A-1'));
    });

    test('two bells for one record at one member are one claim', async () => {
      const { coordinate } = newStore();
      const ledger = await coordinate();
      const bell = bellOf(await register(ledger, fresh('A-1')));
      const claims = await Promise.all([ledger.claim(bell), ledger.claim(bell), ledger.claim(bell)]);
      expect(claims.map((claim) => claim?.record.version)).toEqual([2, undefined, undefined]);
    });

    test('shuts out whoever had the record before: it is stale, and the new holder is not', async () => {
      const { coordinate, join, expire } = newStore();
      const ledger = await coordinate();
      const slow = await join('slow', { beatMs: 3_600_000 });
      const bell = bellOf(await register(ledger, fresh('A-1')));
      await slow.claim(bell);
      await slow.write(record('A-1', { version: 3, intent: 'process' }));
      expect(await ledger.claim({ ...bell, version: 3 })).toBeUndefined();
      expect((await ledger.unclaimed(0, 10)).bells).toEqual([]);
      await expire(slow);
      expect((await ledger.unclaimed(0, 10)).bells).toEqual([{ ...bell, version: 3 }]);
      expect(await ledger.claim({ ...bell, version: 3 })).toEqual({
        record: record('A-1', { version: 4, intent: 'process' }),
        line: { text: 'A-1' },
        isTakenOver: true,
      });
      await expect(slow.write(record('A-1', { version: 4, done: 'process' }))).rejects.toThrow(StaleRecordError);
      await slow.release(record('A-1', { version: 4 }));
      expect(await slow.claim({ ...bell, version: 4 })).toBeUndefined();
      await ledger.write(record('A-1', { version: 5, done: 'process' }));
      await expect(slow.write(record('A-1', { version: 4, end: 'rejected' }))).rejects.toThrow(StaleRecordError);
      expect(await ledger.find(record('A-1'))).toEqual(record('A-1', { version: 5, done: 'process' }));
    });

    test('of what is written after the lease was lost, nobody is the owner: it is free at once', async () => {
      const { coordinate, join, expire } = newStore();
      const ledger = await coordinate();
      const member = await join('W', { beatMs: 20 });
      const bell = bellOf(await register(ledger, fresh('A-1')));
      await member.claim(bell);
      const { id } = member.lease;
      await expire(member);
      await vi.waitFor(() => expect(member.lease.id).not.toBe(id));
      await member.write(record('A-1', { version: 3, done: 'stage' }));
      expect(await ledger.claim({ ...bell, version: 3 })).toMatchObject({ record: { version: 4 }, isTakenOver: true });
    });

    test('given back, it is anybody’s, also the same member’s', async () => {
      const { coordinate, join } = newStore();
      const ledger = await coordinate();
      const worker = await join('W');
      const bell = bellOf(await register(ledger, fresh('A-1')));
      await worker.claim(bell);
      await worker.release({ ...bell, version: 1 });
      expect((await ledger.unclaimed(0, 10)).bells).toEqual([]);
      await worker.release({ ...bell, version: 2 });
      expect((await ledger.unclaimed(0, 10)).bells).toEqual([{ ...bell, version: 2 }]);
      expect(await worker.claim({ ...bell, version: 2 })).toMatchObject({ record: { version: 3 }, isTakenOver: false });
      await worker.release({ ...bell, version: 3 });
      expect(await ledger.claim({ ...bell, version: 3 })).toMatchObject({ record: { version: 4 }, isTakenOver: false });
    });

    test('a member that leaves gives back what it has', async () => {
      const { coordinate, join } = newStore();
      const ledger = await coordinate();
      const worker = await join('W');
      const bell = bellOf(await register(ledger, fresh('A-1')));
      await worker.claim(bell);
      await worker.write(record('A-1', { version: 3, done: 'check' }));
      await worker.lease.leave();
      expect(await ledger.claim({ ...bell, version: 3 })).toMatchObject({ record: { version: 4 }, isTakenOver: false });
      expect(await worker.claim({ ...bell, version: 4 })).toBeUndefined();
    });

    test('whether anybody has a record is known at once, and that nobody has one with the next beat', async () => {
      const { coordinate, join } = newStore();
      const ledger = await coordinate();
      const worker = await join('W', { beatMs: 20 });
      expect(await ledger.isClaimed()).toBe(false);
      const [one, other] = [await register(ledger, fresh('A-1')), await register(ledger, fresh('A-2'))];
      for (const [version, bell] of [
        [2, bellOf(one)],
        [2, bellOf(other)],
        [3, { ...bellOf(other), version: 2 }],
      ] as const) {
        await worker.claim(bell);
        expect(await ledger.isClaimed()).toBe(true);
        // Also after a beat.
        const { requests } = Object.assign(worker.lease.work, { requests: worker.lease.work.requests + 1 });
        await vi.waitFor(async () => expect((await ledger.members())[1]?.work.requests).toBe(requests));
        expect(await ledger.isClaimed()).toBe(true);
        if (bell.number === 'A-1') await worker.write(record('A-1', { version: version + 1, end: 'created' }));
        else await worker.release({ ...bell, version });
        await vi.waitFor(async () => expect(await ledger.isClaimed()).toBe(false));
      }
    });
  });

  describe('what is open', () => {
    test('comes in the order of first writing, page by page', async () => {
      const { coordinate } = newStore();
      const ledger = await coordinate();
      const registered = await Promise.all(['A-3', 'A-1', 'A-2'].map((number) => register(ledger, fresh(number))));
      const [first, second, third] = registered.map(bellOf);
      const page = await ledger.unclaimed(0, 2);
      expect(page.bells).toEqual([first, second]);
      const next = await ledger.unclaimed(page.last, 2);
      expect(next.bells).toEqual([third]);
      expect(await ledger.unclaimed(next.last, 2)).toEqual({ bells: [], last: next.last });
    });

    test('is work until it has ended, also while a member has it, and not while it waits for its business', async () => {
      const { coordinate } = newStore();
      const ledger = await coordinate();
      expect(await ledger.hasWork()).toBe(false);
      const b = await register(ledger, fresh('B-1', { kind: 'business' }), ['C-1']);
      const a = await register(ledger, fresh('A-1', { contract: 'C-1' }));
      await ledger.claim(bellOf(b));
      expect(await ledger.hasWork()).toBe(true);
      await ledger.write(business('B-1', { version: 3, end: 'rejected' }));
      expect(await ledger.hasWork()).toBe(false);
      expect(await ledger.claim(bellOf(a))).toBeUndefined();
      expect(await ledger.claim(bellOf(a), true)).toMatchObject({ record: { version: 2 }, isTakenOver: false });
    });

    test('is found without reading what has ended, whoever asks and however small the ledger was before', async () => {
      const store = newStore();
      const coordinator = await store.coordinate();
      const b = await register(coordinator, fresh('B-1', { kind: 'business' }), ['C-1']);
      const accounts = await Promise.all(
        ['A-1', 'A-2'].map((number) => register(coordinator, fresh(number, { contract: 'C-1' }))),
      );
      const ended = await register(coordinator, fresh('A-0'));
      await coordinator.close();
      await vi.waitFor(async () => expect(await sessions()).toBe(0));
      await store.ask(`analyze ${store.schema}.record`);
      const before = await read();
      const ledger = await store.join('W');
      let one = ended;
      // As the server plans what it was asked often.
      for (let times = 0; times < 10; times++) {
        await ledger.unclaimed(0, 10);
        await ledger.hasWork();
        await ledger.claim(bellOf(one));
        one = record('A-0', { version: one.version + 2, end: times === 9 ? 'created' : null });
        await ledger.write(one);
        await ledger.release(one);
      }
      await store.ask(`insert into ${store.schema}.record
        (supplier, kind, number, version, "end", hash, unknown, errors, contract, source, line, updated_at)
        select 'SANDBOX_SUPPLIER', 'account', 'E-' || n, 2, 'created', md5(n::text), '[]', '[]', 'C-1', '', n, ''
        from generate_series(1, 20000) as n`);
      expect((await ledger.unclaimed(0, 10)).bells).toEqual([bellOf(b)]);
      expect(await ledger.hasWork()).toBe(true);
      await ledger.claim(bellOf(b));
      await ledger.write(business('B-1', { version: 3, end: 'created' }));
      expect((await ledger.unclaimed(0, 10)).bells).toEqual(accounts.map(bellOf));
      await ledger.close();
      // A session tells its counts when it ends.
      await vi.waitFor(async () => expect(await sessions()).toBe(0));
      const { whole, entries } = await read();
      expect(whole).toBe(before.whole);
      expect(entries - before.entries).toBeGreaterThanOrEqual(20);
      expect(entries - before.entries).toBeLessThan(200);

      async function sessions() {
        return (await server.ask("select from pg_stat_activity where application_name = 'data-import'")).length;
      }

      async function read() {
        const [table] = await store.ask(
          `select seq_scan::int as whole from pg_stat_user_tables where schemaname = '${store.schema}' and relname = 'record'`,
        );
        const [indexes] = await store.ask(
          `select sum(idx_tup_read)::int as entries from pg_stat_user_indexes where schemaname = '${store.schema}' and relname = 'record'`,
        );
        return { ...table, ...indexes } as { whole: number; entries: number };
      }
    });
  });
});
