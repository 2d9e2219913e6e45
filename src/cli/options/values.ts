/** Readers of option values: numbers, seconds, ranges, and JSON files that a flag names. */
import { readFile, writeFile } from 'node:fs/promises';
import { InvalidArgumentError } from 'commander';
import { dateSchema } from '../../../schemas/fields.js';
import { whyNotRead } from '../../migration/input/input-error.js';
import { readSetting } from '../../migration/throttle/settings.js';
import { parseJson, whyNotJson } from '../../validation/parse-json.js';
import { UsageError } from '../shared/errors.js';

/** A whole number from 0. Throws an `InvalidArgumentError`, as every reader of this file does. */
export function wholeNumber(value: string): number {
  if (/^\d{1,15}$/.test(value)) return Number(value);
  throw new InvalidArgumentError('Expected a whole number.');
}

/** The time of the sandbox's clock: `machine`, or a datetime of a real day (a Date makes 2 March of 30 February). undefined for another value. */
export function clockTime(value: unknown): Date | 'machine' | undefined {
  if (value === 'machine') return value;
  const instant = new Date(String(value));
  const isReal = Number.isFinite(instant.getTime()) && dateSchema.safeParse(String(value).slice(0, 10)).success;
  return isReal ? instant : undefined;
}

/** The reader of a value as an option has it. `data-import-sdk set` reads the same limits. */
export function argument<Value>(read: (text: string) => Value): (text: string) => Value {
  return (text) => {
    try {
      return read(text);
    } catch (error) {
      throw new InvalidArgumentError((error as Error).message);
    }
  };
}

export const atLeastOne = argument(readSetting.concurrency);
export const positiveNumber = argument(readSetting.rps);

/** A share from 0 to below 1, or more: the command checks the upper bound. */
export function share(value: string): number {
  return value === '0' ? 0 : positiveNumber(value);
}

function secondsFrom(least: number): (value: string) => number {
  return (value) => {
    if (/^\d+(\.\d+)?$/.test(value) && Number(value) >= least) return Number(value);
    throw new InvalidArgumentError(`Expected seconds, from ${least} up.`);
  };
}

/** Seconds of a timer, which counts in milliseconds. */
export const seconds = secondsFrom(0.001);
export const secondsFromZero = secondsFrom(0);

/** Collects the values of an option that may be given several times. */
export function repeated(value: string, before: string[] = []): string[] {
  return [...before, value];
}

/** The content of a file that the user names. Rejects with a `UsageError`. `named`: its path with the flag, for the message. */
export async function readNamed(path: string, named: string, expected: string): Promise<Buffer> {
  return readFile(path).catch((error: unknown) => {
    throw new UsageError(`${named} cannot be read (${whyNotRead(error)}); expected ${expected}.`, { cause: error });
  });
}

/** A file of JSON that a flag names. Rejects with a `UsageError` that names the flag, the file and what it should hold. */
export async function readJsonFile(path: string, flag: string, expected: string): Promise<unknown> {
  try {
    return parseJson(await readFile(path, 'utf8'));
  } catch (error) {
    throw new UsageError(`${flag}: ${path} ${whyUnread(error)}; expected a file with ${expected}.`, { cause: error });
  }
}

/** Returns why a JSON file is not read, for a message. */
export function whyUnread(error: unknown): string {
  return error instanceof SyntaxError ? whyNotJson(error) : `cannot be read (${whyNotRead(error)})`;
}

/** Returns the error for a file that a flag names, and that cannot be written. `ifThere`: if it exists, and must not. */
export function notWritten(flag: string, path: string, error: unknown, ifThere = 'exists already'): UsageError {
  const { code } = error as NodeJS.ErrnoException;
  const why = code === 'EEXIST' ? ifThere : `cannot be written (${code})`;
  return new UsageError(`${flag}: ${path} ${why}. Give another path.`, { cause: error });
}

/** Writes a file that a flag names. Rejects with a `UsageError`. `how`: such as `{ flag: 'wx' }` for a file that must not exist. */
export async function writeNamed(path: string, flag: string, text: string, how?: { flag: string }): Promise<void> {
  await writeFile(path, text, how).catch((error: unknown) => {
    throw notWritten(flag, path, error);
  });
}

/** Runs a task, and `refuse` with what it throws. */
export function attempt<Result>(task: () => Result, refuse: (error: unknown) => never): Result {
  try {
    return task();
  } catch (error) {
    return refuse(error);
  }
}

/** Runs a check of values that the user gave. Throws a `UsageError` with the message of what it throws. */
export function asUsageError<Result>(task: () => Result): Result {
  return attempt(task, (error) => {
    const message = (error as Error).message.replace(/^[\w.]+(?=: )/, (name) => FLAG_OF[name] ?? name);
    throw new UsageError(message, { cause: error });
  });
}

/** The client's name of an option, and the flag that sets it. */
const FLAG_OF: Readonly<Record<string, string>> = {
  baseUrl: '--base-url',
  'advanced.tokenScheme': '--token-scheme',
  profile: '--profile',
};
