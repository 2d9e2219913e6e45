/** Dates and datetimes in the document's forms. The sandbox's accounts live in UTC (U25). */

const DAY_MS = 86_400_000;
const LAST_DAY = '9999-12-31';

/** YYYY-MM-DDTHH:MM:SSZ */
export function toDatetime(instant: Date): string {
  return `${instant.toISOString().slice(0, 19)}Z`;
}

/** YYYY-MM-DD */
export function toDate(instant: Date): string {
  return instant.toISOString().slice(0, 10);
}

/** The day after; the last day that has four digits of a year has none. */
export function dayAfter(date: string): string {
  return date >= LAST_DAY ? LAST_DAY : toDate(new Date(Date.parse(date) + DAY_MS));
}

/** Whether two datetimes, of whatever offset, mean one instant. */
export function sameInstant(one: string, other: string): boolean {
  return Date.parse(one) === Date.parse(other);
}
