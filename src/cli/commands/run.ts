/** `data-import-sdk run`: sends an input to the service. The same command resumes the run after any interruption. */
import { defineCommand } from '../options/command.js';
import { INPUT } from '../options/input-options.js';
import { nextInHelp } from '../session/next-commands.js';
import { type RunCommandFlags, runOptions } from '../session/run-flags.js';
import type { CommandContext } from '../shared/command-context.js';

export const command = defineCommand({
  operands: [INPUT],
  options: runOptions,
  list: nextInHelp,
  action: run,
});

async function run(paths: string[], flags: RunCommandFlags, context: CommandContext): Promise<void> {
  // Loaded here, so that other commands do not load the ledger.
  const { startRun } = await import('../session/start-run.js');
  await startRun(paths, flags, context);
}
