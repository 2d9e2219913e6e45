/** What all workers of a distributed run share, after each report: limit, halt rules, waits, and who is there. */
import { describe, expect, test } from 'vitest';
import { noWork } from '../../../../src/migration/distributed/ledger/worker-rows.js';
import {
  afterReport,
  draining,
  halted,
  liveWorkers,
  type RunState,
  slotsOf,
  type WorkerReport,
  withSettings,
} from '../../../../src/migration/distributed/state/run-state.js';
import { firstLimit } from '../../../../src/migration/throttle/limits/adaptive-limit.js';

const NOW = 1_800_000_000_000;

const begun = (limit = 4, halt: Partial<RunState['settings']['halt']> = {}): RunState => ({
  phase: 'open',
  isWholeInputKnown: true,
  settings: {
    ...{ address: 'http://localhost:1', team: 'EAST', validateRemotely: false, dryRun: 'none', setAside: false },
    ...{
      resendAfter500: false,
      force_add_to_current_statement: true,
      check_previously_added: true,
      addToExisting: false,
    },
    ...{ transactionsAtOnce: 100, statementsAtOnce: 100, notesAtOnce: 100, profile: null, window: null },
    halt: { fail: null, min: 1000, same: 50, failed: 20, outage: 0, ...halt },
  },
  ...{ paused: null, ended: null, rps: 0, heldUntil: { all: 0, process: 0 }, halt: null, failedInRow: 0 },
  ...{ limit: firstLimit(limit, { least: 1, most: 64 }), workers: {}, firstAccount: null },
});

const report = (worker: string, more: Partial<WorkerReport> = {}): WorkerReport => ({
  ...{ worker, mostProcessing: 0, processing: 0, capacity: 8, records: 0, answers: 0, latenciesMs: [], failures: [] },
  ...{ events: [], heldMs: { all: 0, process: 0 }, work: noWork(), counts: {}, ...more },
});

test('a value that the database refuses halts no run, however many in a row: only a run with nothing else left may end', () => {
  const refused = { type: 'failed', call: 'check', supplier: 'ACME', code: 'value_refused' } as const;
  const state = afterReport(begun(), report('a', { events: Array.from({ length: 25 }, () => ({ ...refused })) }), NOW);
  expect([state.ended, state.failedInRow]).toEqual([null, 25]);
});

describe('the limit', () => {
  test('grows by the use of two workers together: neither of them fills it by itself', () => {
    let state = begun(4);
    for (const [ms, worker] of [
      [0, 'a'],
      [0, 'b'],
      [1000, 'a'],
      [1001, 'b'],
    ] as const) {
      const busy = { mostProcessing: 2, processing: 2, answers: 2, latenciesMs: [100, 100] };
      state = afterReport(state, report(worker, busy), NOW + ms);
    }
    expect(state.limit.limit).toBe(8);
  });

  test('stays the same if the calls of both use less than 85 percent of it', () => {
    let state = begun(4);
    for (const [ms, worker] of [
      [0, 'a'],
      [0, 'b'],
      [1000, 'a'],
      [1001, 'b'],
    ] as const) {
      const idle = { mostProcessing: worker === 'a' ? 2 : 1, processing: 1, answers: 2 };
      state = afterReport(state, report(worker, idle), NOW + ms);
    }
    expect(state.limit.limit).toBe(4);
  });

  test('is lower by one with each 429 of a report', () => {
    let state = afterReport(begun(16), report('a', { failures: [[50, '429']] }), NOW);
    expect(state.limit.limit).toBe(15);
    state = afterReport(state, report('b', { failures: Array(6).fill([200, '429']) }), NOW + 100);
    expect(state.limit.limit).toBe(9);
  });

  test('is cut with the report of a failure, and not again by those whose requests were sent before the cut', () => {
    let state = afterReport(begun(16), report('a', { failures: [[50, '500']] }), NOW);
    expect(state.limit.limit).toBe(8);
    state = afterReport(state, report('b', { failures: Array(6).fill([200, '500']) }), NOW + 100);
    expect(state.limit.limit).toBe(8);
  });

  test('keeps to other bounds from the moment at which they are set', () => {
    expect(withSettings({ process: { most: 3 } })(begun(16)).limit).toMatchObject({ limit: 3, least: 1, most: 3 });
  });
});

