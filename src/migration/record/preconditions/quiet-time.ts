/** Exports `InFlightRecords`: when a record may continue whose request got no answer and may still be running on the service. */
import { type InFlight, Questions } from '../../../http/limits/in-flight.js';
import { machineNow } from '../../../validation/option-kinds.js';
import { idOf, type Ledger, type LedgerRecord, type RecordKey } from '../../ledger/ledger.js';

/** The waiting records, for the terminal. */
export interface WaitingRecords {
  count: number;
  /** Milliseconds until the quiet time of the last of them is over. */
  longestMs: number;
}

interface Waiting {
  intentAt: string | null;
  questions: Questions;
  /** Time of the next status query, by the monotonic clock. */
  askAt: number;
  /** Status queries after the quiet time without a usable answer. */
  uselessAfterQuiet: number;
}

/** Status queries without a usable answer after the quiet time, before the record is left for a later pass. */
const MOST_FAILED_AFTER_QUIET = 2;
/** The same while the service says that the account exists: a request may take longer than the quiet time. Up to five minutes. */
const MOST_UNDER_WAY_AFTER_QUIET = 10;

/** A smaller change of the difference between the two clocks, in milliseconds, is no set clock: they are not read at the same moment. */
const LEAST_SET_MS = 500;

/** The clock of the machine dates intents, for other sessions. A monotonic one measures waits, so that setting the former ends and prolongs none. */
class Clocks {
  readonly #monotonic: () => number;
  /** By how much the clock of the machine was ahead of the monotonic one. `from`: the last look before that was noticed. */
  readonly #ahead: { from: number; by: number }[] = [];
  #lookedAt = Number.NEGATIVE_INFINITY;

  constructor(readonly now: () => Date) {
    // A clock that the program gives is for both.
    this.#monotonic = now === machineNow ? () => performance.now() : () => now().getTime();
  }

