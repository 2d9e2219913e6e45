/**
 * `reader.mjs <book> <lines> …`: reads the book, and tells the peak of its memory after so many lines. Plain JavaScript:
 * a loader would be in the peak.
 */
import { openInput } from '../../dist/migration.js';

const [book = '', ...marks] = process.argv.slice(2);
const wanted = new Set(marks.map(Number));
// Whoever started it is gone.
process.once('disconnect', () => process.exit());
let lines = 0;
for await (const item of await openInput([book])) {
  item.read();
  if (wanted.has(++lines)) process.send?.({ lines, bytes: process.resourceUsage().maxRSS * 1024 });
}
process.disconnect();
