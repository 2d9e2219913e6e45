/** What all workers of a distributed run share, after each report: limit, halt rules, waits, and who is there. */
import { describe, expect, test } from 'vitest';
import { noWork } from '../../../../src/migration/distributed/ledger/worker-rows.js';
import {
  countedInRun,
  held,
  inFlightElsewhere,
  liveWorkers,
  type RunState,
  reported,
  slotsOf,
  type WorkerReport,
} from '../../../../src/migration/distributed/state/run-state.js';
import { throttleOf } from '../../../../src/migration/throttle/throttle.js';
import { fakeClock } from '../../throttle/fake-clock.js';
import { begun } from '../begun.js';

const NOW = 1_800_000_000_000;

const afterReport = (state: RunState, worker: string, now = NOW, more: Partial<WorkerReport> = {}) =>
  reported(worker, { processing: 0, capacity: 8, records: 0, work: noWork(), counts: {}, ...more })(state, now);

test.each([
  { processing: 2, limit: 8, when: 'both together use it, though neither of them by itself' },
  { processing: 1, limit: 4, when: 'both together use less than 85 percent of it' },
])('the limit of 4 is $limit after a second in which $when', async ({ processing, limit }) => {
  const clock = fakeClock(NOW);
  let state = afterReport(begun(4), 'b', NOW, { processing });
  const store: Parameters<typeof throttleOf<RunState>>[0] = {
    ...{ current: () => state, now: clock.now, slots: () => 2, rps: () => 0, counted: countedInRun },
    change(change) {
      state = change(state, clock.now());
    },
    elsewhere: (of, at) => inFlightElsewhere(of, 'a', at),
  };
  const { throttle } = throttleOf(store, { concurrency: 8, window: undefined, clock });
  for (let call = 0; call < 2; call++) void throttle.schedule('process', () => new Promise(() => {}));
  for (let second = 0; second < 2; second++) {
    for (let answer = 0; answer < 2; answer++) {
      throttle.onResponse({ operation: 'accounts.process', status: 201, latencyMs: 100 });
    }
    await clock.advance(1000);
  }
  expect(throttle.status().process.limit).toBe(limit);
});

describe('the slots of a worker', () => {
  /** Of each worker, with the limit and what each could use. A turn lasts three seconds. */
  const slotsAt = (limit: number, capacities: Record<string, number>, turn = 0) => {
    let state = begun(limit);
    const now = NOW + 3000 * turn;
    for (const [worker, capacity] of Object.entries(capacities)) {
      state = afterReport(state, worker, now, { capacity });
    }
    return Object.keys(capacities).map((worker) => slotsOf(state, worker, now));
  };

  test.each([
    { limit: 8, capacities: { a: 8 }, slots: [8], why: 'one has all of them' },
    { limit: 64, capacities: { a: 8 }, slots: [8], why: 'no more than it could use' },
    { limit: 8, capacities: { a: 8, b: 8 }, slots: [4, 4], why: 'two have one half each' },
    { limit: 40, capacities: { a: 32, b: 4 }, slots: [32, 4], why: 'what one cannot use is left to the other' },
    { limit: 24, capacities: { a: 32, b: 2, c: 32 }, slots: [11, 2, 11], why: 'and divided among several' },
    { limit: 8, capacities: { a: 8, b: 0 }, slots: [8, 0], why: 'one that takes none leaves all' },
  ])('$limit for $capacities: $why', ({ limit, capacities, slots }) => {
    expect(slotsAt(limit, capacities as unknown as Record<string, number>)).toEqual(slots);
  });

  test.each([
    { limit: 4, slots: [2, 1, 1] },
    { limit: 8, slots: [3, 3, 2] },
    { limit: 25, slots: [9, 8, 8] },
  ])('the remaining slots of $limit stay with the same of three that could use more', ({ limit, slots }) => {
    for (const turn of [0, 1, 2]) expect(slotsAt(limit, { a: 32, b: 32, c: 32 }, turn)).toEqual(slots);
  });

  test.each([1, 2, 3, 5, 7])('with %i slots for ten workers, each has one within ten turns', (limit) => {
    const ten = Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`w${index}`, 4]));
    const turns = Array.from({ length: 10 }, (_, turn) => slotsAt(limit, ten, turn));
    for (const slots of turns) expect(slots.reduce((sum, one) => sum + one, 0)).toBe(limit);
    for (let worker = 0; worker < 10; worker++) expect(turns.some((slots) => slots[worker] === 1)).toBe(true);
  });

  test('a slot that another worker still uses is not free yet', () => {
    let state = afterReport(begun(8), 'a', NOW, { processing: 7 });
    state = afterReport(state, 'b');
    expect([slotsOf(state, 'a', NOW), slotsOf(state, 'b', NOW)]).toEqual([4, 1]);
  });

  test('a worker without reports has none, and the others get its share', () => {
    let state = afterReport(begun(8), 'a');
    state = afterReport(state, 'b');
    state = afterReport(state, 'a', NOW + 5000);
    expect([slotsOf(state, 'a', NOW + 5000), slotsOf(state, 'b', NOW + 5000)]).toEqual([8, 0]);
  });
});

describe('failed calls', () => {
  const failed = { type: 'failed', call: 'process', supplier: 'ACME', host: 'localhost:1', status: 500 } as const;
  const count = (state: RunState, ...events: Parameters<typeof countedInRun>[0]) => countedInRun(events)(state, NOW);

  test('of all workers count together: 20 in a row halt the run, and those after that are no evidence', () => {
    let state = begun();
    for (let call = 0; call < 19; call++) state = count(state, failed);
    expect(state.ended).toBeNull();
    state = count(state, failed);
    expect(state.ended).toMatchObject({ state: 'halted', notAccepted: null });
    expect(state.ended?.reason).toContain('20 calls in a row failed');
    expect(count(state, failed)).toBe(state);
  });

  test('are counted until a record ends, whatever else is answered', () => {
    const state = count(begun(), failed, { type: 'answered', call: 'process' }, failed);
    expect(state.failedInRow).toBe(2);
    expect(count(state, { type: 'ended', outcome: 'created', codes: [] }).failedInRow).toBe(0);
  });

  test('for a value that the database refuses halt no run, however many in a row: only a run with nothing else left may end', () => {
    const refused = { type: 'failed', call: 'check', supplier: 'ACME', code: 'value_refused' } as const;
    const state = count(begun(), ...Array.from({ length: 25 }, () => refused));
    expect([state.ended, state.failedInRow]).toEqual([null, 25]);
  });
});

test('a wait that the service asked for applies to all workers, and is never shortened', () => {
  let state = held(NOW + 30_000, 'process')(begun(), NOW);
  state = held(NOW + 2000, 'process')(held(NOW + 1500, 'all')(state, NOW), NOW);
  expect(state.heldUntil).toEqual({ all: NOW + 1500, process: NOW + 30_000 });
});

test('a worker is live for 5 s after its report, and removed after a minute', () => {
  let state = afterReport(begun(), 'a');
  state = afterReport(state, 'b', NOW + 4999);
  const there = (now: number) => liveWorkers(state, now).map(([id]) => id);
  expect([there(NOW + 4999), there(NOW + 5000)]).toEqual([['a', 'b'], ['b']]);
  state = afterReport(state, 'b', NOW + 60_000);
  expect(Object.keys(state.workers)).toEqual(['b']);
});
