/** Concurrent calls in any order. `concurrency-without-lock.test.ts` shows that the property finds a missing lock. */
import fc from 'fast-check';
import { test, vi } from 'vitest';
import { seed } from '../helpers/seed.js';
import { anyCall, firstIsOne } from './concurrency-property.js';

vi.mock('../../src/sandbox/calls/lock.js', async (actual) => ({
  ...(await actual<typeof import('../../src/sandbox/calls/lock.js')>()),
  takeTime: async () => (await import('./concurrency-property.js')).takeScheduledTime(),
}));

test('E5, E6, E7, E8 in 300 orders of calls at the same time exactly one is the first of its kind', async () => {
  await fc.assert(firstIsOne(anyCall), { seed, numRuns: 300 });
});
