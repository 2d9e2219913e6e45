/** `reader.mjs <query>`: reads all records of a query, and reports their number, the time and the peak memory. Without a TypeScript loader. */
import { openInput } from '../../dist/migration.js';

// The parent process has ended.
process.once('disconnect', () => process.exit());
const start = performance.now();
const input = await openInput([process.argv[2] ?? '']);
let records = 0;
for await (const _ of input) records++;
const seconds = (performance.now() - start) / 1000;
await input.close();
process.send?.({ records, seconds, bytes: process.resourceUsage().maxRSS * 1024 });
process.disconnect();
