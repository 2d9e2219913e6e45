/**
 * A rehearsal, killed by SIGKILL at random moments: its sandbox dies with it, and continues from its file as the run does
 * from its ledger. Process calls take 50 to 200 ms, so that kills meet some at work. `REHEARSAL_KILLS` says how many.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setInterval as every } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readStateFile } from '../../src/sandbox/state/state-file.js';
import { seed } from '../helpers/seed.js';
import { randomNumbers } from '../migration/simulation/simulated-input.js';
import { type CalmRun, runInCalm } from './calm-run.js';
import { outcomeOf, problemsOfRun } from './run-outcome.js';

const KILLS = Number(process.env['REHEARSAL_KILLS'] ?? 8);
const ACCOUNTS = 150;
/** The state of a whole rehearsal takes about 0.7 MB. */
const MOST_BYTES = 150_000;
const command = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));

let calm: CalmRun;
beforeAll(async () => {
  calm = await runInCalm(ACCOUNTS);
});
afterAll(() => calm?.remove());

interface Moment {
  /** The state file of the rehearsal. */
  path: string;
  /** What the session writes to it before it is killed; 0: as soon as it has opened it. */
  bytes: number;
}

/** One session: to its end, or to the moment. */
async function session(words: readonly string[], moment?: Moment) {
  const child = spawn(process.execPath, [command, ...words], { cwd: calm.folder, stdio: ['ignore', 'ignore', 'pipe'] });
  let err = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    err += text;
  });
  const over = new AbortController();
  if (moment !== undefined) void killAt(moment, over.signal, () => child.kill('SIGKILL'));
  const [code] = (await once(child, 'close')) as [number | null];
  over.abort();
  return { code, complaint: /^data-import-sdk: .*/m.exec(err)?.[0] };
}

async function killAt({ path, bytes }: Moment, signal: AbortSignal, kill: () => void): Promise<void> {
  const found = () => statSync(path, { throwIfNoEntry: false });
  const before = found()?.ino;
  let least: number | undefined;
  const looks = every(2, undefined, { signal });
  await (async () => {
    for await (const _ of looks) {
      const file = found();
      // Opened is written anew, and so another file.
      if (file === undefined || file.ino === before) continue;
      least ??= file.size + bytes;
      if (file.size >= least) return kill();
    }
  })().catch(() => {});
}

test(
  `killed ${KILLS} times: nothing is lost, nothing is created twice, and ledger and sandbox agree`,
  async () => {
    const random = randomNumbers(seed);
    const settings = { processDurationMs: [50, 200], itemDurationMs: [0, 20], processRace: 'allow' };
    writeFileSync(join(calm.folder, 'settings.json'), JSON.stringify(settings));
    const rehearsal = ['--sandbox', '--sandbox-settings', 'settings.json'];
    let kills = 0;
    for (let number = 1; kills < KILLS; number++) {
      const name = `rehearsal-${number}`;
      const path = join(calm.folder, name, 'sandbox.jsonl');
      const run = ['run', 'input.jsonl', ...rehearsal, '--run', name, '--process-concurrency', '16'];
      // A sandbox that was killed works on nothing any more: no quiet time for a service that may.
      const words = [...run, '--in-flight-grace', '0', '--timeout', '5'];
      for (;;) {
        const bytes = random() < 0.2 ? 0 : random() * MOST_BYTES;
        const { code, complaint } = await session(words, kills < KILLS ? { path, bytes } : undefined);
        expect({ seed, name, kills, complaint }).toEqual({ seed, name, kills, complaint: undefined });
        if (code !== null) {
          expect({ seed, name, code }).toEqual({ seed, name, code: expect.toSatisfy((end) => end === 3 || end === 4) });
          break;
        }
        kills++;
      }
      const state = readStateFile(path);
      if (state === undefined) throw new Error('The rehearsal left no state.');
      const duplicates = state.suppliers.flatMap(({ accounts }) =>
        accounts.flatMap((account) => account.duplicates ?? []),
      );
      const outcome = outcomeOf(join(calm.folder, name));
      const problems = problemsOfRun(outcome, calm.outcome, { state, requests: () => [] }, calm.lines);
      expect({ seed, name, problems, duplicates }).toEqual({ seed, name, problems: [], duplicates: [] });
      const verified = await session(['verify', ...rehearsal, '--run', name]);
      expect({ seed, name, verified }).toEqual({ seed, name, verified: { code: 0, complaint: undefined } });
    }
  },
  KILLS * 60_000,
);
