/** The frame of the benchmarks: which candidates are compared, how failures are reported, what the table shows. */
import { expect, test } from 'vitest';
import { commandOf } from '../../bench/frame/command.js';
import { contest } from '../../bench/frame/contest.js';
import { quantile } from '../../bench/frame/figures.js';
import { withTable } from '../../bench/frame/page.js';
import { type SheetMessage, sheetFor } from '../../bench/frame/sheet.js';
import { missedIn, tableOf } from '../../bench/frame/table.js';
import { GROUP_NAMES, type PlannedGroup, planOf } from '../../bench/plan.js';

const TWO_ROUNDS = { rounds: 2, warmUps: 1, mostMs: Number.POSITIVE_INFINITY };

/** Gives these rates, one a turn. */
const giving = (...rates: number[]) => {
  const left = [...rates];
  return () => ({ turn: () => ({ rate: left.shift() ?? Number.NaN }) });
};

test('a ratio is the median of the ratios of each round, warm-ups left out', async () => {
  const held = await contest({ ours: giving(1, 30, 80), bare: giving(1000, 10, 20) }, TWO_ROUNDS);
  expect(held.ratio('rate', 'ours', 'bare')).toEqual({ value: 3.5, middle: [3.25, 3.75] });
  expect(held.difference('rate', 'ours', 'bare').value).toBe(40);
  expect(held.figure('rate', 'ours').value).toBe(55);
});

test('every round begins with another contestant', async () => {
  const turns: string[] = [];
  const noting = (name: string) => () => ({
    turn: () => {
      turns.push(name);
      return { rate: 1 };
    },
  });
  await contest({ a: noting('a'), b: noting('b'), c: noting('c') }, TWO_ROUNDS);
  expect(turns.join('')).toBe('abcbcacab');
});

test('a contest that takes too long ends after three valid rounds, and reports it', async () => {
  const held = await contest({ ours: giving(9, 1, 2, 3, 4, 5) }, { rounds: 5, warmUps: 1, mostMs: -1 });
  expect(held.rounds).toBe(3);
  expect(held.figure('rate', 'ours').value).toBe(2);
});

test('a candidate that cannot be opened, or fails in a turn, is out with the reason, and the others continue', async () => {
  const held = await contest(
    {
      bare: giving(1, 10, 10),
      missing: () => {
        throw new Error('not installed');
      },
      failing: () => ({
        turn: () => {
          throw new Error('answered 500');
        },
      }),
      ours: giving(1, 20, 20),
    },
    TWO_ROUNDS,
  );
  expect(held.ratio('rate', 'ours', 'bare').value).toBe(2);
  expect(() => held.ratio('rate', 'ours', 'missing')).toThrow('missing: not installed');
  expect(() => held.ratio('rate', 'failing', 'bare')).toThrow('failing: answered 500');
});

test('a row whose figure is unknown, or not a number, gives the reason', () => {
  const messages: SheetMessage[] = [];
  const sheet = sheetFor<'size'>({ isQuick: true, seed: 1 }, (one) => messages.push(one));
  sheet.fill('client', () => {
    throw new Error('no\nbundle');
  });
  sheet.fill('bundle', () => ({ value: Number.NaN }));
  expect(messages).toEqual([
    { row: 'client', entry: { failed: 'no bundle' } },
    { row: 'bundle', entry: { failed: 'it came to NaN' } },
  ]);
});

test('the table has every row of the plan, with its goal and whether it is met', () => {
  const plan: PlannedGroup = {
    title: 'Speed',
    rows: {
      fast: { what: 'over bare', unit: 'times', goal: { atLeast: 0.8 } },
      small: { what: 'size', unit: 'kB', goal: { atMost: 40 } },
      cost: { what: 'cost', unit: 'us' },
      lost: { what: 'over ky', unit: 'times', goal: { atLeast: 9 } },
    },
  };
  const entries = new Map([
    ['fast', { value: 0.8, middle: [0.7, 0.9] as const }],
    ['small', { value: 41.5 }],
    ['cost', { value: 1234.5 }],
    ['lost', { failed: 'ky | not installed' }],
  ]);
  expect(tableOf(plan, entries)).toBe(
    [
      '| what      | goal            | measured                   | middle half of the rounds | met |',
      '| --------- | --------------- | -------------------------- | ------------------------- | --- |',
      '| over bare | at least 0.80   | 0.80                       | 0.70 to 0.90              | yes |',
      '| size      | at most 40.0 kB | 41.5 kB                    |                           | no  |',
      '| cost      |                 | 1,235 us                   |                           |     |',
      '| over ky   | at least 9.00   | failed: ky / not installed |                           | no  |',
    ].join('\n'),
  );
  expect(missedIn(plan, entries)).toEqual(['size', 'over ky']);
});

