/** What one process of a distributed run learns of another by the shared row: waits after a 429, pauses, the end, and its share of the rate. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { RateLimitError } from '../../../../src/errors/api-errors.js';
import type { RunState } from '../../../../src/migration/distributed/state/run-state.js';
import { workerThrottle } from '../../../../src/migration/distributed/worker/worker-throttle.js';
import { fenceOf } from '../../../../src/migration/record/preconditions/contact-with-ledger.js';
import { record } from '../../ledger/records.js';
import { fakeClock } from '../../throttle/fake-clock.js';
import { begun } from '../begun.js';
import { type MemoryRun, memoryRun } from '../memory-run.js';

const refusal = new RateLimitError({
  ...{ operation: 'accounts.process', attempts: 1, status: 429, body: undefined, headers: {}, retryAfterMs: undefined },
  decoded: { code: undefined, detail: undefined, errors: [] },
});

type Hooks = { onCooldown?: (cooldown: { delayMs: number; scope: 'all' | 'process' }) => void };

/** A process that has joined, with a record to work on. */
async function join(run: MemoryRun, name: string) {
  const { state, ledger } = await run.join(name);
  if (state.current() === undefined) await state.begin(() => ({ ...begun(4), rps: 60 }));
  let hooks: Hooks = {};
  const pauses: unknown[] = [];
  const clock = fakeClock();
  const throttle = workerThrottle({
    ...{ state, workerId: ledger.workerId, concurrency: 8, clock, records: () => 8, isCoordinator: false },
    fence: fenceOf({ inFlight: { quietTimeMs: () => 60_000 } }),
    client: {
      on(given) {
        hooks = given as Hooks;
        return () => {};
      },
      pause: (...pause) => void pauses.push(pause[1]),
    },
  });
  const begunCalls: string[] = [];
  return {
    ...{ throttle, pauses, begunCalls, clock },
    refused: () => hooks.onCooldown?.({ delayMs: 30_000, scope: 'process' }),
    ask(step: 'process' | 'stage') {
      throttle.schedule(step, async () => void begunCalls.push(step)).catch(() => {});
    },
    async close() {
      await throttle.close();
      await ledger.close();
    },
  };
}

let run: MemoryRun;
let first: Awaited<ReturnType<typeof join>>;
let second: typeof first;
beforeEach(async () => {
  run = memoryRun();
  [first, second] = [await join(run, 'first'), await join(run, 'second')];
  for (const one of [first, second]) await one.throttle.reportNow();
});
afterEach(async () => {
  for (const one of [first, second]) {
    one.throttle.leave();
    await one.close();
  }
});

test('after a 429 at one, the other starts no process call, and tells its client to wait; calls of other steps continue', async () => {
  first.refused();
  // The clock of both stands still: this report is none of those that are sent at intervals.
  await vi.waitFor(() => expect(run.state()?.heldUntil.process).toBeGreaterThan(0));
  await second.throttle.reportNow();
  second.ask('process');
  second.ask('stage');
  await new Promise(setImmediate);
  expect(second.begunCalls).toEqual(['stage']);
  expect(second.pauses).toEqual(['process']);
});

test('a pause, its end, and the end of the run at one apply to the other, without a wait for the next report of the first', async () => {
  const expectSecond = async (state: string, isStored: (state: RunState | undefined) => boolean) => {
    await vi.waitFor(() => expect(run.state()).toSatisfy(isStored));
    await second.throttle.reportNow();
    expect(second.throttle.status().state).toBe(state);
  };
  first.throttle.pause('lunch');
  await expectSecond('paused', (now) => now?.paused === 'lunch');
  first.throttle.resume();
  await expectSecond('running', (now) => now?.paused === null);
  first.throttle.drain();
  await expectSecond('draining', (now) => now?.ended?.state === 'draining');
  first.throttle.halt('enough');
  await expectSecond('halted', (now) => now?.ended?.state === 'halted');
  second.throttle.drain();
  await second.throttle.reportNow();
  expect(run.state()?.ended).toMatchObject({ state: 'halted', reason: 'enough' });
});

test('each has its share of the rate: with two, 30 of 60 requests per second', async () => {
  for (let call = 0; call < 50; call++) first.ask('stage');
  await first.clock.advance(1000);
  // A change of the rate lets one call start at once.
  expect(Math.abs(first.begunCalls.length - 31)).toBeLessThanOrEqual(1);
});

test('a 429 at one lowers the limit of all by one, however few calls it has in flight itself', async () => {
  first.throttle.schedule('process', () => new Promise(() => {})).catch(() => {});
  first.throttle.onResponse({ operation: 'accounts.process', status: 429, latencyMs: 1 });
  await first.throttle.reportNow();
  await second.throttle.reportNow();
  expect(second.throttle.status().process.limit).toBe(3);
});

test('one whose calls are refused sends none again before the others know the lower limit: each would lower it once more', async () => {
  first.throttle.set({ rps: 1000 });
  await first.throttle.reportNow();
  let requests = 0;
  let answer = () => {};
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  for (let call = 0; call < 4; call++) {
    const send = async () => {
      requests++;
      await answered;
      first.throttle.onResponse({ operation: 'accounts.process', status: 429, latencyMs: 1 });
      throw refusal;
    };
    first.throttle.schedule('process', send).catch(() => {});
  }
  // Less than the time between two reports.
  const pass = async () => {
    for (let ms = 0; ms < 50; ms += 5) await first.clock.advance(5);
  };
  await pass();
  answer();
  await pass();
  // Its half of the limit of four.
  expect(requests).toBe(2);
  expect(first.throttle.status().process.limit).toBe(2);
  await first.throttle.reportNow();
  expect(requests).toBe(2);
  await first.throttle.reportNow();
  await first.clock.advance(5);
  expect(requests).toBe(3);
});

test('one that counts twenty failures in a row continues if a call of another succeeded between them', async () => {
  const fail = (times: number) => {
    const failed = { type: 'stepFailed', step: 'stage', status: 500 } as const;
    for (let call = 0; call < times; call++) first.throttle.onEvent(record('A-1'), failed);
  };
  fail(10);
  await first.throttle.reportNow();
  second.throttle.onEvent(record('A-2'), { type: 'stepSucceeded', step: 'stage' });
  const isStored = second.throttle.reportNow();
  fail(10);
  expect(first.throttle.isAccepting()).toBe(false);
  await isStored;
  await first.throttle.reportNow();
  expect(first.throttle.isAccepting()).toBe(true);
});

test('one that has left starts no call, although the run continues', async () => {
  first.throttle.leave();
  await first.throttle.reportNow();
  expect(first.throttle.isAccepting()).toBe(false);
});
