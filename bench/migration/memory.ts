/**
 * The peak of a run over a million accounts beside that of ten thousand: it must not grow with the book, but for the
 * index of keys, which is counted apart. `memory <accounts>` takes another number in place of the million.
 */
import { fork } from 'node:child_process';
import { hash } from 'node:crypto';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createHashSet } from '../../src/migration/hash-set.js';
import { type BenchService, startService } from './bench-service.js';
import { smallAccounts, writeBook } from './books.js';
import { inFolder, mib } from './figures.js';
import type { Taken } from './runner.js';

const SMALL = 10_000;
const LARGE = 1_000_000;
/** As a run has it that is told nothing. */
const IN_FLIGHT = 32;

export async function measure([given]: readonly string[]): Promise<void> {
  const large = given === undefined ? LARGE : Number(given);
  const service = await startService();
  const [few, many] = [await runOf(SMALL, service), await runOf(large, service)];
  service.stop();
  const bytesAKey = indexBytes(large) / large;
  console.log(`key index: ${bytesAKey.toFixed(1)} bytes a key, ${mib(bytesAKey * large)} for ${large}`);
  const [rss, heap] = [(many.peakRss - bytesAKey * large) / few.peakRss, many.peakHeap / few.peakHeap];
  console.log(`peak of ${large} over ${SMALL}, key index apart: resident ${rss.toFixed(2)}, heap ${heap.toFixed(2)}`);
}

async function runOf(accounts: number, service: BenchService): Promise<Taken> {
  return inFolder(async (folder) => {
    const book = join(folder, 'book.jsonl');
    await writeBook(book, smallAccounts(accounts));
    await service.tell({ forget: true });
    const taken = await takenBy([book, join(folder, 'run'), service.origin, String(IN_FLIGHT)]);
    const { answers, twice } = await service.tell({});
    if (answers.process !== accounts || twice > 0) throw new Error(`bench: ${JSON.stringify({ ...answers, twice })}`);
    console.log(
      `${accounts} accounts: peak resident ${mib(taken.peakRss)}, heap ${mib(taken.peakHeap)}; ` +
        `${(taken.ms / 1000).toFixed(1)} s, CPU ${(taken.cpuUs / accounts).toFixed(0)} us an account`,
    );
    return taken;
  });
}

async function takenBy(args: readonly string[]): Promise<Taken> {
  const child = fork(fileURLToPath(new URL(`./runner${import.meta.url.slice(-3)}`, import.meta.url)), args);
  return new Promise((resolve, reject) => {
    child.once('message', (told) => resolve(told as Taken));
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
  // What the set has outgrown does not count.
  collect();
  const after = process.memoryUsage().arrayBuffers;
  if (!set.has(hash('sha256', '0'))) throw new Error('bench: the set lost a key.');
  return after - before;
}
