/** Reads and parses a book in a process of its own, and tells the peak of its memory on the way: `reader <book>`. */
import { openBook } from 'data-import-sdk/migration';
import { mib } from './figures.js';

const MARKS = [10_000, 100_000, 1_000_000];
let read = 0;
for await (const item of await openBook([process.argv[2] ?? ''])) {
  item.read();
  if (!MARKS.includes(++read)) continue;
  console.log(`${read} lines: peak resident ${mib(process.resourceUsage().maxRSS * 1024)}`);
}
