/**
 * Real processes that kill themselves at each of the named points, at an SQLite file and over HTTP; of a torn write,
 * only a part of the ledger's log is left. `POINT_KILLS` says how often each.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { textFiles } from '../../build/text-files.js';
import { sampleRecords } from '../../src/migration/operations/sample/sample.js';
import { createSandbox } from '../../src/sandbox/index.js';
import { seed } from '../helpers/seed.js';
import { randomNumbers } from '../migration/simulation/simulated-input.js';
import { CRASH_POINTS } from '../migration/simulation/simulated-session.js';
import { outcomeOf, problemsOfRun, type RunOutcome } from './run-outcome.js';

const KILLS = Number(process.env['POINT_KILLS'] ?? 3);
const ACCOUNTS = 150;
const MOST_TIMES = 40;
const source = fileURLToPath(new URL('./crash-point-process.ts', import.meta.url));
// Inside of the project, so that it finds the packages.
const program = fileURLToPath(new URL('../../node_modules/.cache/crash-point-process.mjs', import.meta.url));

let folder = '';
let lines: string[] = [];
let calm: RunOutcome;
beforeAll(async () => {
  // Once, so that no process begins by compiling.
  const options = { bundle: true, platform: 'node', format: 'esm', packages: 'external' } as const;
  await build({ ...options, plugins: [textFiles], entryPoints: [source], outfile: program });
  folder = mkdtempSync(join(tmpdir(), 'points-'));
  lines = [...sampleRecords({ accounts: ACCOUNTS, seed })].map(({ line }) => line);
  writeFileSync(join(folder, 'input.jsonl'), `${lines.join('\n')}\n`);
  calm = (await runKilled('calm', '', 0)).outcome;
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const random = randomNumbers(seed);

/** Lives one after the other: each of the first ones kills itself at the point, the last one comes to its end. */
async function runKilled(name: string, point: string, kills: number) {
  const sandbox = createSandbox({ logLimit: 100_000, showPersonalData: true });
  const server = await sandbox.listen();
  const at = join(folder, name);
  let killed = 0;
  for (let session = 0; session <= kills; session++) {
    const time = session < kills ? Math.ceil(random() * MOST_TIMES) : 0;
    const args = [program, join(folder, 'input.jsonl'), at, server.url, point, String(time)];
    const child = spawn(process.execPath, args, { stdio: 'inherit' });
    const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
    if (session === kills) expect({ name, code }).toEqual({ name, code: 0 });
    else if (signal === 'SIGKILL') killed++;
    if (point === 'torn write' && signal === 'SIGKILL') tear(join(at, 'ledger.sqlite-wal'));
  }
  await server.close();
  const outcome = outcomeOf(at);
  return { killed, outcome, problems: point === '' ? [] : problemsOfRun(outcome, calm, sandbox, lines) };
}

/** Of what the last write changed in the log, its beginning is on disk, and the rest as it was before. */
function tear(log: string): void {
  const after = readFileSync(`${log}.after`);
  const before = existsSync(`${log}.before`) ? readFileSync(`${log}.before`) : Buffer.alloc(0);
  let from = 0;
  while (from < before.length && before[from] === after[from]) from++;
  let to = after.length;
  while (to > from && to <= before.length && before[to - 1] === after[to - 1]) to--;
  const cut = from + Math.floor(random() * (to - from));
  writeFileSync(log, Buffer.concat([after.subarray(0, cut), before.subarray(cut)]));
}

test.each(CRASH_POINTS)(
  `${KILLS} processes that kill themselves at "%s": the end is that of a calm run`,
  async (point) => {
    const { killed, problems } = await runKilled(point, point, KILLS);
    expect({ seed, killed, problems }).toEqual({ seed, killed: KILLS, problems: [] });
  },
);
