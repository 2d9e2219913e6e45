/** What a call does that the service refuses for now (429): it gives its place back, and leaves again when it may (document: Limits). */
import { describe, expect, test } from 'vitest';
import { RateLimitError } from '../../../src/errors/api-errors.js';
import type { Step } from '../../../src/migration/ledger/ledger.js';
import type { ThrottleOptions } from '../../../src/migration/throttle/settings.js';
import { createThrottle } from '../../../src/migration/throttle/throttle.js';
import { fakeClock } from './fake-clock.js';

const refusal = (
  retryAfterMs?: number,
  operation = 'accounts.process',
  more: { refusedOperation?: string; attempts?: number } = {},
) =>
  new RateLimitError({
    ...{ operation, attempts: 1, status: 429, body: undefined, headers: {}, retryAfterMs },
    decoded: { code: undefined, detail: undefined, errors: [] },
    ...more,
  });

/** The client did not send it, since a call of that operation was refused. */
const notSent = (retryAfterMs: number, refusedOperation = 'accounts.process') =>
  refusal(retryAfterMs, 'accounts.process', { refusedOperation, attempts: 0 });

/** Calls that are answered as `answers` says, in the order in which they leave, after 100 ms; and then well. */
function open(answers: (Error | undefined)[], options: ThrottleOptions = {}) {
  const clock = fakeClock();
  const begun = clock.now();
  const throttle = createThrottle({ clock, ...options });
  const left: string[] = [];
  const ends: string[] = [];
  const ask = (...names: string[]) => askFor('process', ...names);
  const askFor = (step: Step, ...names: string[]) => {
    const operation = step === 'process' ? 'accounts.process' : 'accounts.stage';
    for (const name of names) {
      const call = () => {
        const error = answers.shift();
        left.push(`${name} ${clock.now() - begun}`);
        return new Promise<void>((resolve, reject) => {
          clock.after(100, () => {
            throttle.onResponse({ operation, status: error === undefined ? 201 : 429, latencyMs: 100 });
            if (error === undefined) resolve();
            else reject(error);
          });
        });
      };
      throttle.schedule(step, call).then(
        () => ends.push(`${name} done`),
        (error: Error) => ends.push(`${name} ${error.name}`),
      );
    }
  };
  return { throttle, clock, left, ends, ask, askFor };
}

test('it is sent again after a wait, once, and the caller gets the final result', async () => {
  const { clock, ask, left, ends } = open([refusal()]);
  ask('a');
  await clock.advance(10_000);
  await clock.advance(0);
  expect(left).toEqual(['a 0', 'a 350']);
  expect(ends).toEqual(['a done']);
});

test('above the least limit, without Retry-After, it is sent again as soon as another call has ended', async () => {
  const { clock, ask, left } = open([undefined, undefined, refusal()], { process: { start: 3 } });
  ask('a', 'b', 'c', 'd', 'e');
  await clock.advance(200);
  expect(left).toEqual(['a 0', 'b 0', 'c 0', 'd 100', 'e 100', 'c 200']);
});

test('no more calls are repeated than the lowered limit permits', async () => {
  const { clock, ask, left } = open(
    Array.from({ length: 4 }, () => refusal()),
    { process: { start: 4 } },
  );
  ask('a', 'b', 'c', 'd');
  await clock.advance(500);
  // Each of the four takes one away, down to 1, where the calls wait a quarter of a second.
  expect(left).toEqual(['a 0', 'b 0', 'c 0', 'd 0', 'd 350', 'c 450']);
});

test('every call waits exactly for Retry-After, and the status shows it', async () => {
  const { clock, ask, left, ends, throttle } = open([refusal(90_000)]);
  ask('a');
  await clock.advance(100);
  ask('b');
  await clock.advance(0);
  expect(throttle.status().process.why).toBe(
    '429 at 1, trying it again; throttled (429), no process call starts for 90 s',
  );
  await clock.advance(89_999);
  expect(left).toEqual(['a 0']);
  await clock.advance(10_000);
  await clock.advance(0);
  expect([left, ends]).toEqual([
    ['a 0', 'a 90100', 'b 90200'],
    ['a done', 'b done'],
  ]);
  expect(throttle.status().process.why).toBe('429 at 1, growing above it since');
});

test('if all answers are refusals, each wait is twice as long, up to 30 seconds', async () => {
  const { clock, ask, left } = open(
    Array.from({ length: 10 }, () => refusal()),
    { process: { start: 1 } },
  );
  ask('a');
  await clock.advance(200_000);
  const times = left.map((text) => Number(text.split(' ')[1]));
  const waits = times.slice(1).map((time, index) => time - (times[index] ?? 0) - 100);
  expect(waits).toEqual([250, 500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000]);
});

test('another answer resets the wait', async () => {
  const { clock, ask, left } = open([refusal(), refusal(), undefined, refusal()], { process: { start: 1 } });
  ask('a', 'b');
  await clock.advance(10_000);
  expect(left).toEqual(['a 0', 'a 350', 'a 950', 'b 1050', 'b 1400']);
});

test('a call that the client delayed and did not send is no further refusal', async () => {
  const { clock, ask, left } = open([refusal(), notSent(40), notSent(40)], { process: { start: 1 } });
  ask('a');
  await clock.advance(10_000);
  expect(left).toEqual(['a 0', 'a 350', 'a 700', 'a 1050']);
});

