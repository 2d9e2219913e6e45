/**
 * Bad days of a migration by the thousand: faults of every kind, three deaths of the process each, a book that changes.
 * `SIM_SEEDS` says how many; 20,000 on demand. Each core has its share, in a process of its own.
 */
import { execFile } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { seed as firstSeed } from '../helpers/seed.js';

const DAYS = Number(process.env['SIM_SEEDS'] ?? 2000);
const ACCOUNTS = 200;
/** Of one day on a slow core. */
const PATIENCE_MS = 2000;
const program = fileURLToPath(new URL('./simulation-process.ts', import.meta.url));

test(
  `${DAYS} bad days of ${ACCOUNTS} accounts end as calm ones do`,
  async () => {
    const shares = availableParallelism();
    const found = await Promise.all(Array.from({ length: shares }, (_, share) => simulateShare(share, shares)));
    const lines = found.flat();
    expect(lines.filter(({ problems }) => problems !== undefined)).toEqual([]);
    expect(lines.reduce((sum, { days = 0 }) => sum + days, 0)).toBe(DAYS);
  },
  DAYS * PATIENCE_MS,
);

async function simulateShare(share: number, shares: number) {
  const args = [
    '--max-semi-space-size=64',
    '--import',
    'tsx',
    program,
    ...[firstSeed, DAYS, ACCOUNTS, share, shares].map(String),
  ];
  const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: 64 * 1024 * 1024 });
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { seed?: number; problems?: string[]; days?: number });
}
