/** Exports `openPeriod` and others: the open statement period of an account (E8, U16). */

import type { Call } from '../../calls/call.js';
import { dayAfter, dayOf, earliestToday, toDateIn } from '../../state/dates.js';
import type { ImportedAccount } from './imported-account.js';

/** First and last day, YYYY-MM-DD, both inclusive. Without `from` it has no beginning. */
export interface Period {
  from: string | undefined;
  to: string;
}

type Billed = Pick<ImportedAccount, 'account' | 'imported'>;

/** Returns the period from the day after `last_billed_to_date` (without it, after the end of the last statement) to today. */
export function openPeriod({ account, imported }: Billed, today: string): Period {
  const ends = [...(account.data.statements ?? []), ...imported.statements]
    .flatMap(({ bill_period_to_date }) => dayOf(bill_period_to_date) ?? [])
    .sort();
  const billedTo = dayOf(account.data.last_billed_to_date) ?? ends.at(-1);
  const from = billedTo === undefined ? undefined : dayAfter(billedTo);
  // Billed up to today or beyond: the period consists of its first day.
  return { from, to: from !== undefined && from > today ? from : today };
}

/**
 * Returns a function that returns the period if a date is outside it, and undefined if it is inside. Reads the time zone
 * only if it matters: a day that has passed in every time zone is inside in any case (U25).
 */
export function periodAround(
  billed: Billed,
  { now, settings }: Pick<Call<unknown>, 'now' | 'settings'>,
): (date: string) => Period | undefined {
  const atLeast = openPeriod(billed, earliestToday(now));
  let period: Period | undefined;
  return (date) => {
    if (isInside(atLeast, date)) return undefined;
    period ??= openPeriod(billed, toDateIn(settings.timeZone, now));
    return isInside(period, date) ? undefined : period;
  };
}

function isInside({ from, to }: Period, date: string): boolean {
  return (from === undefined || date >= from) && date <= to;
}

/** Returns the day of the period that is nearest to a date outside it. */
export function nearestIn({ from, to }: Period, date: string): string {
  return from !== undefined && date < from ? from : to;
}

export function describePeriod({ from, to }: Period): string {
  return from === undefined ? `up to ${to}` : `${from} to ${to}`;
}
