/** Requests of every kind, a few of them; `npm run test:full` sends many, and over sockets too. */
// @module-tag long
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SANDBOX_SETTINGS } from '../../../src/sandbox/index.js';
import { seed } from '../../helpers/seed.js';
import { settings } from './fuzz-choices.js';
import { A_SEQUENCE, survivesAnything, survivesAnythingByAnyChoice } from './fuzz-property.js';

test('C1, I1, I2 1,000 requests of every kind are answered, without 5xx, and leave a valid state', async () => {
  await fc.assert(survivesAnything, { seed, numRuns: 1000 / A_SEQUENCE, endOnFailure: true });
});

test('C1, I1, I2 so are 1,000 more with random settings and faults, with 5xx only from faults', async () => {
  await fc.assert(survivesAnythingByAnyChoice, { seed, numRuns: 1000 / A_SEQUENCE, endOnFailure: true });
});

test('the lot is drawn for every setting that there is', () => {
  const [drawn = {}] = fc.sample(settings, { seed, numRuns: 1 });
  expect(Object.keys(drawn).sort()).toEqual(SANDBOX_SETTINGS.map(({ name }) => name).sort());
});
