/** `data-import-sdk worker`: joins a distributed run that another machine has started, and works until the run is over. */
import { defineCommand } from '../options/command.js';
import type { CommandContext } from '../shared/command-context.js';
import { type WorkerFlags, workerCommandOptions } from './worker-flags.js';

export const command = defineCommand({
  options: workerCommandOptions,
  async action(flags: WorkerFlags, context: CommandContext) {
    // Loaded here, so that other commands do not load it.
    const { runWorker } = await import('./run-worker.js');
    await runWorker(flags, context);
  },
});
