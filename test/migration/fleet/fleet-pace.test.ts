/** One pace for a fleet: each member takes its share, and what one is told holds for all. By a fake clock. */
import { describe, expect, test } from 'vitest';
import type { CompactEvent } from '../../../src/migration/fleet/board.js';
import { firstLimit } from '../../../src/migration/pace/adaptive-limit.js';
import { fleetOfPaces, ORDERS, type PaceOfMember, record } from './fleet-of-paces.js';

const KNOWN = {
  now: 8,
  why: '429 at 9, holding below',
  state: { ...firstLimit(8, { least: 1, most: 64 }), setback: { cause: '429', at: 9 }, ceiling: 9 },
};
const countsOf = (members: readonly PaceOfMember[]) => members.map(({ left }) => left.length);
const statesOf = (members: readonly PaceOfMember[]) => members.map(({ pace }) => pace.status().state);

async function threeMembers(orders: Parameters<typeof fleetOfPaces>[0] = { limit: KNOWN }) {
  const fleet = fleetOfPaces(orders);
  const [first, second, third] = [fleet.join('m1', { isCoordinator: true }), fleet.join('m2'), fleet.join('m3')];
  await fleet.clock.advance(0);
  return { ...fleet, first, second, third, members: [first, second, third] };
}

describe('the limit of processing is shared', () => {
  test('by those who are there, and nobody starts more than its share', async () => {
    const { members, clock, board } = await threeMembers();
    for (const { ask } of members) ask('process', 'a', 'b', 'c', 'd');
    await clock.advance(0);
    expect(countsOf(members)).toEqual([3, 3, 2]);
    expect(board.orders()).toMatchObject({ members: ['m1', 'm2', 'm3'], turn: 0, limit: { now: 8 } });
  });

  test('other steps have no share: each member has as many at a time as it was given', async () => {
    const { join, clock } = fleetOfPaces({ limit: KNOWN });
    const [small, large] = [join('m1', { concurrency: 1 }), join('m2', { concurrency: 3 })];
    for (const { ask } of [small, large]) ask('notes', 'a', 'b', 'c', 'd');
    await clock.advance(0);
    expect(countsOf([small, large])).toEqual([1, 3]);
  });

  test('a member that the leader does not know of yet starts nothing, whatever the step', async () => {
    const { clock, join, first } = await threeMembers();
    const late = join('m4');
    late.ask('notes', 'a');
    await clock.advance(900);
    expect(late.left).toEqual([]);
    first.ask('process', 'a');
    await clock.advance(100);
    expect(late.left).toEqual(['a 1000']);
  });

  test('with fewer calls than members each has its turn, and the next one waits until the one before is done', async () => {
    const { members, clock, first, second, board } = await threeMembers({
      limit: { now: 1, why: '429 at 2, holding below' },
    });
    for (const { ask } of members) ask('process', 'a', 'b', 'c');
    await clock.advance(0);
    expect(countsOf(members)).toEqual([1, 0, 0]);
    await clock.advance(20_500);
    expect(board.orders()?.turn).toBe(1);
    expect(countsOf(members)).toEqual([1, 0, 0]);
    await clock.advance(1000);
    expect(countsOf(members)).toEqual([1, 0, 1]);
    first.answer('a');
    await clock.advance(20_000);
    expect(countsOf(members)).toEqual([1, 1, 1]);
    expect(second.left).toEqual(['a 41000']);
  });

  test('of a member whose lease is over, the others have its share within a second or two', async () => {
    const { members, clock, die } = await threeMembers();
    for (const { ask } of members) ask('process', 'a', 'b', 'c', 'd');
    die('m3');
    await clock.advance(2000);
    expect(countsOf(members).slice(0, 2)).toEqual([4, 4]);
  });

  test('a member that comes back under another name, after its lease was lost, has its share again', async () => {
    const { third, clock, rename, board } = await threeMembers();
    rename('m3', 'm3-again');
    await clock.advance(200);
    third.ask('process', 'a', 'b', 'c');
    await clock.advance(700);
    // What it had may be another's by now.
    expect(third.left).toEqual([]);
    await clock.advance(600);
    expect(board.orders()?.members).toEqual(['m1', 'm2', 'm3-again']);
    expect(third.left).toHaveLength(2);
  });
});

