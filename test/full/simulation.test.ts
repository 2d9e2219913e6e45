/**
 * Bad days of a migration by the hundred: faults of every kind, three kills of the process each, an input that changes.
 * `SIM_SEEDS` says how many, half of them with one service that answers at once, half with two
 * that take seconds, so that requests overlap; 100,000 on demand. Each core has its
 * share, in a separate process.
 */
import { execFile } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { seed as firstSeed } from '../helpers/seed.js';
import { problemsOfBadDay } from '../migration/simulation/simulated-days.js';

/** An even number. */
const DAYS = Number(process.env['SIM_SEEDS'] ?? 600);
const ACCOUNTS = 120;
/** Of one day on a slow core. */
const PATIENCE_MS = 2000;
const program = fileURLToPath(new URL('./simulation-process.ts', import.meta.url));

test.each([
  { kinds: [], services: 'one service' },
  { kinds: ['slow', 'two'], services: 'two slow services' },
])(
  `${DAYS / 2} bad days of ${ACCOUNTS} accounts and $services end as calm ones do`,
  async ({ kinds }) => {
    const shares = availableParallelism();
    const found = await Promise.all(Array.from({ length: shares }, (_, share) => simulateShare(share, shares, kinds)));
    const lines = found.flat();
    expect(lines.filter(({ problems }) => problems !== undefined)).toEqual([]);
    expect(lines.reduce((sum, { days = 0 }) => sum + days, 0)).toBe(DAYS / 2);
  },
  DAYS * PATIENCE_MS,
);

async function simulateShare(share: number, shares: number, kinds: readonly string[]) {
  const args = [
    '--max-semi-space-size=64',
    '--import',
    'tsx',
    program,
    ...[firstSeed, DAYS / 2, ACCOUNTS, share, shares].map(String),
    ...kinds,
  ];
  const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: 64 * 1024 * 1024 });
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { seed?: number; problems?: string[]; days?: number });
}

test.each([
  [629570956, 'a rejected line that is there twice was corrected in one place'],
  [629570959, 'the same line, with other faults'],
  [629574982, 'the same, where the process was killed after a commit'],
  [629578587, 'the same, where the process was killed after it had sent'],
  [629568011, 'one account could not be asked about in three passes'],
])('seed %i, which once failed: %s', async (seed) => {
  expect(await problemsOfBadDay(seed, 200)).toEqual([]);
});

test.each([
  [1124111192, 'a staging request that the client had repeated ended after the corrected data were staged'],
  [1269547311, 'the same, after a later request had been answered and `process` had failed'],
])(
  'seed %i of two slow services, which once failed: %s',
  async (seed) => {
    expect(await problemsOfBadDay(seed, 200, { slow: true, secondTarget: true })).toEqual([]);
  },
  120_000,
);
