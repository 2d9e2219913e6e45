/**
 * A request without an answer may still be running on the service. `InFlight` says for how long, and `Questions` when the
 * service's "there is no account" may be believed. The client, a run and a distributed run use this one rule (decision 20).
 */

/** The option `inFlightGraceMs` where it is not given. */
export const IN_FLIGHT_GRACE_MS = 60_000;

/** Two answers "there is no account" count only if they are at least so far apart, or as far as the grace where that is shorter. */
const BETWEEN_QUESTIONS_MS = 5000;
const LONGEST_GAP_MS = 30_000;
/** The first question comes after this share of the quiet time: 1 s of 60 s. */
const FIRST_GAP = 1 / 60;

export class InFlight {
  #slowestMs = 0;
  #knownMs = 0;

  constructor(
    readonly graceMs: number,
    readonly timeoutMs: number,
  ) {}

  /** The service answered `process` after `latencyMs`. */
  observe(latencyMs: number): void {
    if (latencyMs > this.#slowestMs) this.#slowestMs = latencyMs;
  }

  /** An earlier session of the run allowed its requests `runsForMs`. */
  remember(runsForMs: number): void {
    this.#knownMs = Math.max(this.#knownMs, runsForMs);
  }

  /** The time limit of the call or three times the slowest answer so far, without the grace. A call may have no time limit. */
  runsForMs(timeoutMs: number = this.timeoutMs): number {
    return Math.max(Number.isFinite(timeoutMs) ? timeoutMs : 0, 3 * this.#slowestMs, this.#knownMs);
  }

  /** Milliseconds during which the service may still work on a request that got no answer: at least the grace. */
  quietTimeMs(timeoutMs?: number): number {
    return Math.max(this.runsForMs(timeoutMs), this.graceMs);
  }

  /**
   * The status queries about one request that got no answer at `lostAt`. All times are milliseconds of one clock.
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

/** When to ask about one request, and when the answers suffice. */
export class Questions {
  #asked = 0;
  #firstNoAt: number | undefined;
  #hasFailed = false;

  constructor(
    readonly quietUntil: number,
    readonly firstGapMs: number,
    readonly apartMs: number,
  ) {}

  /** When to ask next: after a gap that doubles, and once right after the quiet time. */
  nextAt(now: number): number {
    const isQuietOver = now >= this.quietUntil;
    if (isQuietOver && this.#firstNoAt !== undefined && !this.#hasFailed) {
      return Math.max(now, this.#firstNoAt + this.apartMs);
    }
    const gapMs = Math.min(LONGEST_GAP_MS, this.firstGapMs * 2 ** this.#asked);
    // Not all callers at the same moment.
    const next = now + gapMs * (0.5 + Math.random() / 2);
    return isQuietOver ? next : Math.min(next, this.quietUntil);
  }

  /** The question got no answer. */
  failed(): void {
    this.#asked++;
    this.#hasFailed = true;
  }

  /** The service said that there is no account. Returns whether that may be believed: then nothing was done. */
  answeredNo(now: number): boolean {
    this.#asked++;
    this.#hasFailed = false;
    this.#firstNoAt ??= now;
    return now >= this.quietUntil && now - this.#firstNoAt >= this.apartMs;
  }
}
