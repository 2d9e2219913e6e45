/** What a call does that the service refuses for now (429): it gives its place back, and leaves again when it may (document: Limits). */
import { expect, test } from 'vitest';
import { ConcurrencyLimitError } from '../../../src/errors/concurrency-limit-error.js';
import { createPace } from '../../../src/migration/pace/pace.js';
import type { PaceOptions } from '../../../src/migration/pace/settings.js';
import { fakeClock } from './fake-clock.js';

const refusal = (retryAfterMs?: number, attempts = 1) =>
  new ConcurrencyLimitError({
    ...{ operation: 'accounts.process', attempts, status: 429, body: undefined, headers: {}, retryAfterMs },
    decoded: { code: undefined, detail: undefined, errors: [] },
  });

/** Calls that are answered as `answers` says, in the order in which they leave, after 100 ms; and then well. */
function open(answers: (Error | undefined)[], options: PaceOptions = {}) {
  const clock = fakeClock();
  const begun = clock.now();
  const pace = createPace({ clock, ...options });
  const left: string[] = [];
  const ends: string[] = [];
  const ask = (...names: string[]) => {
    for (const name of names) {
      const call = () => {
        const error = answers.shift();
        left.push(`${name} ${clock.now() - begun}`);
        return new Promise<void>((resolve, reject) => {
          clock.after(100, () => {
            pace.answered({ operation: 'accounts.process', status: error === undefined ? 201 : 429, latencyMs: 100 });
            if (error === undefined) resolve();
            else reject(error);
          });
        });
      };
      pace.inTurn('process', call).then(
        () => ends.push(`${name} done`),
        (error: Error) => ends.push(`${name} ${error.name}`),
      );
    }
  };
  return { pace, clock, left, ends, ask };
}

test('it leaves again after a wait, once, and what it gives in the end is what the caller gets', async () => {
  const { clock, ask, left, ends } = open([refusal()]);
  ask('a');
  await clock.advance(10_000);
  await clock.advance(0);
  expect(left).toEqual(['a 0', 'a 350']);
  expect(ends).toEqual(['a done']);
});

test('no more come again than may be under way after the cut', async () => {
  const { clock, ask, left } = open(
    Array.from({ length: 4 }, () => refusal()),
    { process: { start: 4 } },
  );
  ask('a', 'b', 'c', 'd');
  await clock.advance(420);
  expect(left).toEqual(['a 0', 'b 0', 'c 0', 'd 0', 'd 350', 'c 350']);
});

test('Retry-After is waited out to the letter, by every call, and said', async () => {
  const { clock, ask, left, ends, pace } = open([refusal(90_000)]);
  ask('a');
  await clock.advance(100);
  ask('b');
  await clock.advance(0);
  expect(pace.status().process.why).toBe('429 at 2, holding below; refused (429), no call leaves for 90 s');
  await clock.advance(89_999);
  expect(left).toEqual(['a 0']);
  await clock.advance(10_000);
  await clock.advance(0);
  expect([left, ends]).toEqual([
    ['a 0', 'a 90100', 'b 90200'],
    ['a done', 'b done'],
  ]);
  expect(pace.status().process.why).toBe('429 at 2, holding below');
});

test('where nothing but refusals comes back, each wait is twice as long, up to 30 seconds', async () => {
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

test('an answer that is no refusal makes the next wait the first again', async () => {
  const { clock, ask, left } = open([refusal(), refusal(), undefined, refusal()], { process: { start: 1 } });
  ask('a', 'b');
  await clock.advance(10_000);
  expect(left).toEqual(['a 0', 'a 350', 'a 950', 'b 1050', 'b 1400']);
});

test('what met a wait of the client and was not sent is no refusal of its own', async () => {
  const { clock, ask, left } = open([refusal(), refusal(40, 0), refusal(40, 0)], { process: { start: 1 } });
  ask('a');
  await clock.advance(10_000);
  expect(left).toEqual(['a 0', 'a 350', 'a 700', 'a 1050']);
});

test('one that waits when the run drains gets its refusal: nothing was done', async () => {
  const { clock, ask, left, ends, pace } = open([refusal(), refusal()]);
  ask('a', 'b');
  await clock.advance(100);
  pace.drain();
  await clock.advance(10_000);
  expect(left).toEqual(['a 0', 'b 0']);
  expect(ends).toEqual(['b ConcurrencyLimitError', 'a ConcurrencyLimitError']);
});
