/** Options of the throttle: how fast a command sends, at what times, and which failures stop it. */
import { parseHalt } from '../../migration/throttle/halt-rules.js';
import type { LimitBounds } from '../../migration/throttle/limits/adaptive-limit.js';
import { parseWindow } from '../../migration/throttle/limits/time-window.js';
import { readSetting, type ThrottleOptions } from '../../migration/throttle/settings.js';
import { inGroup, type OptionTable, type OptionValues } from './option.js';
import { argument, asUsageError, atLeastOne, positiveNumber } from './values.js';

/** For commands that only ask the service: `verify --follow`. */
export const queryThrottleOptions = inGroup('Speed', {
  concurrency: {
    flags: '--concurrency <number>',
    help: 'calls at once, retries included',
    parse: atLeastOne,
    default: 32,
  },
  rps: {
    flags: '--rps <number>',
    help: 'most requests per second',
    shownDefault: 'no limit',
    parse: positiveNumber,
  },
  window: { flags: '--window <times>', help: 'when to send: "Mon-Fri 20:00-06:00"' },
  timeZone: {
    flags: '--time-zone <name>',
    help: 'time zone of window',
    shownDefault: "the machine's",
    needs: 'window',
  },
});

export const throttleOptions = {
  concurrency: queryThrottleOptions.concurrency,
  processConcurrency: {
    flags: '--process-concurrency <range>',
    group: 'Speed',
    help: 'least and most process calls',
    details:
      'Bounds of the adaptive limit on process and dry-run calls in flight, such as 2-24, or one number for both. The limit starts at 2 and follows the answers 429 and the latency.',
    shownDefault: '1-32',
    parse: bounds,
  },
  rps: queryThrottleOptions.rps,
  window: queryThrottleOptions.window,
  timeZone: queryThrottleOptions.timeZone,
  halt: {
    flags: '--halt <rules>',
    group: 'Safety',
    help: 'when to stop',
    details:
      'Such as fail=2%,min=1000,same=50: 2 % of at least 1000 records rejected, or 50 in a row with the same code; failed=20,outage=60: 20 calls in a row failed, and none succeeded for 60 s. same=0 and failed=0 turn their rule off.',
    shownDefault: 'same=50,failed=20',
  },
} as const satisfies OptionTable;

export type ThrottleFlags = OptionValues<typeof throttleOptions>;
export type QueryThrottleFlags = OptionValues<typeof queryThrottleOptions>;

function bounds(text: string): LimitBounds {
  const { most, least = most } = argument(readSetting.process)(text);
  return { least, most };
}

/** The flags as options of a run. Throws a `UsageError` that names an invalid one. */
export function throttleOf(flags: QueryThrottleFlags & Partial<ThrottleFlags>): ThrottleOptions {
  const { concurrency, processConcurrency, rps, window, timeZone, halt } = flags;
  return asUsageError(() => ({
    concurrency,
    ...(processConcurrency && { process: processConcurrency }),
    ...(rps !== undefined && { rps }),
    ...(window !== undefined && { window: parseWindow(window, timeZone ?? zoneOfEnvironment()) }),
    ...(halt !== undefined && { halt: parseHalt(halt) }),
  }));
}

/** Node.js takes a `TZ` that it does not know as UTC, without a word: `parseWindow` refuses it. */
function zoneOfEnvironment(): string | undefined {
  return process.env['TZ']?.replace(/^:/, '');
}
