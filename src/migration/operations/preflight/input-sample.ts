/** Exports `sampleInput`, which reads the first lines of an input, for the preflight checks that need records. */
import type { Account } from '../../../../schemas/payloads/account.js';
import type { Profile } from '../../../validation/profile.js';
import type { ImportRecord } from '../../../validation/records/import-record.js';
import type { Input } from '../../input/source.js';
import { contractOf, keyedRecord } from '../../record/record-key.js';
import { checkRecord } from '../../record/steps/check-record.js';

/** Facts from the first lines of an input. */
export type InputSample = Awaited<ReturnType<typeof sampleInput>>;

export const SAMPLE_LINES = 1000;

/** Reads the first `SAMPLE_LINES` lines. Does not read an input that can be read only once. */
export async function sampleInput(input: Input, profile: Profile | undefined) {
  /** For each import supplier, an account that can be validated; null if the lines have none. */
  const suppliers = new Map<string, Account | null>();
  const files = new Set<string>();
  // `isWhole`: whether the input has no more lines. `bytes`: of these lines.
  let [lines, bytes, isWhole] = [0, 0, true];
  if (input.isReadOnce === true) return { suppliers, isWhole: false, lines, bytes, files };
  for await (const item of input) {
    if (lines === SAMPLE_LINES) {
      isWhole = false;
      break;
    }
    lines++;
    bytes += Buffer.byteLength(item.text);
    files.add(item.source);
    const { record, key } = keyedRecord(item) ?? {};
    if (record === undefined || key === undefined || key.kind === 'populate') continue;
    if (suppliers.get(key.supplier) == null) suppliers.set(key.supplier, accountToTry(record, profile) ?? null);
  }
  return { suppliers, isWhole, lines, bytes, files };
}

/** Returns the account of a record if a call with it shows how the service answers: the business of one with a contract may not exist yet. */
export function accountToTry(record: ImportRecord, profile: Profile | undefined): Account | undefined {
  if (!('account' in record) || contractOf(record) !== undefined) return undefined;
  return checkRecord(record, profile).length === 0 ? record.account : undefined;
}
