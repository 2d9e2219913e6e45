/** `sampleInput` reads the first lines of an input, for the preflight checks that need records of it. */
import type { Account } from '../../../../schemas/payloads/account.js';
import type { Profile } from '../../../validation/profile.js';
import type { Input } from '../../input/source.js';
import { contractOf, keyOf } from '../../record/record-key.js';
import { checkRecord } from '../../record/steps/check-record.js';

/** What the first lines of an input show. */
export interface InputSample {
  /** An account of each import supplier that can be validated; null where the lines show none. */
  suppliers: ReadonlyMap<string, Account | null>;
  /** Whether these are all lines. */
  isWhole: boolean;
  lines: number;
  /** Bytes of these lines, and the files that they stand in. */
  bytes: number;
  files: ReadonlySet<string>;
}

export const SAMPLE_LINES = 1000;

/** Reads only the first lines. An input that can be read only once is not read here. */
export async function sampleInput(input: Input, profile: Profile | undefined): Promise<InputSample> {
  const suppliers = new Map<string, Account | null>();
  const files = new Set<string>();
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
    const read = item.read();
    const key = 'record' in read ? keyOf(read.record) : undefined;
    if (!('record' in read) || key === undefined || key.kind === 'populate') continue;
    const { record } = read;
    const known = suppliers.get(key.supplier);
    // The business of an account with a contract may not be there yet.
    const isFit = 'account' in record && contractOf(record) === undefined && checkRecord(record, profile).length === 0;
    if (known == null) suppliers.set(key.supplier, known ?? (isFit ? record.account : null));
  }
  return { suppliers, isWhole, lines, bytes, files };
}
