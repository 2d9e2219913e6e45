/**
 * A service that answers 429 to one member of a fleet of three: how many requests all of them start in the pause that it
 * asks for, later than 100 ms after its answer. Counted by the service, in a process of its own, by its own clock.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { hasPostgres, type PostgresServer, startPostgres } from '../migration/ledger/postgres-server.js';
import type { Order, Pause } from './fleet-busy-service.js';
import { startMember } from './fleet-processes.js';

const TIMES = 30;
/** What a member may still send, in the time in which it is told. */
const TOLD_WITHIN_MS = 100;
/** A machine that is busy with something else may hold up a process for so long now and then, and it hears nothing. */
const MOST_LATE = TIMES / 10;
/** More than are done in all of that time. */
const ACCOUNTS = 40_000;
const MEMBERS = ['coordinator', 'worker-1', 'worker-2'] as const;

const isThere = hasPostgres();
const source = fileURLToPath(new URL('./fleet-busy-service.ts', import.meta.url));
const program = fileURLToPath(new URL('../../node_modules/.cache/fleet-busy-service.mjs', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'fleet-pace-'));
let server: PostgresServer;
beforeAll(async () => {
  if (!isThere) return;
  await build({ bundle: true, platform: 'node', format: 'esm', entryPoints: [source], outfile: program });
  const accounts = Array.from({ length: ACCOUNTS }, (_, nth) => ({
    account: { import_supplier: 'SUPPLIER', external_account_number: `A-${nth + 1}` },
  }));
  writeFileSync(join(folder, 'book.jsonl'), accounts.map((record) => `${JSON.stringify(record)}\n`).join(''));
  server = await startPostgres();
});
afterAll(async () => {
  await server?.remove();
  rmSync(folder, { recursive: true, force: true });
});

test.skipIf(!isThere)(
  'a 429 at one member stops all of them: 100 ms later nothing is started until the pause is over',
  async () => {
    const service = fork(program);
    onTestFinished(() => void service.kill());
    const [port] = (await once(service, 'message')) as [number];
    const places = {
      folder,
      name: 'paced',
      service: `http://127.0.0.1:${port}`,
      tokenOf: (member: string) => `token-of-${member}`,
      database: server.url,
      concurrency: 8,
      // Enough for all three, whatever it comes to.
      flags: ['--process-concurrency', '12-24'],
    };
    for (const member of MEMBERS) {
      const process = startMember(member, member === 'coordinator' ? 'coordinator' : 'worker', places);
      onTestFinished(() => process.kill('SIGKILL'));
    }

    const pauses: Pause[] = [];
    for (let time = 0; time < TIMES; time++) {
      const member = MEMBERS[time % MEMBERS.length] ?? 'coordinator';
      const pause = once(service, 'message');
      service.send({ member, all: MEMBERS } satisfies Order);
      const [told] = (await pause) as [Pause];
      pauses.push(told);
    }

    const isLate = ({ ms }: { ms: number }) => ms >= TOLD_WITHIN_MS;
    const late = pauses.map(({ starts }) => starts.filter(isLate).length);
    const counted = {
      pauses: TIMES,
      startsOfOthersInAsLongBefore: pauses.reduce((sum, { before }) => sum + before, 0),
      startsAfter100Ms: late.reduce((sum, count) => sum + count, 0),
      thoseOfTheRefused: pauses.flatMap(({ starts }) => starts).filter((one) => isLate(one) && one.isOfRefused).length,
      pausesWithSuch: late.filter((count) => count > 0).length,
      latestStartMs: Math.round(Math.max(0, ...pauses.flatMap(({ starts }) => starts.map(({ ms }) => ms)))),
    };
    process.stdout.write(`${JSON.stringify(counted)}\n`);
    // Without being told, the others would go on as before.
    expect(counted.startsOfOthersInAsLongBefore).toBeGreaterThan(10 * TIMES);
    expect(counted.pausesWithSuch).toBeLessThanOrEqual(MOST_LATE);
  },
);
