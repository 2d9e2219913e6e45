/** The progress of a session as events: when they are reported, and what they have. */
import { expect, test } from 'vitest';
import { createProgressEvents } from '../../../../src/cli/monitoring/events/progress-events.js';
import type { RunEvent } from '../../../../src/cli/monitoring/events/run-events.js';
import type { RunStatus } from '../../../../src/cli/terminal/progress.js';

test('records that wait for requests that may still be running are counted, with the longest time', () => {
  const events: RunEvent[] = [];
  const terminal = createProgressEvents(
    (event) => void events.push(event),
    () => {},
  );
  terminal.show(statusAt(9_999, { count: 8, longestMs: 24_000 }));
  terminal.show(statusAt(10_000, { count: 8, longestMs: 14_100 }));
  terminal.show(statusAt(20_000, { count: 0, longestMs: 0 }));
  expect(events).toMatchObject([
    { event: 'progress', waitingRecords: 8, waitSeconds: 15, elapsedSeconds: 10 },
    { event: 'progress', elapsedSeconds: 20 },
  ]);
  expect(events[1]).not.toHaveProperty('waitingRecords');
});

function statusAt(elapsedMs: number, inFlight: RunStatus['inFlight']): RunStatus {
  return {
    ...{ elapsedMs, waitedMs: 0, total: 10, endedBefore: 0, passed: {}, rate: 0, rejectedByCode: new Map() },
    ended: { created: 2, alreadyImported: 0, rejected: 0, skipped: 0, unknown: 0 },
    concurrency: { now: 2, why: 'ramping up', least: 1, most: 32 },
    limits: { concurrency: 32, rps: 0 },
    standstill: undefined,
    failed: { count: 0, last: '' },
    inFlight,
  };
}
