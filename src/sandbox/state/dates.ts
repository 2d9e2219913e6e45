/** Dates and datetimes in the document's forms. */

const DAY_MS = 86_400_000;
const LAST_DAY = '9999-12-31';

/** YYYY-MM-DDTHH:MM:SSZ */
export function toDatetime(instant: Date): string {
  return `${instant.toISOString().slice(0, 19)}Z`;
}

/** YYYY-MM-DD, the day that it is in UTC. */
function toDate(instant: Date): string {
  return instant.toISOString().slice(0, 10);
}

/** YYYY-MM-DD, the day that it is in the time zone (U25). */
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

/** The day before the one that it is in UTC: nowhere on earth is it an earlier one. */
export function earliestToday(instant: Date): string {
  return toDate(new Date(instant.getTime() - DAY_MS));
}

/** The day after; the last day that has four digits of a year has none. */
export function dayAfter(date: string): string {
  return date >= LAST_DAY ? LAST_DAY : toDate(new Date(Date.parse(date) + DAY_MS));
}

/** Whether two datetimes, of whatever offset, mean one instant. */
export function sameInstant(one: string, other: string): boolean {
  return Date.parse(one) === Date.parse(other);
}
