/** `data-import run`: carries a book through the service; the same command goes on after any end. */
import { Command, InvalidArgumentError } from 'commander';
import { type BookFlags, withBook } from './book.js';
import { type ConnectionFlags, withConnection } from './connection.js';
import { positiveNumber, setting, wholeNumber, withConfigFile } from './settings.js';
import type { Surroundings } from './surroundings.js';

export interface RunFlags extends ConnectionFlags, BookFlags {
  run: string;
  team?: string;
  dryRun: 'none' | 'all' | number;
  validate?: true;
  setAside?: true;
  resendAfter500?: true;
  transactionsAtOnce: number;
  concurrency: number;
  processConcurrency?: [least: number, most: number];
  rps?: number;
  window?: string;
  timeZone?: string;
  halt?: string;
  retryRejected?: true;
  canary?: number;
  json?: true;
  color: boolean;
}

const EXAMPLES = `
Examples:
  data-import sample --accounts 1000 > book.jsonl
  data-import run book.jsonl --sandbox                     a rehearsal, from end to end
  data-import run book/ --team EAST --canary 100           the first hundred; then the same without --canary
  data-import run book/ --team EAST --window "Mon-Fri 20:00-06:00" --rps 20 --halt fail=2%,min=1000
  data-import run export.csv.gz --map map.js --team EAST

What a run leaves behind is in its folder (--run): report.html, rejected.jsonl to be mended and fed in again, ok.csv,
unknown.jsonl, audit.log. Ctrl-C lets what is under way end; a second one breaks it off. The same command goes on.
`;

export function runCommand(around: Surroundings): Command {
  const command = new Command('run')
    .description('Carry a book through the service: checked, staged, processed, and what belongs to it added.')
    .addOption(setting('--run <folder>', 'the run folder; the same one continues the run').default('data-import-run'))
    .addOption(setting('--team <name>', 'operations team that processes the accounts'))
    .addOption(
      setting('--dry-run <which>', 'accounts to try before processing: none, all, or every so manieth')
        .argParser(whichAccounts)
        .default('none'),
    )
    .addOption(setting('--validate', 'have the service validate each account before it is staged'))
    .addOption(setting('--set-aside', 'a transaction that is refused does not keep the others back'))
    .addOption(setting('--resend-after-500', 'send businesses, payment instructions and statements again after a 500'))
    .addOption(setting('--transactions-at-once <number>', 'in one request').argParser(wholeNumber).default(100))
    .addOption(setting('--concurrency <number>', 'calls under way').argParser(wholeNumber).default(32))
    .addOption(setting('--process-concurrency <range>', 'bounds of calls that process, such as 2-24').argParser(range))
    .addOption(setting('--rps <number>', 'requests a second at most').argParser(positiveNumber))
    .addOption(setting('--window <times>', 'when calls may leave, such as "Mon-Fri 20:00-06:00"'))
    .addOption(setting('--time-zone <name>', "of the window (default: the machine's)"))
    .addOption(setting('--retry-rejected', 'try again what was rejected, also where the book is the same'))
    .addOption(setting('--halt <rules>', 'what stops the run, such as fail=2%,min=1000,same=50'))
    .addOption(
      setting('--canary <number>', 'only the first so many records, to look at what comes of them').argParser(
        wholeNumber,
      ),
    )
    .addOption(setting('--json', 'the outcome as one line of JSON'))
    .option('--no-color', 'no colours, as with NO_COLOR')
    .addHelpText('after', EXAMPLES)
    .action(async (paths: string[], flags: RunFlags) => {
      // The ledger's libraries are loaded by whoever runs, and by nobody else.
      const { run } = await import('./carry-out.js');
      await run(paths, flags, around);
    });
  return withConfigFile(withConnection(withBook(command)));
}

function whichAccounts(value: string): RunFlags['dryRun'] {
  if (value === 'none' || value === 'all') return value;
  if (/^[1-9]\d*$/.test(value)) return Number(value);
  throw new InvalidArgumentError('Expected none, all, or a whole number for every so manieth.');
}

function range(value: string): [number, number] {
  const [, least = '', most = least] = /^(\d+)(?:-(\d+))?$/.exec(value) ?? [];
  const [from, to] = [Number(least), Number(most)];
  if (from >= 1 && from <= to) return [from, to];
  throw new InvalidArgumentError('Expected bounds such as 2-24, or one number.');
}
