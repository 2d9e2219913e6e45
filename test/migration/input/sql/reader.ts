/** Reads a query and prints the number of each record, in a process that a test kills: `reader.ts <query> <temporary folder>`. */
import { setTimeout as after } from 'node:timers/promises';
import { openInput } from '../../../../src/migration/input/open-input.js';

const [, , query = '', spoolFolder = ''] = process.argv;
const input = await openInput([query], { spoolFolder });
let count = 0;
for await (const { hash } of input) {
  process.stdout.write(`${hash}\n`);
  // The test kills it here.
  if (++count === 500) await after(60_000);
}
