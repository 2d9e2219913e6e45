/**
 * `data-import-sdk run --database`, killed by SIGKILL at random moments while its PostgreSQL is restarted now and then, by
 * turns in order and as by a crash; seen from the service's log. FC_SEED repeats the moments.
 */
import { join } from 'node:path';
import { afterAll, expect, onTestFinished, test, vi } from 'vitest';
import { seed } from '../helpers/seed.js';
import type { PostgresServer } from '../migration/ledger/postgres/server.js';
import { usePostgres } from '../migration/ledger/postgres/use-postgres.js';
import { randomNumbers } from '../migration/simulation/simulated-input.js';
import { type CalmRun, runInCalm } from './calm-run.js';
import { openRun } from './killed-runs.js';
import { outcomeOf, problemsOfRun } from './run-outcome.js';

const ACCOUNTS = 300;
const KILLS = Number(process.env['POSTGRES_KILLS'] ?? 12);
/** Number of sessions from one restart to the next. */
const RESTART_EVERY = 4;
/** Most requests of a session; a whole run makes about 1,200. */
const MOST_REQUESTS = 90;
/** More sessions than any draw of moments takes. */
const MOST_SESSIONS = 200;

let calm: CalmRun;
const { isThere, server } = usePostgres(async () => {
  calm = await runInCalm(ACCOUNTS);
});
afterAll(() => calm?.remove());

test.skipIf(!isThere)(
  `killed ${KILLS} times, with ${KILLS / RESTART_EVERY} restarts of the database: nothing is lost, nothing is done twice, and the balance holds`,
  async () => {
    vi.stubEnv('DATA_IMPORT_DATABASE', server.url);
    onTestFinished(() => void vi.unstubAllEnvs());
    const random = randomNumbers(seed);
    const counted = { kills: 0, restarts: 0, foundItAway: 0, runs: 0 };
    let restarting: Promise<void> | undefined;

    for (let sessions = 0; counted.kills < KILLS; ) {
      const name = `run_${++counted.runs}`;
      vi.stubEnv('DATA_IMPORT_DATABASE_SCHEMA', name);
      let restartAt = Number.POSITIVE_INFINITY;
      const run = await openRun('input.jsonl', calm.folder, name, (requests) => {
        if (requests < restartAt) return;
        restartAt = Number.POSITIVE_INFINITY;
        restarting = restart(server, ++counted.restarts % 2 === 0 ? 'immediate' : 'fast');
      });
      let sent = 0;
      for (let isOver = false; !isOver && sessions < MOST_SESSIONS; sessions++) {
        const requests = Math.ceil(random() * MOST_REQUESTS);
        if (sessions % RESTART_EVERY === RESTART_EVERY / 2) restartAt = sent + Math.ceil(random() * requests);
        const isToDie = counted.kills < KILLS;
        const session = await run.runSession(isToDie ? { requests, laterMs: random() * 5 } : undefined);
        sent += session.requests;
        if (session.code === null) counted.kills++;
        else if (session.code === 2 && restarting !== undefined) {
          // It began while there was no server: it says so, sends nothing, and the same command continues later.
          expect(session).toMatchObject({ requests: 0, complaint: expect.stringContaining('cannot open schema') });
          counted.foundItAway++;
        } else {
          expect(session).toMatchObject({ code: expect.toSatisfy(isEnd), complaint: undefined });
          isOver = true;
        }
        // Some sessions begin while it is away.
        if (random() < 0.7) await restarting;
        if (session.code !== null) {
          await restarting;
          restarting = undefined;
        }
      }
      await run.close();
      const outcome = outcomeOf(join(calm.folder, name));
      const problems = problemsOfRun(outcome, calm.outcome, run.sandbox, calm.lines);
      expect({ seed, name, problems }).toEqual({ seed, name, problems: [] });
    }
    process.stdout.write(`${JSON.stringify(counted)}\n`);
    expect(counted.kills).toBe(KILLS);
    expect(counted.restarts).toBeGreaterThanOrEqual(KILLS / RESTART_EVERY);
  },
  KILLS * 20_000,
);

/** 4 if a kill left an unknown outcome, else 3: the input has mistakes. */
const isEnd = (code: number) => code === 3 || code === 4;

async function restart(server: PostgresServer, how: 'fast' | 'immediate'): Promise<void> {
  await server.stop(how);
  await server.start();
}
