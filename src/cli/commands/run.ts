/** `data-import run`: sends an input to the service. The same command resumes the run after any interruption. */
import { Command } from 'commander';
import { configOptions } from '../options/config-file.js';
import { connectionOptions } from '../options/connection-options.js';
import { distributedOptions } from '../options/distributed-options.js';
import { withHelp } from '../options/help.js';
import { inputOptions, withInput } from '../options/input-options.js';
import { addOptions, type OptionTable, type OptionValues } from '../options/option.js';
import { sessionOptions } from '../options/output-options.js';
import { recordOptions } from '../options/record-options.js';
import { folderOptions, ledgerOptions, retargetOptions } from '../options/run-options.js';
import { throttleOptions } from '../options/throttle-options.js';
import { wholeNumber } from '../options/values.js';
import { nextInHelp } from '../session/next-commands.js';
import type { CommandContext } from '../shared/command-context.js';

const options = {
  ...inputOptions,
  ...configOptions,
  ...connectionOptions,
  ...retargetOptions,
  ...throttleOptions,
  ...recordOptions,
  canary: {
    flags: '--canary <number>',
    group: 'Safety',
    help: 'send only the first records; 0: all',
    details: 'At a terminal the command then asks whether to send the rest.',
    parse: wholeNumber,
  },
  ...distributedOptions,
  ...folderOptions,
  ...ledgerOptions,
  ...sessionOptions,
} as const satisfies OptionTable;

export type RunCommandFlags = OptionValues<typeof options>;

const EXAMPLES = `
Examples:
  data-import sample --accounts 1000 > input.jsonl
  data-import run input.jsonl --sandbox                  rehearse the whole run
  data-import run input/ --team EAST --canary 100        the first 100, then ask
  data-import run input/ --team EAST --window "Mon-Fri 20:00-06:00" --rps 20
  data-import run export.csv.gz --map map.js --team EAST

The run folder (--run) holds report.html, ok.csv, unknown.jsonl, audit.log and
rejected.jsonl. Ctrl-C drains the run: calls in flight end, no new call starts.
A second Ctrl-C aborts the calls. The same command resumes the run.
`;

export function runCommand(context: CommandContext): Command {
  const command = withInput(new Command('run').description('Send the records of an input to the service.'));
  const help = () => `${EXAMPLES}\nWhat to do about records that are left, as printed after "Next":\n\n${nextInHelp()}`;
  return withHelp(addOptions(command, options), help).action(async (paths: string[], flags: RunCommandFlags) => {
    // Loaded here, so that other commands do not load the ledger.
    const { startRun } = await import('../session/start-run.js');
    await startRun(paths, flags, context);
  });
}
