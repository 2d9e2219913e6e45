/** What a throttle starts while every call fails, and after the first usable answer. By a fake clock. */
import { expect, test } from 'vitest';
import type { RecordEvent } from '../../../src/migration/record/events/record-event.js';
import { parseHalt } from '../../../src/migration/throttle/halt-rules.js';
import { createThrottle } from '../../../src/migration/throttle/throttle.js';
import { record } from '../ledger/records.js';
import { fakeClock } from './fake-clock.js';

const FAILED: RecordEvent = { type: 'stepFailed', step: 'stage', code: 'gateway' };
const ANSWERED: RecordEvent = { type: 'stepSucceeded', step: 'stage' };

/** Three failed calls begin an outage at 0 ms. */
async function openOutage() {
  const clock = fakeClock(Date.parse('2026-01-15T09:00:00Z'));
  const begun = clock.now();
  const throttle = createThrottle({ clock, concurrency: 3, halt: parseHalt('failed=3') });
  const started: string[] = [];
  const answers = new Map<string, () => void>();
  const ended = async (event: RecordEvent) => {
    throttle.onEvent(record('A-1'), event);
    await clock.advance(0);
  };
  for (let count = 0; count < 3; count++) await ended(FAILED);
  for (const name of ['a', 'b', 'c', 'd', 'e']) {
    void throttle.schedule('stage', () => {
      started.push(`${name} ${clock.now() - begun}`);
      return new Promise<void>((resolve) => answers.set(name, resolve));
    });
  }
  await clock.advance(0);
  /** The call ends, and its event follows 10 ms later, as after a write of the ledger. */
  const end = async (name: string, event: RecordEvent) => {
    answers.get(name)?.();
    await clock.advance(10);
    await ended(event);
  };
  return { throttle, clock, started, end };
}

test('one call at a time starts: after one second, and after each failure twice as long', async () => {
  const { clock, started, end } = await openOutage();
  await clock.advance(999);
  expect(started).toEqual([]);
  await clock.advance(500);
  expect(started).toEqual(['a 1000']);
  await end('a', FAILED);
  await clock.advance(10_000);
  // It failed at 1,509 ms.
  expect(started).toEqual(['a 1000', 'b 3509']);
});

test('the first usable answer ends it: as many calls start as before', async () => {
  const { throttle, clock, started, end } = await openOutage();
  expect(throttle.status().failingSince).toEqual(new Date('2026-01-15T09:00:00Z'));
  await clock.advance(1000);
  await end('a', ANSWERED);
  expect(started).toEqual(['a 1000', 'b 1010', 'c 1010', 'd 1010']);
  expect(throttle.status().failingSince).toBeUndefined();
});

test('the status says for how long calls have failed', async () => {
  const { throttle, clock } = await openOutage();
  await clock.advance(12_500);
  expect(throttle.status().process.why).toBe(
    'ramping up; calls have failed for 12 s: one at a time until one succeeds',
  );
});