describe('requests a second are shared', () => {
  test('so that all members together keep the cap', async () => {
    const { members, clock } = await threeMembers({ rps: 6 });
    for (const { ask } of members) ask('notes', ...Array.from({ length: 40 }, (_, index) => `n${index}`));
    await clock.advance(10_000 - 1);
    // Two a second each, from the first moment on.
    expect(countsOf(members)).toEqual([20, 20, 20]);
  });

  test('also from a beginning at which nobody knows of the others', async () => {
    const { join, clock } = fleetOfPaces({ rps: 2, members: [] });
    const members = ['m1', 'm2'].map((id) => join(id));
    for (const { ask } of members) ask('notes', 'a', 'b', 'c');
    await clock.advance(999);
    expect(countsOf(members)).toEqual([1, 1]);
  });
});

describe('a 429', () => {
  test('of process at one member: no other processes while it is waited out, and the other steps go on', async () => {
    const { members, clock, first, second, third } = await threeMembers();
    first.refused(2000);
    await clock.advance(0);
    for (const { ask } of members) {
      ask('process', 'a');
      ask('notes', 'b');
    }
    await clock.advance(1999);
    expect(members.map(({ left }) => left)).toEqual([['b 0'], ['b 0'], ['b 0']]);
    await clock.advance(1);
    expect(members.map(({ left }) => left)).toEqual([
      ['b 0', 'a 2000'],
      ['b 0', 'a 2000'],
      ['b 0', 'a 2000'],
    ]);
    // Its own client knows.
    expect([first, second, third].map(({ cooledDown }) => cooledDown)).toEqual([
      [],
      [[2000, 'process']],
      [[2000, 'process']],
    ]);
  });

  test('of another call at one member: no other starts any call while it is waited out', async () => {
    const { members, clock, first, second, third } = await threeMembers();
    first.refused(2000, 'notes.create');
    await clock.advance(0);
    for (const { ask } of members) ask('notes', 'a');
    await clock.advance(1999);
    expect(countsOf(members)).toEqual([0, 0, 0]);
    await clock.advance(1);
    expect(members.map(({ left }) => left)).toEqual([['a 2000'], ['a 2000'], ['a 2000']]);
    expect([first, second, third].map(({ cooledDown }) => cooledDown)).toEqual([[], [[2000, 'all']], [[2000, 'all']]]);
  });

  test('for three hours: after one, each member lets one call leave, and its client does not keep it back', async () => {
    const HOUR = 3_600_000;
    const { members, clock, first, second } = await threeMembers();
    first.refused(3 * HOUR, 'notes.create');
    await clock.advance(0);
    for (const { ask } of members) ask('notes', 'a', 'b');
    await clock.advance(HOUR);
    expect(members.map(({ left }) => left)).toEqual([['a 3600000'], ['a 3600000'], ['a 3600000']]);
    expect(second.cooledDown).toEqual([[HOUR, 'all']]);
    first.answer('a');
    await clock.advance(0);
    expect(first.left).toEqual(['a 3600000', 'b 3600000']);
    expect(second.left).toEqual(['a 3600000']);
  });

  test('is told before anything else, and cuts the limit of all at once', async () => {
    const { clock, second, board, members } = await threeMembers();
    second.refused(50);
    await clock.advance(0);
    expect(board.said.map(({ is, from }) => [is, from])).toEqual([
      ['cooldown', 'm2'],
      ['report', 'm2'],
    ]);
    expect(board.orders()?.limit).toMatchObject({ now: 7, why: '429 at 8, holding below' });
    expect(members.map(({ pace }) => pace.status().process)).toEqual(
      members.map(() => ({ underWay: 0, limit: 7, least: 1, most: 64, why: '429 at 8, holding below' })),
    );
  });

  test('a shorter one does not end a longer one', async () => {
    const { clock, first, second, third } = await threeMembers();
    first.refused(2000);
    await clock.advance(0);
    second.refused(100);
    await clock.advance(0);
    third.ask('process', 'a');
    await clock.advance(1999);
    expect(third.left).toEqual([]);
    await clock.advance(1);
    expect(third.left).toEqual(['a 2000']);
  });
});

