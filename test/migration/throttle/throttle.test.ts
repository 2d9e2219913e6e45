/** One gate for all calls of a run: which may leave, and when. By a fake clock. */
import { describe, expect, test } from 'vitest';
import { NO_ITEMS } from '../../../src/migration/ledger/items.js';
import type { LedgerRecord, Step } from '../../../src/migration/ledger/ledger.js';
import { CallNotAdmittedError } from '../../../src/migration/record/record-context.js';
import { parseWindow } from '../../../src/migration/throttle/limits/time-window.js';
import { createTokenBucket } from '../../../src/migration/throttle/limits/token-bucket.js';
import type { ThrottleOptions } from '../../../src/migration/throttle/settings.js';
import { createThrottle } from '../../../src/migration/throttle/throttle.js';
import { fakeClock } from './fake-clock.js';

function open(options: ThrottleOptions = {}) {
  const clock = fakeClock(Date.parse('2026-01-15T09:00:00Z'));
  const begun = clock.now();
  const throttle = createThrottle({ clock, ...options });
  const left: string[] = [];
  const held: string[] = [];
  const answers = new Map<string, () => void>();
  return {
    throttle,
    clock,
    /** What left, with the milliseconds at which it did. */
    left,
    held,
    async ask(step: Step, ...names: string[]) {
      for (const name of names) {
        const call = () => {
          left.push(`${name} ${clock.now() - begun}`);
          return new Promise<string>((resolve) => answers.set(name, () => resolve(name)));
        };
        throttle.schedule(step, call).catch((error: unknown) => {
          held.push(error instanceof CallNotAdmittedError ? name : String(error));
        });
      }
      await clock.advance(0);
    },
    async answer(...names: string[]) {
      for (const name of names) answers.get(name)?.();
      await clock.advance(0);
    },
  };
}

const record = (outcome: LedgerRecord['outcome']): LedgerRecord => ({
  ...{
    supplier: 'ACME',
    kind: 'account',
    number: 'A-1',
    version: 1,
    hash: '',
    contentHash: '',
    correctedFrom: null,
    intent: null,
    intentAt: null,
    intentHash: null,
    intentOnce: false,
    stageUnansweredAt: null,
  },
  ...{
    done: 'check',
    outcome,
    serviceNumber: null,
    unknown: [],
    errors: [],
    warnings: [],
    difference: null,
    decisions: [],
    items: NO_ITEMS,
    contract: null,
  },
  ...{ source: 'input', line: 1, updatedAt: '' },
});

describe('a limit of concurrent calls', () => {
  test('calls leave in their order, as many as may be in flight', async () => {
    const { ask, answer, left, throttle } = open({ concurrency: 2 });
    await ask('stage', 'a', 'b', 'c', 'd');
    expect(left).toEqual(['a 0', 'b 0']);
    await answer('b');
    expect(left).toEqual(['a 0', 'b 0', 'c 0']);
    expect(throttle.status()).toMatchObject({ concurrency: { underWay: 2, most: 2 }, waiting: 1 });
  });

  test('process and dry run share their own limit (U29), and do not keep others waiting', async () => {
    const { ask, answer, left } = open({ process: { start: 2 } });
    await ask('process', 'p1');
    await ask('dryRun', 'p2');
    await ask('process', 'p3');
    await ask('notes', 'n1');
    expect(left).toEqual(['p1 0', 'p2 0', 'n1 0']);
    await answer('p2');
    expect(left).toEqual(['p1 0', 'p2 0', 'n1 0', 'p3 0']);
  });

  test('returns the result of the call, also if it rejects or throws, and releases its slot', async () => {
    const { throttle, clock } = open({ concurrency: 1 });
    const failure = new Error('a bug');
    const results = Promise.allSettled([
      throttle.schedule('stage', async () => 'done'),
      throttle.schedule('stage', () => Promise.reject(failure)),
      throttle.schedule('stage', () => {
        throw failure;
      }),
      throttle.schedule('stage', async () => 'done too'),
    ]);
    await clock.advance(0);
    expect(await results).toEqual([
      { status: 'fulfilled', value: 'done' },
      { status: 'rejected', reason: failure },
      { status: 'rejected', reason: failure },
      { status: 'fulfilled', value: 'done too' },
    ]);
    expect(throttle.status().concurrency.underWay).toBe(0);
  });

  test('429 to process lowers its limit, and answers to other calls do not', async () => {
    const { throttle } = open({ process: { start: 16 } });
    throttle.onResponse({ operation: 'accounts.stage', status: 429, latencyMs: 5 });
    expect(throttle.status().process.limit).toBe(16);
    throttle.onResponse({ operation: 'accounts.process', status: 429, latencyMs: 5 });
    expect(throttle.status().process).toEqual({
      underWay: 0,
      limit: 15,
      least: 1,
      most: 32,
      why: '429 at 16, staying below it',
    });
  });
});

