/**
 * Bad days of a migration by the thousand: faults of every kind and three deaths of the process each. `SIM_SEEDS` says
 * how many; 20,000 on demand.
 */
import { expect, test } from 'vitest';
import { seed as firstSeed } from '../helpers/seed.js';
import { problemsOf } from '../migration/invariants.js';
import { simulate } from '../migration/simulation.js';

const SEEDS = Number(process.env['SIM_SEEDS'] ?? 200);
/** One test for each hundred, so that a failure says where it is. */
const HUNDREDS = Array.from({ length: Math.ceil(SEEDS / 100) }, (_, index) => index * 100);

test.each(HUNDREDS)('bad days %d and the 99 after it end as calm ones do', async (from) => {
  for (let index = from; index < Math.min(from + 100, SEEDS); index++) {
    const seed = firstSeed + index;
    const calm = await simulate({ seed, accounts: 200, deaths: 0, faultShare: 0 });
    const bad = await simulate({ seed, accounts: 200, deaths: 3, faultShare: 0.02 });
    expect({ seed, problems: problemsOf(bad, calm) }).toEqual({ seed, problems: [] });
  }
});
