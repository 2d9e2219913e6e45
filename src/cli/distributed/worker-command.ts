/** `data-import-sdk worker`: joins a distributed run that another machine has started, and works until the run is over. */
import { defineCommand } from '../options/command.js';
import { workerCommandOptions } from '../options/distributed-options.js';

export const command = defineCommand({
  options: workerCommandOptions,
  async action(flags, context) {
    // Loaded here, so that other commands do not load it.
    const { runWorker } = await import('./run-worker.js');
    await runWorker(flags, context);
  },
});
