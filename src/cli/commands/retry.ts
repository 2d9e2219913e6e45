/** `data-import-sdk retry`: sends corrected records again, and nothing else. */
import { defineCommand } from '../options/command.js';
import { INPUT } from '../options/input-options.js';
import type { OptionValues } from '../options/option.js';
import { retryOptions } from '../session/run-flags.js';
import type { CommandContext } from '../shared/command-context.js';

const EXAMPLES = `
  jq -rc .original data-import-run/rejected.jsonl > corrected.jsonl
  data-import-sdk retry corrected.jsonl --team EAST
  data-import-sdk retry rejected.csv --team EAST   # its column "new value"
  data-import-sdk retry data-import-run/incomplete.jsonl --team EAST
`;

const AFTER = `
Correct rejected.jsonl (records that were not created) and incomplete.jsonl
(accounts with missing items) in the run folder. A line may stay as it is in the
file, with \`original\` corrected in it, or be just the corrected record.

An entry without a number, such as a line that is not JSON, must be corrected
within its entry of the file: retry identifies it by the \`hash\` of the entry.

rejected.csv is the same as a sheet: fill in its column "new value", save it as
CSV, and give it instead. <remove> removes a field or an item, and a field that
is shown as *. Its column hash tells the line: leave it. No other field changes.

A rejected record starts again. For an account that exists, only the rejected
items are sent: correct them in place, and leave the rest of the line unchanged,
because the service has it. Other lines are ignored, and the reason is printed.
The input need not be changed: run does not send a record again that retry has
corrected. With --no-check-previously-added, the service adds the transactions
of a rejected request that it kept a second time.

The same command resumes after any interruption. Exit codes as of run.
`;

export const command = defineCommand({
  operands: [INPUT],
  options: retryOptions,
  ...{ examples: EXAMPLES, after: AFTER },
  action: retry,
});

async function retry(
  paths: string[],
  flags: OptionValues<typeof retryOptions>,
  context: CommandContext,
): Promise<void> {
  // Loaded here, so that other commands do not load the ledger.
  const { withSheets } = await import('../session/correction-sheets.js');
  const { startRetry } = await import('../session/start-run.js');
  const again = await withSheets(paths, flags, context);
  await startRetry(again.paths, flags, again.context);
}
