/** `data-import-sdk run`: sends an input to the service. The same command resumes the run after any interruption. */
import { defineCommand } from '../options/command.js';
import { INPUT } from '../options/input-options.js';
import { nextInHelp } from '../session/next-commands.js';
import { runOptions } from '../session/run-flags.js';

export const command = defineCommand({
  operands: [INPUT],
  options: runOptions,
  list: nextInHelp,
  async action(paths, flags, context) {
    // Loaded here, so that other commands do not load the ledger.
    const { startRun } = await import('../session/start-run.js');
    await startRun(paths, flags, context);
  },
});
