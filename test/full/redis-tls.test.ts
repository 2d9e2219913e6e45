/** A distributed run whose queue is a Redis with TLS and a password. It has a certificate of a company's own authority. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { openWorkQueue } from '../../src/migration/distributed/queue/work-queue.js';
import { createSandbox } from '../../src/sandbox/index.js';
import { createAuthority, hasOpenssl, OF_SERVER } from '../helpers/certificates.js';
import { seed } from '../helpers/seed.js';
import { hasRedis, type RedisServer, type RedisTls, startRedis } from '../migration/distributed/redis-server.js';
import { hasPostgres, type PostgresServer, startPostgres } from '../migration/ledger/postgres/server.js';
import { type CalmRun, runInCalm } from './calm-run.js';
import { openDoor } from './distributed-door.js';
import { type RunPlaces, startProcess } from './distributed-processes.js';
import { outcomeOf, problemsOfRun } from './run-outcome.js';

const ACCOUNTS = 120;
const PASSWORD = 'not/to be seen';
const PATIENCE = { timeout: 60_000, interval: 50 };

const isThere = hasPostgres() && hasRedis() && hasOpenssl('a Redis with TLS');
let server: PostgresServer;
let calm: CalmRun;
let folder: string;
let tls: RedisTls;
beforeAll(async () => {
  if (!isThere) return;
  folder = mkdtempSync(join(tmpdir(), 'redis-tls-'));
  const { ca, issue } = createAuthority(folder);
  tls = { ca, ...issue('redis', OF_SERVER) };
  calm = await runInCalm(ACCOUNTS);
  server = await startPostgres();
});
afterAll(async () => {
  await server?.remove();
  calm?.remove();
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
});

/** A run of two processes that trust the authority. */
async function startRun(name: string, queue: string) {
  const sandbox = createSandbox({
    logLimit: 1_000_000,
    showPersonalData: true,
    faults: [{ effect: { latencyMs: 20 } }],
  });
  const door = await openDoor({ fetch: (request) => sandbox.fetch(request), token: sandbox.token });
  onTestFinished(() => door.close());
  const places: RunPlaces = {
    ...{ folder: calm.folder, name, service: door.url, tokenOf: door.tokenOf, database: server.url, queue },
    ...{ concurrency: 4, flags: ['--process-concurrency', '8-16'], env: { NODE_EXTRA_CA_CERTS: tls.ca } },
  };
  const coordinator = startProcess('coordinator', 'coordinator', places);
  const worker = startProcess('worker', 'worker', places);
  onTestFinished(() => {
    coordinator.kill('SIGKILL');
    worker.kill('SIGKILL');
  });
  return {
    door,
    coordinator,
    worker,
    /** Waits for the end. The input has mistakes: code 3. */
    async expectAllOnce(): Promise<void> {
      const ends = await Promise.all([coordinator.ended, worker.ended]);
      const said = coordinator.said() + worker.said();
      expect({ codes: ends.map(({ code }) => code), said }).toEqual({ codes: [3, 0], said });
      const problems = problemsOfRun(outcomeOf(join(calm.folder, name)), calm.outcome, sandbox, calm.lines);
      expect({ seed, problems }).toEqual({ seed, problems: [] });
      expect(said).not.toContain(encodeURIComponent(PASSWORD));
    },
  };
}

/** Resolves with the message of a queue that cannot be opened by this process, which does not trust the authority. */
async function refusal(queue: string): Promise<string> {
  const opened = await openWorkQueue({ queue, ledgerId: 'run-1', name: 'w1' }).catch((error: unknown) => error);
  expect(opened).toMatchObject({ name: 'QueueError' });
  return (opened as Error).message;
}

describe.skipIf(!isThere)('a Redis that requires TLS and a password', () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await startRedis({ aof: false, password: PASSWORD, tls });
  });
  afterAll(() => redis?.remove());

  test('is used by run and worker with NODE_EXTRA_CA_CERTS: each record is imported once', async () => {
    const { door, coordinator, expectAllOnce } = await startRun('with_tls', redis.url);
    const report = join(calm.folder, 'with_tls/report.json');
    await vi.waitFor(() => expect(JSON.parse(readFileSync(report, 'utf8')).run.state).toBe('finished'), PATIENCE);
    // Sooner than the 15 s after which a silent connection counts as broken: no timer of one keeps the process.
    await vi.waitFor(() => expect(coordinator.end()).toBeDefined(), { timeout: 10_000 });
    await expectAllOnce();
    expect(new Set(door.passages.map(({ worker }) => worker))).toEqual(new Set(['coordinator', 'worker']));
  });

  test('is refused without its authority, with the remedy', async () => {
    expect(await refusal(redis.url)).toBe(
      `queue: cannot open Redis on 127.0.0.1:${redis.port} (self-signed certificate in certificate chain). Set the environment ` +
        'variable NODE_EXTRA_CA_CERTS to the file with the certificate of its authority (PEM), and repeat the command.',
    );
  });

  test('is refused without TLS, with the remedy', async () => {
    expect(await refusal(redis.url.replace('rediss:', 'redis:'))).toContain(
      'If the Redis requires TLS, its address begins with rediss://',
    );
  });
});

describe.skipIf(!isThere)('a Redis that cannot store the jobs is refused', () => {
  test('because it is a replica', async () => {
    const primary = await startRedis({ aof: false });
    const replica = await startRedis({ aof: false, settings: ['--replicaof', '127.0.0.1', String(primary.port)] });
    onTestFinished(async () => {
      await replica.remove();
      await primary.remove();
    });
    expect(await refusal(replica.url)).toBe(
      `queue: cannot open Redis on 127.0.0.1:${replica.port} (READONLY replica). It is a read-only replica: give the address of the ` +
        'primary server.',
    );
  });

  test('because it is a Redis Cluster', async () => {
    const cluster = await startRedis({ aof: false, settings: ['--cluster-enabled', 'yes'] });
    onTestFinished(() => cluster.remove());
    expect(await refusal(cluster.url)).toBe(
      `queue: Redis on 127.0.0.1:${cluster.port} is a Redis Cluster, which cannot be used. Give a Redis without cluster mode.`,
    );
  });
});
