/** Whatever fails and whenever the process dies: nothing is lost, nothing is done twice, and the end is the same. */
// @module-tag long
import { expect, test } from 'vitest';
import { seed as firstSeed } from '../../helpers/seed.js';
import { badDay, problemsOfBadDay } from './simulated-days.js';
import { simulate } from './simulation.js';

const DAYS = 8;

test(`${DAYS} bad days end as good ones do`, async () => {
  for (let seed = firstSeed; seed < firstSeed + DAYS; seed++) {
    expect({ seed, problems: await problemsOfBadDay(seed, 60) }).toEqual({ seed, problems: [] });
  }
}, 120_000);

test('3 bad days of two services: neither gets a request of the run of the other', async () => {
  for (let seed = firstSeed; seed < firstSeed + 3; seed++) {
    expect({ seed, problems: await problemsOfBadDay(seed, 60, { secondTarget: true }) }).toEqual({
      seed,
      problems: [],
    });
  }
}, 120_000);

test('3 bad days of two services that take seconds, with requests that overlap, end as good ones do', async () => {
  for (let seed = firstSeed; seed < firstSeed + 3; seed++) {
    const problems = await problemsOfBadDay(seed, 60, { slow: true, secondTarget: true });
    expect({ seed, problems }).toEqual({ seed, problems: [] });
  }
}, 120_000);

test('the same seed gives the same day: every request, every answer, every crash, every record', async () => {
  const transcriptOf = async (seed: number) => {
    const { log, ends, lines, crashes } = await simulate({ ...badDay(seed, 60), slow: true });
    return JSON.stringify([log, [...ends], lines, crashes]);
  };
  const first = await transcriptOf(firstSeed);
  expect(await transcriptOf(firstSeed)).toBe(first);
  expect(await transcriptOf(firstSeed + 1)).not.toBe(first);
}, 120_000);
