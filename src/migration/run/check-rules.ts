/**
 * The rules of the local check that a run has had: where the profile or the program is another one than in the last
 * session that read the whole input, records that the check rejected are checked again.
 */
import { hash } from 'node:crypto';
import type { Profile } from '../../validation/profile.js';
import { VERSION } from '../../version.js';
import type { Ledger, LedgerRecord } from '../ledger/ledger.js';

/** Name of the fact. */
const CHECK_RULES = 'check rules';

export interface CheckRules {
  /** Whether the ledger has records that may have been checked by other rules. */
  haveChanged: boolean;
  /** Once every record that the former rules rejected was checked again. Rejects as the ledger does. */
  store(): Promise<void>;
}

/** Stores the rules where the ledger has no record yet. Rejects as the ledger does. */
export async function checkRulesOf(ledger: Ledger, profile: Profile | undefined): Promise<CheckRules> {
  const current = hash('sha256', JSON.stringify([VERSION, profile ?? {}]));
  const stored = await ledger.fact(CHECK_RULES);
  const store = () => ledger.setFact(CHECK_RULES, current);
  const haveChanged = stored !== current && (await ledger.counts()).total > 0;
  if (stored !== current && !haveChanged) await store();
  return { haveChanged, store: haveChanged ? store : async () => {} };
}

/** Returns whether the local check rejected the record, so that no request was sent. */
export function wasRejectedByCheck({ outcome, errors }: LedgerRecord): boolean {
  return outcome === 'rejected' && errors.length > 0 && errors.every(({ step }) => step === 'check');
}
