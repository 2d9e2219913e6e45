/** The options of `run`, `retry`, `resolve` and `forget`: for these commands, and to print each of them with the flags of another one. */
import { connectionOptions } from '../options/connection-options.js';
import { distributedOptions } from '../options/distributed-options.js';
import { inputOptions } from '../options/input-options.js';
import type { OptionTable, OptionValues } from '../options/option.js';
import { jsonOptions, monitoringOptions, notifyOptions, sessionOptions } from '../options/output-options.js';
import { recordOptions, retryRecordOptions } from '../options/record-options.js';
import { folderOptions, ledgerOptions, rehearsalOptions, retargetOptions } from '../options/run-options.js';
import { throttleOptions } from '../options/throttle-options.js';
import { wholeNumber } from '../options/values.js';

export const runOptions = {
  ...inputOptions,
  ...connectionOptions,
  ...retargetOptions,
  ...throttleOptions,
  ...recordOptions,
  changedSources: {
    flags: '--changed-sources',
    group: 'Safety',
    help: 'accept other numbers and records than before',
    details: 'Since an earlier session of the run. Accounts that exist are created again if their numbers changed.',
    isFlagOnly: true,
  },
  canary: {
    flags: '--canary <number>',
    group: 'Safety',
    help: 'send only the first records; 0: all',
    details: 'At a terminal the command then asks whether to send the rest.',
    parse: wholeNumber,
  },
  ...distributedOptions,
  ...monitoringOptions,
  ...notifyOptions,
  ...folderOptions,
  ...ledgerOptions,
  ...sessionOptions,
} as const satisfies OptionTable;

export const retryOptions = {
  ...inputOptions,
  ...connectionOptions,
  ...retargetOptions,
  ...throttleOptions,
  ...retryRecordOptions,
  ...folderOptions,
  ...ledgerOptions,
  ...monitoringOptions,
  ...notifyOptions,
  ...sessionOptions,
} as const satisfies OptionTable;

/** Without the decision. */
export const resolveOptions = {
  ...connectionOptions,
  ...retargetOptions,
  ...folderOptions,
  ...ledgerOptions,
  ...jsonOptions,
} as const satisfies OptionTable;

/** Without the choice of records. */
export const forgetOptions = {
  ...rehearsalOptions,
  ...folderOptions,
  ...ledgerOptions,
  inFlightGrace: connectionOptions.inFlightGrace,
  ...jsonOptions,
} as const satisfies OptionTable;

export type RunCommandFlags = OptionValues<typeof runOptions>;
