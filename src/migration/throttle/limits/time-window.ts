/**
 * Exports `parseWindow`: `--window "Mon-Fri 20:00-06:00; Sat,Sun 00:00-24:00"`, when calls may start. The times are local times of
 * a time zone: the window is open whenever the local time is inside, also across daylight saving changes.
 */
import { expectKind } from '../../../validation/option-kinds.js';

/** When calls may start; returned by `parseWindow`. */
export interface TimeWindow {
  /** Returns whether calls may start at this instant. */
  isOpen(instant: Date): boolean;
  /** Returns the next instant at which it opens or closes; undefined if it is always open. */
  nextChange(instant: Date): Date | undefined;
  /** The text of `parseWindow` with the time zone. */
  readonly text: string;
}

/** Returns a function that returns the milliseconds until the window is open. Computes the next change only after the last one. */
export function createWindowClock(window: TimeWindow | undefined): (now: number) => number {
  let known = { from: 0, isOpen: true, until: window === undefined ? Number.POSITIVE_INFINITY : 0 };
  return (now) => {
    // The clock of the machine may be set back.
    if (window !== undefined && (now < known.from || now >= known.until)) {
      const instant = new Date(now);
      const until = window.nextChange(instant)?.getTime() ?? now + DAY_MINUTES * MINUTE_MS;
      known = { from: now, isOpen: window.isOpen(instant), until };
    }
    return known.isOpen ? 0 : known.until - now;
  };
}

interface Span {
  /** Sunday is 0. */
  days: ReadonlySet<number>;
  /** Minutes since midnight. If `to` is not after `from`, it is on the next day. */
  from: number;
  to: number;
}

const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const MINUTE_MS = 60_000;
const DAY_MINUTES = 24 * 60;
const WEEK_MINUTES = 7 * DAY_MINUTES;

/**
 * Parses a window such as `Mon-Fri 20:00-06:00; Sat,Sun 00:00-24:00`: days, and local times of the time zone. An end before the start
 * is on the next day. `timeZone`: IANA name, by default that of the machine. Throws a `RangeError` that quotes the invalid part.
 *
 * @example
 * runMigration({ ...options, throttle: { window: parseWindow('Mon-Fri 20:00-06:00', 'Europe/Paris') } });
 */
export function parseWindow(text: string, timeZone = machineTimeZone()): TimeWindow {
  expectKind('parseWindow', text, 'string');
  const spans = text.split(';').flatMap((part) => parsePart(part, text));
  const wallMs = wallClock(timeZone);
  const isOpenAt = (ms: number) => isInside(spans, minuteOfWeek(wallMs(ms)));
  return {
    text: `${text.trim()} (${timeZone})`,
    isOpen: (instant) => isOpenAt(instant.getTime()),
    nextChange(instant) {
      const isOpen = isOpenAt(instant.getTime());
      // Two weeks: a daylight saving change may skip the window this week.
      const last = instant.getTime() + 2 * WEEK_MINUTES * MINUTE_MS;
      for (let ms = nextEdge(instant.getTime(), spans, wallMs); ms <= last; ms = nextEdge(ms, spans, wallMs)) {
        if (isOpenAt(ms) !== isOpen) return new Date(ms);
      }
      return undefined;
    },
  };
}

/** Returns the window with this `text`. */
export function windowOf(text: string): TimeWindow {
  const [, days = text, timeZone] = /^(.*) \(([^()]+)\)$/s.exec(text) ?? [];
  return parseWindow(days, timeZone);
}

function machineTimeZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** Parses a part between semicolons: days, and days with times. Days without times have the next times. */
function parsePart(part: string, text: string): Span[] {
  const spans: Span[] = [];
  let days = new Set<number>();
  let isWaiting = false;
  for (const piece of part.split(',')) {
    const words = piece.trim().split(/\s+/);
    const times = words.at(-1)?.includes(':') ? words.pop() : undefined;
    if (words.length > 1 || (words.length === 0 && times === undefined) || words[0] === '') {
      throw wrong(text, piece.trim());
    }
    for (const day of words.length === 1 ? daysOf(words[0] ?? '', text) : []) days.add(day);
    isWaiting = times === undefined;
    if (times === undefined) continue;
    const every = days.size === 0 ? new Set(DAYS.keys()) : days;
    spans.push({ days: every, ...timesOf(times, text) });
    days = new Set();
  }
  if (isWaiting) throw wrong(text, part.trim());
  return spans;
}

