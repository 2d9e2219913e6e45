/** The local check of one record: its payload, and everything that is added to it after its import. */
import { presentablePath } from '../../../errors/items.js';
import type { Profile } from '../../../validation/profile.js';
import { type RecordFinding, recordFindings } from '../../../validation/records/record-findings.js';
import type { LedgerError } from '../../ledger/ledger.js';

/** Errors only; warnings block nothing. `showPersonalData`: names of unknown fields stay as they are. */
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
 * What may be kept and shown of an error: in its path `*` stands for a name that neither the API specification nor a profile
 * has, unless personal data are to be shown.
 */
export function shownError(
  { code, attr, didYouMean, count }: Pick<RecordFinding, 'code' | 'attr' | 'didYouMean' | 'count'>,
  showPersonalData = false,
): Omit<LedgerError, 'step'> {
  const shown = { code, attr: showPersonalData ? attr : (presentablePath(attr) ?? '') };
  return { ...shown, ...(didYouMean !== undefined && { didYouMean }), ...(count !== undefined && { count }) };
}
