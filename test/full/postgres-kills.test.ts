/**
 * `data-import run --database`, killed by SIGKILL at random moments while its PostgreSQL is restarted now and then, by
 * turns in order and as by a crash; seen from the service's log. FC_SEED repeats the moments.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { sampleBook } from '../../src/migration/sample.js';
import { seed } from '../helpers/seed.js';
import { hasPostgres, type PostgresServer, startPostgres } from '../migration/ledger/postgres-server.js';
import { randomNumbers } from '../migration/simulation-book.js';
import { openRun } from './killed-runs.js';
import { outcomeOf, problemsOfRun, type RunOutcome } from './run-outcome.js';

const ACCOUNTS = 500;
const KILLS = 50;
/** Every so manieth life has one. */
const RESTART_EVERY = 10;
/** A life makes so many requests at most; a whole run makes about 2,000. */
const MOST_REQUESTS = 90;
/** More lives than any draw of moments takes. */
const MOST_LIVES = 200;

const isThere = hasPostgres();
let folder = '';
let server: PostgresServer;
let lines: string[] = [];
let calm: RunOutcome;
beforeAll(async () => {
  if (!isThere) return;
  folder = mkdtempSync(join(tmpdir(), 'postgres-kills-'));
  lines = [...sampleBook({ accounts: ACCOUNTS, seed })].map(({ line }) => line);
  writeFileSync(join(folder, 'book.jsonl'), `${lines.join('\n')}\n`);
  const run = await openRun('book.jsonl', folder, 'calm');
  expect(await run.live()).toMatchObject({ code: 3, complaint: undefined });
  await run.close();
  calm = outcomeOf(join(folder, 'calm'));
  server = await startPostgres();
});
afterAll(async () => {
  await server?.remove();
  if (folder !== '') rmSync(folder, { recursive: true, force: true });
});

test.skipIf(!isThere)(
  `killed ${KILLS} times, with ${KILLS / RESTART_EVERY} restarts of the database: nothing is lost, nothing is done twice, and the balance holds`,
  async () => {
    vi.stubEnv('DATA_IMPORT_DATABASE', server.url);
    onTestFinished(() => void vi.unstubAllEnvs());
    const random = randomNumbers(seed);
    const counted = { kills: 0, restarts: 0, foundItAway: 0, runs: 0 };
    let restarting: Promise<void> | undefined;

    for (let lives = 0; counted.kills < KILLS; ) {
      const name = `run_${++counted.runs}`;
      vi.stubEnv('DATA_IMPORT_DATABASE_SCHEMA', name);
      let restartAt = Number.POSITIVE_INFINITY;
      const run = await openRun('book.jsonl', folder, name, (requests) => {
        if (requests < restartAt) return;
        restartAt = Number.POSITIVE_INFINITY;
        restarting = restart(server, ++counted.restarts % 2 === 0 ? 'immediate' : 'fast');
      });
      let sent = 0;
      for (let isOver = false; !isOver && lives < MOST_LIVES; lives++) {
        const requests = Math.ceil(random() * MOST_REQUESTS);
        if (lives % RESTART_EVERY === RESTART_EVERY / 2) restartAt = sent + Math.ceil(random() * requests);
        const isToDie = counted.kills < KILLS;
        const life = await run.live(isToDie ? { requests, laterMs: random() * 5 } : undefined);
        sent += life.requests;
        if (life.code === null) counted.kills++;
        else if (life.code === 2 && restarting !== undefined) {
          // It began while there was no server: it says so, sends nothing, and the same command goes on later.
          expect(life).toMatchObject({ requests: 0, complaint: expect.stringContaining('cannot open schema') });
          counted.foundItAway++;
        } else {
          expect(life).toMatchObject({ code: expect.toSatisfy(isEnd), complaint: undefined });
          isOver = true;
        }
        // Some lives begin while it is away.
        if (random() < 0.7) await restarting;
        if (life.code !== null) {
          await restarting;
          restarting = undefined;
        }
      }
      await run.close();
      const outcome = outcomeOf(join(folder, name));
      const problems = problemsOfRun(outcome, calm, run.sandbox, lines);
      expect({ seed, name, problems }).toEqual({ seed, name, problems: [] });
    }
    process.stdout.write(`${JSON.stringify(counted)}\n`);
    expect(counted.kills).toBe(KILLS);
    expect(counted.restarts).toBeGreaterThanOrEqual(KILLS / RESTART_EVERY);
  },
);

/** 4 where a death left something of which nobody can tell, else 3: the book has mistakes. */
const isEnd = (code: number) => code === 3 || code === 4;

async function restart(server: PostgresServer, how: 'fast' | 'immediate'): Promise<void> {
  await server.stop(how);
  await server.start();
}
