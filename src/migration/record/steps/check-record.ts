/** Exports `checkRecord` and `warningsOf`, the local check of one record with its items, and `shownError`, which hides unknown field names. */
import { presentablePath } from '../../../errors/items.js';
import { withoutIndexes } from '../../../validation/path-patterns.js';
import type { Profile } from '../../../validation/profile.js';
import type { ImportRecord } from '../../../validation/records/import-record.js';
import { type RecordFinding, recordFindings, recordWarnings } from '../../../validation/records/record-findings.js';
import type { LedgerError, LedgerWarning } from '../../ledger/ledger.js';
import { BEFORE_OPEN_PERIOD, positionsBeforeOpenPeriod } from '../before-open-period.js';

/** Returns the errors of a record; warnings do not block it. `showPersonalData`: names of unknown fields are not hidden. */
export function checkRecord(
  record: unknown,
  profile: Profile | undefined,
  showPersonalData = false,
): Omit<LedgerError, 'step'>[] {
  return errorsIn(record, profile).map((finding) => shownError(finding, showPersonalData));
}

/** The same with their texts, and with the names of unknown fields. */
export function errorsIn(record: unknown, profile: Profile | undefined): RecordFinding[] {
  return [...recordFindings(record, 0, { profile, warnings: false })].filter(({ severity }) => severity === 'error');
}

/**
 * Returns the warnings of a record, one for each code and path without indexes. `*` replaces names that neither the API specification
 * nor a profile has.
 */
export function warningsOf(record: ImportRecord, profile: Profile | undefined): LedgerWarning[] {
  const found: LedgerWarning[] = [];
  for (const finding of recordWarnings(record, profile)) {
    const { code, attr, count = 1 } = shownError(finding);
    const equal = found.find((other) => other.code === code && withoutIndexes(other.attr) === withoutIndexes(attr));
    if (equal === undefined) found.push({ code, attr, count });
    else equal.count += count;
  }
  const [first, ...others] = positionsBeforeOpenPeriod(record);
  if (first !== undefined) {
    const attr = `transactions.${first}.transaction_date`;
    found.push({ code: BEFORE_OPEN_PERIOD, attr, count: 1 + others.length });
  }
  return found;
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
