/**
 * `--window "Mon-Fri 20:00-06:00; Sat,Sun 00:00-24:00"`: when calls may leave. Read by the clock on the wall of a time
 * zone: the window is open whenever that clock shows a time inside, whatever it was moved by.
 */

/** When calls may leave; `parseWindow` makes one. */
export interface TimeWindow {
  /** Whether calls may leave at this instant. */
  isOpen(instant: Date): boolean;
  /** The next instant at which it opens or closes; undefined for one that is always open. */
  nextChange(instant: Date): Date | undefined;
  /** As it was given, and the time zone. */
  readonly text: string;
}

/** Milliseconds until it is open; 0 where it is. Asks the calendar only when something has changed. */
export function createWindowClock(window: TimeWindow | undefined): (now: number) => number {
  let known = { from: 0, isOpen: true, until: window === undefined ? Number.POSITIVE_INFINITY : 0 };
  return (now) => {
    // A machine's clock may be set back.
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
  /** Minutes since midnight; where `to` is not after `from`, it means that of the next day. */
  from: number;
  to: number;
}

const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const MINUTE_MS = 60_000;
const DAY_MINUTES = 24 * 60;
const WEEK_MINUTES = 7 * DAY_MINUTES;

/**
 * A window as text, such as `Mon-Fri 20:00-06:00; Sat,Sun 00:00-24:00`: days, and times on the clock of the time zone; an
 * end before its beginning means that of the next day. `timeZone` is an IANA name, by default the machine's. Throws a
 * `RangeError` that quotes what is wrong.
 *
 * @example
 * runMigration({ ...options, throttle: { window: parseWindow('Mon-Fri 20:00-06:00', 'Europe/Paris') } });
 */
export function parseWindow(text: string, timeZone = machineTimeZone()): TimeWindow {
  const spans = text.split(';').flatMap((part) => parsePart(part, text));
  const wallMs = wallClock(timeZone);
  const isOpenAt = (ms: number) => isInside(spans, minuteOfWeek(wallMs(ms)));
  return {
    text: `${text.trim()} (${timeZone})`,
    isOpen: (instant) => isOpenAt(instant.getTime()),
    nextChange(instant) {
      const isOpen = isOpenAt(instant.getTime());
      // Two weeks: a window may lie in an hour that this week's clock leaves out.
      const last = instant.getTime() + 2 * WEEK_MINUTES * MINUTE_MS;
      for (let ms = nextEdge(instant.getTime(), spans, wallMs); ms <= last; ms = nextEdge(ms, spans, wallMs)) {
        if (isOpenAt(ms) !== isOpen) return new Date(ms);
      }
      return undefined;
    },
  };
}

/** The window whose `text` it is. */
export function windowOf(text: string): TimeWindow {
  const [, days = text, timeZone] = /^(.*) \(([^()]+)\)$/s.exec(text) ?? [];
  return parseWindow(days, timeZone);
}

function machineTimeZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** Pieces between commas: days, and days with times; those without belong to the next times. */
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
  if (from === to) throw wrong(text, word, 'it begins when it ends; the whole day is 00:00-24:00');
  return { from, to };
}

function wrong(text: string, piece: string, why = 'expected days and times such as "Mon-Fri 20:00-06:00"'): RangeError {
  const where = piece === text.trim() ? '' : `, at ${JSON.stringify(piece)}`;
  return new RangeError(
    `window ${JSON.stringify(text)}${where}: ${why}. Days are Mon to Sun, one, a range or a list; several windows stand between semicolons.`,
  );
}

/** `minute` of a week that begins with Sunday. */
function isInside(spans: readonly Span[], minute: number): boolean {
  const day = Math.floor(minute / DAY_MINUTES);
  const time = minute % DAY_MINUTES;
  return spans.some(({ days, from, to }) =>
    from < to
      ? days.has(day) && time >= from && time < to
      : (days.has(day) && time >= from) || (days.has((day + 6) % 7) && time < to),
  );
}

/** The next instant at which anything can change: a time of a span on the wall, or the clock there is moved. */
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

/** What the clock of the zone shows, as if it were UTC. */
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
    throw new RangeError(
      `time zone ${JSON.stringify(timeZone)}: expected a name such as Europe/Paris or UTC, as the IANA lists them.`,
    );
  }
}

function minuteOfWeek(wall: number): number {
  // 4 January 1970 was a Sunday.
  const minutes = Math.floor(wall / MINUTE_MS) - 3 * DAY_MINUTES;
  return ((minutes % WEEK_MINUTES) + WEEK_MINUTES) % WEEK_MINUTES;
}
