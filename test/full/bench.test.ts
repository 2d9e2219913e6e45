/** The benchmarks, each at a tiny size: that all of them run, and that the table has every row. Its figures mean nothing. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { GROUP_NAMES, planOf } from '../../bench/plan.js';
import { hasPostgres } from '../migration/ledger/postgres/server.js';
import { outcome, root, run } from '../package/consumer.js';

const tsx = join(root, 'node_modules/.bin/tsx');
const bench = ['--tsconfig', 'bench/tsconfig.json', 'bench/index.ts'];

/** A machine that can have no server says so. */
const isThere: Readonly<Record<string, () => boolean>> = {
  ledger: hasPostgres,
  distributed: hasPostgres,
  'distributed-cap': hasPostgres,
};
const names = GROUP_NAMES.filter((name) => isThere[name]?.() ?? true);

/** The group `migration` took 333 s beside two other suites. */
const BENCH_TIMEOUT_MS = 600_000;

test.each(names)(
  'the group %s has a figure in every row',
  (name) => {
    const printed = run(root, tsx, ...bench, name, '--quick');
    for (const { what } of Object.values(planOf(name).rows)) {
      const row = printed.split('\n').find((line) => line.startsWith(`| ${what} `)) ?? '';
      expect.soft(row.split('|')[3]?.trim(), what).toMatch(/^-?[\d,.]+( us| s| MiB| MB| kB| %)?$/);
    }
  },
  BENCH_TIMEOUT_MS,
);

test('the whole of the benchmarks compiles, peers included', () => {
  // Their packages are there: the group of peers has installed them.
  expect(run(root, join(root, 'node_modules/.bin/tsc'), '-p', 'bench')).toBe('');
});

test('a group that there is not ends in one line that names those that there are', () => {
  expect(outcome(root, tsx, ...bench, 'clients')).toMatchObject({
    ok: false,
    output: expect.stringContaining('bench: found the group "clients"; expected some of client, peers'),
  });
});
