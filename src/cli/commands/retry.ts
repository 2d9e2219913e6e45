/** `data-import retry`: what was refused, once more, from lines that were corrected; a run over these lines alone. */
import { Command } from 'commander';
import { withConnection } from '../open/connection.js';
import { withBook } from '../open/input.js';
import { withWorkOfRecords } from '../options/record-options.js';
import { withLedger, withRetarget, withRunFolder } from '../options/run-folder-options.js';
import { setting, withConfigFile } from '../options/settings.js';
import { withPace } from '../options/throttle-options.js';
import type { CommandContext } from '../shared/command-context.js';
import type { RunFlags } from './run.js';

const HELP = `
Correct rejected.jsonl (records that do not exist) and incomplete.jsonl (accounts that lack something) of the run folder:
either the lines themselves, or \`original\` inside them, as text or as the record. Both forms are read. A line that has no
number, such as one that is no JSON, is known by its entry alone: correct it inside the file.

  jq -rc .original data-import-run/rejected.jsonl > corrected.jsonl    the lines by themselves; correct them
  data-import retry corrected.jsonl --team EAST
  data-import retry data-import-run/incomplete.jsonl --team EAST    as they are, or corrected inside

A record that was rejected begins anew. Of an account that exists only what was refused is sent: correct it in its place
and leave the rest of the line as it is, for the rest is on the platform. Nothing else is touched, and each reason is said.
The input may stay as it is: run sends no line again in whose place a corrected one was sent, and says so.
With --no-check-previously-added the service adds again what it has kept of a refused request.
The same command goes on after any end; exit codes as of run.
`;

export function retryCommand(context: CommandContext): Command {
  const command = new Command('retry').description(
    'Try again what a run was refused, from lines that were corrected. Sends nothing else.',
  );
  withRunFolder(command, 'the run folder of the run');
  withPace(withWorkOfRecords(withRetarget(command)))
    .addOption(setting('--yes', 'do not ask before the first record goes to a service on another machine'))
    .addOption(setting('--json', 'the outcome as one line of JSON'))
    .option('--no-color', 'no colours, as with NO_COLOR')
    .addHelpText('after', HELP)
    .action(async (paths: string[], flags: RunFlags) => {
      // The ledger's libraries are loaded by whoever runs, and by nobody else.
      const { run } = await import('../session/start-run.js');
      await run(paths, flags, context, true);
    });
  return withConfigFile(withConnection(withBook(withLedger(command))));
}
