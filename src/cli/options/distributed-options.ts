/** Options of a distributed run: how other machines join it. */
import type { OptionTable, OptionValues } from './option.js';

/** For `run` and `worker`. */
export const workerOptions = {
  name: {
    flags: '--name <text>',
    group: 'Distributed',
    help: 'name of this process in status and report',
    details: "Default: the machine's name and the process id.",
  },
} as const satisfies OptionTable;

export const distributedOptions = {
  distributed: {
    flags: '--distributed',
    group: 'Distributed',
    help: 'let workers on other machines join',
    details: 'Needs --database.',
  },
  name: { ...workerOptions.name, needs: 'distributed' },
} as const satisfies OptionTable;

export type DistributedFlags = OptionValues<typeof distributedOptions>;
