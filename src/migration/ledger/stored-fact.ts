/** Exports `jsonFact`, which reads a fact of a ledger that is JSON, and `fits`, its check by a schema. */
import type * as z from 'zod';
import { jsonIn } from '../shared/regular-file.js';
import type { Ledger } from './ledger.js';
import { LedgerFileError } from './sqlite/file-error.js';

/**
 * Resolves with the value; undefined if the ledger has no such fact. Rejects with a `LedgerFileError` for an invalid value, which the
 * message does not quote.
 */
export async function jsonFact<Value>(
  ledger: Pick<Ledger, 'fact'>,
  name: string,
  isExpected: (value: unknown) => value is Value,
): Promise<Value | undefined> {
  const stored = await ledger.fact(name);
  if (!stored) return undefined;
  // The error of JSON.parse quotes the text.
  const value = jsonIn(stored);
  if (isExpected(value)) return value;
  throw new LedgerFileError(
    `ledger: its entry "${name}" is damaged. Restore the ledger from a copy, then compare with data-import-sdk verify.`,
  );
}

export function fits<Value>(schema: z.ZodType<Value>): (value: unknown) => value is Value {
  return (value): value is Value => schema.safeParse(value).success;
}
