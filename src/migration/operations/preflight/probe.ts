/** Exports `probe`, which measures the latency of the service with a few calls of `accounts.validate`. They change nothing. */

import type { DataImportClient } from '../../../client.js';
import { ApiError } from '../../../errors/api-errors.js';
import type { Profile } from '../../../validation/profile.js';
import type { Input } from '../../input/source.js';
import type { Latency } from '../forecast-duration.js';
import { accountToTry } from './input-sample.js';

export interface Probe extends Latency {
  calls: number;
  /** Number of accounts that the service refused. */
  refused: number;
}

export interface ProbeOptions {
  client: DataImportClient;
  input: Input;
  /** Number of calls. */
  count: number;
  profile: Profile | undefined;
  /** Returns a time in milliseconds. */
  now: () => number;
}

/**
 * Validates the first accounts that pass the local check and belong to no business, one after another. Resolves with undefined if there is
 * none. Rejects as the client, except for refused accounts, whose latency counts too.
 */
export async function probe({ client, input, count, profile, now }: ProbeOptions): Promise<Probe | undefined> {
  const took: number[] = [];
  let refused = 0;
  for await (const item of count === 0 ? [] : input) {
    const read = item.read();
    const account = 'record' in read ? accountToTry(read.record, profile) : undefined;
    if (account === undefined) continue;
    const before = now();
    try {
      await client.accounts.validate(account, { validate: false });
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 400) throw error;
      refused++;
    }
    took.push(now() - before);
    if (took.length === count) break;
  }
  if (took.length === 0) return undefined;
  took.sort((a, b) => a - b);
  const at = (share: number) => took[Math.ceil(took.length * share) - 1] ?? 0;
  return { calls: took.length, refused, medianMs: at(0.5), mostMs: at(0.9) };
}