describe('--rps', () => {
  test('calls leave evenly', async () => {
    const { ask, clock, left } = open({ rps: 4 });
    await ask('stage', 'a', 'b');
    await ask('process', 'c');
    await clock.advance(600);
    expect(left).toEqual(['a 0', 'b 250', 'c 500']);
  });

  test('a lull is not saved up', async () => {
    const { ask, clock, left } = open({ rps: 50 });
    await ask('stage', 'a');
    await clock.advance(10_000);
    await ask('stage', 'b', 'c', 'd');
    await clock.advance(1000);
    expect(left).toEqual(['a 0', 'b 10000', 'c 10020', 'd 10040']);
  });

  test('a timer that is a little late costs no rate, one that is very late brings no burst', () => {
    const cap = createTokenBucket(50);
    cap.take(0);
    expect(cap.waitMs(5)).toBe(15);
    cap.take(35);
    expect(cap.waitMs(35)).toBe(5);
    cap.take(200);
    expect(cap.waitMs(200)).toBe(20);
  });

  test('a clock that is set back causes no delay', () => {
    const cap = createTokenBucket(50);
    cap.take(3_600_000);
    expect(cap.waitMs(5)).toBe(20);
    cap.take(25);
    expect(cap.waitMs(25)).toBe(20);
  });

  test('retries of a call count too', async () => {
    const { ask, clock, left, throttle } = open({ rps: 4 });
    await ask('stage', 'a');
    for (const status of [500, 500, 201]) throttle.onResponse({ operation: 'accounts.stage', status, latencyMs: 5 });
    await ask('stage', 'b');
    await clock.advance(2000);
    expect(left).toEqual(['a 0', 'b 750']);
  });
});

describe('--window', () => {
  const window = parseWindow('20:00-06:00', 'UTC');

  test('outside it no call starts, and the status has the end of the wait', async () => {
    const { ask, clock, left, throttle } = open({ window });
    await ask('stage', 'a');
    expect(throttle.status()).toMatchObject({
      state: 'waiting',
      reason: '20:00-06:00 (UTC)',
      until: new Date('2026-01-15T20:00:00Z'),
    });
    expect(throttle.isAccepting()).toBe(true);
    await clock.advance(11 * 60 * 60 * 1000 - 1);
    expect(left).toEqual([]);
    await clock.advance(1);
    expect(left).toEqual([`a ${11 * 60 * 60 * 1000}`]);
    expect(throttle.status()).toMatchObject({ state: 'running', until: undefined });
  });

  test('when it closes, calls in flight end, and no further call leaves', async () => {
    const { ask, answer, clock, left, throttle } = open({ window, concurrency: 1 });
    await ask('stage', 'a', 'b');
    await clock.advance(12 * 60 * 60 * 1000);
    await clock.advance(10 * 60 * 60 * 1000);
    await answer('a');
    expect(left).toHaveLength(1);
    expect(throttle.status()).toMatchObject({ state: 'waiting', until: new Date('2026-01-16T20:00:00Z'), waiting: 1 });
  });

  // London: on 29 March from 1 to 2, on 25 October from 2 to 1. Expected instants by hand from the clock on the wall.
  test.each([
    {
      name: 'in March, an hour shorter',
      from: '2026-03-28T12:00:00Z',
      openings: [
        ['2026-03-28T22:00:00.000Z', '2026-03-29T05:00:00.000Z'],
        ['2026-03-29T21:00:00.000Z', '2026-03-30T05:00:00.000Z'],
      ],
    },
    {
      name: 'in October, an hour longer',
      from: '2026-10-24T12:00:00Z',
      openings: [
        ['2026-10-24T21:00:00.000Z', '2026-10-25T06:00:00.000Z'],
        ['2026-10-25T22:00:00.000Z', '2026-10-26T06:00:00.000Z'],
      ],
    },
  ])(
    'a night on which the clock is moved, $name: it opens and closes once, and no call begins while it is closed',
    async ({ from, openings }) => {
      const clock = fakeClock(Date.parse(from));
      const throttle = createThrottle({ clock, concurrency: 3, window: parseWindow('22:00-06:00', 'Europe/London') });
      const begun: number[] = [];
      let [underWay, ended, endedWhileClosed] = [0, 0, 0];
      const isClosed = () =>
        !openings.some(
          ([opens = '', closes = '']) => clock.now() >= Date.parse(opens) && clock.now() < Date.parse(closes),
        );
      const call = () => {
        begun.push(clock.now());
        underWay++;
        // Not a divisor of an hour, so that calls are in flight whenever it closes.
        return new Promise<void>((resolve) => clock.after(25 * 60_000 + 7, resolve)).then(() => {
          underWay--;
          ended++;
          if (isClosed()) endedWhileClosed++;
        });
      };
      for (let index = 0; index < 500; index++) void throttle.schedule('stage', call).catch(() => {});
      await clock.advance(48 * 60 * 60_000);
      const found = openings.map(([opens = '', closes = '']) => {
        const inside = begun.filter((at) => at >= Date.parse(opens) && at < Date.parse(closes));
        return {
          first: new Date(inside[0] ?? 0).toISOString(),
          untilEnd: Date.parse(closes) - (inside.at(-1) ?? 0) <= 25 * 60_000 + 7,
          count: inside.length,
        };
      });
      expect(found.map(({ first, untilEnd }) => [first, untilEnd])).toEqual(openings.map(([opens]) => [opens, true]));
      expect(begun).toHaveLength(found.reduce((sum, { count }) => sum + count, 0));
      expect([underWay, ended, endedWhileClosed]).toEqual([0, begun.length, 6]);
    },
  );
});

