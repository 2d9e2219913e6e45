/** How long requests will take, by a cap, by the answers to a probe, and by both. */
import { expect, test } from 'vitest';
import { durationOf } from '../../../src/migration/operations/forecast-duration.js';

const REQUESTS = { 'accounts.stage': 1000, 'accounts.process': 1000 };
const LATENCY = { medianMs: 100, mostMs: 200 };

test('without a cap and without a probe there is no estimate', () => {
  expect(durationOf(REQUESTS, {}, undefined)).toBeUndefined();
});

test('only a cap gives one duration', () => {
  expect(durationOf(REQUESTS, { rps: 20 }, undefined)).toEqual({ fromMs: 100_000, toMs: 100_000 });
});

test.each([
  // 2,000 calls of 100 ms, 10 at a time; 1,000 of 200 ms at 10 and 1,000 of 200 ms at the first limit of 2.
  ['process as many as all', { concurrency: 10 }, { fromMs: 20_000, toMs: 120_000 }],
  // 1,000 calls of 100 ms, 4 at a time, take longer than all of them 10 at a time.
  ['process at most 4', { concurrency: 10, process: { most: 4 } }, { fromMs: 25_000, toMs: 120_000 }],
  ['process always 4', { concurrency: 10, process: { least: 4, most: 4 } }, { fromMs: 25_000, toMs: 70_000 }],
  // 2,000 at 50 a second take 40 s, whatever the service could do.
  ['and a cap', { concurrency: 10, rps: 50 }, { fromMs: 40_000, toMs: 120_000 }],
  ['and a low cap', { concurrency: 10, rps: 10 }, { fromMs: 200_000, toMs: 200_000 }],
])('a probe gives a range: %s', (_, options, range) => {
  expect(durationOf(REQUESTS, options, LATENCY)).toEqual(range);
});

test('a dry run is limited as processing is', () => {
  expect(durationOf({ 'accounts.dryRun': 10 }, { concurrency: 10 }, LATENCY)).toEqual({ fromMs: 100, toMs: 1000 });
});

test('no requests take no time', () => {
  expect(durationOf({}, { rps: 20 }, LATENCY)).toEqual({ fromMs: 0, toMs: 0 });
});
