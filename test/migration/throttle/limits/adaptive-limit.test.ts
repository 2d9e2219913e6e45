/** The adaptive limit finds the limit of the service (specification: Limits), in a simulated service by a fake clock. */
import { describe, expect, test } from 'vitest';
import {
  firstLimit,
  type LimitState,
  limitInWords,
  nextLimit,
  type ProcessAnswer,
  withBounds,
} from '../../../../src/migration/throttle/limits/adaptive-limit.js';
import { openService } from '../service.js';

/** One seed in `npm test`; the others, which take seconds, are long. */
const SEEDS = [[1], [2, 3]] as const;
const tagsOf = (seeds: readonly number[]) => (seeds.includes(1) ? [] : ['long']);
const MINUTES = 60;

describe('a service with a limit of 24, later 8, later 40', () => {
  const cases = ([400, 1000] as const).flatMap((serviceMs) => SEEDS.flat().map((seed) => [serviceMs, seed] as const));
  describe.each([[100, 1] as const, ...cases])('that takes %d ms, more or less, seed %d', (serviceMs, seed) => {
    test.each(['even', 'long tail'] as const)(
      '%s: at least 0.97 of the limit is used, and at most 3.5 percent of the answers are 429, in each phase',
      { tags: 'long' },
      async (spread) => {
        const { phase } = openService({ seed, serviceMs, spread });
        for (const cap of [24, 8, 40]) {
          const { use, throttled } = await phase(cap, 5 * MINUTES);
          expect(use).toBeGreaterThanOrEqual(0.97);
          expect(throttled).toBeLessThanOrEqual(0.035);
        }
      },
    );
  });

  test.each(SEEDS.flat())(
    'that takes about 400 ms, seed %d: in phases of half a minute, at least 0.9 of the limit is used in all',
    async (seed) => {
      const { phase } = openService({ seed, serviceMs: 400, spread: 'even' });
      let [used, possible] = [0, 0];
      for (const cap of [24, 8, 40]) {
        const { use } = await phase(cap, 30);
        used += use * cap;
        possible += cap;
      }
      expect(used / possible).toBeGreaterThanOrEqual(0.9);
    },
  );

  // In lockstep a refusal meets all calls at the same time; no service is like that, and it does not go wrong here.
  for (const seeds of SEEDS)
    test.each(seeds)(
      'that takes 1000 ms to the millisecond, seed %d: 0.95, and 5 percent in each phase',
      { tags: tagsOf(seeds) },
      async (seed) => {
        const { phase } = openService({ seed, serviceMs: 1000, spread: 'constant' });
        for (const cap of [24, 8, 40]) {
          const { use, throttled } = await phase(cap, 5 * MINUTES);
          expect(use).toBeGreaterThanOrEqual(0.95);
          expect(throttled).toBeLessThanOrEqual(0.05);
        }
      },
    );
});

// A run that sent refused calls again as soon as they were refused would get hundreds: 55 of 60 calls, again and again.
describe('a service whose limit falls from 60 to 5 at once', () => {
  describe.each([400, 1000])('that takes %d ms, more or less', (serviceMs) => {
    for (const seeds of SEEDS)
      test.each(
        seeds.flatMap((seed) => (['constant', 'even', 'long tail'] as const).map((spread) => [spread, seed] as const)),
      )(
        '%s, seed %d: in 5 s each of the 55 calls too many gets one 429; in the next minute at most 5 percent of the answers are 429',
        { tags: tagsOf(seeds) },
        async (spread, seed) => {
          const { phase, throttle } = openService({ seed, serviceMs, spread });
          await phase(60, 2 * MINUTES);
          expect(throttle.status().process.limit).toBeGreaterThanOrEqual(59);
          const { refusals } = await phase(5, 5);
          expect(refusals).toBeGreaterThanOrEqual(50);
          // 60 - 5, and trials of the next limit.
          expect(refusals).toBeLessThanOrEqual(60);
          const { use, throttled } = await phase(5, MINUTES);
          expect(throttled).toBeLessThanOrEqual(0.05);
          expect(use).toBeGreaterThanOrEqual(0.85);
          expect(throttle.status()).toMatchObject({ state: 'running' });
        },
      );
  });
});

