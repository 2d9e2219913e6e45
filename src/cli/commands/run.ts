/** `data-import run`: carries a book through the service; the same command goes on after any end. */
import { Command } from 'commander';
import { type ConnectionFlags, withConnection } from '../open/connection.js';
import { type BookFlags, withBook } from '../open/input.js';
import { type FleetFlags, withFleet } from '../options/fleet-flags.js';
import { type WorkFlags, withWork } from '../options/record-options.js';
import { type LedgerFlags, withLedger, withRetarget, withRunFolder } from '../options/run-folder-options.js';
import { setting, wholeNumber, withConfigFile } from '../options/settings.js';
import { type PaceFlags, withPace } from '../options/throttle-options.js';
import { nextInHelp } from '../session/next-commands.js';
import type { CommandContext } from '../shared/command-context.js';

export interface RunFlags extends ConnectionFlags, BookFlags, PaceFlags, WorkFlags, LedgerFlags, FleetFlags {
  canary?: number;
  yes?: true;
  json?: true;
  color: boolean;
}

const EXAMPLES = `
Examples:
  data-import sample --accounts 1000 > book.jsonl
  data-import run book.jsonl --sandbox                     a rehearsal, from end to end
  data-import run book/ --team EAST --canary 100           the first hundred, then a question: go on with all of it?
  data-import run book/ --team EAST --window "Mon-Fri 20:00-06:00" --rps 20 --halt fail=2%,min=1000
  data-import run export.csv.gz --map map.js --team EAST
  data-import run book/ --team EAST --database postgres://db.example.com/import --fleet     and data-import worker elsewhere

What a run leaves behind is in its folder (--run): report.html, rejected.jsonl to be corrected and fed in again, ok.csv,
unknown.jsonl, audit.log. Ctrl-C lets what is under way end; a second one breaks it off. The same command goes on.
`;

export function runCommand(context: CommandContext): Command {
  const command = new Command('run').description(
    'Carry a book through the service: checked, staged, processed, and what belongs to it added.',
  );
  withRunFolder(command, 'the run folder; the same one continues the run');
  withPace(withWork(withRetarget(command)))
    .addOption(
      setting(
        '--canary <number>',
        'only the first so many records, to look at what comes of them; 0 for all',
      ).argParser(wholeNumber),
    )
    .addOption(setting('--yes', 'do not ask before the first record goes to a service on another machine'))
    .addOption(setting('--json', 'the outcome as one line of JSON'))
    .option('--no-color', 'no colours, as with NO_COLOR')
    .addHelpText(
      'after',
      () =>
        `${EXAMPLES}\nWhat to do about records that a session leaves, as it prints after "Next":\n\n${nextInHelp()}\n`,
    )
    .action(async (paths: string[], flags: RunFlags) => {
      // The ledger's libraries are loaded by whoever runs, and by nobody else.
      const { run } = await import('../session/start-run.js');
      await run(paths, flags, context);
    });
  return withConfigFile(withConnection(withBook(withFleet(withLedger(command)))));
}
