/** A crash at each of the named points, 50 times: before and after an intent, a request, an answer and a result are stored, and within a write. */
import { expect, test } from 'vitest';
import { problemsOf } from '../migration/simulation/invariants.js';
import { badDay } from '../migration/simulation/simulated-days.js';
import { CRASH_POINTS } from '../migration/simulation/simulated-session.js';
import { simulate } from '../migration/simulation/simulation.js';

const DAYS = 10;
const CRASHES_A_DAY = 5;

test.each(CRASH_POINTS)('50 crashes %s: the end is that of a calm day', async (point) => {
  let crashes = 0;
  for (let seed = 1; seed <= DAYS; seed++) {
    const day = { ...badDay(seed, 60), inputSeed: seed, crashes: CRASHES_A_DAY, crashAt: point };
    const calm = await simulate({ ...day, crashes: 0, faultShare: 0 });
    const outcome = await simulate(day);
    expect({ seed, problems: problemsOf(outcome, calm) }).toEqual({ seed, problems: [] });
    crashes += outcome.crashes.filter((moment) => moment === point).length;
  }
  expect(crashes).toBe(50);
});