describe('the slots of a worker', () => {
  /** Of each worker, with the limit and what each could use. A turn lasts three seconds. */
  const slotsAt = (limit: number, capacities: Record<string, number>, turn = 0) => {
    let state = begun(limit);
    const now = NOW + 3000 * turn;
    for (const [worker, capacity] of Object.entries(capacities)) {
      state = afterReport(state, report(worker, { capacity }), now);
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
    let state = afterReport(begun(8), report('a', { processing: 7 }), NOW);
    state = afterReport(state, report('b'), NOW);
    expect([slotsOf(state, 'a', NOW), slotsOf(state, 'b', NOW)]).toEqual([4, 1]);
  });

  test('a worker without reports has none, and the others get its share', () => {
    let state = afterReport(begun(8), report('a'), NOW);
    state = afterReport(state, report('b'), NOW);
    state = afterReport(state, report('a'), NOW + 5000);
    expect([slotsOf(state, 'a', NOW + 5000), slotsOf(state, 'b', NOW + 5000)]).toEqual([8, 0]);
  });
});

describe('the halt rules', () => {
  const failed = (code = 'http_500') =>
    ({ type: 'failed', call: 'process', supplier: 'ACME', code, host: 'localhost:1', status: 500 }) as const;

  test('count over all workers: 20 failed calls in a row halt the run, and the first reason stays', () => {
    let state = begun();
    for (let count = 0; count < 19; count++)
      state = afterReport(state, report(`w${count % 3}`, { events: [failed()] }), NOW);
    expect(state.ended).toBeNull();
    state = afterReport(state, report('w0', { events: [failed()] }), NOW);
    expect(state.ended).toMatchObject({ state: 'halted', notAccepted: null });
    expect(state.ended?.reason).toContain('20 calls in a row failed');
    expect(halted('another reason', null)(state).ended).toEqual(state.ended);
    expect(draining()(state).ended).toEqual(state.ended);
  });

  test('of an outage count over all workers: it begins with 20 failed calls, and halts the run after 60 s', () => {
    let state = begun(4, { outage: 60 });
    const fail = (worker: string, at: number) => afterReport(state, report(worker, { events: [failed()] }), at);
    for (let count = 0; count < 20; count++) state = fail(`w${count % 3}`, NOW);
    expect([state.ended, state.halt?.outage]).toEqual([null, { since: NOW, heldUntil: NOW + 1000, waits: 1 }]);
    state = fail('w1', NOW + 59_999);
    expect(state.ended).toBeNull();
    const answered = { type: 'answered', call: 'process', count: 1 } as const;
    const over = afterReport(state, report('w2', { events: [answered] }), NOW + 59_999);
    expect(over.halt?.outage).toBeNull();
    state = fail('w1', NOW + 60_000);
    expect(state.ended?.reason).toContain('22 calls in a row failed and none succeeded for 60 s');
  });

  test.each(['token', 'supplier', 'team'] as const)('end the run at the first refusal of the %s', (of) => {
    const call = { call: 'process', supplier: 'ACME', host: 'localhost:1', status: 400 };
    const refused = { type: 'failed', notAccepted: of, ...call } as const;
    const state = afterReport(begun(), report('a', { events: [refused] }), NOW);
    expect(state.ended).toMatchObject({ state: 'halted', notAccepted: of });
  });

  test('begin again with an answer', () => {
    let state = afterReport(begun(), report('a', { events: Array(19).fill(failed()) }), NOW);
    const answered = { type: 'answered', call: 'process', count: 1 } as const;
    state = afterReport(state, report('b', { events: [answered, ...Array(19).fill(failed())] }), NOW);
    expect(state.ended).toBeNull();
    expect(state.failedInRow).toBe(38);
    const ended: WorkerReport['events'][number] = { type: 'ended', outcome: 'created', codes: [] };
    expect(afterReport(state, report('b', { events: [ended] }), NOW).failedInRow).toBe(0);
  });

  test('get no events after the end of the run', () => {
    const ended = draining()(begun());
    expect(afterReport(ended, report('a', { events: Array(30).fill(failed()) }), NOW).ended).toEqual(ended.ended);
  });
});

test('a wait that the service asked for applies to all workers, and is never shortened', () => {
  let state = afterReport(begun(), report('a', { heldMs: { all: 0, process: 30_000 } }), NOW);
  state = afterReport(state, report('b', { heldMs: { all: 500, process: 1000 } }), NOW + 1000);
  expect(state.heldUntil).toEqual({ all: NOW + 1500, process: NOW + 30_000 });
});

test('a worker is live for 5 s after its report, and removed after a minute', () => {
  let state = afterReport(begun(), report('a'), NOW);
  state = afterReport(state, report('b'), NOW + 4999);
  const there = (now: number) => liveWorkers(state, now).map(([id]) => id);
  expect([there(NOW + 4999), there(NOW + 5000)]).toEqual([['a', 'b'], ['b']]);
  state = afterReport(state, report('b'), NOW + 60_000);
  expect(Object.keys(state.workers)).toEqual(['b']);
});
