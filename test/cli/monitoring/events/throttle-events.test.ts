/** Changes of the throttle as events. */
import { expect, test } from 'vitest';
import type { RunEvent } from '../../../../src/cli/monitoring/events/run-events.js';
import { createThrottleEvents } from '../../../../src/cli/monitoring/events/throttle-events.js';

function watched() {
  const events: RunEvent[] = [];
  const status = createThrottleEvents((event) => void events.push(event));
  const process = (limit: number, why = 'ramping up') => ({ underWay: 0, least: 1, most: 32, limit, why });
  return { events, status, process };
}

test('a change of the state is reported once, with its reason and its end', () => {
  const { events, status, process } = watched();
  const running = {
    state: 'running',
    reason: undefined,
    until: undefined,
    failingSince: undefined,
    process: process(2),
  } as const;
  status(running, 0);
  status({ ...running, state: 'waiting', until: new Date('2026-01-15T20:00:00Z') }, 200);
  status({ ...running, state: 'waiting', until: new Date('2026-01-15T20:00:00Z') }, 400);
  status({ ...running, state: 'paused', reason: 'by the operator' }, 600);
  status(running, 800);
  expect(events).toEqual([
    { event: 'state.changed', from: 'running', to: 'waiting', reason: undefined, until: '2026-01-15T20:00:00.000Z' },
    { event: 'state.changed', from: 'waiting', to: 'paused', reason: 'by the operator', until: undefined },
    { event: 'state.changed', from: 'paused', to: 'running', reason: undefined, until: undefined },
  ]);
});

test('a change of the limit is reported at most once in a second, with the latest value', () => {
  const { events, status, process } = watched();
  const running = { state: 'running', reason: undefined, until: undefined, failingSince: undefined } as const;
  status({ ...running, process: process(2) }, 0);
  status({ ...running, process: process(4) }, 200);
  status({ ...running, process: process(8) }, 400);
  status({ ...running, process: process(7, 'after a 429') }, 1199);
  status({ ...running, process: process(7, 'after a 429') }, 1200);
  status({ ...running, process: process(7, 'after a 429') }, 9000);
  expect(events).toEqual([
    { event: 'limit.changed', from: 2, to: 4, why: 'ramping up' },
    { event: 'limit.changed', from: 4, to: 7, why: 'after a 429' },
  ]);
});

test('an outage is reported at its begin, and at its end with its seconds; a halt is not its end', () => {
  const { events, status, process } = watched();
  const running = { state: 'running', reason: undefined, until: undefined, process: process(2) } as const;
  status({ ...running, failingSince: undefined }, 0);
  status({ ...running, failingSince: new Date(500) }, 700);
  status({ ...running, failingSince: new Date(500) }, 900);
  status({ ...running, failingSince: undefined }, 12_600);
  status({ ...running, failingSince: new Date(20_000) }, 20_100);
  status({ ...running, state: 'halted', reason: 'failed', failingSince: new Date(20_000) }, 80_000);
  expect(events).toEqual([
    { event: 'outage.began' },
    { event: 'outage.ended', seconds: 12 },
    { event: 'outage.began' },
    { event: 'state.changed', from: 'running', to: 'halted', reason: 'failed', until: undefined },
  ]);
});
