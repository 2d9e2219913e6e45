/** Exports `checkRecord`, the local check of one record with its items, and `shownError`, which hides unknown field names. */
import { presentablePath } from '../../../errors/items.js';
import type { Profile } from '../../../validation/profile.js';
import { type RecordFinding, recordFindings } from '../../../validation/records/record-findings.js';
import type { LedgerError } from '../../ledger/ledger.js';

/** Returns the errors of a record; warnings do not block it. `showPersonalData`: names of unknown fields are not hidden. */
export function checkRecord(
  record: unknown,
  profile: Profile | undefined,
  showPersonalData = false,
): Omit<LedgerError, 'step'>[] {
  return [...recordFindings(record, 0, { profile, warnings: false })]
    .filter(({ severity }) => severity === 'error')
    .map((finding) => shownError(finding, showPersonalData));
}

/**
 * Returns the error in the form in which the ledger stores it: `*` in the path replaces a name that neither the API specification
 * nor a profile has, unless personal data may be shown.
 */
export function shownError(
  { code, attr, didYouMean, count }: Pick<RecordFinding, 'code' | 'attr' | 'didYouMean' | 'count'>,
  showPersonalData = false,
): Omit<LedgerError, 'step'> {
  const shown = { code, attr: showPersonalData ? attr : (presentablePath(attr) ?? '') };
  return { ...shown, ...(didYouMean !== undefined && { didYouMean }), ...(count !== undefined && { count }) };
}
