/** The local check of one record: its payload, and everything that is added to it after its import. */
import { recordFindings } from '../validation/book.js';
import type { Profile } from '../validation/profile.js';
import type { LedgerError } from './ledger/ledger.js';

/** Errors only; advice blocks nothing. */
export function checkRecord(record: unknown, profile: Profile | undefined): Omit<LedgerError, 'step'>[] {
  return [...recordFindings(record, 0, { profile, advice: false })]
    .filter(({ severity }) => severity === 'error')
    .map(({ code, attr }) => ({ code, attr }));
}
