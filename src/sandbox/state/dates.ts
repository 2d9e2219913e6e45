/** Exports functions for dates and datetimes in the documented forms. */
import { dateSchema } from '../../../schemas/fields.js';

const DAY_MS = 86_400_000;
const LAST_DAY = '9999-12-31';

/** Returns the instant as YYYY-MM-DDTHH:MM:SSZ. */
export function toDatetime(instant: Date): string {
  return `${instant.toISOString().slice(0, 19)}Z`;
}

/** Returns the day in UTC as YYYY-MM-DD. */
function toDate(instant: Date): string {
  return instant.toISOString().slice(0, 10);
}

/** Returns the day in the time zone as YYYY-MM-DD (U25). */
export function toDateIn(timeZone: string, instant: Date): string {
  if (timeZone === 'UTC') return toDate(instant);
  const parts = new Intl.DateTimeFormat('en', {
    timeZone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  }).formatToParts(instant);
  const [year, month, day] = ['year', 'month', 'day'].map((type) => parts.find((part) => part.type === type)?.value);
  return `${year?.padStart(4, '0')}-${month}-${day}`;
}

/** Returns the day before the day in UTC: no time zone has an earlier day. */
export function earliestToday(instant: Date): string {
  return toDate(new Date(instant.getTime() - DAY_MS));
}

/** Returns the following day; for 9999-12-31, the same day. */
export function dayAfter(date: string): string {
  return date >= LAST_DAY ? LAST_DAY : toDate(new Date(Date.parse(date) + DAY_MS));
}

/** Returns the day with which a text begins; undefined for a text in another form, which a profile may allow. */
export function dayOf(text: string | undefined): string | undefined {
  const day = text?.slice(0, 10);
  return dateSchema.safeParse(day).success ? day : undefined;
}

/** Returns whether two datetimes, with any offsets, are the same instant. In another form, which a profile may allow, equal texts are. */
export function sameInstant(one: string, other: string): boolean {
  return one === other || Date.parse(one) === Date.parse(other);
}
