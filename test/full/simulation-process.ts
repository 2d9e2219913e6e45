/**
 * A process that simulates its share of the bad days and says what it found. Arguments: first seed, days, accounts, its
 * share and of how many, `slow` for a service that takes seconds for what it does, `two` for a second service; output:
 * `{ seed, problems }` for a day that ended otherwise, `{ days }` at the end.
 */
import { problemsOfBadDay } from '../migration/simulation/simulated-days.js';

const [first = 0, days = 0, accounts = 0, share = 0, shares = 1] = process.argv.slice(2, 7).map(Number);
const kinds = process.argv.slice(7);
const more = { slow: kinds.includes('slow'), secondTarget: kinds.includes('two') };
const say = (found: object) => process.stdout.write(`${JSON.stringify(found)}\n`);

let done = 0;
// Days that share an input stay together.
const [from, to] = [Math.floor((days * share) / shares), Math.floor((days * (share + 1)) / shares)];
for (let day = from; day < to; day++) {
  const seed = first + day;
  const problems = await problemsOfBadDay(seed, accounts, more).catch((error: Error) => [`it failed: ${error.stack}`]);
  if (problems.length > 0) say({ seed, problems });
  done++;
}
say({ days: done });
