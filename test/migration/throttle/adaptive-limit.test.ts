/** The limit of processing finds the service's own (document: Limits), in a simulated service by a fake clock. */
import { describe, expect, test } from 'vitest';
import {
  firstLimit,
  type LimitState,
  limitInWords,
  nextLimit,
  type ProcessAnswer,
  withBounds,
} from '../../../src/migration/throttle/adaptive-limit.js';
import { openService } from './service.js';

const SEEDS = [1, 2, 3];
const MINUTES = 60;

describe('a service with a limit of 24, later 8, later 40', () => {
  const cases = ([400, 1000] as const).flatMap((serviceMs) => SEEDS.map((seed) => [serviceMs, seed] as const));
  describe.each([[100, 1] as const, ...cases])('that takes %d ms, more or less, seed %d', (serviceMs, seed) => {
    test.each(['even', 'long tail'] as const)(
      '%s: at least 0.9 of the limit is used, and at most 5 percent of the answers are 429, in each phase',
      async (spread) => {
        const { phase } = openService({ seed, serviceMs, spread });
        for (const cap of [24, 8, 40]) {
          const { use, throttled } = await phase(cap, 5 * MINUTES);
          expect(use).toBeGreaterThanOrEqual(0.9);
          expect(throttled).toBeLessThanOrEqual(0.05);
        }
      },
    );
  });

  // In lockstep a refusal meets all calls at the same time; no service is like that, and it does not go wrong here.
  test.each(SEEDS)(
    'that takes 1000 ms to the millisecond, seed %d: 0.88, and 5 percent in each phase',
    async (seed) => {
      const { phase } = openService({ seed, serviceMs: 1000, spread: 'constant' });
      for (const cap of [24, 8, 40]) {
        const { use, throttled } = await phase(cap, 5 * MINUTES);
        expect(use).toBeGreaterThanOrEqual(0.88);
        expect(throttled).toBeLessThanOrEqual(0.05);
      }
    },
  );
});

