/** `data-import worker`: joins a distributed run that another machine has started, and works until the run is over. */
import { Command } from 'commander';
import { configOptions } from '../options/config-file.js';
import { requestOptions, serviceOptions } from '../options/connection-options.js';
import { workerOptions } from '../options/distributed-options.js';
import { withHelp } from '../options/help.js';
import { addOptions, type OptionTable, type OptionValues } from '../options/option.js';
import { jsonOptions } from '../options/output-options.js';
import { ledgerOptions } from '../options/run-options.js';
import { queryThrottleOptions } from '../options/throttle-options.js';
import { positiveNumber } from '../options/values.js';
import type { CommandContext } from '../shared/command-context.js';

const options = {
  ...configOptions,
  ...serviceOptions,
  ...requestOptions,
  concurrency: queryThrottleOptions.concurrency,
  database: { ...ledgerOptions.database, group: 'Distributed', help: 'PostgreSQL with the ledger of the run' },
  databaseSchema: {
    flags: '--database-schema <name>',
    group: 'Distributed',
    help: 'its schema',
    shownDefault: 'data_import',
  },
  ...workerOptions,
  inputAt: {
    flags: '--input-at <place>',
    group: 'Distributed',
    help: 'folder or URL of the input here',
    details: 'If the input is not copied to the database (--input-in place).',
  },
  drainWithin: {
    flags: '--drain-within <seconds>',
    group: 'Distributed',
    help: 'time for calls in flight at the end',
    details: 'After SIGTERM or Ctrl-C; then they are aborted.',
    parse: positiveNumber,
    default: 30,
  },
  ...jsonOptions,
} as const satisfies OptionTable;

export type WorkerFlags = OptionValues<typeof options>;

const HELP = `
Examples:
  on one machine:
    data-import run input/ --team EAST --distributed \\
      --database postgres://db/import
  on each of the others:
    data-import worker --database postgres://importer@db.example.com/import
  in a container:
    data-import worker --health 0.0.0.0:9464 --drain-within 60

Waits for a run to start, and ends with code 0 when the run is over. The run
gives it team, dry runs, window and rate; address and token are options of each
worker. SIGTERM or Ctrl-C drains it, also with code 0. After --drain-within, or
at a second signal, it aborts the calls in flight. Other workers take over its
records.
`;

export function workerCommand(context: CommandContext): Command {
  const command = new Command('worker').description('Join a distributed run (run --distributed) until it is over.');
  return withHelp(addOptions(command, options), () => HELP).action(async (flags: WorkerFlags) => {
    // Loaded here, so that other commands do not load the queue.
    const { workAtRun } = await import('./worker-life.js');
    await workAtRun(flags, context);
  });
}