describe('what one is told holds for all', () => {
  test('pause and resume', async () => {
    const { members, clock, second, board } = await threeMembers();
    second.pace.pause('by the operator');
    // At once for whoever was told.
    expect(second.pace.status()).toMatchObject({ state: 'paused', reason: 'by the operator' });
    await clock.advance(0);
    for (const { ask } of members) ask('notes', 'a');
    await clock.advance(5000);
    expect([statesOf(members), countsOf(members)]).toEqual([
      ['paused', 'paused', 'paused'],
      [0, 0, 0],
    ]);
    expect(members.every(({ pace }) => pace.mayBegin())).toBe(true);
    second.pace.resume();
    await clock.advance(0);
    expect([board.orders()?.paused, countsOf(members)]).toEqual([null, [1, 1, 1]]);
  });

  test('set: the cap and the most that process; how many calls a member has is its own', async () => {
    const { members, clock, first } = await threeMembers();
    first.pace.set({ concurrency: 5, processConcurrency: 3, rps: 9 });
    await clock.advance(0);
    expect(members.map(({ pace }) => pace.status())).toEqual(
      [5, 64, 64].map((most) =>
        expect.objectContaining({
          concurrency: { underWay: 0, most },
          process: { underWay: 0, limit: 3, least: 1, most: 3, why: 'at the most that is allowed' },
          rps: 9,
        }),
      ),
    );
    expect(() => first.pace.set({ rps: -1 })).toThrow(RangeError);
  });

  test('drain, and a run that is begun again', async () => {
    const { members, clock, third, board } = await threeMembers({ limit: KNOWN, paused: 'by the operator' });
    for (const { ask } of members) ask('notes', 'a');
    third.pace.drain();
    await clock.advance(0);
    expect(members.map(({ held }) => held)).toEqual([['a'], ['a'], ['a']]);
    expect([statesOf(members), third.pace.mayBegin()]).toEqual([['draining', 'draining', 'draining'], false]);
    await board.join().change((orders = ORDERS) => ({ ...orders, ended: null, paused: null }));
    for (const { ask } of members) ask('notes', 'b');
    await clock.advance(0);
    expect([statesOf(members), countsOf(members)]).toEqual([
      ['running', 'running', 'running'],
      [1, 1, 1],
    ]);
  });

  test('halt: the first reason stays', async () => {
    const { members, clock, first, second } = await threeMembers();
    first.pace.halt('the first');
    second.pace.halt('the second');
    await clock.advance(0);
    expect(members.map(({ pace }) => [pace.status().state, pace.status().reason])).toEqual(
      members.map(() => ['halted', 'the first']),
    );
  });

  test('the time window of the run', async () => {
    const window = '20:00-06:00 (UTC)';
    const { members, clock } = await threeMembers({ limit: KNOWN, settings: { ...ORDERS.settings, window } });
    for (const { ask } of members) ask('notes', 'a');
    expect(members.map(({ pace }) => [pace.status().state, pace.status().until])).toEqual(
      members.map(() => ['waiting', new Date('2026-01-15T20:00:00Z')]),
    );
    await clock.advance(0);
    expect(countsOf(members)).toEqual([0, 0, 0]);
  });

  test('one that leaves starts nothing more, and the others go on', async () => {
    const { members, clock, second } = await threeMembers({ limit: KNOWN, paused: 'by the operator' });
    second.ask('notes', 'a');
    second.pace.leave();
    await clock.advance(1000);
    expect([second.held, statesOf(members)]).toEqual([['a'], ['paused', 'draining', 'paused']]);
    members[0]?.pace.resume();
    await clock.advance(1000);
    expect(statesOf(members)).toEqual(['running', 'draining', 'running']);
  });
});

