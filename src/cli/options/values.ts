/** Readers of option values: numbers, seconds, ranges, and JSON files that a flag names. */
import { readFile } from 'node:fs/promises';
import { InvalidArgumentError } from 'commander';
import { parseJson, whyNotJson } from '../../validation/parse-json.js';
import { UsageError } from '../shared/errors.js';

/** A whole number from 0. Throws an `InvalidArgumentError`, as every reader of this file does. */
export function wholeNumber(value: string): number {
  if (/^\d{1,15}$/.test(value)) return Number(value);
  throw new InvalidArgumentError('Expected a whole number.');
}

/** A whole number from 1: with 0 at once nothing would ever be sent. */
export function atLeastOne(value: string): number {
  if (/^\d{1,15}$/.test(value) && Number(value) >= 1) return Number(value);
  throw new InvalidArgumentError('Expected a whole number from 1 up.');
}

export function positiveNumber(value: string): number {
  if (/^\d+(\.\d+)?$/.test(value) && Number(value) > 0) return Number(value);
  throw new InvalidArgumentError('Expected a number above 0.');
}

/** A share from 0 to below 1, or more: the command checks the upper bound. */
export function share(value: string): number {
  return value === '0' ? 0 : positiveNumber(value);
}

/** Seconds of a timer, which counts in milliseconds. */
export function seconds(value: string): number {
  if (/^\d+(\.\d+)?$/.test(value) && Number(value) >= 0.001) return Number(value);
  throw new InvalidArgumentError('Expected seconds, from 0.001 up.');
}

export function secondsFromZero(value: string): number {
  if (/^\d+(\.\d+)?$/.test(value)) return Number(value);
  throw new InvalidArgumentError('Expected seconds, from 0 up.');
}

/** `2-24`, or one number for both bounds. */
export function range(value: string): [least: number, most: number] {
  const [, least = '', most = least] = /^(\d+)(?:-(\d+))?$/.exec(value) ?? [];
  const [from, to] = [Number(least), Number(most)];
  if (from >= 1 && from <= to) return [from, to];
  throw new InvalidArgumentError('Expected bounds such as 2-24, or one number.');
}

/** Collects the values of an option that may be given several times. */
export function repeated(value: string, before: string[] = []): string[] {
  return [...before, value];
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
  return error instanceof SyntaxError ? whyNotJson(error) : `cannot be read (${(error as NodeJS.ErrnoException).code})`;
}

/** Runs a check of values that the user gave. Throws a `UsageError` with the message of what it throws. */
export function asUsageError<Result>(task: () => Result): Result {
  try {
    return task();
  } catch (error) {
    const message = (error as Error).message.replace(/^[\w.]+(?=: )/, (name) => FLAG_OF[name] ?? name);
    throw new UsageError(message, { cause: error });
  }
}

/** The client's name of an option, and the flag that sets it. */
const FLAG_OF: Readonly<Record<string, string>> = { baseUrl: '--base-url', 'advanced.tokenScheme': '--token-scheme' };
