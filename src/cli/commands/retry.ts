/** `data-import-sdk retry`: sends the records of a file with corrections, and no others. */
import { defineCommand } from '../options/command.js';
import { INPUT } from '../options/input-options.js';
import { retryOptions } from '../session/run-flags.js';

export const command = defineCommand({
  operands: [INPUT],
  options: retryOptions,
  async action(paths, flags, context) {
    // Loaded here, so that other commands do not load the ledger.
    const { withSheets } = await import('../session/retry-with-rejected-csv.js');
    const { startRun } = await import('../session/start-run.js');
    const again = await withSheets(paths, flags, context);
    await startRun(again.paths, flags, again.context, true);
  },
});