describe('what halts a fleet', () => {
  const settings = { ...ORDERS.settings, halt: { fail: 0.02, min: 100, same: 50, failed: 20 } };

  test('a share of rejected records that no member alone has enough records to see', async () => {
    const { members, clock } = await threeMembers({ limit: KNOWN, settings });
    for (const { pace } of members) {
      for (let count = 0; count < 33; count++) pace.observe(record('created'), { happens: 'ended' });
      pace.observe(record('rejected', 'invalid'), { happens: 'refused', step: 'stage', errors: [] });
    }
    await clock.advance(199);
    expect(statesOf(members)).toEqual(['running', 'running', 'running']);
    await clock.advance(1);
    // 34 records each, the last of each rejected: at the third member's 32nd there are enough.
    expect(members.map(({ pace }) => pace.status().reason)).toEqual(
      members.map(() => '2 of 100 records were rejected (fail=2%)'),
    );
  });

  test('calls that fail at all members, with none answered in between', async () => {
    const { members, clock, board } = await threeMembers();
    for (const { pace } of members) {
      for (let count = 0; count < 7; count++) {
        pace.observe(record(null), { happens: 'failed', step: 'stage', code: 'ECONNREFUSED' });
      }
    }
    await clock.advance(200);
    expect(board.orders()?.ended).toEqual({
      state: 'halted',
      reason:
        '20 calls in a row failed, the last at stage (ECONNREFUSED): look at the service and the network (failed=20)',
      notAccepted: null,
    });
  });

  test('but not calls that fail at one member, while those of others are answered', async () => {
    const { clock, first, second, members } = await threeMembers();
    for (let count = 0; count < 30; count++) {
      first.pace.observe(record(null), { happens: 'failed', step: 'stage' });
      second.pace.observe(record(null), { happens: 'done', step: 'stage' });
      await clock.advance(200);
    }
    expect(statesOf(members)).toEqual(['running', 'running', 'running']);
  });

  test.each([
    ['token', 'no valid token (expired): check the token and the API key behind it'],
    [
      'supplier',
      'the platform refuses import supplier ACME (expired): it is Paused or Complete, or has another code. Ask the operator',
    ],
  ] as const)('a %s that is not accepted at any member: at once', async (of, reason) => {
    const { clock, third, members, board } = await threeMembers();
    third.pace.observe(record(null), { happens: 'failed', step: 'stage', of, code: 'expired' });
    expect(third.pace.mayBegin()).toBe(false);
    await clock.advance(0);
    expect(statesOf(members)).toEqual(['halted', 'halted', 'halted']);
    expect(board.orders()?.ended).toEqual({ state: 'halted', reason, notAccepted: of });
  });

  test('a run that is begun again counts anew', async () => {
    const { clock, members, board, first } = await threeMembers({ limit: KNOWN, settings });
    for (let count = 0; count < 99; count++) {
      first.pace.observe(record('rejected', `invalid-${count}`), { happens: 'refused', step: 'stage', errors: [] });
    }
    await clock.advance(200);
    first.pace.halt('by the operator');
    await clock.advance(0);
    await board.join().change((orders = ORDERS) => ({ ...orders, ended: null }));
    for (let count = 0; count < 10; count++) first.pace.observe(record('created'), { happens: 'ended' });
    await clock.advance(200);
    expect(statesOf(members)).toEqual(['running', 'running', 'running']);
  });
});

describe('where the leader dies', () => {
  test('another leads, and goes on from its limit without doubling', async () => {
    const { clock, die, first, second, third, board } = await threeMembers();
    await first.pace.close();
    die('m1');
    await clock.advance(2000);
    expect(board.orders()).toMatchObject({ members: ['m2', 'm3'], limit: KNOWN });
    second.refused(10);
    await clock.advance(100);
    expect(board.orders()?.limit).toMatchObject({ now: 7, why: '429 at 8, holding below' });
    third.ask('process', 'a', 'b', 'c', 'd');
    await clock.advance(0);
    expect(third.left).toHaveLength(3);
  });

  test('what was counted before is not forgotten', async () => {
    const { clock, die, first, second, board } = await threeMembers();
    const fail = () => second.pace.observe(record(null), { happens: 'failed', step: 'stage' });
    for (let count = 0; count < 19; count++) fail();
    await clock.advance(200);
    await first.pace.close();
    die('m1');
    await clock.advance(2000);
    expect(board.orders()?.ended).toBeNull();
    fail();
    await clock.advance(200);
    expect(board.orders()?.ended?.state).toBe('halted');
  });

  test('and is not dead but away, it changes nothing when it is back', async () => {
    const { clock, die, first, second, third, board } = await threeMembers();
    first.board.cut();
    die('m1');
    await clock.advance(2000);
    first.board.back();
    const shared: string[][] = [];
    third.board.onOrders(({ members }) => void shared.push(members));
    second.refused(10);
    await clock.advance(2000);
    expect(shared).toEqual([['m2', 'm3']]);
    expect(board.orders()?.limit).toMatchObject({ now: 7, why: '429 at 8, holding below' });
  });
});

