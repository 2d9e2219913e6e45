/** The limit that a fleet shares finds the service's own (document: Limits), as that of one machine does. */
import { describe, expect, test } from 'vitest';
import { openFleetService } from './fleet-service.js';

const MINUTES = 60;
const cases = ([400, 1000] as const).flatMap((serviceMs) => [1, 2, 3].map((seed) => [serviceMs, seed] as const));

describe('a service with a limit of 24, later 8, later 40, and three members', () => {
  describe.each(cases)('that takes %d ms, more or less, seed %d', (serviceMs, seed) => {
    test.each(['even', 'long tail'] as const)(
      '%s: at least 0.9 of the limit is used, and at most 5 percent of the answers are 429, in each phase',
      async (spread) => {
        const { begin, phase } = openFleetService({ seed, members: 3, serviceMs, spread });
        begin();
        for (const cap of [24, 8, 40]) {
          const { use, throttled } = await phase(cap, 5 * MINUTES);
          expect(use).toBeGreaterThanOrEqual(0.9);
          expect(throttled).toBeLessThanOrEqual(0.05);
        }
      },
    );
  });
});

describe('a service that takes fewer calls than there are members', () => {
  test.each([1, 2])('%d: each member has its turn, and few are refused', async (cap) => {
    const { begin, phase } = openFleetService({ seed: 1, members: 3, serviceMs: 400, spread: 'even' });
    begin();
    const { use, throttled, done } = await phase(cap, 5 * MINUTES);
    expect(use).toBeGreaterThanOrEqual(0.85);
    // One more is tried now and then, and then it is another member's.
    expect(throttled).toBeLessThanOrEqual(0.15);
    expect(Math.min(...done)).toBeGreaterThanOrEqual(0.8 * Math.max(...done));
  });
});

describe('a member without work', () => {
  test('does not hold down the limit of the others', async () => {
    const { begin, phase } = openFleetService({ seed: 1, members: 3, idle: 1, serviceMs: 400, spread: 'even' });
    begin();
    const { use, throttled, done } = await phase(24, 5 * MINUTES);
    expect(use).toBeGreaterThanOrEqual(0.9);
    expect(throttled).toBeLessThanOrEqual(0.05);
    expect(done[2]).toBe(0);
  });
});
