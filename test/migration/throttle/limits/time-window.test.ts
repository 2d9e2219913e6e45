/** When calls may leave: `--window`, by the clock on the wall of a time zone. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createWindowClock, parseWindow, windowOf } from '../../../../src/migration/throttle/limits/time-window.js';
import { seed } from '../../../helpers/seed.js';

const at = (instant: string) => new Date(instant);
const changes = (text: string, zone: string, from: string, count: number) => {
  const window = parseWindow(text, zone);
  const found: string[] = [];
  let instant: Date | undefined = at(from);
  for (let index = 0; index < count && instant !== undefined; index++) {
    instant = window.nextChange(instant);
    if (instant !== undefined) found.push(`${instant.toISOString()} ${window.isOpen(instant) ? 'opens' : 'closes'}`);
  }
  return found;
};

describe('a window', () => {
  // 15 January 2026 is a Thursday.
  test.each([
    ['Mon-Fri 20:00-06:00', '2026-01-15T19:59:59Z', false],
    ['Mon-Fri 20:00-06:00', '2026-01-15T20:00:00Z', true],
    ['Mon-Fri 20:00-06:00', '2026-01-16T05:59:59.999Z', true],
    ['Mon-Fri 20:00-06:00', '2026-01-16T06:00:00Z', false],
    // The night of Friday ends on Saturday; that of Sunday does not begin.
    ['Mon-Fri 20:00-06:00', '2026-01-17T05:59:00Z', true],
    ['Mon-Fri 20:00-06:00', '2026-01-17T20:00:00Z', false],
    ['Mon-Fri 20:00-06:00', '2026-01-19T05:59:00Z', false],
    ['20:00-06:00', '2026-01-17T20:00:00Z', true],
    ['sat,SUN 00:00-24:00', '2026-01-18T23:59:59Z', true],
    ['Sat,Sun 00:00-24:00', '2026-01-19T00:00:00Z', false],
    ['Fri-Mon 08:00-09:00', '2026-01-18T08:30:00Z', true],
    ['Fri-Mon 08:00-09:00', '2026-01-20T08:30:00Z', false],
    ['Mon,Wed-Thu 08:00-09:00, Sat 10:00-11:00', '2026-01-15T08:00:00Z', true],
    ['Mon,Wed-Thu 08:00-09:00, Sat 10:00-11:00', '2026-01-17T08:00:00Z', false],
    ['Mon,Wed-Thu 08:00-09:00, Sat 10:00-11:00', '2026-01-17T10:00:00Z', true],
    ['Mon 08:00-09:00; 22:00-23:00', '2026-01-17T22:30:00Z', true],
    ['18:00-00:00', '2026-01-15T23:59:59Z', true],
    ['18:00-00:00', '2026-01-15T00:00:00Z', false],
  ])('%s is at %s open: %j', (text, instant, expected) => {
    expect(parseWindow(text, 'UTC').isOpen(at(instant))).toBe(expected);
  });

  test('is read in its time zone', () => {
    const instant = at('2026-01-15T19:30:00Z');
    expect(parseWindow('20:00-06:00', 'Europe/Paris').isOpen(instant)).toBe(true);
    expect(parseWindow('20:00-06:00', 'America/New_York').isOpen(instant)).toBe(false);
    expect(parseWindow('20:00-06:00', 'Europe/Paris').text).toBe('20:00-06:00 (Europe/Paris)');
  });

  test('opens and closes at the given times', () => {
    expect(changes('Mon-Fri 20:00-06:00', 'Europe/Paris', '2026-01-15T12:00:00Z', 4)).toEqual([
      '2026-01-15T19:00:00.000Z opens',
      '2026-01-16T05:00:00.000Z closes',
      '2026-01-16T19:00:00.000Z opens',
      '2026-01-17T05:00:00.000Z closes',
    ]);
    // A whole weekend: nothing changes at its midnight.
    expect(changes('Sat,Sun 00:00-24:00', 'UTC', '2026-01-15T12:00:00Z', 2)).toEqual([
      '2026-01-17T00:00:00.000Z opens',
      '2026-01-19T00:00:00.000Z closes',
    ]);
  });

  test('that is always open never changes', () => {
    expect(changes('00:00-24:00', 'Europe/Paris', '2026-01-15T12:00:00Z', 1)).toEqual([]);
    expect(changes('08:00-20:00; 20:00-08:00', 'Europe/Paris', '2026-01-15T12:00:00Z', 1)).toEqual([]);
  });
});

describe('days on which the clock is moved (Paris, 2026: on 29 March from 2 to 3, on 25 October from 3 to 2)', () => {
  test.each([
    // A night that is an hour shorter, and one that is an hour longer.
    ['20:00-06:00', '2026-03-28T12:00:00Z', ['2026-03-28T19:00:00.000Z opens', '2026-03-29T04:00:00.000Z closes']],
    ['20:00-06:00', '2026-10-24T12:00:00Z', ['2026-10-24T18:00:00.000Z opens', '2026-10-25T05:00:00.000Z closes']],
    // It begins, or ends, in the hour that is left out: at the moment at which the clock is moved.
    ['02:30-05:00', '2026-03-28T12:00:00Z', ['2026-03-29T01:00:00.000Z opens', '2026-03-29T03:00:00.000Z closes']],
    ['00:00-02:30', '2026-03-28T12:00:00Z', ['2026-03-28T23:00:00.000Z opens', '2026-03-29T01:00:00.000Z closes']],
    // The whole window is in that hour: it comes a day later.
    ['02:10-02:50', '2026-03-28T12:00:00Z', ['2026-03-30T00:10:00.000Z opens', '2026-03-30T00:50:00.000Z closes']],
    // The window is in the hour that comes twice, so it opens twice.
    [
      '02:10-02:50',
      '2026-10-24T12:00:00Z',
      [
        '2026-10-25T00:10:00.000Z opens',
        '2026-10-25T00:50:00.000Z closes',
        '2026-10-25T01:10:00.000Z opens',
        '2026-10-25T01:50:00.000Z closes',
      ],
    ],
  ])('%s from %s', (text, from, expected) => {
    expect(changes(text, 'Europe/Paris', from, expected.length)).toEqual(expected);
  });
});

describe('an invalid window', () => {
  const expected = 'expected days and times such as "Mon-Fri 20:00-06:00"';
  const rules = 'Days are Mon to Sun, one, a range or a list; separate several windows by semicolons.';
  test.each([
    ['', `window "": ${expected}. ${rules}`],
    ['Mon', `window "Mon": ${expected}. ${rules}`],
    ['Mon-Fri', `window "Mon-Fri": ${expected}. ${rules}`],
    ['Mo 20:00-06:00', `window "Mo 20:00-06:00", at "Mo": ${expected}. ${rules}`],
    ['Mon-Wed-Fri 20:00-06:00', `window "Mon-Wed-Fri 20:00-06:00", at "Mon-Wed-Fri": ${expected}. ${rules}`],
    ['Mon 25:00-06:00', `window "Mon 25:00-06:00", at "25:00-06:00": ${expected}. ${rules}`],
    ['Mon 24:00-06:00', `window "Mon 24:00-06:00", at "24:00-06:00": ${expected}. ${rules}`],
    ['Mon 20:00-24:30', `window "Mon 20:00-24:30", at "20:00-24:30": ${expected}. ${rules}`],
    ['Mon 20:60-06:00', `window "Mon 20:60-06:00", at "20:60-06:00": ${expected}. ${rules}`],
    ['Mon 8:00-9:00', `window "Mon 8:00-9:00", at "8:00-9:00": ${expected}. ${rules}`],
    ['20:00', `window "20:00": ${expected}. ${rules}`],
    ['Mon Tue 20:00-06:00', `window "Mon Tue 20:00-06:00": ${expected}. ${rules}`],
    ['Mon 08:00-09:00,', `window "Mon 08:00-09:00,", at "": ${expected}. ${rules}`],
    ['Mon 08:00-09:00; ', `window "Mon 08:00-09:00; ", at "": ${expected}. ${rules}`],
    ['Mon 08:00-09:00, Tue', `window "Mon 08:00-09:00, Tue": ${expected}. ${rules}`],
    ['20:00-20:00', `window "20:00-20:00": start and end are equal; the whole day is 00:00-24:00. ${rules}`],
  ])('%j', (text, message) => {
    expect(() => parseWindow(text, 'UTC')).toThrow(new RangeError(message));
  });

  test('an unknown time zone', () => {
    expect(() => parseWindow('20:00-06:00', 'Europe/Atlantis')).toThrow(
      new RangeError('time zone "Europe/Atlantis": expected an IANA name such as Europe/Paris or UTC.'),
    );
  });
});

describe('for any window and time zone', () => {
  const two = (value: number) => String(value).padStart(2, '0');
  const time = fc
    .integer({ min: 0, max: 24 * 4 - 1 })
    .map((quarter) => `${two(quarter >> 2)}:${two((quarter % 4) * 15)}`);
  const day = fc.constantFrom<string>('Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat');
  const span = fc.record({ days: fc.uniqueArray(day, { minLength: 1 }), from: time, to: time });
  const zone = fc.constantFrom('UTC', 'Europe/Paris', 'America/St_Johns', 'Australia/Lord_Howe', 'Asia/Kathmandu');
  // Two years and their four moves of the clock.
  const instant = fc.integer({ min: Date.parse('2025-01-01Z') / 1000, max: Date.parse('2026-12-31Z') / 1000 });

  /** The day and time on the wall, as the platform's own formatter writes them. */
  const wall = (ms: number, timeZone: string) => {
    const text = new Date(ms).toLocaleString('en-US', {
      timeZone,
      weekday: 'short',
      hour: '2-digit',
      minute: '2-digit',
      hourCycle: 'h23',
    });
    const [, name = '', clock = ''] = /^(\w+),? (\d\d:\d\d)$/.exec(text) ?? [];
    return { name, clock };
  };
  const order = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
  const before = (name: string) => order[(order.indexOf(name) + 6) % 7] ?? '';

  test('it is open exactly at local times inside, and stays as it is until the next change', { tags: 'long' }, () => {
    fc.assert(
      fc.property(fc.array(span, { minLength: 1, maxLength: 3 }), zone, instant, (spans, timeZone, seconds) => {
        fc.pre(spans.every(({ from, to }) => from !== to));
        const text = spans.map(({ days, from, to }) => `${days.join(',')} ${from}-${to}`).join('; ');
        const window = parseWindow(text, timeZone);
        const expected = (ms: number) => {
          const { name, clock } = wall(ms, timeZone);
          return spans.some(({ days, from, to }) =>
            from < to
              ? days.includes(name) && clock >= from && clock < to
              : (days.includes(name) && clock >= from) || (days.includes(before(name)) && clock < to),
          );
        };
        const start = seconds * 1000;
        expect(window.isOpen(new Date(start))).toBe(expected(start));
        const change = window.nextChange(new Date(start))?.getTime();
        const end = change ?? start + 8 * 24 * 60 * 60 * 1000;
        expect(end).toBeGreaterThan(start);
        // Spans begin and end on quarters of an hour.
        for (let ms = start; ms < end; ms += 15 * 60 * 1000) expect(expected(ms)).toBe(expected(start));
        expect(expected(end - 1)).toBe(expected(start));
        if (change !== undefined) expect(expected(change)).toBe(!expected(start));
      }),
      { seed, numRuns: 60 },
    );
  });
});

