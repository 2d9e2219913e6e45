/** `createProgressEvents`: the progress of a session as events, in place of a terminal. */
import { doneOf, type RunStatus } from '../../terminal/progress.js';
import type { Terminal } from '../../terminal/terminal.js';
import type { RunEvent } from './run-events.js';

const BETWEEN_EVENTS_MS = 10_000;

/** Reports the progress every ten seconds and at the end, if it changed. `line`: gets the other lines of a terminal. */
export function createProgressEvents(report: (event: RunEvent) => void, line: (text: string) => void): Terminal {
  let latest: RunStatus | undefined;
  let reported: { elapsedMs: number; done: number } | undefined;
  const write = (status: RunStatus) => {
    reported = { elapsedMs: status.elapsedMs, done: doneOf(status) };
    report(eventOf(status));
  };
  return {
    show(status) {
      latest = status;
      if (status.elapsedMs - (reported?.elapsedMs ?? 0) >= BETWEEN_EVENTS_MS) write(status);
    },
    line,
    end() {
      if (latest !== undefined && doneOf(latest) !== reported?.done) write(latest);
      latest = undefined;
    },
  };
}

function eventOf(status: RunStatus): RunEvent {
  const { total, ended, rejectedByCode, rate, concurrency, failed, inFlight, elapsedMs } = status;
  return {
    event: 'progress',
    records: { ...(total !== undefined && { total }), ...ended },
    rejectedByCode: Object.fromEntries(rejectedByCode),
    recordsPerSecond: Math.round(rate * 10) / 10,
    processLimit: concurrency.now,
    failedCalls: failed.count,
    ...(inFlight.count > 0 && {
      waitingRecords: inFlight.count,
      waitSeconds: Math.ceil(Math.max(0, inFlight.longestMs) / 1000),
    }),
    elapsedSeconds: Math.round(elapsedMs / 1000),
  };
}
