/** `createThrottleEvents`: reports when the state of a run or its adaptive limit changes, and when calls begin and cease to fail. */
import type { ThrottleStatus } from '../../../migration/throttle/throttle.js';
import type { RunEvent } from './run-events.js';

/** An adaptive limit may change with each answer. */
const BETWEEN_LIMITS_MS = 1000;

type ReportedStatus = Pick<ThrottleStatus, 'state' | 'reason' | 'until' | 'process' | 'failingSince'>;

/**
 * Returns a function to call with each status of the throttle, which reports what changed since the last call. `now`: milliseconds.
 * A limit that changed again within a second is reported once, with its value after that second.
 */
export function createThrottleEvents(report: (event: RunEvent) => void): (status: ReportedStatus, now: number) => void {
  let state: ThrottleStatus['state'] = 'running';
  let limit: number | undefined;
  let limitAt = Number.NEGATIVE_INFINITY;
  let failingSince: number | undefined;
  const outage = (since: number | undefined, now: number): void => {
    if (failingSince === undefined && since !== undefined) report({ event: 'outage.began' });
    if (failingSince !== undefined && since === undefined) {
      report({ event: 'outage.ended', seconds: Math.round((now - failingSince) / 1000) });
    }
    failingSince = since;
  };
  return ({ state: to, reason, until, process, failingSince: since }, now) => {
    // A halt is no end of an outage: the service may still be down.
    if (to !== 'halted') outage(since?.getTime(), now);
    if (to !== state) report({ event: 'state.changed', from: state, to, reason, until: until?.toISOString() });
    state = to;
    limit ??= process.limit;
    if (process.limit === limit || now - limitAt < BETWEEN_LIMITS_MS) return;
    report({ event: 'limit.changed', from: limit, to: process.limit, why: process.why });
    limit = process.limit;
    limitAt = now;
  };
}
