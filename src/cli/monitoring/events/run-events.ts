/** Exports `RunEvent`: what `run`, `retry` and `worker` report while they work, for the log in JSON and for notifications. */
import type { WorkerWork } from '../../../migration/distributed/ledger/worker-rows.js';
import type { LineOutcome } from '../../../migration/ledger/ledger.js';
import type { EndState } from '../../../migration/report/report.js';
import type { Summary } from '../../../migration/report/summary/summary.js';
import type { ThrottleStatus } from '../../../migration/throttle/throttle.js';
import type { ExitCode } from '../../shared/exit-codes.js';

type State = ThrottleStatus['state'];

/** The counts at the end of a session. */
type FinalCounts = ReturnType<typeof finalCounts>;

/** An event. None has a value of a record or a secret. */
export type RunEvent =
  | { event: 'session.started'; target: string; folder: string; canary: number | undefined }
  | {
      event: 'progress';
      /** Number of records by outcome. `total`: lines of the input; missing until they are counted. */
      records: Record<LineOutcome, number> & { total?: number };
      /** Rejected records by code of the error. */
      rejectedByCode: Readonly<Record<string, number>>;
      recordsPerSecond: number;
      processLimit: number;
      /** Calls without a usable answer so far. */
      failedCalls: number;
      /** Records that wait for requests that may still be running, and for how long at most; missing if none waits. */
      waitingRecords?: number;
      waitSeconds?: number;
      elapsedSeconds: number;
    }
  | { event: 'worker.progress'; state: string; recordsInProgress: number; work: WorkerWork }
  | { event: 'limit.changed'; from: number; to: number; why: string }
  | { event: 'state.changed'; from: State; to: State; reason: string | undefined; until: string | undefined }
  | { event: 'outage.began' }
  | { event: 'outage.ended'; seconds: number }
  | { event: 'question.asked'; question: string }
  | SessionEnded
  | { event: 'worker.ended'; state: string; work: WorkerWork };

/** What a session did, and what the user does next. */
export interface SessionEnded {
  event: 'session.ended';
  state: EndState;
  /** Why it halted or is unfinished. */
  reason: string | undefined;
  records: FinalCounts;
  /** The lines that are printed after `Next` and `To run again`. */
  next: readonly string[];
}

/** How the command ended, and what its last session did, if one began. */
export type CommandEnded = { event: 'ended'; exitCode: ExitCode; error: string | undefined } & Partial<
  Omit<SessionEnded, 'event'>
>;

/**
 * Returns the number of records by outcome; their sum, with `unfinished` and `notInInput`, is `total`. `incomplete`: accounts among these
 * that exist without all of their items. `changed`: lines that differ from the record that exists.
 */
export function finalCounts(summary: Summary) {
  const { input, created, alreadyImported, rejected, skipped, unknown } = summary;
  const { unfinished, notInInput, incomplete, changed } = summary;
  return {
    ...{ total: input, created, alreadyImported, rejected, skipped, unknown },
    ...{ unfinished, notInInput, incomplete, changed: changed.count },
  };
}
