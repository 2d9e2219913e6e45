/**
 * `data-import-sdk run`, killed by SIGKILL at random moments, half of the time while it recovers from the kill before;
 * seen from the service's log. `RUN_KILLS` says how many; 3,000 on demand.
 */
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { seed } from '../helpers/seed.js';
import { randomNumbers } from '../migration/simulation/simulated-input.js';
import { type CalmRun, runInCalm } from './calm-run.js';
import { type Moment, openRun, type SessionEnd } from './killed-runs.js';
import { outcomeOf, problemsOfRun } from './run-outcome.js';

const KILLS = Number(process.env['RUN_KILLS'] ?? 100);
const ACCOUNTS = 2000;
/** Most requests of a session that is killed at work; a whole run makes about 8,000. */
const MOST_REQUESTS = 500;
/** Number of requests within which a session still reconciles what the one before left. */
const RECOVERING = 16;
/** What arrives between the decision to kill and the crash. */
const ON_THE_WAY = 64;

let calm: CalmRun;
beforeAll(async () => {
  calm = await runInCalm(ACCOUNTS);
});
afterAll(() => calm?.remove());

const counted = { kills: 0, whileRecovering: 0, beforeTheFirstRequest: 0, runs: 0 };

test(
  `killed ${KILLS} times, half of them while it recovers: nothing is lost, nothing is done twice, and the end is the same`,
  async () => {
    const lanes = availableParallelism();
    // One after the other in each lane, and as many lanes as cores.
    await Promise.all(Array.from({ length: lanes }, (_, lane) => killRuns(lane)));
    process.stdout.write(`${JSON.stringify(counted)}\n`);
    expect(counted.kills).toBe(KILLS);
    expect(counted.whileRecovering).toBeGreaterThanOrEqual(KILLS / 2);
  },
  KILLS * 10_000,
);

async function killRuns(lane: number): Promise<void> {
  const random = randomNumbers(seed + lane);
  while (counted.kills < KILLS) {
    const name = `run-${++counted.runs}`;
    const run = await openRun('input.jsonl', calm.folder, name);
    const { code, complaint } = await runToTheEnd(run, random);
    await run.close();
    // Checks the messages first: a session that was interrupted leaves no outcome.
    expect({ seed, name, code, complaint }).toEqual({
      seed,
      name,
      code: expect.toSatisfy(isEnd),
      complaint: undefined,
    });
    const outcome = outcomeOf(join(calm.folder, name));
    const problems = problemsOfRun(outcome, calm.outcome, run.sandbox, calm.lines);
    // 4 if a kill left an unknown outcome, else 3: the input has mistakes.
    const expected = { seed, name, code: outcome.summary.unknown > 0 ? 4 : 3, problems: [] };
    expect({ seed, name, code, problems }).toEqual(expected);
  }
}

const isEnd = (code: number) => code === 3 || code === 4;

async function runToTheEnd(run: Awaited<ReturnType<typeof openRun>>, random: () => number): Promise<SessionEnd> {
  let startedMs = 500;
  let isRecovering = false;
  for (;;) {
    const moment = counted.kills < KILLS ? (isRecovering ? inRecovery(random, startedMs) : atWork(random)) : undefined;
    // Counted before it happens, so that the lanes together kill no more than they should.
    if (moment !== undefined) counted.kills++;
    const session = await run.runSession(moment);
    if (session.code !== null) {
      if (moment !== undefined) counted.kills--;
      return session;
    }
    if (isRecovering && session.requests < ON_THE_WAY) counted.whileRecovering++;
    if (session.requests === 0) counted.beforeTheFirstRequest++;
    startedMs = session.startedMs ?? startedMs;
    // Some die more than once before they come to work again.
    isRecovering = !isRecovering || random() < 0.4;
  }
}

function atWork(random: () => number): Moment {
  return { requests: RECOVERING + Math.ceil(random() * MOST_REQUESTS), laterMs: random() * 5 };
}

/** A third of them before the first request: while it opens and reads its ledger. */
function inRecovery(random: () => number, startedMs: number): Moment {
  if (random() < 1 / 3) return { ms: startedMs * (0.6 + 0.4 * random()), laterMs: 0 };
  return { requests: Math.ceil(random() * RECOVERING), laterMs: 0 };
}
