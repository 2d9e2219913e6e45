/**
 * A distributed run of three, killed by SIGKILL again and again, while its database is restarted; seen from the service's log. FC_SEED
 * repeats the moments; the whole of it is `RESTART_KILLS=200 RESTART_ACCOUNTS=20000`.
 */
import { describe, expect, onTestFinished, test } from 'vitest';
import { seed } from '../helpers/seed.js';
import { usePostgres } from '../migration/ledger/postgres/use-postgres.js';
import { carryUnderFire, doneAgain, type Ordeal } from './distributed-outcome.js';
import { outcomeOf, problemsOfRun } from './run-outcome.js';

const KILLS = Number(process.env['RESTART_KILLS'] ?? 20);
const ACCOUNTS = Number(process.env['RESTART_ACCOUNTS'] ?? 600);
/** A whole kill costs seconds, whatever the size of the input. */
const MOST_MS_A_KILL = 20_000;

const { isThere, server } = usePostgres();

describe.skipIf(!isThere)('a distributed run of three under fire', () => {
  const RESTARTS = Math.max(1, KILLS / 20);
  test(
    `${KILLS} kills and ${RESTARTS} restarts of the database: everything as in a calm run of one`,
    async () => {
      let restarts = 0;
      const disturb = (kill: number) =>
        kill % (KILLS / RESTARTS) === 0 ? () => restartDatabase(++restarts) : undefined;
      await expectAsInCalm({ name: 'killed', accounts: ACCOUNTS, kills: KILLS, disturb }, RESTARTS);
    },
    KILLS * MOST_MS_A_KILL,
  );
});

/** In order and as by a crash, by turns. */
async function restartDatabase(nth: number): Promise<void> {
  await server.stop(nth % 2 === 0 ? 'immediate' : 'fast');
  await server.start();
}

async function expectAsInCalm(ordeal: Omit<Ordeal, 'database' | 'onBroken'>, disturbances: number): Promise<void> {
  const { calm, sandbox, door, runFolder, coordinator, workers, counted, complaints } = await carryUnderFire({
    ...ordeal,
    database: server.url,
    onBroken: (end) => onTestFinished(async () => void (await end())),
  });
  const { accounts, kills } = ordeal;
  process.stdout.write(`${JSON.stringify({ accounts, requests: door.passages.length, ...counted })}\n`);
  // What the service saw comes as well, whatever they complained of.
  expect.soft({ seed, complaints }).toEqual({ seed, complaints: [] });
  expect(counted).toMatchObject({ kills, disturbed: disturbances });
  expect(counted.ofCoordinator).toBeGreaterThan(kills / 20 - 1);
  expect(counted.atWork).toBeGreaterThan(kills / 2);

  const outcome = outcomeOf(runFolder);
  const problems = problemsOfRun(outcome, calm.outcome, sandbox, calm.lines);
  // The control is that the same distributed run does, with a ledger that checks nothing.
  expect({ seed, problems, again: doneAgain(sandbox.requests()) }).toEqual({ seed, problems: [], again: [] });
  // 4 if a kill left an unknown outcome, else 3: the input has mistakes.
  const expected = { code: outcome.summary.unknown > 0 ? 4 : 3, signal: null };
  const over = { code: 0, signal: null };
  expect({ seed, coordinator, workers }).toEqual({ seed, coordinator: expected, workers: [over, over] });
}
