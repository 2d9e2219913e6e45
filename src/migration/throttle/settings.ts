/** Exports the options of a throttle, the settings that can be changed while it runs, and their checks. */

import { checkOptionKinds, type OptionKinds } from '../../validation/option-kinds.js';
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

export function checkThrottle(where: string, options: ThrottleOptions): void {
  checkOptionKinds(where, options, KINDS);
  const { process = {}, halt } = options;
  checkOptionKinds(`${where}.process`, process, { least: 'any?', most: 'any?', start: 'any?' });
  if (halt !== undefined) checkOptionKinds(`${where}.halt`, halt, HALT_KINDS);
}

const KINDS: OptionKinds<ThrottleOptions> = {
  concurrency: 'any?',
  process: 'object?',
  rps: 'any?',
  window: 'window?',
  halt: 'object?',
  clock: 'clock?',
};

const HALT_KINDS: OptionKinds<HaltRules> = {
  fail: 'number?',
  min: 'number',
  same: 'number',
  failed: 'number',
  outage: 'number',
};

/** Settings that can be changed while it runs. */
export interface ThrottleSettings {
  /** Maximum number of calls in flight, of all steps. */
  concurrency?: number | undefined;
  /** Bounds of the adaptive limit. Without `least` the lower bound stays, or is lowered to `most`. */
  process?: { least?: number | undefined; most: number } | undefined;
  /** Maximum number of requests per second. */
  rps?: number | undefined;
}

/** The settings as text: what flags, the config file and `data-import-sdk set` accept. Each throws a `RangeError` with what is expected. */
export const readSetting = {
  concurrency: atLeastOne,
  process: range,
  rps: positiveNumber,
} as const satisfies { [Name in keyof ThrottleSettings]-?: (text: string) => ThrottleSettings[Name] };

/** A whole number from 1: with 0 at once nothing would ever be sent. */
function atLeastOne(text: string): number {
  if (/^\d{1,15}$/.test(text) && Number(text) >= 1) return Number(text);
  throw new RangeError('Expected a whole number from 1 up.');
}

function positiveNumber(text: string): number {
  if (/^\d{1,15}(\.\d{1,15})?$/.test(text) && Number(text) > 0) return Number(text);
  throw new RangeError('Expected a number above 0 in digits, such as 20 or 0.5.');
}

/** `2-24`, or one number without a lower bound. */
function range(text: string): { least?: number; most: number } {
  const [, first = '', second] = /^(\d{1,15})(?:-(\d{1,15}))?$/.exec(text) ?? [];
  const [least, most] = [Number(first), Number(second ?? first)];
  if (least < 1 || least > most) throw new RangeError('Expected bounds such as 2-24, or one number.');
  return second === undefined ? { most } : { least, most };
}

const DEFAULT_CONCURRENCY = 32;
const DEFAULT_START = 2;

/** Returns the options with defaults; `rps` is 0 without a limit. Throws a `RangeError` that names an invalid option. */
export function throttleSettings({ concurrency = DEFAULT_CONCURRENCY, process = {}, rps }: ThrottleOptions) {
  checkSettings({ concurrency, rps });
  const { least = 1, most = concurrency, start = Math.max(least, Math.min(most, DEFAULT_START)) } = process;
  for (const [name, value] of Object.entries({ least, most, start })) checkWhole(`process.${name}`, value);
  if (!(least <= start && start <= most)) {
    throw new RangeError(`process: expected least <= start <= most, found ${least}, ${start} and ${most}.`);
  }
  return { concurrency, rps: rps ?? 0, start, bounds: { least, most } };
}

/** Throws a `RangeError` that names an invalid setting. */
export function checkSettings(settings: ThrottleSettings): void {
  checkOptionKinds('throttle', settings, { concurrency: 'any?', process: 'object?', rps: 'any?' });
  const { concurrency, process, rps } = settings;
  if (concurrency !== undefined) checkWhole('concurrency', concurrency);
  if (process !== undefined) {
    const { least = 1, most } = process;
    checkWhole('process.least', least);
    checkWhole('process.most', most);
    if (least > most) throw new RangeError(`process: expected least <= most, found ${least} and ${most}.`);
  }
  if (rps !== undefined && !(rps > 0 && Number.isFinite(rps))) {
    throw new RangeError(`rps: expected a number of requests per second above 0, found ${rps}.`);
  }
}

function checkWhole(name: string, value: number): void {
  if (Number.isSafeInteger(value) && value >= 1) return;
  throw new RangeError(`${name}: expected a whole number from 1 up, found ${value}.`);
}
