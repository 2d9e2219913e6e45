/**
 * A request without an answer may still be running on the service. `InFlight` computes how long (the quiet time), and `Questions`
 * when to query the status and when "there is no account" is certain. Client, run and distributed run use this rule (decision 20).
 */

/** Default of the option `inFlightGraceMs`. */
export const IN_FLIGHT_GRACE_MS = 60_000;

/** Least time between the two answers "there is no account"; the grace, if that is shorter. */
const BETWEEN_QUESTIONS_MS = 5000;
const LONGEST_GAP_MS = 30_000;
/** The first query comes after this share of the quiet time: after 1 s of 60 s. */
const FIRST_GAP = 1 / 60;

export class InFlight {
  #slowestMs = 0;
  #knownMs = 0;

  constructor(
    readonly graceMs: number,
    readonly timeoutMs: number,
  ) {}

  /** Records the latency of an answer to `process`. */
  observe(latencyMs: number): void {
    if (latencyMs > this.#slowestMs) this.#slowestMs = latencyMs;
  }

  /** Records how long requests of an earlier session of the run may have taken. */
  remember(runsForMs: number): void {
    this.#knownMs = Math.max(this.#knownMs, runsForMs);
  }

  /** Returns how long a request may run: its time limit, or three times the slowest answer so far, without the grace. */
  runsForMs(timeoutMs: number = this.timeoutMs): number {
    return Math.max(Number.isFinite(timeoutMs) ? timeoutMs : 0, 3 * this.#slowestMs, this.#knownMs);
  }

  /** Returns the quiet time: how long the service may still work on a request that got no answer; at least the grace. */
  quietTimeMs(timeoutMs?: number): number {
    return Math.max(this.runsForMs(timeoutMs), this.graceMs);
  }

  /**
   * Returns the schedule of the status queries about a request that got no answer at `lostAt`. All times are milliseconds of one clock.
   */
  questions(lostAt: number, timeoutMs?: number): Questions {
    const quietMs = this.quietTimeMs(timeoutMs);
    return new Questions(
      lostAt + quietMs,
      Math.max(1, quietMs * FIRST_GAP),
      Math.min(BETWEEN_QUESTIONS_MS, this.graceMs),
    );
  }
}

/** The schedule of status queries about one request, and whether their answers suffice. */
export class Questions {
  #asked = 0;
  #firstNoAt: number | undefined;
  #hasFailed = false;

  /** When the quiet time ends. */
  readonly quietUntil: number;
  readonly #firstGapMs: number;
  readonly #apartMs: number;

  constructor(quietUntil: number, firstGapMs: number, apartMs: number) {
    this.quietUntil = quietUntil;
    this.#firstGapMs = firstGapMs;
    this.#apartMs = apartMs;
  }

  /** Returns the time of the next query: after a gap that doubles, and right after the quiet time. */
  nextAt(now: number): number {
    const isQuietOver = now >= this.quietUntil;
    if (isQuietOver && this.#firstNoAt !== undefined && !this.#hasFailed) {
      return Math.max(now, this.#firstNoAt + this.#apartMs);
    }
    const gapMs = Math.min(LONGEST_GAP_MS, this.#firstGapMs * 2 ** this.#asked);
    // Random, so that callers do not query at the same time.
    const next = now + gapMs * (0.5 + Math.random() / 2);
    return isQuietOver ? next : Math.min(next, this.quietUntil);
  }

  /** Call it if a query failed. */
  failed(): void {
    this.#asked++;
    this.#hasFailed = true;
  }

  /** Call it if the account exists and has no number yet: an earlier "there is no account" is no proof any more. */
  underWay(): void {
    this.#asked++;
    this.#hasFailed = false;
    this.#firstNoAt = undefined;
  }

  /** Call it if the service knows no account. Returns whether it is certain that the request had no effect. */
  answeredNo(now: number): boolean {
    this.#asked++;
    this.#hasFailed = false;
    this.#firstNoAt ??= now;
    return now >= this.quietUntil && now - this.#firstNoAt >= this.#apartMs;
  }
}