test('one that waits when the run drains rejects with its refusal: it had no effect', async () => {
  const { clock, ask, left, ends, throttle } = open([refusal(), refusal()]);
  ask('a', 'b');
  await clock.advance(100);
  throttle.drain();
  await clock.advance(10_000);
  expect(left).toEqual(['a 0', 'b 0']);
  expect(ends).toEqual(['b RateLimitError', 'a RateLimitError']);
});

describe('a 429 of a call that processes or tries an account', () => {
  test('delays such calls only', async () => {
    const { clock, ask, askFor, left, throttle } = open([refusal(10_000)]);
    ask('a');
    await clock.advance(100);
    askFor('dryRun', 'b');
    askFor('stage', 'c');
    askFor('notes', 'd');
    await clock.advance(0);
    expect(left).toEqual(['a 0', 'c 100', 'd 100']);
    expect(throttle.status().process.why).toBe(
      '429 at 1, trying it again; throttled (429), no process call starts for 10 s',
    );
    await clock.advance(10_200);
    expect(left).toEqual(['a 0', 'c 100', 'd 100', 'a 10100', 'b 10200']);
  });

  test('delays them by its own waits, although other calls are answered meanwhile', async () => {
    const { clock, ask, askFor, left } = open([refusal(), undefined, refusal()], { process: { start: 1 } });
    ask('a');
    await clock.advance(100);
    askFor('stage', 'b');
    await clock.advance(2000);
    // 250 ms, then twice as long: that staging goes well says nothing of processing.
    expect(left).toEqual(['a 0', 'b 100', 'a 350', 'a 950']);
  });

  test('delays them also if the client did not send them because of it', async () => {
    const { clock, ask, askFor, left } = open([notSent(10_000, 'accounts.dryRun')]);
    ask('a');
    await clock.advance(100);
    askFor('stage', 'b');
    await clock.advance(11_000);
    expect(left).toEqual(['a 0', 'b 100', 'a 10100']);
  });
});

describe('a 429 of another call', () => {
  test('delays all calls', async () => {
    const { clock, ask, askFor, left, throttle } = open([refusal(10_000, 'accounts.stage')]);
    askFor('stage', 'a');
    await clock.advance(100);
    ask('b');
    askFor('notes', 'c');
    await clock.advance(0);
    expect(throttle.status().process.why).toBe('ramping up; throttled (429), no call starts for 10 s');
    await clock.advance(10_000);
    expect(left).toEqual(['a 0', 'a 10100', 'b 10100', 'c 10100']);
  });

  test('delays a process call that the client did not send because of it, and all others', async () => {
    const { clock, ask, askFor, left } = open([notSent(10_000, 'notes.create')]);
    ask('a');
    await clock.advance(100);
    askFor('stage', 'b');
    await clock.advance(11_000);
    expect(left).toEqual(['a 0', 'a 10100', 'b 10100']);
  });
});

describe('a wait of more than an hour', () => {
  const HOUR = 3_600_000;

  test('sends one call after an hour; if it is not refused, all calls continue', async () => {
    const { clock, ask, left } = open([refusal(3 * HOUR)]);
    ask('a', 'b', 'c');
    await clock.advance(HOUR);
    expect(left).toEqual(['a 0', 'b 0']);
    // b was not refused, but a was while it was in flight.
    await clock.advance(150);
    expect(left).toEqual(['a 0', 'b 0', 'a 3600100']);
    await clock.advance(100);
    expect(left).toEqual(['a 0', 'b 0', 'a 3600100', 'c 3600200']);
  });

  test('and if it is refused, that answer begins the next wait', async () => {
    const { clock, ask, left } = open([refusal(3 * HOUR), refusal(90_000)], { process: { start: 1 } });
    ask('a', 'b');
    await clock.advance(HOUR + 1000);
    expect(left).toEqual(['a 0', 'a 3600100']);
    await clock.advance(90_000);
    expect(left).toEqual(['a 0', 'a 3600100', 'a 3690200', 'b 3690300']);
  });

  test('and if the client does not send it, another one is sent a second later', async () => {
    const { clock, ask, left } = open([refusal(3 * HOUR), notSent(2 * HOUR), undefined], { process: { start: 1 } });
    ask('a');
    await clock.advance(HOUR + 10_000);
    expect(left).toEqual(['a 0', 'a 3600100', 'a 3601200']);
  });

  test('of process sends one process call, and staging is not delayed meanwhile', async () => {
    const { clock, ask, askFor, left } = open([refusal(3 * HOUR)], { process: { start: 1 } });
    ask('a', 'b');
    await clock.advance(HOUR / 2);
    askFor('stage', 'c');
    await clock.advance(HOUR / 2 + 99);
    expect(left).toEqual(['a 0', 'c 1800000']);
    await clock.advance(1);
    expect(left).toEqual(['a 0', 'c 1800000', 'a 3600100']);
  });

  test('of all sends one call, the first one', async () => {
    const { clock, askFor, left } = open([refusal(3 * HOUR, 'accounts.stage')]);
    askFor('stage', 'a');
    await clock.advance(100);
    askFor('notes', 'b', 'c');
    await clock.advance(HOUR + 50);
    expect(left).toEqual(['a 0', 'a 3600100']);
    await clock.advance(50);
    expect(left).toEqual(['a 0', 'a 3600100', 'b 3600200', 'c 3600200']);
  });
});