describe('pause and resume', () => {
  test('no call starts in between, and no call is lost', async () => {
    const { ask, answer, left, held, throttle } = open({ concurrency: 1 });
    await ask('stage', 'a', 'b');
    throttle.pause('by the operator');
    await answer('a');
    expect(left).toEqual(['a 0']);
    expect(throttle.status()).toMatchObject({ state: 'paused', reason: 'by the operator' });
    expect(throttle.isAccepting()).toBe(true);
    throttle.resume();
    await answer();
    expect([left, held]).toEqual([['a 0', 'b 0'], []]);
    expect(throttle.status()).toMatchObject({ state: 'running', reason: undefined });
  });

  test('a pause ends the wait for a start, and leaves no timer', async () => {
    const { ask, clock, left, throttle } = open({ rps: 1 });
    await ask('stage', 'a', 'b');
    throttle.pause('by the operator');
    expect(clock.timers()).toBe(0);
    await clock.advance(5000);
    expect(left).toEqual(['a 0']);
  });
});

describe('set', () => {
  test('takes effect at once', async () => {
    const { ask, clock, left, throttle } = open({ concurrency: 1, rps: 1, process: { start: 1 } });
    await ask('stage', 'a', 'b', 'c');
    throttle.set({ concurrency: 16, process: { most: 4 }, rps: 1000 });
    await ask('process', 'd');
    await clock.advance(2);
    expect(left).toEqual(['a 0', 'b 0', 'c 1', 'd 2']);
    expect(throttle.status()).toMatchObject({
      concurrency: { underWay: 4, most: 16 },
      process: { underWay: 1, limit: 1, least: 1, most: 4 },
      rps: 1000,
    });
  });

  test.each([
    [{ concurrency: 0 }, 'concurrency: expected a whole number from 1 up, found 0.'],
    [{ rps: 5, process: { most: 1.5 } }, 'process.most: expected a whole number from 1 up, found 1.5.'],
    [{ process: { least: 3, most: 2 } }, 'process: expected least <= most, found 3 and 2.'],
    [{ concurrency: 5, rps: -1 }, 'rps: expected a number of requests per second above 0, found -1.'],
    [{ rps: 0 }, 'rps: expected a number of requests per second above 0, found 0.'],
  ])('%j is refused, and changes nothing', (settings, message) => {
    const { throttle } = open();
    const before = throttle.status();
    expect(() => throttle.set(settings)).toThrow(new RangeError(message));
    expect(throttle.status()).toEqual(before);
  });

  test('initial settings are checked in the same way', () => {
    expect(() => createThrottle({ concurrency: Number.NaN })).toThrow(
      new RangeError('concurrency: expected a whole number from 1 up, found NaN.'),
    );
    expect(() => createThrottle({ process: { least: 5, start: 3, most: 9 } })).toThrow(
      new RangeError('process: expected least <= start <= most, found 5, 3 and 9.'),
    );
  });
});

