/** Options of a distributed run: how other machines join it, and those of `data-import-sdk worker`. */
import { requestOptions, serviceOptions } from './connection-options.js';
import type { OptionTable, OptionValues } from './option.js';
import { jsonOptions, monitoringOptions } from './output-options.js';
import { ledgerOptions } from './run-options.js';
import { queryThrottleOptions } from './throttle-options.js';
import { positiveNumber } from './values.js';

/** For `run` and `worker`. */
const name = {
  flags: '--name <text>',
  group: 'Distributed',
  help: 'name of this process in status and report',
  details: "Default: the machine's name and the process id.",
} as const;

export const distributedOptions = {
  distributed: {
    flags: '--distributed',
    group: 'Distributed',
    help: 'let workers on other machines join',
    details: 'Needs --database.',
  },
  name: { ...name, needs: 'distributed' },
} as const satisfies OptionTable;

export type DistributedFlags = OptionValues<typeof distributedOptions>;

export const workerCommandOptions = {
  ...serviceOptions,
  ...requestOptions,
  concurrency: queryThrottleOptions.concurrency,
  database: { ...ledgerOptions.database, group: 'Distributed', help: 'PostgreSQL with the ledger of the run' },
  databaseSchema: { ...ledgerOptions.databaseSchema, group: 'Distributed' },
  name,
  ...monitoringOptions,
  drainWithin: {
    flags: '--drain-within <seconds>',
    group: 'Distributed',
    help: 'wait for calls after SIGTERM',
    details: 'Also after Ctrl-C. Calls that have not ended by then are aborted.',
    parse: positiveNumber,
    default: 30,
  },
  ...jsonOptions,
} as const satisfies OptionTable;

export type WorkerFlags = OptionValues<typeof workerCommandOptions>;
