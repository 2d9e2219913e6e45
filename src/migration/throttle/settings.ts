/** The settings of a throttle, at its start and while it runs, and their validation. */

import type { ThrottleClock } from './clock.js';
import type { HaltRules } from './halt-rules.js';
import type { LimitBounds } from './limits/adaptive-limit.js';
import type { TimeWindow } from './limits/time-window.js';

/** How fast a run sends, when, and what stops it. */
export interface ThrottleOptions {
  /**
   * Limit of calls in flight, of all steps.
   * @default 32
   */
  concurrency?: number | undefined;
  /**
   * Calls that process or try an account: the first limit, and its bounds.
   * @default 2, from 1 to `concurrency`
   */
  process?: Partial<LimitBounds & { start: number }> | undefined;
  /**
   * Requests a second, of all steps.
   * @default no cap
   */
  rps?: number | undefined;
  /**
   * When calls may leave.
   * @default always
   */
  window?: TimeWindow | undefined;
  /**
   * What halts the run.
   * @default same=50,failed=20: 50 records in a row rejected for the same code, 20 calls in a row that fail
   */
  halt?: HaltRules | undefined;
  /**
   * Time and timers.
   * @default the machine's
   */
  clock?: ThrottleClock | undefined;
}

/** What can be set while it runs. */
export interface ThrottleSettings {
  /** Limit of calls in flight, of all steps. */
  concurrency?: number | undefined;
  /** The most calls that process; the limit stays at or below it. */
  processConcurrency?: number | undefined;
  /** 0 for no cap. */
  rps?: number | undefined;
}

const DEFAULT_CONCURRENCY = 32;
const DEFAULT_START = 2;

/** Options with their defaults. Throws a `RangeError` that names the option. */
export function throttleSettings({ concurrency = DEFAULT_CONCURRENCY, process = {}, rps = 0 }: ThrottleOptions) {
  checkSettings({ concurrency, rps });
  const { least = 1, most = concurrency, start = Math.max(least, Math.min(most, DEFAULT_START)) } = process;
  for (const [name, value] of Object.entries({ least, most, start })) checkWhole(`process.${name}`, value);
  if (!(least <= start && start <= most)) {
    throw new RangeError(`process: expected least <= start <= most, found ${least}, ${start} and ${most}.`);
  }
  return { concurrency, rps, start, bounds: { least, most } };
}

/** Throws a `RangeError` that names the setting. */
export function checkSettings({ concurrency, processConcurrency, rps }: ThrottleSettings): void {
  if (concurrency !== undefined) checkWhole('concurrency', concurrency);
  if (processConcurrency !== undefined) checkWhole('processConcurrency', processConcurrency);
  if (rps !== undefined && !(rps >= 0 && Number.isFinite(rps))) {
    throw new RangeError(`rps: expected a number of requests a second, or 0 for no cap, found ${rps}.`);
  }
}

function checkWhole(name: string, value: number): void {
  if (Number.isSafeInteger(value) && value >= 1) return;
  throw new RangeError(`${name}: expected a whole number from 1 up, found ${value}.`);
}
