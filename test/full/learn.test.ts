/**
 * Random hidden settings are found from a recording, none wrongly, and no value is in a recording. `LEARN_SETTINGS=100` and
 * `LEARN_RECORDINGS=1000` ask for more.
 */
import { expect, test } from 'vitest';
import { seed } from '../helpers/seed.js';
import { type Found, findHidden, randomSettings } from '../learn/hidden-settings.js';
import { record } from '../learn/scenario.js';

const SETTINGS = Number(process.env['LEARN_SETTINGS'] ?? 4);
const RECORDINGS = Number(process.env['LEARN_RECORDINGS'] ?? 40);

test(`of ${SETTINGS} random groups of hidden settings 95 % are found, and none wrongly`, {
  timeout: SETTINGS * 150_000,
}, async () => {
  const results: (Found & { seed: number })[] = [];
  for (let index = 0; index < SETTINGS; index++) {
    results.push({ seed: seed + index, ...(await findHidden(randomSettings(seed + index))) });
  }
  expect(results.filter(({ wrong }) => wrong.length > 0)).toEqual([]);
  const sum = (name: 'found' | 'observable') => results.reduce((total, result) => total + result[name], 0);
  console.log(`learn: ${sum('found')} of ${sum('observable')} observable settings found, seed ${seed}`);
  expect(sum('found'), JSON.stringify(results)).toBeGreaterThanOrEqual(0.95 * sum('observable'));
});

test(`no value is in ${RECORDINGS} recordings`, { timeout: RECORDINGS * 10_000 }, async () => {
  for (let index = 0; index < RECORDINGS; index++) {
    const marker = `Zqmarker${seed}x${index}`;
    const { lines } = await record(randomSettings(seed + index), { marker, accounts: 8 });
    const text = lines.join('').toLowerCase();
    const values = [
      marker,
      'camille@example.com',
      '+33612345678',
      'NORTH',
      'EAST',
      'sandbox-token',
      '2026-01-1',
      '2025-06-01',
      '12.5',
      'K-1',
    ];
    expect(values.filter((value) => text.includes(value.toLowerCase()))).toEqual([]);
  }
});
