/** `data-import-sdk worker`: joins a distributed run that another machine has started, and works until the run is over. */
import { defineCommand } from '../options/command.js';
import type { CommandContext } from '../shared/command-context.js';
import { type WorkerFlags, workerCommandOptions } from './worker-flags.js';

const EXAMPLES = `
  # on one machine
  data-import-sdk run input/ --team EAST --distributed \\
    --database postgres://db/import
  # on each of the others
  data-import-sdk worker --database postgres://importer@db.example.com/import
  # in a container
  data-import-sdk worker --health 0.0.0.0:9464 --drain-within 60
`;

const AFTER = `
Waits for a run to start, and ends with code 0 when the run is over. The run
gives it team, dry runs, window and rate; address and token are options of each
worker. SIGTERM or Ctrl-C drains it, also with code 0. After --drain-within, or
at a second signal, it aborts the calls in flight. Other workers take over its
records.
`;

export const command = defineCommand({
  options: workerCommandOptions,
  ...{ examples: EXAMPLES, after: AFTER },
  async action(flags: WorkerFlags, context: CommandContext) {
    // Loaded here, so that other commands do not load it.
    const { runWorker } = await import('./run-worker.js');
    await runWorker(flags, context);
  },
});
