/** The property of concurrency-orders.test.ts, with a lock that locks nothing: it must fail, or it would prove nothing. */
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { seed } from '../helpers/seed.js';
import { firstIsOne, onceOnly } from './concurrency-property.js';

vi.mock('../../src/sandbox/calls/lock.js', () => ({
  createLock: () => (_key: string, task: () => Promise<unknown>) => task(),
  takeTime: async () => (await import('./concurrency-property.js')).takeScheduledTime(),
}));

test('E5, E6 without the lock two equal calls both get 201, and the property fails', async () => {
  const { failed, counterexample, errorInstance } = await fc.check(firstIsOne(onceOnly), { seed, numRuns: 300 });
  expect(failed).toBe(true);
  // As small as the shrinker got it: with two calls or one more, two of which are the same and were both the first.
  const [, calls = []] = counterexample ?? [];
  const kinds = new Set(calls.map((call) => `${call.does} ${call.account}`));
  expect(kinds.size).toBeLessThan(calls.length);
  expect(String(errorInstance)).toMatch(/outcomes: .*(stage NEW-\d 201|process STAGED-\d 201),.* \1/);
});
