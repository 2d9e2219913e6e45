/** Whatever fails and whenever the process dies: nothing is lost, nothing is done twice, and the end is the same. */
import { expect, test } from 'vitest';
import { seed as firstSeed } from '../helpers/seed.js';
import { problemsOf } from './invariants.js';
import { simulate } from './simulation.js';

const SEEDS = 20;

test(`${SEEDS} bad days end as good ones do`, async () => {
  for (let seed = firstSeed; seed < firstSeed + SEEDS; seed++) {
    const calm = await simulate({ seed, accounts: 60, deaths: 0, faultShare: 0 });
    const bad = await simulate({ seed, accounts: 60, deaths: 3, faultShare: 0.02 });
    expect({ seed, problems: problemsOf(bad, calm) }).toEqual({ seed, problems: [] });
  }
}, 120_000);