describe('a service without a limit', () => {
  test('is used up to the bound, with random durations of answers', { tags: 'long' }, async () => {
    const { phase, throttle } = openService({ seed: 1, serviceMs: 400, spread: 'long tail', most: 48 });
    await phase(1000, 5 * MINUTES);
    expect(throttle.status().process).toEqual({
      underWay: 48,
      limit: 48,
      least: 1,
      most: 48,
      why: 'at the configured maximum',
    });
  });

  test('that gets slower with every call beyond 16 is not driven far beyond', async () => {
    const slowdown = (inService: number) => Math.max(1, (inService / 16) ** 2);
    const { phase, throttle } = openService({ seed: 1, serviceMs: 400, spread: 'even', slowdown });
    await phase(1000, 5 * MINUTES);
    expect(throttle.status().process.limit).toBeLessThanOrEqual(32);
    expect(throttle.status().process.limit).toBeGreaterThanOrEqual(12);
    expect(throttle.status().process.why).toMatch(/^latency \d+ to \d+ ms at \d+, /);
  });
});

describe('one limit, answer by answer', () => {
  /** A window that is full: as many answers as calls, over a second. */
  const open = (start: number, bounds = { least: 1, most: 64 }) => {
    // As a distributed run keeps it: as text of JSON between two reports.
    let stored = JSON.stringify(firstLimit(start, bounds));
    let now = 0;
    const state = (): LimitState => JSON.parse(stored);
    const report = (answers: ProcessAnswer[], isFull = false) => {
      stored = JSON.stringify(nextLimit(state(), { at: now, isFull, answers }));
    };
    const shown = () => [state().limit, limitInWords(state())];
    const answers = (count: number, answer: ProcessAnswer = {}) => {
      report(Array.from({ length: count }, () => answer));
    };
    const fill = () => report([], true);
    const window = (latencyMs?: number) => {
      fill();
      answers(Math.max(0, state().limit - 1), latencyMs === undefined ? {} : { latencyMs });
      now += 1000;
      answers(1, latencyMs === undefined ? {} : { latencyMs });
      now += 1;
      return shown();
    };
    const bound = (next: { least: number; most: number }) => {
      stored = JSON.stringify(withBounds(state(), next));
    };
    const pass = (ms: number) => {
      now += ms;
    };
    const refuse = () => {
      answers(1, { failure: '429' });
      return shown();
    };
    const fail = () => {
      answers(1, { failure: '500' });
      return shown();
    };
    return { state, shown, report, answers, fill, window, refuse, fail, pass, bound };
  };

  test('it doubles until the first 429; each 429 takes one away', () => {
    const { shown, window, refuse } = open(2);
    expect(shown()).toEqual([2, 'ramping up']);
    expect([window(), window(), window(), window()].map(([now]) => now)).toEqual([4, 8, 16, 32]);
    // A service that processes 24 refuses eight of 32.
    for (let count = 1; count <= 7; count++) refuse();
    expect(refuse()).toEqual([24, '429 at 25, staying below it']);
  });

  test('of calls that are fewer than the limit, a 429 leaves as many as were in flight without it', () => {
    const { answers, shown } = open(32);
    answers(1, { failure: '429', inFlight: 9 });
    expect(shown()).toEqual([8, '429 at 9, staying below it']);
    answers(1, { failure: '429', inFlight: 9 });
    expect(shown()).toEqual([7, '429 at 8, staying below it']);
  });

  test('it tries the refused limit again after four good windows with 40 answers', () => {
    const { window, refuse } = open(16);
    refuse();
    // Windows of 15 answers.
    for (let count = 1; count < 4; count++) expect(window()).toEqual([15, '429 at 16, staying below it']);
    expect(window()).toEqual([16, '429 at 16, trying it again']);
    expect(refuse()).toEqual([15, '429 at 16, staying below it']);
  });

  test('at a service that processes one account at a time, one of 40 answers is a 429', () => {
    const { window, refuse } = open(2);
    refuse();
    for (let count = 1; count < 40; count++) expect(window()).toEqual([1, '429 at 2, staying below it']);
    expect(window()).toEqual([2, '429 at 2, trying it again']);
  });

  test('a limit that was refused once and succeeds now is exceeded, by twice as many with every window', () => {
    const { window, refuse } = open(16);
    refuse();
    for (let count = 1; count <= 4; count++) window();
    expect([window(), window(), window(), window()]).toEqual([
      [18, '429 at 16, growing above it since'],
      [22, '429 at 16, growing above it since'],
      [30, '429 at 16, growing above it since'],
      [46, '429 at 16, growing above it since'],
    ]);
  });

  test('a call without a usable answer halves a limit that was doubled to; later ones cut it by a tenth, deeper with every window in a row', () => {
    const { window, fail, state } = open(60, { least: 1, most: 60 });
    // 60, 30; then the windows in which the rest of the failures come.
    expect(fail()).toEqual([30, '500 at 60, growing']);
    expect(fail()).toEqual([30, '500 at 60, growing']);
    window();
    expect(fail()).toEqual([27, '500 at 30, growing']);
    window();
    expect(fail()).toEqual([21, '500 at 27, growing']);
    window();
    expect(fail()[0]).toBe(15);
    expect(state()).toMatchObject({ least: 1, most: 60 });
  });

  test('it is cut again within the window once more than three calls that were sent after the cut fail', () => {
    const { state, report, fail, pass } = open(20);
    expect(fail()[0]).toBe(10);
    pass(100);
    const failLeft = (sentAt: number) => {
      report([{ failure: '500', sentAt }]);
      return state().limit;
    };
    // The cut was made at 0: a call that was sent before it is no evidence.
    expect([-5, -4, -3, -2, -1].map(failLeft)).toEqual([10, 10, 10, 10, 10]);
    expect([10, 20, 30, 40].map(failLeft)).toEqual([10, 10, 10, 9]);
  });

  test('after a cut it grows by a quarter of the cut in each window', () => {
    const { window, fail } = open(32);
    fail();
    expect([window(), window(), window(), window(), window()].map(([now]) => now)).toEqual([16, 20, 23, 25, 26]);
  });

  test('a clock that is set back by an hour does not keep it from growing', () => {
    const { state, window, pass } = open(2);
    window();
    pass(-3_600_000);
    expect([window(), window()].map(([now]) => now)).toEqual([8, 16]);
    expect(state().limit).toBe(16);
  });

  test('a limit that was not reached does not grow, nor one that was not tried for 400 ms', () => {
    const { state, answers, fill, pass } = open(4);
    answers(4);
    pass(1000);
    answers(4);
    expect(state().limit).toBe(4);
    fill();
    answers(20);
    expect(state().limit).toBe(4);
    pass(1000);
    answers(1);
    expect(state().limit).toBe(8);
  });

  test('it is cut if the median of at least 100 answers is more than twice the best', () => {
    const { window } = open(50, { least: 1, most: 50 });
    expect([window(100), window(100)]).toEqual([
      [50, 'at the configured maximum'],
      [50, 'at the configured maximum'],
    ]);
    expect([window(200), window(200)].map(([now]) => now)).toEqual([50, 50]);
    expect(window(300)[0]).toBe(50);
    expect(window(300)).toEqual([25, 'latency 101 to 300 ms at 50, growing']);
  });

  test('if fewer calls do not make the answers faster, it is no longer cut for latency', () => {
    const { window } = open(50, { least: 1, most: 50 });
    for (let count = 1; count <= 4; count++) window(100);
    // Half of what was doubled to, a tenth less, and then what is slow is the usual.
    const limits = Array.from({ length: 200 }, () => window(1000)[0]);
    expect(Math.min(...limits.map(Number))).toBe(22);
    expect(limits.at(-1)).toBe(50);
  });

  test('it stays within its bounds, also those that are set later', () => {
    const { shown, window, refuse, bound } = open(4, { least: 4, most: 6 });
    expect(refuse()).toEqual([4, '429 at 4, trying it again']);
    expect(window()[0]).toBe(6);
    bound({ least: 2, most: 3 });
    expect(shown()).toEqual([3, 'at the configured maximum']);
  });
});
