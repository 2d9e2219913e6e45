/** How fast the service answers: a few calls of `accounts.validate`, which changes nothing on the service. */

import type { Account } from '../../../../schemas/payloads/account.js';
import type { DataImportClient } from '../../../client.js';
import { isApiError } from '../../../errors/guards.js';
import type { Profile } from '../../../validation/profile.js';
import type { Input } from '../../input/source.js';
import { contractOf } from '../../record/record-key.js';
import { checkRecord } from '../../record/steps/check-record.js';
import type { Latency } from './duration.js';

export interface Probe extends Latency {
  calls: number;
  /** Of the calls: accounts that the service finds something wrong with. */
  refused: number;
}

export interface ProbeOptions {
  client: DataImportClient;
  input: Input;
  /** How many calls. */
  count: number;
  profile: Profile | undefined;
  /** Milliseconds. */
  now: () => number;
}

/**
 * One after another, of the first accounts of the input that the local check lets through and that wait for no business. undefined where there is none.
 * Rejects as the client does, but for a refusal of the account: that is an answer too.
 */
export async function probe({ client, input, count, profile, now }: ProbeOptions): Promise<Probe | undefined> {
  const took: number[] = [];
  let refused = 0;
  for await (const account of firstAccounts(input, count, profile)) {
    const before = now();
    try {
      await client.accounts.validate(account, { validate: false });
    } catch (error) {
      if (!isApiError(error) || error.status !== 400) throw error;
      refused++;
    }
    took.push(now() - before);
  }
  if (took.length === 0) return undefined;
  took.sort((a, b) => a - b);
  const at = (share: number) => took[Math.ceil(took.length * share) - 1] ?? 0;
  return { calls: took.length, refused, medianMs: at(0.5), mostMs: at(0.9) };
}

async function* firstAccounts(input: Input, count: number, profile: Profile | undefined): AsyncGenerator<Account> {
  let left = count;
  if (left === 0) return;
  for await (const item of input) {
    const read = item.read();
    if (!('record' in read) || !('account' in read.record) || checkRecord(read.record, profile).length > 0) continue;
    // Its business may not exist yet, and the service would refuse the account only for this reason.
    if (contractOf(read.record) !== undefined) continue;
    yield read.record.account;
    if (--left === 0) return;
  }
}
