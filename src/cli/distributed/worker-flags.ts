/** Exports `workerCommandOptions`, the options of `data-import-sdk worker`, and their values as a type. */
import { configOptions } from '../options/config-file.js';
import { requestOptions, serviceOptions } from '../options/connection-options.js';
import { workerOptions } from '../options/distributed-options.js';
import type { OptionTable, OptionValues } from '../options/option.js';
import { jsonOptions, monitoringOptions } from '../options/output-options.js';
import { ledgerOptions } from '../options/run-options.js';
import { queryThrottleOptions } from '../options/throttle-options.js';
import { positiveNumber } from '../options/values.js';

export const workerCommandOptions = {
  ...configOptions,
  ...serviceOptions,
  ...requestOptions,
  concurrency: queryThrottleOptions.concurrency,
  database: { ...ledgerOptions.database, group: 'Distributed', help: 'PostgreSQL with the ledger of the run' },
  databaseSchema: { ...ledgerOptions.databaseSchema, group: 'Distributed' },
  ...workerOptions,
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
