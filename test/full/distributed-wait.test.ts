/**
 * A service that answers 429 to one of three workers: how many requests all of them start in the wait that it asks for, later
 * than 500 ms after its answer: each worker reads the shared state every 200 ms. Counted by the service, in a separate process,
 * by its own clock.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { Client } from 'pg';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { usePostgres } from '../migration/ledger/postgres/use-postgres.js';
import type { Order, Pause } from './distributed-busy-service.js';
import { startProcess } from './distributed-processes.js';

const TIMES = 30;
/** Calls that a worker may still send until it has read the pause. */
const NOTIFIED_WITHIN_MS = 500;
/** A machine whose timers are later than this is busy, so that workers read the pause later as well. */
const MOST_LAG_MS = 20;
/** A database whose commits take longer is slow, for example its disk, so that workers report and read the pause later as well. */
const MOST_COMMIT_MS = 100;
const COMMIT_EVERY_MS = 20;
/** Share of the other pauses in which it may be so all the same. A worker that does not read it is late in each. */
const MOST_LATE = 0.2;
/** More than are done in all of that time. */
const ACCOUNTS = 40_000;
const WORKERS = ['coordinator', 'worker-1', 'worker-2'] as const;

const source = fileURLToPath(new URL('./distributed-busy-service.ts', import.meta.url));
const program = fileURLToPath(new URL('../../node_modules/.cache/distributed-busy-service.mjs', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'distributed-wait-'));
const { isThere, server } = usePostgres(async () => {
  await build({ bundle: true, platform: 'node', format: 'esm', entryPoints: [source], outfile: program });
  const accounts = Array.from({ length: ACCOUNTS }, (_, nth) => ({
    account: { import_supplier: 'SUPPLIER', external_account_number: `A-${nth + 1}` },
  }));
  writeFileSync(join(folder, 'input.jsonl'), accounts.map((record) => `${JSON.stringify(record)}\n`).join(''));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test.skipIf(!isThere)(
  'after a 429 at one worker all of them wait: 500 ms later nothing is started until the wait is over',
  async () => {
    const service = fork(program);
    onTestFinished(() => void service.kill());
    const [port] = (await once(service, 'message')) as [number];
    const places = {
      folder,
      name: 'paced',
      service: `http://127.0.0.1:${port}`,
      tokenOf: (worker: string) => `token-of-${worker}`,
      database: server.url,
      concurrency: 8,
      // Enough for all three, whatever it comes to.
      flags: ['--process-concurrency', '12-24'],
    };
    for (const worker of WORKERS) {
      const process = startProcess(worker, worker === 'coordinator' ? 'coordinator' : 'worker', places);
      onTestFinished(() => process.kill('SIGKILL'));
    }

    const commits = await timeCommits(server.url);
    onTestFinished(() => commits.stop());
    const pauses: Pause[] = [];
    const slowestCommits: number[] = [];
    for (let time = 0; time < TIMES; time++) {
      const worker = WORKERS[time % WORKERS.length] ?? 'coordinator';
      const message = once(service, 'message');
      commits.slowestMs();
      service.send({ worker, all: WORKERS } satisfies Order);
      const [pause] = (await message) as [Pause];
      pauses.push(pause);
      slowestCommits.push(commits.slowestMs());
    }

    const late = pauses.map(({ starts }) => starts.filter(({ ms }) => ms >= NOTIFIED_WITHIN_MS));
    // The worker that got the 429 needs no notification: if its own calls are late, the whole machine is slow.
    const ofOthers = late.map((all) => all.filter(({ isOfRefused }) => !isOfRefused).length);
    const isQuiet = pauses.map(
      ({ lagMs }, nth) =>
        lagMs < MOST_LAG_MS && (slowestCommits[nth] ?? 0) < MOST_COMMIT_MS && late[nth]?.length === ofOthers[nth],
    );
    const quiet = ofOthers.filter((_, nth) => isQuiet[nth]);
    const counted = {
      pauses: TIMES,
      startsOfOthersInAsLongBefore: pauses.reduce((sum, { before }) => sum + before, 0),
      lateStartsOfOthers: ofOthers.reduce((sum, count) => sum + count, 0),
      lateStarts: late.flat().length,
      latestStartMs: Math.round(Math.max(0, ...pauses.flatMap(({ starts }) => starts.map(({ ms }) => ms)))),
      slowestCommitMs: Math.round(Math.max(...slowestCommits)),
      quietPauses: quiet.length,
      quietPausesWithSuch: quiet.filter((count) => count > 0).length,
    };
    process.stdout.write(`${JSON.stringify(counted)}\n`);
    expect(counted.startsOfOthersInAsLongBefore).toBeGreaterThan(10 * TIMES);
    // A worker that did not read the pause continues to send, on a busy machine too.
    expect(counted.lateStartsOfOthers).toBeLessThan(counted.startsOfOthersInAsLongBefore / 2);
    expect(counted.quietPausesWithSuch).toBeLessThanOrEqual(quiet.length * MOST_LATE);
  },
);

/** Commits a row again and again, on a separate connection. */
async function timeCommits(url: string): Promise<{ slowestMs(): number; stop(): Promise<void> }> {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query('create schema commits; create table commits.made (at integer)');
  let slowest = 0;
  let isStopped = false;
  const committing = (async () => {
    while (!isStopped) {
      const startedAt = performance.now();
      await client.query('insert into commits.made values (1)');
      slowest = Math.max(slowest, performance.now() - startedAt);
      await after(COMMIT_EVERY_MS);
    }
  })();
  return {
    /** Since the last call. */
    slowestMs() {
      const was = slowest;
      slowest = 0;
      return was;
    },
    async stop() {
      isStopped = true;
      await committing;
      await client.end();
    },
  };
}
