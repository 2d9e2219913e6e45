/**
 * examples/engines as processes that are killed by SIGKILL at random requests, and started again: every account is created once, and no
 * item is there twice. ENGINE_KILLS sets the number of kills, for each example.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { run as runCommand } from '../cli/typed.js';
import { hasProgram } from '../helpers/debian.js';
import { newFolder } from '../helpers/folder.js';
import { seed } from '../helpers/seed.js';
import { freePort } from '../migration/ledger/postgres/server.js';
import { usePostgres } from '../migration/ledger/postgres/use-postgres.js';
import { randomNumbers } from '../migration/simulation/simulated-input.js';
import { startImportService } from '../support/import-service.js';
import { foundAt, writeSlowInput } from './slow-process.js';

const KILLS = Number(process.env['ENGINE_KILLS'] ?? 100);
const LANES = 3;
/** Of one import, which has four requests for each. */
const ACCOUNTS = 60;
const MOST_REQUESTS_BEFORE_A_KILL = 16;
const MOST_MS_A_KILL = 60_000;

const example = (name: string) => fileURLToPath(new URL(`../../examples/engines/${name}`, import.meta.url));

const { isThere, server } = usePostgres();

describe.skipIf(!isThere)('dbos.mjs', () => {
  test(
    `is killed ${KILLS} times, and every account is created once`,
    async () => {
      await killAll('dbos.mjs', (name) => ({
        DATA_IMPORT_DATABASE: server.url,
        DATA_IMPORT_DATABASE_SCHEMA: name.replaceAll('-', '_'),
      }));
    },
    Math.max(300_000, (KILLS * MOST_MS_A_KILL) / LANES),
  );
});

const hasRedis = hasProgram('/usr/bin/redis-server', 'redis-server', 'the example with BullMQ');

describe.skipIf(!hasRedis)('bullmq.mjs', () => {
  let redis: ChildProcess;
  let port: number;
  beforeAll(async () => {
    port = await freePort();
    const args = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--dir', tmpdir()];
    redis = spawn('redis-server', args, { stdio: ['ignore', 'pipe', 'ignore'] });
    for await (const text of redis.stdout ?? []) if (String(text).includes('Ready to accept connections')) break;
  });
  afterAll(async () => {
    const ended = once(redis, 'exit');
    redis.kill('SIGKILL');
    await ended;
  });

  test(
    `is killed ${KILLS} times, and every account is created once`,
    async () => {
      await killAll('bullmq.mjs', () => ({ REDIS_PORT: String(port) }));
    },
    Math.max(300_000, (KILLS * MOST_MS_A_KILL) / LANES),
  );

  // All disturbances are tried, also on a busy machine: the time is a bound for one that is busier still.
  test('is certified', { timeout: 600_000 }, async () => {
    const disturbances = ['killed-during', 'answer-lost', 'token-ended', 'started-twice'];
    const only = disturbances.flatMap((kind) => ['--only', kind]);
    const script = `REDIS_PORT=${port} exec node ${example('bullmq.mjs')}`;
    const { out } = await runCommand('certify', '--time', '300', ...only, '--', 'sh', '-c', script);
    expect(out).toMatch(/executions, 0 with a finding.*: passed\n$/);
  });
});

/** Imports again and again, some imports at a time, until the processes have been killed `KILLS` times. */
async function killAll(script: string, more: (name: string) => Record<string, string>): Promise<void> {
  let kills = 0;
  const lane = async (index: number) => {
    const random = randomNumbers(seed + index);
    for (let run = 0; kills < KILLS; run++) {
      const name = `engine-${index}-${run}`;
      await killRun(script, name, random, { mayKill: () => kills < KILLS, onKill: () => kills++, more: more(name) });
    }
  };
  await Promise.all(Array.from({ length: LANES }, (_, index) => lane(index)));
  expect(kills).toBeGreaterThanOrEqual(KILLS);
}

interface Kills {
  mayKill: () => boolean;
  onKill: () => void;
  more: Record<string, string>;
}

/** One import, started again after each kill, to its end. */
async function killRun(script: string, name: string, random: () => number, { mayKill, onKill, more }: Kills) {
  let arrived = () => {};
  const service = await startImportService({
    durationMs: () => 20 + random() * 280,
    fault: () => {
      arrived();
      return undefined;
    },
  });
  const folder = newFolder(`${name}-`);
  mkdirSync(join(folder, 'state'));
  writeSlowInput(join(folder, 'input.jsonl'), ACCOUNTS);
  const env = {
    ...process.env,
    DATA_IMPORT_BASE_URL: service.url,
    DATA_IMPORT_TOKEN: 'token',
    DATA_IMPORT_TEAM: 'EAST',
    DATA_IMPORT_INPUT: join(folder, 'input.jsonl'),
    DATA_IMPORT_RUN: join(folder, 'state'),
    DATA_IMPORT_TIMEOUT: '1',
    DATA_IMPORT_IN_FLIGHT_GRACE: '1',
    ...more,
  };
  for (;;) {
    const child = spawn(process.execPath, [example(script)], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    let said = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        said = (said + text).slice(-2000);
      });
    }
    const at = 1 + Math.floor(random() * MOST_REQUESTS_BEFORE_A_KILL);
    const laterMs = random() * 200;
    let requests = 0;
    arrived = () => {
      if (++requests === at && mayKill()) void after(laterMs).then(() => child.kill('SIGKILL'));
    };
    const [code] = (await once(child, 'close')) as [number | null];
    if (child.signalCode === 'SIGKILL') {
      onKill();
      continue;
    }
    expect({ seed, name, code, said }).toMatchObject({ seed, name, code: 0 });
    break;
  }
  await service.close();
  expect({ seed, name, ...foundAt(service, ACCOUNTS) }).toEqual({ seed, name, lost: [], twice: [] });
}
