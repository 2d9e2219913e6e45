/** Every worker of a distributed run processes accounts, also where one of them could use all slots by itself. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { startImportService } from '../support/import-service.js';
import { openDoor } from './distributed-door.js';
import { startProcess } from './distributed-processes.js';
import { useDistributedServers } from './distributed-servers.js';
import { writeSlowInput } from './slow-process.js';

const PROCESS_MS = 300;
const LONGEST_WITHOUT_MS = 10_000;
/** More than can be processed while it is watched. */
const ACCOUNTS_PER_SLOT = 400;
/** After the last worker was seen. */
const WATCHED_MS = 15_000;
const COORDINATOR = 'coordinator';

const servers = useDistributedServers();

describe.skipIf(!servers.isThere)('a distributed run', () => {
  test.each([
    { slots: 8, workers: 2, concurrency: 8 },
    { slots: 2, workers: 2, concurrency: 8 },
    { slots: 40, workers: 9, concurrency: 40 },
  ])('of $slots slots, each process gets some, with $workers workers that could use all', async (given) => {
    const { slots, workers, concurrency } = given;
    const names = [COORDINATOR, ...Array.from({ length: workers }, (_, index) => `worker-${index + 1}`)];
    const service = await startImportService({ durationMs: () => PROCESS_MS });
    onTestFinished(() => service.close());
    const door = await openDoor({ fetch: service.fetch, token: 'token' });
    onTestFinished(() => door.close());
    const folder = mkdtempSync(join(tmpdir(), 'distributed-fair-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    writeSlowInput(join(folder, 'input.jsonl'), ACCOUNTS_PER_SLOT * slots);
    const places = {
      ...{ folder, name: `fair_${slots}`, service: door.url, tokenOf: door.tokenOf },
      ...{ database: servers.database(), concurrency },
      flags: ['--process-concurrency', `${slots}-${slots}`, '--yes'],
    };
    const processedBy = (name: string) =>
      door.passages.filter(({ worker, path, status }) => worker === name && status === 201 && IS_PROCESS.test(path));
    const start = (name: string) => {
      const worker = startProcess(name, name === COORDINATOR ? 'coordinator' : 'worker', places);
      onTestFinished(() => worker.kill('SIGKILL'));
    };
    start(COORDINATOR);
    // It has all slots before the others come.
    await vi.waitFor(() => expect(processedBy(COORDINATOR).length).toBeGreaterThan(slots), SOON);
    for (const name of names.slice(1)) start(name);
    await vi.waitFor(() => expect(new Set(door.passages.map(({ worker }) => worker)).size).toBe(names.length), SOON);
    const from = Date.now();
    await after(WATCHED_MS);
    const to = Date.now();

    const longest = Object.fromEntries(
      names.map((name) => {
        const moments = [from, ...processedBy(name).map(({ at }) => at), to].filter((at) => at >= from && at <= to);
        return [name, Math.max(...moments.map((at, index) => at - (moments[index - 1] ?? at)))];
      }),
    );
    const counts = Object.fromEntries(
      names.map((name) => [name, processedBy(name).filter(({ at }) => at >= from).length]),
    );
    process.stdout.write(`${JSON.stringify({ slots, longest, counts })}\n`);
    for (const name of names) expect.soft({ name, ms: longest[name] }).toSatisfy(({ ms }) => ms < LONGEST_WITHOUT_MS);
  });
});

const SOON = { timeout: 60_000, interval: 50 };
const IS_PROCESS = /process\/process/;
