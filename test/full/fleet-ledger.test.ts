/** A ledger that the members of a fleet work at together, on a real PostgreSQL. */
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { type FleetLedgerOptions, fleetLedger } from '../../src/migration/fleet/postgres-fleet.js';
import { hasPostgres, type PostgresServer, startPostgres } from '../migration/ledger/postgres-server.js';
import { newPostgresStore } from '../migration/ledger/postgres-store.js';
import { all, business, record } from '../migration/ledger/records.js';

describe.skipIf(!hasPostgres())('a fleet at a ledger on PostgreSQL', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server?.remove());

  /** A ledger that has its coordinator, and members as they are asked for. */
  function newFleet() {
    const store = newPostgresStore(() => server.url);
    const join = async (name: string, options: Partial<FleetLedgerOptions> = {}) => {
      const ledger = await fleetLedger({ connectionString: server.url, schema: store.schema, name, ...options });
      onTestFinished(() => ledger.close());
      return ledger;
    };
    return { store, join, coordinate: () => join('C', { isCoordinator: true }) };
  }
  const line = (text: string) => ({ text });
  const fresh = (number: string, more = {}) => record(number, { version: 0, ...more });
  const bellOf = ({ supplier, kind, number, version }: ReturnType<typeof record>) => ({
    supplier,
    kind,
    number,
    version,
  });

  test('a record is registered, found open, claimed, carried on and ended', async () => {
    const { join, coordinate } = newFleet();
    const coordinator = await coordinate();
    const worker = await join('W');
    const registered = await coordinator.register(fresh('A-1'), [], line('{"a":1}'));
    expect(registered).toEqual(record('A-1'));
    expect(await worker.hasWork()).toBe(true);
    const bell = bellOf(record('A-1'));
    expect(await worker.unclaimed(0, 10)).toEqual({ bells: [bell], last: expect.any(Number) });

    const claimed = await worker.claim(bell);
    expect(claimed).toEqual({ record: record('A-1', { version: 2 }), line: { text: '{"a":1}' }, isTakenOver: false });
    expect(await coordinator.claim(bell)).toBeUndefined();
    expect(await coordinator.claim({ ...bell, version: 2 })).toBeUndefined();
    expect(await coordinator.unclaimed(0, 10)).toMatchObject({ bells: [] });
    expect(await coordinator.isClaimed()).toBe(true);
    await worker.write(record('A-1', { version: 3, done: 'stage' }));
    await worker.release(record('A-1', { version: 3 }));
    expect(await coordinator.claim({ ...bell, version: 3 })).toMatchObject({
      record: { version: 4 },
      isTakenOver: false,
    });
    await coordinator.write(record('A-1', { version: 5, end: 'created' }));
    expect(await coordinator.hasWork()).toBe(false);
    expect(await all(worker.list())).toEqual([record('A-1', { version: 5, end: 'created' })]);
    expect(await worker.members()).toMatchObject([
      { name: 'C', isThere: true },
      { name: 'W', isThere: true },
    ]);
    expect(await coordinator.leads()).toBe(true);
    expect(await worker.leads()).toBe(false);
    expect(await coordinator.leads()).toBe(true);
    await coordinator.close();
    await vi.waitFor(async () => expect(await worker.leads()).toBe(true));
    await worker.forgetLines();
  });

  test('an account waits for its business', async () => {
    const { join, coordinate } = newFleet();
    const coordinator = await coordinate();
    const worker = await join('W');
    const [b, a] = await Promise.all([
      coordinator.register(fresh('B-1', { kind: 'business' }), ['C-1', 'C"{},\\2'], line('b')),
      coordinator.register(fresh('A-1', { contract: 'C"{},\\2' }), [], line('a')),
    ]);
    expect(await worker.claim(bellOf(a))).toBeUndefined();
    expect((await worker.unclaimed(0, 10)).bells).toEqual([bellOf(b)]);
    await worker.claim(bellOf(b));
    await worker.write(business('B-1', { version: 3, end: 'created' }));
    expect(await worker.claim(bellOf(a))).toMatchObject({ line: { text: 'a' } });
  });
});
