/** `data-import worker`: works at a run that another machine has begun, until it is over. */
import { Command } from 'commander';
import type { ServingFlags } from '../monitoring/serve-monitoring.js';
import { type ServiceFlags, withRequests, withService } from '../open/connection.js';
import { withMember, withQueue } from '../options/fleet-flags.js';
import { atLeastOne, positiveNumber, setting, withConfigFile } from '../options/settings.js';
import type { CommandContext } from '../shared/command-context.js';

export interface WorkerFlags extends ServiceFlags, ServingFlags {
  database?: string;
  databaseSchema?: string;
  queue?: string;
  bookAt?: string;
  name?: string;
  concurrency: number;
  drainWithin: number;
  json?: true;
}

const HELP = `
Examples:
  data-import run book/ --team EAST --database postgres://importer@db.example.com/import --fleet     on one machine
  data-import worker --database postgres://importer@db.example.com/import                            on each of the others
  data-import worker --health 0.0.0.0:9464 --drain-within 60                                         in a container

It waits for a run to begin, and ends with code 0 when the run is over. Everything about the work (team, dry runs,
window, rate) it has from the run; service and token are given to each worker. SIGTERM or Ctrl-C drains it, which is code
0 as well; what is under way when the time is over, or at a second signal, is broken off. Others go on with what it had.
`;

export function workerCommand(context: CommandContext): Command {
  const command = new Command('worker')
    .description('Work at a run that another machine has begun with --fleet, until it is over.')
    .addOption(setting('--database <url>', 'where the ledger of the run is: postgres://user@host:5432/database'))
    .addOption(setting('--database-schema <name>', 'the schema there that holds it (default: data_import)'));
  withMember(withQueue(command))
    .addOption(setting('--book-at <place>', 'folder or URL where this machine finds a book that was left in its place'))
    .addOption(setting('--concurrency <number>', 'calls under way').argParser(atLeastOne).default(32))
    .addOption(
      setting('--drain-within <seconds>', 'how long what is under way may take after SIGTERM or Ctrl-C')
        .argParser(positiveNumber)
        .default(30),
    )
    .addOption(setting('--json', 'the end as one line of JSON'))
    .addHelpText('after', HELP)
    .action(async (flags: WorkerFlags) => {
      // The libraries of a fleet are loaded by its members, and by nobody else.
      const { workAtRun } = await import('./worker-life.js');
      await workAtRun(flags, context);
    });
  return withConfigFile(withRequests(withService(command)));
}
