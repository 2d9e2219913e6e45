/**
 * `data-import-sdk run` killed by SIGKILL at random moments, against an independent service that creates an account at the end of a call
 * of up to a second and completes calls whose connection is lost (U30, U31). `SLOW_KILLS` says how many kills; FC_SEED repeats the moments.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { newFolder } from '../helpers/folder.js';
import { seed } from '../helpers/seed.js';
import { randomNumbers } from '../migration/simulation/simulated-input.js';
import { startImportService } from '../support/import-service.js';
import { foundAt, writeSlowInput } from './slow-process.js';

const KILLS = Number(process.env['SLOW_KILLS'] ?? 40);
const LANES = 5;
const ACCOUNTS = 60;
const MOST_MS_A_KILL = 30_000;

const command = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));

test(
  `U30, U31 ${KILLS} kills while process takes up to a second: every account is created once, and no item is there twice`,
  async () => {
    let kills = 0;
    const lane = async (name: number) => {
      const random = randomNumbers(seed + name);
      for (let run = 0; kills < KILLS; run++) await killRun(`${name}-${run}`, random, () => kills++ < KILLS);
    };
    await Promise.all(Array.from({ length: LANES }, (_, name) => lane(name)));
  },
  Math.max(300_000, (KILLS * MOST_MS_A_KILL) / LANES),
);

async function killRun(name: string, random: () => number, mayKill: () => boolean): Promise<void> {
  const service = await startImportService({ durationMs: () => 50 + random() * 950 });
  const cwd = newFolder(`slow-kills-${name}-`);
  writeSlowInput(join(cwd, 'accounts.jsonl'), ACCOUNTS);
  const env = { ...process.env, DATA_IMPORT_BASE_URL: service.url, DATA_IMPORT_TOKEN: 'token' };
  const flags = ['--team', 'EAST', '--timeout', '2', '--in-flight-grace', '2', '--concurrency', '8', '--yes'];
  for (;;) {
    const child = spawn(process.execPath, [command, 'run', 'accounts.jsonl', ...flags], { cwd, env, stdio: 'ignore' });
    const isKilled = mayKill();
    const over = new AbortController();
    if (isKilled) {
      void after(300 + random() * 7000, undefined, { signal: over.signal }).then(
        () => child.kill('SIGKILL'),
        () => {},
      );
    }
    const [code] = (await once(child, 'close')) as [number | null];
    over.abort();
    if (code === null) continue;
    expect({ seed, name, code }).toEqual({ seed, name, code: 0 });
    break;
  }
  await service.close();
  const found = foundAt(service, ACCOUNTS);
  expect({ seed, name, ...found }).toEqual({ seed, name, lost: [], twice: [] });
  const { summary } = JSON.parse(readFileSync(join(cwd, 'data-import-run/report.json'), 'utf8'));
  expect({ name, created: summary.created, total: summary.total }).toMatchObject({ name, created: ACCOUNTS });
}
