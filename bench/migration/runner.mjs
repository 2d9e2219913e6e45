/**
 * `runner.mjs <input> <folder> <origin> <token> <in flight>`: one run in a separate process, which reports memory and time
 * at its end. Plain JavaScript, because a TypeScript loader would add to the peak and to the start time.
 */
import { setFlagsFromString } from 'node:v8';
import { DataImportClient } from '../../dist/index.js';
import { openInput, runMigration } from '../../dist/migration.js';

// As the command line does: see src/cli/index.ts.
setFlagsFromString('--heap-growing-percent=50');
const SAMPLE_MS = 100;
const [inputFile = '', folder = '', origin = '', token = '', inFlight = ''] = process.argv.slice(2);
const concurrency = Number(inFlight);
const client = new DataImportClient({ baseUrl: origin, token, concurrency });
// The parent process has ended.
process.once('disconnect', () => process.exit());
let peakHeap = 0;
const sampling = setInterval(() => {
  peakHeap = Math.max(peakHeap, process.memoryUsage().heapUsed);
}, SAMPLE_MS);
const startedAt = performance.now();
await runMigration({
  client,
  input: await openInput([inputFile]),
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
