/**
 * Compares the peak memory of a run over 1,000,000 accounts with that of 10,000. It must not grow with the input, except
 * for the index of keys, which is measured separately.
 */
import type { ChildProcess } from 'node:child_process';
import { hash } from 'node:crypto';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createHashSet } from '../../src/migration/shared/hash-set.js';
import { inFolder, mib } from '../frame/figures.js';
import type { Sheet } from '../frame/sheet.js';
import { type BenchService, startService } from './bench-service.js';
import { smallAccounts, writeInputFile } from './books.js';
import { startRunner } from './start-runner.js';

const SMALL = 10_000;
const LARGE = 1_000_000;
/** The default of a run. */
const IN_FLIGHT = 32;

/** Memory in bytes, time in milliseconds and CPU in microseconds of a run, as `runner.mjs` reports them. */
interface Taken {
  peakRss: number;
  /** The largest of several samples. */
  peakHeap: number;
  ms: number;
  cpuUs: number;
}

export async function measureMemory(sheet: Sheet<'migration'>): Promise<void> {
  const [small, large] = [sheet.size(SMALL, 50), sheet.size(LARGE, 200)];
  const service = await startService();
  const [few, many] = [await runOf(small, service), await runOf(large, service)];
  service.stop();
  for (const [accounts, { peakRss, peakHeap, ms, cpuUs }] of [
    [small, few],
    [large, many],
  ] as const) {
    sheet.say(
      `${accounts} accounts: peak resident ${mib(peakRss)}, heap ${mib(peakHeap)}; ` +
        `${(ms / 1000).toFixed(1)} s, CPU ${(cpuUs / accounts).toFixed(0)} us an account`,
    );
  }
  const index = indexBytes(large);
  sheet.say(`key index: ${(index / large).toFixed(1)} bytes a key, ${mib(index)} for ${large}`);
  sheet.fill('resident', () => ({ value: (many.peakRss - index) / few.peakRss }));
  sheet.fill('heap', () => ({ value: many.peakHeap / few.peakHeap }));
}

async function runOf(accounts: number, service: BenchService): Promise<Taken> {
  return inFolder(async (folder) => {
    const inputFile = join(folder, 'input.jsonl');
    await writeInputFile(inputFile, smallAccounts(accounts));
    await service.configure({ forget: true });
    const child = startRunner({ inputFile, folder: join(folder, 'run'), origin: service.origin, inFlight: IN_FLIGHT });
    const taken = await takenBy(child);
    const { answers, twice } = await service.configure({});
    if (answers.process !== accounts || twice > 0) throw new Error(`found ${JSON.stringify({ ...answers, twice })}`);
    return taken;
  });
}

async function takenBy(child: ChildProcess): Promise<Taken> {
  return new Promise((resolve, reject) => {
    child.once('message', (message) => resolve(message as Taken));
    child.once('exit', (code) => reject(new Error(`bench: the run ended with ${code}.`)));
  });
}

function indexBytes(keys: number): number {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  collect();
  const before = process.memoryUsage().arrayBuffers;
  const set = createHashSet();
  for (let key = 0; key < keys; key++) set.add(hash('sha256', String(key)));
  // Collect the smaller tables that the growing set has replaced.
  collect();
  const after = process.memoryUsage().arrayBuffers;
  if (!set.has(hash('sha256', '0'))) throw new Error('bench: the set lost a key.');
  return after - before;
}
