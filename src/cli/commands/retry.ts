/** `data-import-sdk retry`: sends the records of a file with corrections, and no others. */
import { defineCommand } from '../options/command.js';
import { INPUT } from '../options/input-options.js';
import type { OptionValues } from '../options/option.js';
import { retryOptions } from '../session/run-flags.js';
import type { CommandContext } from '../shared/command-context.js';

export const command = defineCommand({
  operands: [INPUT],
  options: retryOptions,
  action: retry,
});

async function retry(
  paths: string[],
  flags: OptionValues<typeof retryOptions>,
  context: CommandContext,
): Promise<void> {
  // Loaded here, so that other commands do not load the ledger.
  const { withSheets } = await import('../session/retry-with-rejected-csv.js');
  const { startRun } = await import('../session/start-run.js');
  const again = await withSheets(paths, flags, context);
  await startRun(again.paths, flags, again.context, true);
}
