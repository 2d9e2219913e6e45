/** `data-import-sdk run`: sends an input to the service. The same command resumes the run after any interruption. */
import { defineCommand } from '../options/command.js';
import { INPUT } from '../options/input-options.js';
import { nextInHelp } from '../session/next-commands.js';
import { type RunCommandFlags, runOptions } from '../session/run-flags.js';
import type { CommandContext } from '../shared/command-context.js';

const EXAMPLES = `
  data-import-sdk sample --accounts 1000 > input.jsonl
  data-import-sdk run input.jsonl --sandbox            # rehearse the whole run
  data-import-sdk run input/ --team EAST --canary 100  # the first 100, then ask
  data-import-sdk run input/ --team EAST --window "Mon-Fri 20:00-06:00" --rps 20
  data-import-sdk run export.csv.gz --map map.mjs --team EAST
`;

const AFTER = `
The run folder (--run) holds report.html, ok.csv, unknown.jsonl, audit.log,
rejected.jsonl and, for a spreadsheet, rejected.csv.
Ctrl-C drains the run: calls in flight end, no new call starts.
A second Ctrl-C aborts the calls. The same command resumes the run.
`;

const after = () => `${AFTER}\nWhat to do with the remaining records, as printed after "Next":\n\n${nextInHelp()}`;

export const command = defineCommand({
  operands: [INPUT],
  options: runOptions,
  ...{ examples: EXAMPLES, after },
  action: run,
});

async function run(paths: string[], flags: RunCommandFlags, context: CommandContext): Promise<void> {
  // Loaded here, so that other commands do not load the ledger.
  const { startRun } = await import('../session/start-run.js');
  await startRun(paths, flags, context);
}
