/**
 * One run in a process of its own, which tells at its end what it took: `runner.mjs <book> <folder> <origin> <token> <in flight>`.
 * Plain JavaScript: a loader would be in the peak, and in the wait for the first request.
 */
import { DataImportClient } from '../../dist/index.js';
import { openInput, runMigration } from '../../dist/migration.js';

const SAMPLE_MS = 100;
const [book = '', folder = '', origin = '', token = '', inFlight = ''] = process.argv.slice(2);
const concurrency = Number(inFlight);
const client = new DataImportClient({ baseUrl: origin, token, concurrency });
// Whoever started it is gone.
process.once('disconnect', () => process.exit());
let peakHeap = 0;
const sampling = setInterval(() => {
  peakHeap = Math.max(peakHeap, process.memoryUsage().heapUsed);
}, SAMPLE_MS);
const startedAt = performance.now();
await runMigration({
  client,
  input: await openInput([book]),
  folder,
  team: 'TEAM',
  throttle: { concurrency, process: { start: concurrency } },
});
clearInterval(sampling);
const ms = performance.now() - startedAt;
const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage();
const taken = { peakRss: maxRSS * 1024, peakHeap, ms, cpuUs: userCPUTime + systemCPUTime };
process.send?.(taken, () => process.disconnect());
await client.close();