describe('the wait until it is open', () => {
  const untilOpen = createWindowClock(parseWindow('20:00-22:00', 'UTC'));
  test.each([
    ['2026-01-15T19:00:00Z', 60 * 60 * 1000],
    ['2026-01-15T20:00:00Z', 0],
    ['2026-01-15T21:59:59.999Z', 0],
    ['2026-01-15T22:00:00Z', 22 * 60 * 60 * 1000],
    // The machine's clock was set back.
    ['2026-01-15T20:30:00Z', 0],
    ['2026-01-15T19:59:59Z', 1000],
  ])('at %s is %d ms', (instant, expected) => {
    expect(untilOpen(Date.parse(instant))).toBe(expected);
  });

  test('is undefined without a window, and for one that is always open', () => {
    expect(createWindowClock(undefined)(Date.parse('2026-01-15T19:00:00Z'))).toBe(0);
    expect(createWindowClock(parseWindow('00:00-24:00', 'UTC'))(Date.parse('2026-01-15T19:00:00Z'))).toBe(0);
  });
});

test('a window is read again from its own text, on another machine with another time zone', () => {
  const window = parseWindow('Mon-Fri 20:00-06:00; Sat,Sun 00:00-24:00', 'America/Sao_Paulo');
  const again = windowOf(window.text);
  expect(again.text).toBe('Mon-Fri 20:00-06:00; Sat,Sun 00:00-24:00 (America/Sao_Paulo)');
  const noon = new Date('2026-01-15T12:00:00Z');
  // 20:00 there.
  expect(again.nextChange(noon)).toEqual(new Date('2026-01-15T23:00:00Z'));
});