test('a table replaces only the text between the markers of its group', () => {
  const page = '# Speed\n\n<!-- measured: a -->\nold\n<!-- end: a -->\n\n<!-- measured: b -->\n<!-- end: b -->\n';
  expect(withTable(page, 'a', 'new')).toBe(
    '# Speed\n\n<!-- measured: a -->\n\nnew\n\n<!-- end: a -->\n\n<!-- measured: b -->\n<!-- end: b -->\n',
  );
  expect(() => withTable(page, 'c', 'new')).toThrow('docs/speed.md: expected the marker <!-- measured: c -->');
});

test('without a group all groups but the long one are measured; an unknown group or seed is an error', () => {
  expect(commandOf([])).toEqual({
    groups: ['client', 'peers', 'check', 'input', 'import', 'types', 'size', 'path', 'sandbox', 'run'],
    isQuick: false,
    seed: 1,
  });
  expect(commandOf(['migration', 'check', '--quick', '--seed', '7'])).toEqual({
    groups: ['check', 'migration'],
    isQuick: true,
    seed: 7,
  });
  expect(() => commandOf(['clients'])).toThrow('found the group "clients"; expected some of client, peers, check');
  expect(() => commandOf(['--seed', '-1.5'])).toThrow();
  expect(() => commandOf(['--seed=x'])).toThrow('--seed: found "x"; expected a whole number from 0');
});

test('a quantile lies between two values where it falls there', () => {
  expect(quantile([4, 1, 3, 2], 0.5)).toBe(2.5);
  expect(quantile([3, 1, 2], 0.5)).toBe(2);
  expect(quantile([1, 2], 1)).toBe(2);
  expect(quantile([], 0.5)).toBeNaN();
});

test('the plan says of every group what it is, and holds the goals that were set', () => {
  expect(GROUP_NAMES).toHaveLength(16);
  const goal = (group: (typeof GROUP_NAMES)[number], row: string) => planOf(group).rows[row]?.goal;
  expect(goal('client', 'rate 64')).toEqual({ atLeast: 1 });
  expect(goal('client', 'checked rate 64')).toEqual({ atLeast: 0.8 });
  expect(goal('client', 'checked cpu 64')).toEqual({ atMost: 1.25 });
  expect(goal('client', 'p99 16')).toEqual({ atMost: 1.15 });
  expect(goal('client', 'limits')).toEqual({ atMost: 5 });
  expect(['stripe', 'axios', 'openai', 'ky', 'generated'].map((row) => goal('peers', row))).toEqual([
    { atLeast: 2 },
    { atLeast: 5 },
    { atLeast: 8 },
    { atLeast: 9 },
    { atLeast: 10 },
  ]);
  expect([goal('check', 'plain'), goal('check', 'warnings')]).toEqual([{ atMost: 0.8 }, { atMost: 1.2 }]);
  expect([goal('input', 'checked'), goal('input', 'memory')]).toEqual([{ atLeast: 1.05 }, { atMost: 140 }]);
  expect([goal('totals', 'found'), goal('totals', 'wrong')]).toEqual([{ atLeast: 1000 }, { atMost: 0 }]);
  expect([goal('totals', 'time'), goal('totals', 'memory')]).toEqual([{ atMost: 60 }, { atMost: 300 }]);
  expect(['help', 'esm', 'cjs'].map((row) => goal('import', row))).toEqual([
    { atMost: 2.5 },
    { atMost: 1.8 },
    { atMost: 1.8 },
  ]);
  expect([goal('types', 'time'), goal('types', 'instantiations')]).toEqual([{ atMost: 1.15 }, { atMost: 20_000 }]);
  expect(goal('size', 'client')).toEqual({ atMost: 80 });
  expect([goal('path', 'bare'), goal('path', 'idiom'), goal('path', 'openai')]).toEqual([
    { atMost: 1.15 },
    { atLeast: 2.3 },
    { atLeast: 6 },
  ]);
  expect([goal('distributed-cap', 'use'), goal('distributed-cap', 'refused')]).toEqual([
    { atLeast: 90 },
    { atMost: 5 },
  ]);
  expect([goal('distributed', 'rate 2'), goal('distributed', 'rate 3')]).toEqual([{ atLeast: 1.8 }, { atLeast: 2.6 }]);
  expect([goal('ledger', 'rate 64'), goal('run', 'rate 0 32'), goal('run', 'rate 20 32')]).toEqual([
    { atLeast: 0.4 },
    { atLeast: 0.5 },
    { atLeast: 0.95 },
  ]);
  expect([goal('migration', 'resident'), goal('migration', 'restart')]).toEqual([{ atMost: 1.25 }, { atMost: 1 }]);
  expect([goal('migration', 'cap use'), goal('migration', 'cap refused')]).toEqual([{ atLeast: 90 }, { atMost: 5 }]);
});
