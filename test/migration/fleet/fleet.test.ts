/** A run with members beside it: the same book, the same report, and each account once, whoever dies or is shut out. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { DataImportClient } from '../../../src/client.js';
import { createFleet, type FleetOptions } from '../../../src/migration/fleet/fleet.js';
import type { Joined } from '../../../src/migration/fleet/join.js';
import { startWorker } from '../../../src/migration/fleet/start-worker.js';
import type { WorkerOptions } from '../../../src/migration/fleet/worker.js';
import { bookOf, type MigrationOptions, runMigration, sampleBook } from '../../../src/migration/index.js';
import { createSandbox, type SandboxOptions } from '../../../src/sandbox/index.js';
import { account } from '../rehearsal.js';
import { createMemoryBoard } from './memory-board.js';
import { memoryDoorbell } from './memory-doorbell.js';
import { type MemoryMember, memoryFleet } from './memory-fleet-ledger.js';

const ADDRESS = 'http://localhost:1';

function openService(options: SandboxOptions = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'fleet-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const sandbox = createSandbox(options);
  const store = memoryFleet();
  const [board, doorbell] = [createMemoryBoard(), memoryDoorbell()];
  const clientOf = (token = sandbox.token) =>
    new DataImportClient({
      baseUrl: ADDRESS,
      token,
      fetch: (url, init) => sandbox.fetch(new Request(url, init)),
      retryBaseMs: 0,
      maxRetries: 0,
    });
  const joinAs = (name: string): Joined & { ledger: MemoryMember } => {
    const ledger = store.join(name);
    return { ledger, board, doorbell, queue: 'postgres', close: () => ledger.close() };
  };
  return {
    sandbox,
    board,
    joinAs,
    run(book: MigrationOptions['book'], fleet: Partial<FleetOptions> = {}, more: Partial<MigrationOptions> = {}) {
      const opened = createFleet(joinAs('first'), { address: ADDRESS, ...fleet });
      return runMigration({
        client: clientOf(),
        book,
        folder: join(folder, 'run'),
        team: 'SANDBOX_TEAM',
        fleet: opened,
        ...more,
      });
    },
    worker(name: string, more: Partial<WorkerOptions> & { joined?: Joined; token?: string } = {}) {
      const { joined = joinAs(name), token, ...options } = more;
      const client = clientOf(token);
      return startWorker({ client, address: ADDRESS, database: 'memory', name, ...options }, async () => joined);
    },
    report: () => JSON.parse(readFileSync(join(folder, 'run', 'report.json'), 'utf8')),
    created: () =>
      sandbox
        .requests()
        .filter(({ change }) => change === 'staged → imported')
        .map(({ account: number }) => number),
  };
}

const accounts = (count: number) => Array.from({ length: count }, (_, index) => account(`A-${index + 1}`));

describe('a fleet', () => {
  test('carries a book of businesses and accounts as one machine does', async () => {
    const lines = [...sampleBook({ accounts: 200, seed: 7 })].map(({ line }) => JSON.parse(line) as unknown);
    const alone = openService();
    const { fleet: _, ...calm } = await runAlone(alone, lines);
    const service = openService();
    const workers = await Promise.all(['second', 'third'].map((name) => service.worker(name)));
    const { summary, state } = await service.run(bookOf(lines));
    expect(state).toBe('finished');
    expect(summary).toMatchObject({ ...calm.summary, errors: expect.any(Array), funnel: expect.any(Array) });
    expect(summary.balance).toEqual(calm.summary.balance);
    expect(service.created().toSorted()).toEqual(alone.created().toSorted());
    const left = await Promise.all(workers.map(({ finished }) => finished));
    expect(left.map((worker) => worker.state)).toEqual(['over', 'over']);
    for (const { work } of left) expect(work.ended).toBeGreaterThan(0);
  });
});

async function runAlone(service: ReturnType<typeof openService>, lines: readonly unknown[]) {
  return { fleet: undefined, ...(await service.run(bookOf(lines))) };
}
void vi;
void accounts;
