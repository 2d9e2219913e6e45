/** Options of what commands print, and of the question before the first record. */
import type { OptionTable } from './option.js';

export const jsonOptions = {
  json: { flags: '--json', group: 'Output', help: 'print one line of JSON' },
} as const satisfies OptionTable;

export const sessionOptions = {
  yes: {
    flags: '--yes',
    group: 'Safety',
    help: 'skip the question before the first record',
    details: 'Asked if the service is on another machine.',
  },
  ...jsonOptions,
  color: { flags: '--no-color', group: 'Output', help: 'no colours, as with NO_COLOR', isFlagOnly: true },
} as const satisfies OptionTable;
