/** The records whose requests got no answer and may still be running on the service: when each may be worked on again. */
import { type InFlight, Questions } from '../../../http/limits/in-flight.js';
import type { Ledger, LedgerRecord, RecordKey } from '../../ledger/ledger.js';
import { idOf } from '../../ledger/record-id.js';

/** How many records wait, for the terminal. */
export interface WaitingRecords {
  count: number;
  /** Milliseconds until the last of them may be decided at the latest. */
  longestMs: number;
}

interface Waiting {
  intentAt: string | null;
  questions: Questions;
  /** When to ask next, in milliseconds since 1970. */
  askAt: number;
  failedAfterQuiet: number;
}

/** Questions without an answer after the quiet time: then the record is left for a later pass. */
const MOST_FAILED_AFTER_QUIET = 2;

export class InFlightRecords {
  readonly #waiting = new Map<string, Waiting>();
  readonly #unanswered = new Set<string>();
  readonly #startedAt: number;

  constructor(
    /** Of the client that sends the requests. */
    readonly rule: InFlight,
    /** By the clock that dates the intents. */
    readonly now: () => Date,
    /** When the service started, where that is known: a request that was sent earlier ended with the process that ran it. */
    readonly serviceStartedAt?: Date | undefined,
  ) {
    this.#startedAt = now().getTime();
  }

  /** Whether the time to wait for the record's request has been worked out already. */
  isWaiting(record: LedgerRecord): boolean {
    return this.#waiting.get(idOf(record))?.intentAt === record.intentAt;
  }

  /** A request of the record got no answer. */
  unanswered(record: RecordKey): void {
    this.#unanswered.add(idOf(record));
  }

  /** Whether a request of the record got no answer in this session. */
  wasUnanswered(record: RecordKey): boolean {
    return this.#unanswered.size > 0 && this.#unanswered.has(idOf(record));
  }

  /** Milliseconds until the service is to be asked about the record; 0 for now. */
  untilQuestion(record: LedgerRecord): number {
    return Math.max(0, this.#of(record).askAt - this.#time());
  }

  /** Milliseconds until the quiet time of the record's intent is over. */
  untilQuiet(record: LedgerRecord): number {
    return Math.max(0, this.#of(record).questions.quietUntil - this.#time());
  }

  /** Whether the intent is so old that it must be stored again before the request leaves: the quiet time counts from it. */
  isStale(intentAt: string | null): boolean {
    return intentAt === null || this.#time() - Date.parse(intentAt) > this.rule.quietTimeMs() / 4;
  }

  /** The service said that there is no account. Returns whether that may be believed. */
  answeredNo(record: LedgerRecord): boolean {
    const waiting = this.#of(record);
    const isSure = waiting.questions.answeredNo(this.#time());
    if (!isSure) waiting.askAt = waiting.questions.nextAt(this.#time());
    return isSure;
  }

  /** The service could not be asked. Returns whether it is to be asked again in this pass. */
  notAnswered(record: LedgerRecord): boolean {
    const waiting = this.#of(record);
    waiting.questions.failed();
    waiting.askAt = waiting.questions.nextAt(this.#time());
    if (this.#time() >= waiting.questions.quietUntil) waiting.failedAfterQuiet++;
    return waiting.failedAfterQuiet < MOST_FAILED_AFTER_QUIET;
  }

  /** The outcome of the request is known. */
  settled(record: RecordKey): void {
    this.#waiting.delete(idOf(record));
  }

  waiting(): WaitingRecords {
    let longestMs = 0;
    for (const { questions } of this.#waiting.values()) {
      longestMs = Math.max(longestMs, questions.quietUntil - this.#time());
    }
    return { count: this.#waiting.size, longestMs };
  }

  #of(record: LedgerRecord): Waiting {
    const id = idOf(record);
    const known = this.#waiting.get(id);
    if (known !== undefined && known.intentAt === record.intentAt) return known;
    const now = this.#time();
    // A clock that was set back must not prolong the wait.
    const sentAt = record.intentAt === null ? now : Math.min(now, Date.parse(record.intentAt));
    const hasEnded = this.serviceStartedAt !== undefined && sentAt < this.serviceStartedAt.getTime();
    const questions = hasEnded ? new Questions(sentAt, 1, 0) : this.rule.questions(sentAt);
    // An earlier session sent it: its answer may be known by now.
    const askAt = sentAt < this.#startedAt ? now : questions.nextAt(now);
    const waiting = { intentAt: record.intentAt, questions, askAt, failedAfterQuiet: 0 };
    this.#waiting.set(id, waiting);
    return waiting;
  }

  #time(): number {
    return this.now().getTime();
  }
}

/** Ledger fact: the longest time that a session or worker of the run allowed its requests, in milliseconds. */
const RUNS_FOR = 'process_runs_for_ms';
/** The fact is written again where it grows by more than this share. */
const GROWTH = 1.25;

/**
 * Applies to `rule` what earlier sessions and other workers of the run stored, and stores what this one allows its requests.
 * Returns the function that stores what the rule has learned; it is to be called after each answer to `process`.
 */
export async function rememberInFlight(ledger: Pick<Ledger, 'raiseFact'>, rule: InFlight): Promise<() => void> {
  let stored = 0;
  const store = async (): Promise<void> => {
    stored = rule.runsForMs();
    rule.remember(await ledger.raiseFact(RUNS_FOR, Math.ceil(stored)));
  };
  await store();
  return () => {
    // What the ledger fails with is met by the next record that it is to store.
    if (rule.runsForMs() > stored * GROWTH) void store().catch(() => {});
  };
}

/** Applies to `rule` what other workers have stored meanwhile. */
export async function refreshInFlight(ledger: Pick<Ledger, 'fact'>, rule: InFlight): Promise<void> {
  // What is no number says nothing.
  rule.remember(Number(await ledger.fact(RUNS_FOR)) || 0);
}

/**
 * Milliseconds since 1970 until which a request of the record may still be running on the service; undefined where none is.
 * For commands without a client.
 */
export async function mayRunUntil(
  { intent, intentAt }: LedgerRecord,
  ledger: Pick<Ledger, 'fact'>,
  graceMs: number,
): Promise<number | undefined> {
  if (intent === null || intentAt === null) return undefined;
  return Date.parse(intentAt) + Math.max(graceMs, Number(await ledger.fact(RUNS_FOR)) || 0);
}
