/** The currently open statement period of an account (E8, U16). */

import type { Call } from '../../calls/call.js';
import { dayAfter, earliestToday, toDateIn } from '../../state/dates.js';
import type { ImportedAccount } from './imported-account.js';

/** Both days belong to it, YYYY-MM-DD. Without `from` it has no beginning. */
export interface Period {
  from: string | undefined;
  to: string;
}

type Billed = Pick<ImportedAccount, 'account' | 'imported'>;

/** From the day after `last_billed_to_date`, or after the end of the last statement where that is not known, to today. */
export function openPeriod({ account, imported }: Billed, today: string): Period {
  const ends = [...(account.data.statements ?? []), ...imported.statements]
    .flatMap(({ bill_period_to_date }) => bill_period_to_date ?? [])
    .sort();
  const billedTo = account.data.last_billed_to_date ?? ends.at(-1);
  const from = billedTo === undefined ? undefined : dayAfter(billedTo);
  // Billed up to today or beyond: the period that comes next has its first day, and only that.
  return { from, to: from !== undefined && from > today ? from : today };
}

/**
 * Tells of a date the period that it lies outside of, or undefined where it lies inside. Asks for the time zone only
 * where that decides: a day that has passed everywhere on earth lies in the period whatever the zone (U25).
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

/** The day of the period that is nearest to a date outside it. */
export function nearestIn({ from, to }: Period, date: string): string {
  return from !== undefined && date < from ? from : to;
}

export function describePeriod({ from, to }: Period): string {
  return from === undefined ? `up to ${to}` : `${from} to ${to}`;
}
