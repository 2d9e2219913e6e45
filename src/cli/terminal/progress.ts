/** `createProgress`: counts the events of a session for the terminal; `doneOf`: those that have ended. */
import {
  idOf,
  type Ledger,
  type LedgerCounts,
  type LedgerRecord,
  LINE_OUTCOMES,
  type LineOutcome,
  type Step,
} from '../../migration/ledger/ledger.js';
import type { RecordEvent } from '../../migration/record/events/record-event.js';
import type { WaitingRecords } from '../../migration/record/preconditions/quiet-time.js';
import type { MigrationOptions } from '../../migration/run/options.js';
import type { LineFinding } from '../../migration/run/run-context.js';
import { failureInWords } from '../../migration/shared/connection-failure.js';
import { number } from '../../migration/shared/format.js';
import { type CompactEvent, compactEventsOf, failedStep } from '../../migration/throttle/compact-event.js';
import type { ThrottleStatus } from '../../migration/throttle/throttle.js';

export type RunStatus = ReturnType<Progress['status']>;

type ProgressOptions = Pick<MigrationOptions, 'retryRejected' | 'retry'>;

/**
 * Starts with the counts of the ledger. Rejected records of an earlier session count until this session starts them again;
 * with `retryRejected`, which starts all of them again, they do not count. Times in ms.
 */
export async function createProgress(
  ledger: Ledger,
  startedAt: number,
  options: ProgressOptions = {},
): Promise<Progress> {
  const progress = new Progress(await ledger.counts(), startedAt, options);
  if (progress.hasRejected) {
    for await (const { errors } of ledger.list({ outcome: 'rejected' })) progress.countCodes(codesOf(errors));
  }
  return progress;
}

export class Progress {
  readonly #startedAt: number;
  readonly #options: ProgressOptions;
  readonly #ended: Record<LineOutcome, number>;
  readonly #endedBefore: number;
  readonly #passed: Partial<Record<Step, number>> = {};
  readonly #rejectedByCode = new Map<string, number>();
  readonly #failed = { count: 0, last: '' };
  /** Lines of the input. Corrected lines are a part of it: during a retry, this is the total of the whole run. */
  #total: number | undefined;
  /** During a retry: records of corrected lines that were not valid records before. */
  readonly #added = new Set<string>();
  #waitedMs = 0;
  #lastSeenAt: number;

  constructor({ ended, total }: LedgerCounts, startedAt: number, options: ProgressOptions) {
    this.#startedAt = startedAt;
    this.#options = options;
    this.#ended = { ...ended, skipped: 0, ...(options.retryRejected && { rejected: 0 }) };
    this.#endedBefore = doneOf({ ended: this.#ended });
    this.#total = options.retry ? total : undefined;
    this.#lastSeenAt = startedAt;
  }

  get hasRejected(): boolean {
    return this.#ended.rejected > 0;
  }

