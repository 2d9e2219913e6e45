/** The samples of all sessions of a run: each session is kept, and there are never more than a thousand points. */
import { expect, test } from 'vitest';
import { appendSession } from '../../../src/migration/report/folder/session-samples.js';

const sample = (at: number, rate = 1, throttled = 0) => ({ at, rate, concurrency: at, throttled, failed: throttled });
const session = (count: number, from = 0) => Array.from({ length: count }, (_, index) => sample(from + index));

test('a session follows the earlier ones, and one without samples is omitted', () => {
  expect(appendSession([[sample(1)]], [sample(7), sample(8)])).toEqual([[sample(1)], [sample(7), sample(8)]]);
  expect(appendSession([[sample(1)]], [])).toEqual([[sample(1)]]);
});

test('a thousand points stay as they are', () => {
  expect(appendSession([session(400)], session(600)).map(({ length }) => length)).toEqual([400, 600]);
});

test('beyond that the longest session becomes coarser, again and again', () => {
  expect(appendSession([session(400)], session(601)).map(({ length }) => length)).toEqual([400, 301]);
  expect(appendSession([session(1000)], session(1000)).map(({ length }) => length)).toEqual([500, 500]);
});

test('two points become one: the mean rate, the last limit, all answers 429', () => {
  const rest = session(999).map(({ at }) => sample(at + 1000));
  const [first] = appendSession([], [sample(0, 10, 1), sample(1, 30, 2), ...rest]);
  expect(first?.[0]).toEqual({ at: 0, rate: 20, concurrency: 1, throttled: 3, failed: 3 });
  // The odd one out at the end stays.
  expect(first).toHaveLength(501);
  expect(first?.at(-1)).toEqual(sample(1998));
});

test('of sessions of one point each, the first are given up', () => {
  const sessions = Array.from({ length: 1000 }, (_, index) => [sample(index)]);
  const kept = appendSession(sessions, [sample(5000)]);
  expect(kept).toHaveLength(1000);
  expect(kept[0]).toEqual([sample(1)]);
  expect(kept.at(-1)).toEqual([sample(5000)]);
});
