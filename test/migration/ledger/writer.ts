/**
 * A process that writes into a ledger and reports each acknowledged write: for tests of locks, kills and full disks.
 * Arguments: the file, and how often it writes; lines on standard output: `open`, `<number> <version>`, `error <text>`.
 */
import { openSqliteLedger } from '../../../src/migration/ledger/sqlite/sqlite-ledger.js';
import { record } from './records.js';

const [path = '', rounds = '0', first = '0'] = process.argv.slice(2);
/** Resolves when it has left the process: what is said is not lost with it. */
const say = (line: string) => new Promise((left) => process.stdout.write(`${line}\n`, left));

const ledger = await openSqliteLedger(path);
await say('open');
// Holds the lock until it is killed.
setInterval(() => {}, 60_000);
try {
  for (let round = 0; round < Number(rounds); round++) {
    const numbers = Array.from({ length: 20 }, (_, index) => `A-${Number(first) + round}-${index}`);
    for (const version of [1, 2, 3]) {
      const writes = numbers.map(async (number) => {
        await ledger.write(record(number, { version, line: version, source: 'x'.repeat(200) }), []);
        await say(`${number} ${version}`);
      });
      await Promise.all(writes);
    }
  }
} catch (error) {
  await say(`error ${(error as Error).message}`);
  // What was acknowledged can still be read, and the next write is tried.
  await say(`total ${(await ledger.counts()).total}`);
  await ledger.write(record('A-0-0', { version: 4, source: '' })).then(
    () => say('usable'),
    (again) => say(`error ${again.message}`),
  );
}
