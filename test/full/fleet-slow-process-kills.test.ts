/**
 * A distributed run of a coordinator and two workers, killed by SIGKILL at random moments, against an independent service that
 * goes on with the requests of a killed process until after others have taken its records over (U30, U31). `FLEET_SLOW_KILLS`
 * says how many kills; FC_SEED repeats the moments.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { seed } from '../helpers/seed.js';
import { hasRedis, type RedisServer, startRedis } from '../migration/distributed/redis-server.js';
import { hasPostgres, type PostgresServer, startPostgres } from '../migration/ledger/postgres/server.js';
import { randomNumbers } from '../migration/simulation/simulated-input.js';
import { startImportService } from '../support/import-service.js';
import { openDoor, type Passage } from './fleet-door.js';
import { surviveFire } from './fleet-under-fire.js';
import { foundAt, writeSlowInput } from './slow-process.js';

const KILLS = Number(process.env['FLEET_SLOW_KILLS'] ?? 90);
const LANES = 3;
const SLOW = /process\/process|notes|transactions/;
const MOST_MS_A_KILL = 20_000;
/** Stage, process, notes and transactions. */
const REQUESTS_PER_ACCOUNT = 4;
/** Between two kills the members need so many, or they do nothing but start. */
const ACCOUNTS_PER_KILL = 6;
const CONTROL_KILLS = 15;

/**
 * Others take the records of a killed process over 10 s after its death (its lease) or later, in the order of their queue. Its
 * requests run for longer, and for less long than the quiet time: an intent is up to a quarter of that older than its request.
 */
const AFTER_LOSS_MS = [20_000, 40_000] as const;
/** The default. */
const GRACE_S = 60;

const isThere = hasPostgres();
const isRedisThere = isThere && hasRedis();
let server: PostgresServer;
let redis: RedisServer | undefined;
beforeAll(async () => {
  if (isThere) server = await startPostgres();
  if (isRedisThere) redis = await startRedis({ aof: true });
});
afterAll(async () => {
  await redis?.remove();
  await server?.remove();
});

interface Fleet {
  name: string;
  kills: number;
  graceS: number;
  queue?: string | undefined;
  onEnd: (end: () => unknown) => void;
}

async function runKilled(lane: number, { name, kills, graceS, queue, onEnd }: Fleet) {
  const accounts = ACCOUNTS_PER_KILL * kills;
  const random = randomNumbers(seed + lane);
  const [least, most] = AFTER_LOSS_MS;
  const service = await startImportService({
    durationMs: () => 200 + random() * 1000,
    afterLossMs: () => least + random() * (most - least),
  });
  onEnd(service.close);
  const door = await openDoor({ fetch: service.fetch, token: 'token' });
  onEnd(door.close);
  const folder = mkdtempSync(join(tmpdir(), `fleet-slow-kills-${name}-`));
  onEnd(() => rmSync(folder, { recursive: true, force: true }));
  writeSlowInput(join(folder, 'book.jsonl'), accounts);
  const { url, tokenOf } = door;
  const places = {
    ...{ folder, name, service: url, tokenOf, database: server.url, queue, concurrency: 8 },
    flags: ['--process-concurrency', '16'],
    waits: { timeout: 5, grace: graceS },
  };
  const fire = {
    ...{ kills, requests: REQUESTS_PER_ACCOUNT * accounts, random, disturb: () => undefined },
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

// Most of the time they wait, for leases and quiet times: so all at once.
describe.skipIf(!isThere)('a distributed run whose killed members leave requests running', { concurrent: true }, () => {
  test(`U30, U31 ${KILLS} kills of members whose requests run on: nothing is lost, and nothing is there twice`, {
    timeout: Math.max(400_000, (KILLS * MOST_MS_A_KILL) / LANES),
  }, async ({ expect, onTestFinished }) => {
    const onEnd = (end: () => unknown) => onTestFinished(async () => void (await end()));
    const lanes = Array.from({ length: LANES }, (_, lane) => lane);
    const runs = await Promise.all(
      lanes.map((lane) => {
        const kills = Math.floor((KILLS + lane) / LANES);
        const queue = lane === 0 ? redis?.url : undefined;
        return runKilled(lane, { name: `slow_${lane}`, kills, graceS: GRACE_S, queue, onEnd });
      }),
    );
    const over = { code: 0, signal: null };
    for (const { accounts, coordinator, workers, complaints, found, created } of runs) {
      expect.soft({ seed, ...found }).toEqual({ seed, lost: [], twice: [] });
      expect.soft({ seed, complaints, coordinator, workers, created }).toEqual({
        ...{ seed, complaints: [], coordinator: over, workers: [over, over], created: accounts },
      });
    }
    const sum = (of: (run: (typeof runs)[number]['counted']) => number) =>
      runs.reduce((total, { counted }) => total + of(counted), 0);
    expect(sum(({ kills }) => kills)).toBe(KILLS);
    // Without these the rule would not have been needed.
    expect(sum(({ ofCoordinator }) => ofCoordinator)).toBeGreaterThan(0);
    for (const kind of ['process', 'notes', 'transactions'] as const) {
      expect(sum(({ ranOn }) => ranOn[kind])).toBeGreaterThan(KILLS / 10);
    }
    expect(sum(({ askedMeanwhile }) => askedMeanwhile)).toBeGreaterThan(0);
  });

  test(`without a quiet time the same members create accounts or items twice after ${CONTROL_KILLS} kills`, {
    timeout: 400_000,
  }, async ({ expect, onTestFinished }) => {
    const onEnd = (end: () => unknown) => onTestFinished(async () => void (await end()));
    const { found } = await runKilled(LANES, { name: 'control', kills: CONTROL_KILLS, graceS: 0, onEnd });
    expect({ seed, ...found }).toMatchObject({ lost: [], twice: [expect.any(String), ...found.twice.slice(1)] });
  });
});
