/**
 * A distributed run of a coordinator and two workers, killed by SIGKILL and stopped by SIGSTOP at random moments, while its database is
 * restarted now and then, in order and as by a crash, against an independent service whose calls take 0.2 to 4 s and create at their end, also where the caller is gone (U30, U31).
 * `DISTRIBUTED_KILLS=300 DISTRIBUTED_STOPS=50` is the whole of it; FC_SEED repeats the moments.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { seed } from '../helpers/seed.js';
import { usePostgres } from '../migration/ledger/postgres/use-postgres.js';
import { randomNumbers } from '../migration/simulation/simulated-input.js';
import { startImportService } from '../support/import-service.js';
import { openDoor, type Passage } from './distributed-door.js';
import { surviveFire } from './distributed-under-fire.js';
import { foundAt, writeSlowInput } from './slow-process.js';

const KILLS = Number(process.env['DISTRIBUTED_KILLS'] ?? 30);
const STOPS = Number(process.env['DISTRIBUTED_STOPS'] ?? 2);
/** Kills from one restart of the database to the next. */
const RESTART_EVERY = 8;
const SLOW = /process\/process|notes|transactions/;
const MOST_MS_A_KILL = 20_000;
/**
 * Stage, process, notes and transactions, and what is asked after kills: otherwise most kills would come before the first notes. On a busy
 * machine, which asks less often, it was 6 to 8; on a calm one 11.
 */
const REQUESTS_PER_ACCOUNT = 7;
/** Accounts per kill: with fewer, the workers would only start. */
const ACCOUNTS_PER_KILL = 6;
const CONTROL_KILLS = 15;
const DURATION_MS = [200, 4000] as const;
/** Longer than a heartbeat (5 s) and the time for which a process may send without contact (15 s). */
const STOP_MS = [11_000, 20_000] as const;

/**
 * Others take the records of a killed process over after 5 to 20 s. Its requests run for longer, and for less long than the quiet
 * time: an intent is up to a quarter of that older than its request.
 */
const AFTER_LOSS_MS = [20_000, 40_000] as const;
/** The default. */
const GRACE_S = 60;

const { isThere, server } = usePostgres();

interface Run {
  name: string;
  kills: number;
  stops: number;
  restarts: number;
  graceS: number;
  onEnd: (end: () => unknown) => void;
}

async function runKilled(lane: number, { name, kills, stops, restarts, graceS, onEnd }: Run) {
  const accounts = ACCOUNTS_PER_KILL * kills;
  const random = randomNumbers(seed + lane);
  const between = ([least, most]: readonly [number, number]) => least + random() * (most - least);
  const service = await startImportService({
    durationMs: () => between(DURATION_MS),
    afterLossMs: () => between(AFTER_LOSS_MS),
  });
  onEnd(service.close);
  const door = await openDoor({ fetch: service.fetch, token: 'token' });
  onEnd(door.close);
  const folder = mkdtempSync(join(tmpdir(), `distributed-kills-${name}-`));
  onEnd(() => rmSync(folder, { recursive: true, force: true }));
  writeSlowInput(join(folder, 'input.jsonl'), accounts);
  const { url, tokenOf } = door;
  const places = {
    ...{ folder, name, service: url, tokenOf, database: server.url, concurrency: 8 },
    // With more, the workers process all accounts first, and kills rarely meet notes and transactions.
    flags: ['--process-concurrency', '8'],
    waits: { timeout: 5, grace: graceS },
  };
  let restarted = 0;
  const restart = async () => {
    await server.stop(++restarted % 2 === 0 ? 'immediate' : 'fast');
    await server.start();
  };
  const fire = {
    ...{ kills, requests: REQUESTS_PER_ACCOUNT * accounts, random },
    disturb: (kill: number) => (restarts > 0 && kill % RESTART_EVERY === 0 ? restart : undefined),
    ...(stops > 0 && { stops: { count: stops, ms: () => between(STOP_MS) } }),
    isWork: ({ path, status }: Passage) => status === undefined && SLOW.test(path),
  };
  const survived = await surviveFire(door, places, fire, onEnd);
  const found = foundAt(service, accounts);
  const counted = { ...survived.counted, ...service.overlaps(), lost: found.lost.length, twice: found.twice.length };
  process.stdout.write(`${JSON.stringify({ seed, name, accounts, requests: door.passages.length, ...counted })}\n`);
  const { summary } = JSON.parse(readFileSync(join(folder, name, 'report.json'), 'utf8'));
  const { coordinator, workers, complaints } = survived;
  return { accounts, coordinator, workers, complaints, found, counted, created: summary.created };
}

describe.skipIf(!isThere)('a distributed run whose killed workers leave requests running', () => {
  const onEnd = (end: () => unknown) => onTestFinished(async () => void (await end()));
  test(
    `U30, U31 ${KILLS} kills, ${STOPS} stops, and restarts of the database: nothing is lost, and nothing is there twice`,
    async () => {
      const restarts = Math.floor(KILLS / RESTART_EVERY);
      const run = { name: 'slow', kills: KILLS, stops: STOPS, restarts, graceS: GRACE_S, onEnd };
      const { accounts, coordinator, workers, complaints, found, counted, created } = await runKilled(0, run);
      const over = { code: 0, signal: null };
      expect.soft({ seed, ...found }).toEqual({ seed, lost: [], twice: [] });
      expect.soft({ seed, complaints, coordinator, workers, created }).toEqual({
        ...{ seed, complaints: [], coordinator: over, workers: [over, over], created: accounts },
      });
      expect.soft(counted).toMatchObject({ kills: KILLS, stops: STOPS, disturbed: restarts });
      // Without these the rule would not have been needed.
      expect(counted.ofCoordinator).toBeGreaterThan(0);
      expect(counted.askedMeanwhile).toBeGreaterThan(0);
      const { process: ofProcess, notes, transactions } = counted.ranOn;
      expect(ofProcess).toBeGreaterThan(KILLS / 10);
      expect(notes + transactions).toBeGreaterThan(KILLS / 10);
    },
    Math.max(600_000, KILLS * MOST_MS_A_KILL),
  );

  test(`without a quiet time the same workers create accounts or items twice after ${CONTROL_KILLS} kills`, async () => {
    const control = { name: 'control', kills: CONTROL_KILLS, stops: 0, restarts: 0, graceS: 0, onEnd };
    const { found } = await runKilled(1, control);
    // Items of an account that is there twice may have an unknown outcome, which is no part of this.
    expect({ seed, ...found }).toMatchObject({ twice: [expect.any(String), ...found.twice.slice(1)] });
  }, 600_000);
});
