/** Exports the options of a throttle, the settings that can be changed while it runs, and their checks. */

import type { ThrottleClock } from './clock.js';
import type { HaltRules } from './halt-rules.js';
import type { LimitBounds } from './limits/adaptive-limit.js';
import type { TimeWindow } from './limits/time-window.js';

/** How fast a run sends, at what times, and which failures stop it. */
export interface ThrottleOptions {
  /**
   * Maximum number of calls in flight, of all steps.
   * @default 32
   */
  concurrency?: number | undefined;
  /**
   * Limit of `process` and dry-run calls in flight: its first value and its bounds.
   * @default 2, from 1 to `concurrency`
   */
  process?: Partial<LimitBounds & { start: number }> | undefined;
  /**
   * Maximum number of requests per second, of all steps.
   * @default no limit
   */
  rps?: number | undefined;
  /**
   * When calls may start.
   * @default always
   */
  window?: TimeWindow | undefined;
  /**
   * Halt rules.
   * @default same=50,failed=20: 50 records in a row rejected for the same code, 20 calls in a row that fail
   */
  halt?: HaltRules | undefined;
  /**
   * Time and timers.
   * @default the clock of the machine
   */
  clock?: ThrottleClock | undefined;
}

/** Settings that can be changed while it runs. */
export interface ThrottleSettings {
  /** Maximum number of calls in flight, of all steps. */
  concurrency?: number | undefined;
  /** Upper bound of the adaptive limit. */
  processConcurrency?: number | undefined;
  /** Maximum number of requests per second; 0 for no limit. */
  rps?: number | undefined;
}

const DEFAULT_CONCURRENCY = 32;
const DEFAULT_START = 2;

/** Returns the options with defaults. Throws a `RangeError` that names an invalid option. */
export function throttleSettings({ concurrency = DEFAULT_CONCURRENCY, process = {}, rps = 0 }: ThrottleOptions) {
  checkSettings({ concurrency, rps });
  const { least = 1, most = concurrency, start = Math.max(least, Math.min(most, DEFAULT_START)) } = process;
  for (const [name, value] of Object.entries({ least, most, start })) checkWhole(`process.${name}`, value);
  if (!(least <= start && start <= most)) {
    throw new RangeError(`process: expected least <= start <= most, found ${least}, ${start} and ${most}.`);
  }
  return { concurrency, rps, start, bounds: { least, most } };
}

/** Throws a `RangeError` that names an invalid setting. */
export function checkSettings({ concurrency, processConcurrency, rps }: ThrottleSettings): void {
  if (concurrency !== undefined) checkWhole('concurrency', concurrency);
  if (processConcurrency !== undefined) checkWhole('processConcurrency', processConcurrency);
  if (rps !== undefined && !(rps >= 0 && Number.isFinite(rps))) {
    throw new RangeError(`rps: expected a number of requests per second, or 0 for no limit, found ${rps}.`);
  }
}

function checkWhole(name: string, value: number): void {
  if (Number.isSafeInteger(value) && value >= 1) return;
  throw new RangeError(`${name}: expected a whole number from 1 up, found ${value}.`);
}
