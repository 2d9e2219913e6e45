/** How soon the workers of a distributed run follow `pause` and `resume`, and take over the records of a killed one. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { newFolder } from '../helpers/folder.js';
import { PATIENCE } from '../helpers/patience.js';
import { usePostgres } from '../migration/ledger/postgres/use-postgres.js';
import { startImportService } from '../support/import-service.js';
import { openDoor, type Passage } from './distributed-door.js';
import { startProcess } from './distributed-processes.js';
import { writeSlowInput } from './slow-process.js';

const COMMAND = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));
const PROCESS_MS = 400;
const GRACE_S = 6;
/** What a command takes on a machine that has nothing else to do, at most: where it takes longer, everything does. */
const COMMAND_MS = 1500;
/** Of issue 21, on such a machine. */
const MOST_MS = { pause: 500, resume: 500, recovery: GRACE_S * 1000 + 15_000 };
const PAUSED_MS = 3000;
const IS_PROCESS = /process\/process/;

const { isThere, server } = usePostgres();

describe.skipIf(!isThere)('a distributed run', () => {
  /** A run of a coordinator and two workers that has begun to process accounts. */
  async function startRun(name: string) {
    const service = await startImportService({ durationMs: () => PROCESS_MS });
    onTestFinished(() => service.close());
    const door = await openDoor({ fetch: service.fetch, token: 'token' });
    onTestFinished(() => door.close());
    const folder = newFolder('distributed-delays-');
    writeSlowInput(join(folder, 'input.jsonl'), 2000);
    const places = {
      ...{ folder, name, service: door.url, tokenOf: door.tokenOf, concurrency: 8 },
      database: server.url,
      flags: ['--process-concurrency', '12-12', '--yes'],
      waits: { timeout: 5, grace: GRACE_S },
    };
    const processes = ['coordinator', 'worker-1', 'worker-2'].map((worker) =>
      startProcess(worker, worker === 'coordinator' ? 'coordinator' : 'worker', places),
    );
    onTestFinished(() => {
      for (const process of processes) process.kill('SIGKILL');
    });
    const isWorking = (worker: string) =>
      door.passages.filter((one) => one.worker === worker && one.status === 201 && IS_PROCESS.test(one.path)).length >
      5;
    await vi.waitFor(() => expect(processes.every((process) => isWorking(process.name))).toBe(true), PATIENCE);
    /** Resolves with the number of times that this machine is slower now. */
    const control = async (command: string) => {
      const startedAt = performance.now();
      await promisify(execFile)(process.execPath, [COMMAND, command, '--run', places.name], { cwd: folder });
      return Math.max(1, (performance.now() - startedAt) / COMMAND_MS);
    };
    return { door, processes, control };
  }

  test('starts its last call at most 0.5 s after pause, and the first one at most 0.5 s after resume', async () => {
    const { door, control } = await startRun('pause');
    const slownessOfPause = await control('pause');
    const pausedAt = Date.now();
    await after(PAUSED_MS * slownessOfPause);
    const last = Math.max(...door.passages.map(({ at }) => at));
    const slownessOfResume = await control('resume');
    const resumedAt = Date.now();
    await vi.waitFor(() => expect(door.passages.some(({ at }) => at > last)).toBe(true), PATIENCE);
    const first = Math.min(...door.passages.map(({ at }) => at).filter((at) => at > last));
    const took = { pause: last - pausedAt, resume: first - resumedAt, slownessOfPause, slownessOfResume };
    process.stdout.write(`${JSON.stringify(took)}\n`);
    expect(took).toSatisfy(
      ({ pause, resume }) =>
        pause <= MOST_MS.pause * slownessOfPause &&
        resume <= MOST_MS.resume * Math.max(slownessOfPause, slownessOfResume),
    );
  });

  test('the accounts of a killed worker are done after the quiet time and 15 s at most', async () => {
    const { door, processes, control } = await startRun('recovery');
    const victim = processes[1];
    const inFlight = ({ worker, path, status }: Passage) =>
      worker === victim?.name && status === undefined && IS_PROCESS.test(path);
    await vi.waitFor(() => expect(door.passages.filter(inFlight).length).toBeGreaterThan(2), {
      ...PATIENCE,
      interval: 5,
    });
    const accounts = new Set(door.passages.filter(inFlight).map(({ account }) => account));
    victim?.kill('SIGKILL');
    const killedAt = Date.now();
    // Notes are the last request of an account.
    const doneAt = (account: string | undefined) =>
      door.passages.find((one) => one.account === account && one.at > killedAt && /notes/.test(one.path) && one.status)
        ?.at;
    let slowness = 1;
    await vi.waitFor(async () => {
      slowness = Math.max(slowness, await control('resume'));
      expect([...accounts].map(doneAt)).not.toContain(undefined);
    }, PATIENCE);
    const recovery = Math.max(...[...accounts].map((account) => doneAt(account) ?? 0)) - killedAt;
    process.stdout.write(`${JSON.stringify({ accounts: accounts.size, recovery, slowness })}\n`);
    expect(recovery).toBeLessThanOrEqual(MOST_MS.recovery * slowness);
  });
});
