/** The currently open statement period of an account (E8, U16). */
import { dayAfter } from '../calendar.js';
import type { ImportedAccount } from './imported-accounts.js';

/** Both days belong to it, YYYY-MM-DD. Without `from` it has no beginning. */
export interface Period {
  from: string | undefined;
  to: string;
}

/** From the day after `last_billed_to_date`, or after the end of the last statement where that is not known, to today. */
export function openPeriod(
  { account, imported }: Pick<ImportedAccount, 'account' | 'imported'>,
  today: string,
): Period {
  const ends = [...(account.data.statements ?? []), ...imported.statements]
    .flatMap(({ bill_period_to_date }) => bill_period_to_date ?? [])
    .sort();
  const billedTo = account.data.last_billed_to_date ?? ends.at(-1);
  const from = billedTo === undefined ? undefined : dayAfter(billedTo);
  // Billed up to today or beyond: the period that comes next has its first day, and only that.
  return { from, to: from !== undefined && from > today ? from : today };
}

/** The date itself where it lies in the period, else the nearest day that does. */
export function clampTo({ from, to }: Period, date: string): string {
  if (from !== undefined && date < from) return from;
  return date > to ? to : date;
}

export function describePeriod({ from, to }: Period): string {
  return from === undefined ? `up to ${to}` : `${from} to ${to}`;
}
