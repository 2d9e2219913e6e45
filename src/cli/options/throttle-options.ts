/** How fast a command sends, when, and what stops it: the same flags for every command that carries records through. */
import { type Command, InvalidArgumentError } from 'commander';
import { parseHalt } from '../../migration/throttle/halt-rules.js';
import type { ThrottleOptions } from '../../migration/throttle/settings.js';
import { parseWindow } from '../../migration/throttle/time-window.js';
import { meant } from '../open/connection.js';
import { atLeastOne, expectBeside, positiveNumber, setting } from './settings.js';

interface RateFlags {
  concurrency: number;
  processConcurrency?: [least: number, most: number];
  rps?: number;
}

export interface PaceFlags extends RateFlags {
  window?: string;
  timeZone?: string;
  halt?: string;
}

/** What can be told of a pace beforehand. */
function withRate(command: Command): Command {
  return command
    .addOption(setting('--concurrency <number>', 'calls under way').argParser(atLeastOne).default(32))
    .addOption(setting('--process-concurrency <range>', 'bounds of calls that process, such as 2-24').argParser(range))
    .addOption(setting('--rps <number>', 'requests a second at most').argParser(positiveNumber));
}

export function withPace(command: Command): Command {
  expectBeside(command, 'window', 'timeZone');
  return withRate(command)
    .addOption(setting('--window <times>', 'when calls may leave, such as "Mon-Fri 20:00-06:00"'))
    .addOption(setting('--time-zone <name>', "of the window (default: the machine's)"))
    .addOption(setting('--halt <rules>', 'what stops the run, such as fail=2%,min=1000,same=50'));
}

export type QueryPaceFlags = Pick<PaceFlags, 'concurrency' | 'rps' | 'window' | 'timeZone'>;

/** Of a command that only asks: the flags of a run that concern it. */
export function withQueryPace(command: Command): Command {
  expectBeside(command, 'window', 'timeZone');
  return command
    .addOption(setting('--concurrency <number>', 'with --follow: calls under way').argParser(atLeastOne).default(32))
    .addOption(setting('--rps <number>', 'with --follow: requests a second at most').argParser(positiveNumber))
    .addOption(setting('--window <times>', 'with --follow: when calls may leave, such as "Mon-Fri 20:00-06:00"'))
    .addOption(setting('--time-zone <name>', "of the window (default: the machine's)"));
}

/** Throws a UsageError that names what cannot be meant. */
export function paceOf({ concurrency, processConcurrency, rps, window, timeZone, halt }: PaceFlags): ThrottleOptions {
  return meant(() => ({
    concurrency,
    ...(processConcurrency && { process: { least: processConcurrency[0], most: processConcurrency[1] } }),
    ...(rps !== undefined && { rps }),
    ...(window !== undefined && { window: parseWindow(window, timeZone) }),
    ...(halt !== undefined && { halt: parseHalt(halt) }),
  }));
}

function range(value: string): [number, number] {
  const [, least = '', most = least] = /^(\d+)(?:-(\d+))?$/.exec(value) ?? [];
  const [from, to] = [Number(least), Number(most)];
  if (from >= 1 && from <= to) return [from, to];
  throw new InvalidArgumentError('Expected bounds such as 2-24, or one number.');
}