describe('where the board is away', () => {
  test('a member goes on with the share that it has', async () => {
    const { clock, second } = await threeMembers();
    second.board.cut();
    second.ask('process', 'a', 'b', 'c', 'd');
    await clock.advance(5000);
    expect(second.left).toHaveLength(3);
    second.answer('a');
    await clock.advance(0);
    expect(second.left).toHaveLength(4);
  });

  test('it has a breaker of its own, and halts the others when the board is back', async () => {
    const { clock, second, members, board } = await threeMembers();
    second.board.cut();
    for (let count = 0; count < 20; count++) {
      second.pace.observe(record(null), { happens: 'failed', step: 'stage' });
    }
    await clock.advance(1000);
    expect(statesOf(members)).toEqual(['running', 'halted', 'running']);
    second.board.back();
    await clock.advance(0);
    expect(statesOf(members)).toEqual(['halted', 'halted', 'halted']);
    expect(board.orders()?.ended?.reason).toContain('20 calls in a row failed');
  });

  test('what it is told holds here at once, and for all when the board is back', async () => {
    const { clock, first, members } = await threeMembers();
    first.board.cut();
    first.pace.pause('by the operator');
    await clock.advance(3000);
    expect(statesOf(members)).toEqual(['paused', 'running', 'running']);
    first.board.back();
    await clock.advance(0);
    expect(statesOf(members)).toEqual(['paused', 'paused', 'paused']);
  });

  test('what was ordered meanwhile holds when it is back', async () => {
    const { clock, second, third, members } = await threeMembers();
    second.board.cut();
    third.pace.drain();
    await clock.advance(1000);
    expect(statesOf(members)).toEqual(['draining', 'running', 'draining']);
    second.board.back();
    expect(statesOf(members)).toEqual(['draining', 'draining', 'draining']);
  });
});

describe('what it tells', () => {
  test('the coordinator has rate, samples and events of the whole fleet; another member its own', async () => {
    const { clock, first, second, third } = await threeMembers();
    const events: CompactEvent[] = [];
    first.pace.onFleetEvent((event) => void events.push(event));
    const at = clock.now();
    for (const { pace } of [first, second, third]) {
      pace.answered({ operation: 'accounts.stage', status: 429, latencyMs: 5 });
      pace.observe(record(null), { happens: 'done', step: 'stage' });
      pace.observe(record(null), { happens: 'done', step: 'process' });
      pace.observe(record('created'), { happens: 'ended' });
    }
    await clock.advance(1000);
    expect(first.pace.status().rate).toEqual({ records: 3, requests: 3 });
    expect(second.pace.status().rate).toEqual({ records: 1, requests: 1 });
    expect(first.pace.samples()).toEqual([{ at, rate: 3, concurrency: 8, throttled: 3 }]);
    const ofOne = [
      ['answered', 'stage', 1],
      ['passed', 'stage', 1],
      ['answered', 'process', 1],
      ['passed', 'process', 1],
      ['ended', 'created', []],
    ];
    // Of the two others.
    expect(events).toEqual([...ofOne, ...ofOne]);
  });

  test('nothing, and no change of the orders, where nothing happens', async () => {
    const { clock, board } = await threeMembers();
    await clock.advance(1000);
    const before = board.changes();
    await clock.advance(60_000);
    expect([board.said, board.changes()]).toEqual([[], before]);
  });

  test('closed, it leaves no timer', async () => {
    const { clock, members } = await threeMembers();
    for (const { pace } of members) await pace.close();
    expect(clock.timers()).toBe(0);
  });

  test('an order that is none, since no run was begun, is noted and changes nothing', async () => {
    const { join, clock } = fleetOfPaces();
    const { pace, board, notes } = join('m1');
    board.change = async () => {
      throw new Error('ledger: cannot write to the board');
    };
    pace.pause('by the operator');
    await clock.advance(0);
    expect(pace.status().state).toBe('running');
    expect(notes).toContain('fleet: an order cannot be told to the others: ledger: cannot write to the board');
  });
});