  /** `before`: the record of an earlier session that this session starts again. */
  event(record: LedgerRecord, event: RecordEvent, before?: LedgerRecord): void {
    if (this.#options.retry && record.version === 1) this.#added.add(idOf(record));
    if (before !== undefined) this.#startAgain(before);
    for (const one of compactEventsOf(record, event)) {
      this.other(one.type === 'ended' ? { ...one, codes: codesOf(record.errors) } : one);
    }
  }

  /** An event of another worker. */
  other(event: CompactEvent): void {
    if (event.type === 'passed') this.#passed[event.step] = (this.#passed[event.step] ?? 0) + 1;
    if (event.type === 'ended') this.#countEnded(event.outcome, event.codes);
    if (event.type !== 'failed') return;
    this.#failed.count++;
    this.#failed.last = failureInWords(failedStep(event));
  }

  line({ as, code }: LineFinding): void {
    if (as === 'rejected' || as === 'skipped') this.#countEnded(as, [code]);
  }

  /**
   * Sets the number of lines of the input. The status has no total if more records are done than that: then the ledger has
   * records of other lines, such as those of an earlier input.
   */
  count(lines: number): void {
    if (!this.#options.retry) this.#total = lines;
  }

  /**
   * Counts as the report of the session does: it has accounts that wait for their business, records that the input has no more, and, of
   * a retry, the lines without a record.
   */
  end(outcomes: Readonly<Record<LineOutcome | 'unfinished', number>>): void {
    for (const outcome of LINE_OUTCOMES) this.#ended[outcome] = outcomes[outcome];
    if (!this.#options.retry) return;
    this.#added.clear();
    this.#total = doneOf({ ended: this.#ended }) + outcomes.unfinished;
  }

  /** Counts the codes of a rejected record. */
  countCodes(codes: readonly string[], change: 1 | -1 = 1): void {
    for (const code of new Set(codes)) {
      const counted = (this.#rejectedByCode.get(code) ?? 0) + change;
      if (counted > 0) this.#rejectedByCode.set(code, counted);
      else this.#rejectedByCode.delete(code);
    }
  }

  /** Returns the run at one moment. `linesRead`: lines that were read so far, while nothing is sent because not all are; otherwise undefined. */
  status(
    throttle: ThrottleStatus,
    now: number,
    inFlight: WaitingRecords = { count: 0, longestMs: 0 },
    linesRead?: number,
  ) {
    const isWaiting = throttle.state === 'paused' || throttle.state === 'waiting' || linesRead !== undefined;
    if (isWaiting) this.#waitedMs += now - this.#lastSeenAt;
    this.#lastSeenAt = now;
    const ended = { ...this.#ended };
    const total = this.#total === undefined ? undefined : this.#total + this.#added.size;
    const isOfOthers = total !== undefined && doneOf({ ended }) > total;
    return {
      /** Since the start of the session. */
      elapsedMs: now - this.#startedAt,
      /** The part of it that was paused or outside the time window. */
      waitedMs: this.#waitedMs,
      /** Records of the input; undefined until they are counted. */
      total: isOfOthers ? undefined : total,
      /** Records that were done before this session. */
      endedBefore: this.#endedBefore,
      ended,
      /** Records that have completed each step. */
      passed: { ...this.#passed },
      /** Records done per second, recently. */
      rate: throttle.rate.records,
      /** The adaptive limit of process calls, its reason and its bounds. */
      concurrency: {
        ...{ now: throttle.process.limit, why: throttle.process.why },
        ...{ least: throttle.process.least, most: throttle.process.most },
      },
      /** The limits of all calls: in flight, and per second (0 for none). */
      limits: { concurrency: throttle.concurrency.most, rps: throttle.rps },
      /** Why no call starts now, and until when; undefined if calls start. */
      standstill: standstillOf(throttle) ?? readingInWords(linesRead),
      /** Records whose requests may still be running on the service, and the longest wait. */
      inFlight,
      /** Calls without a usable answer so far, and the text of the last one. */
      failed: { ...this.#failed },
      /** Rejected records so far, by code. */
      rejectedByCode: this.#rejectedByCode as ReadonlyMap<string, number>,
    };
  }

  #countEnded(outcome: LineOutcome, codes: readonly string[]): void {
    this.#ended[outcome]++;
    if (outcome === 'rejected') this.countCodes(codes);
  }

  #startAgain({ outcome, errors }: LedgerRecord): void {
    // With `retryRejected`, rejected records were not counted.
    if (outcome === null || (this.#options.retryRejected && outcome === 'rejected')) return;
    this.#ended[outcome]--;
    if (outcome === 'rejected') this.countCodes(codesOf(errors), -1);
  }
}

/** Records with an outcome. */
export function doneOf({ ended }: { ended: Readonly<Record<LineOutcome, number>> }): number {
  return Object.values(ended).reduce((sum, count) => sum + count, 0);
}

function codesOf(errors: LedgerRecord['errors']): string[] {
  return errors.map(({ code }) => code);
}

function readingInWords(lines: number | undefined): string | undefined {
  return lines === undefined ? undefined : `reading the input: ${number(lines)} lines so far`;
}

function standstillOf({ state, reason, until }: ThrottleStatus): string | undefined {
  switch (state) {
    case 'running':
      return undefined;
    case 'waiting':
      return `outside the time window ${reason} until ${until?.toISOString() ?? 'it opens'}`;
    case 'draining':
      return 'draining: calls in flight end, no new call starts';
    case 'paused':
    case 'halted':
      return `${state}: ${reason}`;
  }
}