describe('a service without a limit', () => {
  test('is used up to the bound, whatever the answers take by chance', async () => {
    const { phase, pace } = openService({ seed: 1, serviceMs: 400, spread: 'long tail', most: 48 });
    await phase(1000, 5 * MINUTES);
    expect(pace.status().process).toEqual({
      underWay: 48,
      limit: 48,
      least: 1,
      most: 48,
      why: 'at the configured maximum',
    });
  });

  test('that gets slower with every call beyond 16 is not driven far beyond', async () => {
    const slowdown = (inService: number) => Math.max(1, (inService / 16) ** 2);
    const { phase, pace } = openService({ seed: 1, serviceMs: 400, spread: 'even', slowdown });
    await phase(1000, 5 * MINUTES);
    expect(pace.status().process.limit).toBeLessThanOrEqual(32);
    expect(pace.status().process.limit).toBeGreaterThanOrEqual(12);
    expect(pace.status().process.why).toMatch(/^\d+ ms after \d+ ms at \d+, /);
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
    const told = () => [state().limit, limitInWords(state())];
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
      return told();
    };
    const bound = (next: { least: number; most: number }) => {
      stored = JSON.stringify(withBounds(state(), next));
    };
    const pass = (ms: number) => {
      now += ms;
    };
    const refuse = () => {
      answers(1, { failure: '429' });
      return told();
    };
    return { state, told, report, answers, fill, window, refuse, pass, bound };
  };

  test('it doubles until the first 429, and goes back to what went well', () => {
    const { told, window, refuse } = open(2);
    expect(told()).toEqual([2, 'ramping up']);
    expect([window(), window(), window()].map(([now]) => now)).toEqual([4, 8, 16]);
    expect(refuse()).toEqual([8, '429 at 16, growing']);
  });

  test('it grows by one a window up to the refused limit, stays below that for ten, and tries it again', () => {
    const { window, refuse } = open(8);
    refuse();
    expect([window(), window(), window(), window()].map(([now]) => now)).toEqual([4, 5, 6, 7]);
    for (let count = 1; count < 10; count++) expect(window()).toEqual([7, '429 at 8, holding below']);
    expect(window()).toEqual([8, '429 at 8, trying again']);
    expect(refuse()).toEqual([7, '429 at 8, holding below']);
  });

  test('a limit that was refused once and succeeds now is exceeded, by one more with every window', () => {
    const { state, window, refuse } = open(2);
    refuse();
    for (let count = 1; count <= 11; count++) window();
    expect(state().limit).toBe(2);
    expect([window(), window(), window(), window()]).toEqual([
      [3, '429 at 2, passed since and growing'],
      [5, '429 at 2, passed since and growing'],
      [8, '429 at 2, passed since and growing'],
      [12, '429 at 2, passed since and growing'],
    ]);
  });

  test('it is cut once a window, by a tenth and deeper with every window in a row', () => {
    const { window, refuse, state } = open(60, { least: 1, most: 60 });
    // 60, 30; then the windows in which the rest of the refusals come.
    expect(refuse()).toEqual([30, '429 at 60, growing']);
    expect(refuse()).toEqual([30, '429 at 60, growing']);
    window();
    expect(refuse()).toEqual([27, '429 at 30, growing']);
    window();
    expect(refuse()).toEqual([21, '429 at 27, growing']);
    window();
    expect(refuse()[0]).toBe(15);
    expect(state()).toMatchObject({ least: 1, most: 60 });
  });

  test('it is cut again within the window once more than three calls that left after the cut are refused', () => {
    const { state, report, refuse, pass } = open(20);
    expect(refuse()[0]).toBe(10);
    pass(100);
    const refuseLeft = (sentAt: number) => {
      report([{ failure: '429', sentAt }]);
      return state().limit;
    };
    // The cut came at 0: what left before it says nothing.
    expect([-5, -4, -3, -2, -1].map(refuseLeft)).toEqual([10, 10, 10, 10, 10]);
    expect([10, 20, 30, 40].map(refuseLeft)).toEqual([10, 10, 10, 9]);
  });

  test('it grows by a quarter of what was cut off with every window', () => {
    const { window, refuse } = open(32);
    refuse();
    expect([window(), window(), window(), window(), window()].map(([now]) => now)).toEqual([16, 20, 23, 25, 26]);
  });

  test('a clock that is set back by an hour does not keep it from growing', () => {
    const { state, window, pass } = open(2);
    window();
    pass(-3_600_000);
    expect([window(), window()].map(([now]) => now)).toEqual([8, 16]);
    expect(state().limit).toBe(16);
  });

  test('a limit that nothing ran into does not grow, nor one that was not tried for a second', () => {
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

  test('it is cut where the median of at least 100 answers is over twice the best', () => {
    const { window } = open(50, { least: 1, most: 50 });
    expect([window(100), window(100)]).toEqual([
      [50, 'at the configured maximum'],
      [50, 'at the configured maximum'],
    ]);
    expect([window(200), window(200)].map(([now]) => now)).toEqual([50, 50]);
    expect(window(300)[0]).toBe(50);
    expect(window(300)).toEqual([25, '300 ms after 101 ms at 50, growing']);
  });

  test('where fewer calls make the answers no faster, it is not cut for that any more', () => {
    const { window } = open(50, { least: 1, most: 50 });
    for (let count = 1; count <= 4; count++) window(100);
    // Half of what was doubled to, a tenth less, and then what is slow is the usual.
    const limits = Array.from({ length: 200 }, () => window(1000)[0]);
    expect(Math.min(...limits.map(Number))).toBe(22);
    expect(limits.at(-1)).toBe(50);
  });

  test('it stays within its bounds, also those that are set later', () => {
    const { told, window, refuse, bound } = open(4, { least: 4, most: 6 });
    expect(refuse()).toEqual([4, '429 at 4, trying again']);
    window();
    expect(window()[0]).toBe(5);
    expect(window()[0]).toBe(6);
    bound({ least: 2, most: 3 });
    expect(told()).toEqual([3, 'at the configured maximum']);
  });
});
