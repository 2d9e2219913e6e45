/** `createProgress`: counts the events of a session for the terminal. */
import type { Ledger, LedgerRecord, Step } from '../../migration/ledger/ledger.js';
import { idOf } from '../../migration/ledger/record-id.js';
import type { MigrationOptions } from '../../migration/run/options.js';
import type { RecordEvent } from '../../migration/record/events/record-event.js';
import type { WaitingRecords } from '../../migration/record/preconditions/in-flight-records.js';
import type { LineFinding } from '../../migration/run/input-pass.js';
import { failureInWords } from '../../migration/shared/connection-failure.js';
import { type CompactEvent, compactEventsOf, failedStep } from '../../migration/throttle/compact-event.js';
import { endsRecord } from '../../migration/record/events/record-state.js';
import type { ThrottleStatus } from '../../migration/throttle/throttle.js';
import { doneOf, type RunStatus } from './progress-text.js';

export interface Progress {
  /** `before`: the record of an earlier session that this session starts again. */
  event(record: LedgerRecord, event: RecordEvent, before?: LedgerRecord): void;
  /** An event of another worker. */
  other(event: CompactEvent): void;
  line(finding: LineFinding): void;
  /**
   * Sets the number of lines of the input. The status has no total if more records are done than that: then the ledger has
   * records of other lines, such as those of an earlier input.
   */
  count(total: number): void;
  status(pace: ThrottleStatus, now: number, inFlight?: WaitingRecords): RunStatus;
}

/**
 * Starts with the counts of the ledger. Rejected records of an earlier session count until this session starts them again;
 * with `retryRejected`, which starts all of them again, they do not count. Times in ms.
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
  const endedBefore = doneOf({ ended });
  // Corrected lines are a part of the input; the whole run is shown.
  let total = retry ? counts.total : undefined;
  /** During a retry: records of corrected lines that were not valid records before. */
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
      if (event.type !== 'failed') continue;
      failed.count++;
      failed.last = failureInWords(failedStep(event));
    }
  };
  const startAgain = ({ outcome, errors }: LedgerRecord) => {
    // With `retryRejected`, rejected records were not counted.
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
      if (before !== undefined) startAgain(before);
      if (!endsRecord(record, event) || record.outcome === null) return;
      ended[record.outcome]++;
      if (record.outcome === 'rejected') count(codesOf(record.errors));
    },
    other(event) {
      if (event.type === 'passed') passed[event.step] = (passed[event.step] ?? 0) + event.count;
      failures([event]);
      if (event.type !== 'ended') return;
      ended[event.outcome]++;
      if (event.outcome === 'rejected') count(event.codes);
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
      const isWaiting = pace.state === 'paused' || pace.state === 'waiting';
      if (isWaiting) waitedMs += now - lastSeenAt;
      lastSeenAt = now;
      const shownTotal = total === undefined ? undefined : total + added.size;
      const isOfOthers = shownTotal !== undefined && doneOf({ ended }) > shownTotal;
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
      return `outside the time window until ${until?.toISOString() ?? 'it opens'}`;
    case 'draining':
      return 'draining: calls in flight end, no new call starts';
    case 'paused':
    case 'halted':
      return `${state}: ${reason}`;
  }
}