function daysOf(word: string, text: string): number[] {
  const [first, last = first, ...more] = word
    .toLowerCase()
    .split('-')
    .map((name) => DAYS.indexOf(name));
  if (first === undefined || last === undefined || first < 0 || last < 0 || more.length > 0) throw wrong(text, word);
  return Array.from({ length: ((last - first + 7) % 7) + 1 }, (_, index) => (first + index) % 7);
}

function timesOf(word: string, text: string): { from: number; to: number } {
  const [, fromHour, fromMinute, toHour, toMinute] = /^(\d\d):([0-5]\d)-(\d\d):([0-5]\d)$/.exec(word) ?? [];
  const from = Number(fromHour) * 60 + Number(fromMinute);
  const to = Number(toHour) * 60 + Number(toMinute);
  if (!(from < DAY_MINUTES && to <= DAY_MINUTES)) throw wrong(text, word);
  if (from === to) throw wrong(text, word, 'start and end are equal; the whole day is 00:00-24:00');
  return { from, to };
}

function wrong(text: string, piece: string, why = 'expected days and times such as "Mon-Fri 20:00-06:00"'): RangeError {
  const where = piece === text.trim() ? '' : `, at ${JSON.stringify(piece)}`;
  return new RangeError(
    `window ${JSON.stringify(text)}${where}: ${why}. Days are Mon to Sun, one, a range or a list; separate several windows by semicolons.`,
  );
}

/** Returns whether a span contains this minute of the week, which begins on Sunday. */
function isInside(spans: readonly Span[], minute: number): boolean {
  const day = Math.floor(minute / DAY_MINUTES);
  const time = minute % DAY_MINUTES;
  return spans.some(({ days, from, to }) =>
    from < to
      ? days.has(day) && time >= from && time < to
      : (days.has(day) && time >= from) || (days.has((day + 6) % 7) && time < to),
  );
}

/** Returns the next instant at which the window can change: the start or end of a span, or a change of the local clock. */
function nextEdge(ms: number, spans: readonly Span[], wallMs: (ms: number) => number): number {
  const sinceMidnight = wallMs(ms) % (DAY_MINUTES * MINUTE_MS);
  const waits = [0, ...spans.flatMap(({ from, to }) => [from, to])].map((minutes) => {
    const wait = minutes * MINUTE_MS - sinceMidnight;
    return wait > 0 ? wait : wait + DAY_MINUTES * MINUTE_MS;
  });
  const edge = ms + Math.min(...waits.filter((wait) => wait > 0));
  const offset = wallMs(ms) - ms;
  if (wallMs(edge) - edge === offset) return edge;
  let [before, after] = [ms, edge];
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (wallMs(middle) - middle === offset) before = middle;
    else after = middle;
  }
  return after;
}

/** Returns a function that converts an instant to the local time of the zone, as milliseconds as if it were UTC. */
function wallClock(timeZone: string): (ms: number) => number {
  const format = formatOf(timeZone);
  return (ms) => {
    const parts = new Map(format.formatToParts(ms).map(({ type, value }) => [type, Number(value)]));
    const part = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? 0;
    const day = Date.UTC(part('year'), part('month') - 1, part('day'));
    return day + ((part('hour') * 60 + part('minute')) * 60 + part('second')) * 1000 + (((ms % 1000) + 1000) % 1000);
  };
}

function formatOf(timeZone: string): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat('en-GB', {
      timeZone,
      calendar: 'gregory',
      numberingSystem: 'latn',
      hourCycle: 'h23',
      ...{ year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric', second: 'numeric' },
    });
  } catch {
    throw new RangeError(`time zone ${JSON.stringify(timeZone)}: expected an IANA name such as Europe/Paris or UTC.`);
  }
}

function minuteOfWeek(wall: number): number {
  // 4 January 1970 was a Sunday.
  const minutes = Math.floor(wall / MINUTE_MS) - 3 * DAY_MINUTES;
  return ((minutes % WEEK_MINUTES) + WEEK_MINUTES) % WEEK_MINUTES;
}