  /** Milliseconds of the monotonic clock. */
  time(): number {
    const time = this.#monotonic();
    const by = this.now().getTime() - time;
    const isSet = Math.abs(by - (this.#ahead.at(-1)?.by ?? Number.POSITIVE_INFINITY)) > LEAST_SET_MS;
    if (isSet) this.#ahead.push({ from: this.#lookedAt, by });
    this.#lookedAt = time;
    return time;
  }

  /** Returns when it was that time by the monotonic clock; not later than now. */
  timeOf(at: string): number {
    const now = this.time();
    const date = Date.parse(at);
    // Dates are rounded to milliseconds.
    const isThen = (time: number, from: number) => time > from - LEAST_SET_MS && time < now + LEAST_SET_MS;
    const { by = 0 } = this.#ahead.findLast(({ from, by }) => isThen(date - by, from)) ?? this.#ahead.at(-1) ?? {};
    return Math.min(now, date - by);
  }
}

export class InFlightRecords {
  readonly #waiting = new Map<string, Waiting>();
  readonly #unanswered = new Set<string>();
  readonly #clocks: Clocks;
  readonly #startedAt: number;

  constructor(
    /** The rule of the client that sends the requests. */
    readonly rule: InFlight,
    /** The clock that dates the intents. */
    now: () => Date,
    /** When the service started, if known: earlier requests ended with its former process. */
    readonly serviceStartedAt?: Date | undefined,
  ) {
    this.#clocks = new Clocks(now);
    this.#startedAt = this.#clocks.time();
  }

  /** Returns whether the wait for the current intent of the record has been computed. */
  isWaiting(record: LedgerRecord): boolean {
    return this.#waiting.get(idOf(record))?.intentAt === record.intentAt;
  }

  /** Call it when a request that creates the account of the record got no answer. */
  unanswered(record: RecordKey): void {
    this.#unanswered.add(idOf(record));
  }

  /** Returns whether such a request is known: of this session, or one that a person has decided about. */
  wasUnanswered(record: LedgerRecord): boolean {
    // A person who says that it had no effect may be wrong.
    return this.#unanswered.has(idOf(record)) || record.decisions.some(({ step }) => step === 'process');
  }

  /** Returns the milliseconds until the next status query; 0 for now. */
  untilQuestion(record: LedgerRecord): number {
    return Math.max(0, this.#of(record).askAt - this.#time());
  }

  /** Returns the milliseconds until the quiet time of the intent is over. */
  untilQuiet(record: LedgerRecord): number {
    return Math.max(0, this.#of(record).questions.quietUntil - this.#time());
  }

  /** Returns whether the intent is so old that it must be stored again before the request: the quiet time counts from the intent. */
  isStale(intentAt: string | null): boolean {
    if (intentAt === null) return true;
    const ages = [this.#time() - this.#clocks.timeOf(intentAt), this.#clocks.now().getTime() - Date.parse(intentAt)];
    return Math.max(...ages) > this.rule.quietTimeMs() / 4;
  }

  /** Call it if the service knows no account. Returns whether it is certain that the request had no effect. */
  answeredNo(record: LedgerRecord): boolean {
    const waiting = this.#of(record);
    const isSure = waiting.questions.answeredNo(this.#time());
    if (!isSure) waiting.askAt = waiting.questions.nextAt(this.#time());
    return isSure;
  }

  /** Call it if the status query failed. Returns whether to repeat it in this pass. */
  notAnswered(record: LedgerRecord): boolean {
    const waiting = this.#of(record);
    waiting.questions.failed();
    return this.#isAskedAgain(waiting, MOST_FAILED_AFTER_QUIET);
  }

  /** Call it if the account exists and has no number yet. Returns whether to repeat the query in this pass. */
  underWay(record: LedgerRecord): boolean {
    const waiting = this.#of(record);
    waiting.questions.underWay();
    return this.#isAskedAgain(waiting, MOST_UNDER_WAY_AFTER_QUIET);
  }

  #isAskedAgain(waiting: Waiting, mostAfterQuiet: number): boolean {
    waiting.askAt = waiting.questions.nextAt(this.#time());
    if (this.#time() >= waiting.questions.quietUntil) waiting.uselessAfterQuiet++;
    return waiting.uselessAfterQuiet < mostAfterQuiet;
  }

  /** Call it when the outcome of the request is known. */
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
    const { intentAt } = record;
    const sentAt = intentAt === null ? now : this.#clocks.timeOf(intentAt);
    const hasEnded =
      intentAt !== null &&
      this.serviceStartedAt !== undefined &&
      Date.parse(intentAt) < this.serviceStartedAt.getTime();
    const questions = hasEnded ? new Questions(sentAt, 1, 0) : this.rule.questions(sentAt);
    // An earlier session sent it, so it may have ended: ask at once.
    const askAt = sentAt < this.#startedAt ? now : questions.nextAt(now);
    const waiting = { intentAt, questions, askAt, uselessAfterQuiet: 0 };
    this.#waiting.set(id, waiting);
    return waiting;
  }

  #time(): number {
    return this.#clocks.time();
  }
}

/** Ledger fact: the longest time that a session or worker of the run allowed its requests, in milliseconds. */
const RUNS_FOR = 'process_runs_for_ms';
/** The fact is written again when the value grows by more than this factor. */
const GROWTH = 1.25;

/**
 * Applies the stored time of earlier sessions and other workers to `rule`, and stores the time of this session. Returns a function
 * that stores a longer time; call it after each answer to `process`.
 */
export async function rememberInFlight(ledger: Pick<Ledger, 'raiseFact'>, rule: InFlight): Promise<() => void> {
  let stored = 0;
  const store = async (): Promise<void> => {
    stored = rule.runsForMs();
    rule.remember(await ledger.raiseFact(RUNS_FOR, Math.ceil(stored)));
  };
  await store();
  return () => {
    // An error of the ledger is reported when the next record is stored.
    if (rule.runsForMs() > stored * GROWTH) void store().catch(() => {});
  };
}

/** Applies the time that other workers have stored to `rule`. */
export async function refreshInFlight(ledger: Pick<Ledger, 'fact'>, rule: InFlight): Promise<void> {
  // Ignores a value that is not a number.
  rule.remember(Number(await ledger.fact(RUNS_FOR)) || 0);
}

/**
 * Returns until when a request of the record may still be running on the service, in milliseconds since 1970; undefined if none is.
 * For commands without a client.
 */
export async function mayRunUntil(
  { intentAt, stageUnansweredAt }: LedgerRecord,
  ledger: Pick<Ledger, 'fact'>,
  graceMs: number,
): Promise<number | undefined> {
  // A staging request without an answer may outlast its repetition.
  const sentAt = intentAt ?? stageUnansweredAt;
  if (sentAt === null) return undefined;
  return Date.parse(sentAt) + Math.max(graceMs, Number(await ledger.fact(RUNS_FOR)) || 0);
}
