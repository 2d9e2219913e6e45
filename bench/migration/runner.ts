/** One run in a process of its own, which tells at its end what it took: `runner <book> <folder> <origin> <in flight>`. */
import { openBook, runMigration } from 'data-import-sdk/migration';
import { clientOf } from './bench-service.js';

/** What a run took, in bytes, milliseconds and microseconds. */
export interface Taken {
  peakRss: number;
  /** The largest of samples. */
  peakHeap: number;
  ms: number;
  cpuUs: number;
}

const SAMPLE_MS = 100;
const [book = '', folder = '', origin = '', inFlight = ''] = process.argv.slice(2);
const concurrency = Number(inFlight);
const client = clientOf({ origin }, concurrency);
// Whoever started it is gone.
process.once('disconnect', () => process.exit());
let peakHeap = 0;
const sampling = setInterval(() => {
  peakHeap = Math.max(peakHeap, process.memoryUsage().heapUsed);
}, SAMPLE_MS);
const startedAt = performance.now();
await runMigration({
  client,
  book: await openBook([book]),
  folder,
  team: 'TEAM',
  pace: { concurrency, process: { start: concurrency } },
});
clearInterval(sampling);
const ms = performance.now() - startedAt;
const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage();
const taken: Taken = {
  peakRss: maxRSS * 1024,
  peakHeap,
  ms,
  cpuUs: userCPUTime + systemCPUTime,
};
process.send?.(taken, () => process.disconnect());
await client.close();