describe('drain and halt', () => {
  test('calls in flight end, waiting and later calls are rejected, and no timer is left', async () => {
    const { ask, clock, left, held, throttle } = open({ rps: 1 });
    await ask('stage', 'a', 'b');
    throttle.drain();
    await ask('stage', 'c');
    expect([left, held]).toEqual([['a 0'], ['b', 'c']]);
    expect([throttle.isAccepting(), throttle.status().state, clock.timers()]).toEqual([false, 'draining', 0]);
    throttle.resume();
    await clock.advance(5000);
    expect(left).toEqual(['a 0']);
  });

  test('the first reason to halt stays', async () => {
    const { ask, held, throttle } = open({ concurrency: 1 });
    await ask('stage', 'a', 'b');
    throttle.halt('the first');
    throttle.halt('the second');
    throttle.drain();
    expect(held).toEqual([]);
    await ask('stage', 'c');
    expect(held).toEqual(['b', 'c']);
    expect(throttle.status()).toMatchObject({ state: 'halted', reason: 'the first' });
  });

  test('failures of records halt the run; calls that a drain aborted do not', () => {
    const tokenFailed = { type: 'stepFailed', step: 'stage', of: 'token' } as const;
    const first = open().throttle;
    first.onEvent(record(null), tokenFailed);
    expect([first.isAccepting(), first.status().state, first.status().reason]).toEqual([
      false,
      'halted',
      'no valid token: check the token, or the API key that it is fetched with',
    ]);
    const second = open().throttle;
    second.drain();
    second.onEvent(record(null), tokenFailed);
    expect(second.status()).toMatchObject({ state: 'draining', reason: undefined });
  });
});

describe('its status', () => {
  test('records and requests per second, over the last ten full seconds', async () => {
    const { clock, throttle } = open();
    expect(throttle.status().rate).toEqual({ records: 0, requests: 0 });
    for (let second = 0; second < 20; second++) {
      for (let count = 0; count < second; count++) throttle.onEvent(record('created'), { type: 'ended' });
      throttle.onResponse({ operation: 'accounts.stage', status: 201, latencyMs: 5 });
      await clock.advance(1000);
    }
    // 10 to 19 records.
    expect(throttle.status().rate).toEqual({ records: 14.5, requests: 1 });
    await clock.advance(10_000);
    expect(throttle.status().rate).toEqual({ records: 0, requests: 0 });
  });

  test('samples by the second', async () => {
    const { clock, throttle } = open({ process: { start: 16 } });
    const at = Date.parse('2026-01-15T09:00:00Z');
    throttle.onEvent(record('created'), { type: 'ended' });
    throttle.onEvent(record('rejected'), { type: 'stepRejected', step: 'stage', errors: [] });
    await clock.advance(2500);
    throttle.onResponse({ operation: 'accounts.process', status: 429, latencyMs: 5 });
    expect(throttle.samples()).toEqual([
      { at, rate: 2, concurrency: 16, throttled: 0, failed: 0 },
      { at: at + 1000, rate: 0, concurrency: 16, throttled: 0, failed: 0 },
      { at: at + 2000, rate: 0, concurrency: 15, throttled: 1, failed: 0 },
    ]);
  });

  test('at most 1,000 samples, evenly thinned out, and nothing is lost', async () => {
    const { clock, throttle } = open();
    const at = Date.parse('2026-01-15T09:00:00Z');
    for (let second = 0; second < 5000; second++) {
      throttle.onEvent(record('created'), { type: 'ended' });
      await clock.advance(1000);
    }
    const samples = throttle.samples();
    // Each stands for 8 seconds.
    expect(samples).toHaveLength(625);
    expect(samples[1]).toEqual({ at: at + 8000, rate: 1, concurrency: 2, throttled: 0, failed: 0 });
    expect(new Set(samples.map(({ rate }) => rate))).toEqual(new Set([1]));
  });

  test('a lull of days costs no memory', async () => {
    const { clock, throttle } = open();
    throttle.onEvent(record('created'), { type: 'ended' });
    await clock.advance(3 * 24 * 60 * 60 * 1000);
    throttle.onEvent(record('created'), { type: 'ended' });
    const samples = throttle.samples();
    expect(samples.length).toBeLessThanOrEqual(1000);
    expect(samples.filter(({ rate }) => rate > 0)).toHaveLength(2);
  });
});
