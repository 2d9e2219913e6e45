/** How far a run is, from what it is told as it goes: what the terminal shows. */

import type { Ledger, LedgerRecord, Step } from '../../migration/ledger/ledger.js';
import { idOf } from '../../migration/ledger/record-id.js';
import type { MigrationOptions } from '../../migration/migrate.js';
import type { RecordEvent } from '../../migration/record/apply-event.js';
import type { WaitingRecords } from '../../migration/record/preconditions/in-flight-records.js';
import type { LineFinding } from '../../migration/run/run-input.js';
import { failureInWords } from '../../migration/shared/connection-failure.js';
import type { CompactEvent } from '../../migration/throttle/compact-event.js';
import { compactEventsOf } from '../../migration/throttle/compact-event.js';
import { isEnd } from '../../migration/throttle/ends.js';
import type { ThrottleStatus } from '../../migration/throttle/throttle.js';
import { endedOf, type RunStatus } from './picture.js';

export interface Progress {
  /** `before`: the record as an earlier session left it, where this session begins it anew. */
  event(record: LedgerRecord, event: RecordEvent, before?: LedgerRecord): void;
  /** What happened at another member of the fleet. */
  other(event: CompactEvent): void;
  line(finding: LineFinding): void;
  /**
   * How many lines the input has, once they are counted. The status has no total while more records have ended than that:
   * the ledger has records of other lines then, such as those of an earlier input.
   */
  count(total: number): void;
  status(pace: ThrottleStatus, now: number, inFlight?: WaitingRecords): RunStatus;
}

/**
 * Begins with what the ledger holds; what an earlier session rejected counts until it is begun anew, and not at all where
 * all of it will be (`retryRejected`). Times in ms.
 */
export async function createProgress(
  ledger: Ledger,
  startedAt: number,
  { retryRejected = false, retry = false }: Pick<MigrationOptions, 'retryRejected' | 'retry'> = {},
): Promise<Progress> {
  const counts = await ledger.counts();
  const ended = { ...counts.ended, ...(retryRejected && { rejected: 0 }) };
  const passed: Partial<Record<Step, number>> = {};
  const rejectedByCode = new Map<string, number>();
  const endedBefore = endedOf({ ended });
  // Corrected lines are a part of the input, and what is shown is the whole run.
  let total = retry ? counts.total : undefined;
  /** During a retry: records that were made of corrected lines that held none, and that no session has had. */
  const added = new Set<string>();
  const failed = { count: 0, last: '' };
  let waitedMs = 0;
  let lastSeenAt = startedAt;

  const count = (codes: readonly string[], change: 1 | -1 = 1) => {
    for (const code of new Set(codes)) {
      const counted = (rejectedByCode.get(code) ?? 0) + change;
      if (counted > 0) rejectedByCode.set(code, counted);
      else rejectedByCode.delete(code);
    }
  };
  const failures = (events: readonly CompactEvent[]) => {
    for (const event of events) {
      if (event[0] !== 'failed') continue;
      const [, , code, step, , host, status] = event;
      failed.count++;
      failed.last = failureInWords({ step, code, host, ...(status !== 0 && { status }) });
    }
  };
  const begunAnew = ({ outcome, errors }: LedgerRecord) => {
    // Rejected ones were not counted then.
    if (outcome === null || (retryRejected && outcome === 'rejected')) return;
    ended[outcome]--;
    if (outcome === 'rejected') count(codesOf(errors), -1);
  };
  if (ended.rejected > 0) {
    for await (const { errors } of ledger.list({ outcome: 'rejected' })) count(codesOf(errors));
  }
  return {
    event(record, event, before) {
      if (retry && record.version === 1) added.add(idOf(record));
      if (event.type === 'stepSucceeded') passed[event.step] = (passed[event.step] ?? 0) + 1;
      failures(compactEventsOf(record, event));
      if (before !== undefined) begunAnew(before);
      if (!isEnd(record, event) || record.outcome === null) return;
      ended[record.outcome]++;
      if (record.outcome === 'rejected') count(codesOf(record.errors));
    },
    other(event) {
      if (event[0] === 'passed') passed[event[1]] = (passed[event[1]] ?? 0) + event[2];
      failures([event]);
      if (event[0] !== 'ended') return;
      const [, end, codes] = event;
      ended[end]++;
      if (end === 'rejected') count(codes);
    },
    line({ as, code }) {
      if (as === 'changed' || as === 'corrected') return;
      ended[as]++;
      if (as === 'rejected') count([code]);
    },
    count(lines) {
      if (!retry) total = lines;
    },
    status(pace, now, inFlight = { count: 0, longestMs: 0 }) {
      const stands = pace.state === 'paused' || pace.state === 'waiting';
      if (stands) waitedMs += now - lastSeenAt;
      lastSeenAt = now;
      const shownTotal = total === undefined ? undefined : total + added.size;
      // More than the input has: the ledger has records of other lines as well, of an earlier input or after a canary.
      const isOfOthers = shownTotal !== undefined && endedOf({ ended }) > shownTotal;
      return {
        elapsedMs: now - startedAt,
        waitedMs,
        total: isOfOthers ? undefined : shownTotal,
        endedBefore,
        ended: { ...ended },
        passed: { ...passed },
        rate: pace.rate.records,
        concurrency: { now: pace.process.limit, why: pace.process.why },
        standstill: standstillOf(pace),
        inFlight,
        failed: { ...failed },
        rejectedByCode,
      };
    },
  };
}

function codesOf(errors: LedgerRecord['errors']): string[] {
  return errors.map(({ code }) => code);
}

function standstillOf({ state, reason, until }: ThrottleStatus): string | undefined {
  switch (state) {
    case 'running':
      return undefined;
    case 'waiting':
      return `outside its time window, until ${until?.toISOString() ?? 'it opens'}`;
    case 'draining':
      return 'draining: what is under way ends, nothing new begins';
    case 'paused':
    case 'halted':
      return `${state}: ${reason}`;
  }
}
