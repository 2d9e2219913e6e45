/**
 * Exports `checkRulesOf`: if the profile or the version of this package has changed since the last session that read the whole
 * input, records that the local check rejected are checked again.
 */
import { hash } from 'node:crypto';
import type { Profile } from '../../validation/profile.js';
import { VERSION } from '../../version.js';
import type { Ledger, LedgerRecord } from '../ledger/ledger.js';

/** Name of the ledger fact. */
const CHECK_RULES = 'check rules';

/** Compares the rules with those in the ledger, and stores them if it has no record yet. Rejects if the ledger fails. */
export async function checkRulesOf(ledger: Ledger, profile: Profile | undefined) {
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
