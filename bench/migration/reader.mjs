/**
 * `reader.mjs <input> <lines> …`: reads the input and reports its peak memory after each of these numbers of lines.
 * Plain JavaScript, because a TypeScript loader would add to the peak.
 */
import { openInput } from '../../dist/migration.js';

const [inputFile = '', ...marks] = process.argv.slice(2);
const wanted = new Set(marks.map(Number));
// The parent process has ended.
process.once('disconnect', () => process.exit());
let lines = 0;
for await (const item of await openInput([inputFile])) {
  item.read();
  if (wanted.has(++lines)) process.send?.({ lines, bytes: process.resourceUsage().maxRSS * 1024 });
}
process.disconnect();
