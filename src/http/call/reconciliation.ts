/**
 * `Reconciliation`: finds out whether a request without an answer took effect, by asking the service or by its refusal.
 * `in-flight.ts` says when the service is asked.
 */
import { isConnectionError, isRateLimitError, isServerError, isTimeoutError } from '../../errors/guards.js';
import type { Deadline } from '../time/deadline.js';
import { retryAfterMs } from '../time/delay.js';
import { requestIdOf } from '../transport/answer.js';
import type { AttemptFailed } from './attempt-failed.js';
import type { CallHistory } from './call-history.js';
import type { CallContext, CallLimits, CallRequest, CallResult } from './call-types.js';

/** The parts of the call that it needs. */
interface CallParts {
  deadline: Deadline;
  history: CallHistory;
  /** Waits and reports the wait as one before a retry. Rejects with the error of the call if the call ends meanwhile. */
  wait(failed: AttemptFailed, delayMs: number): Promise<void>;
}

export class Reconciliation<T> {
  constructor(
    readonly context: Pick<CallContext, 'inFlight' | 'maxThrottleWaitMs' | 'retryAfterBoundMs'>,
    readonly request: CallRequest<T>,
    readonly limits: CallLimits,
    readonly call: CallParts,
  ) {}

  /** For a request that has ended: it may be sent again even if this status query fails. */
  async askOnce(): Promise<CallResult<T> | undefined> {
    const found = await this.#ask().catch(() => undefined);
    this.call.history.throwIfEnded();
    return found;
  }

  /**
   * Asks the service with growing gaps whether the request took effect. Resolves with undefined when the request may be sent
   * again: its quiet time is over, and two status queries found no account.
   */
  async askUntilCertain(failed: AttemptFailed): Promise<CallResult<T> | undefined> {
    const { limits, context } = this;
    const { history, deadline } = this.call;
    let cause: unknown = history.errorOf(failed);
    if (this.request.settlement?.ask === undefined || limits.maxRetries === 0) throw history.outcomeUnknown(cause);
    const asked = retryAfterMs(failed.answer?.headers['retry-after'], context.retryAfterBoundMs) ?? 0;
    if (asked > context.maxThrottleWaitMs) throw history.outcomeUnknown(cause);
    const lostAt = performance.now();
    const questions = context.inFlight.questions(lostAt, limits.timeoutMs);
    for (;;) {
      const now = performance.now();
      const delayMs = Math.max(questions.nextAt(now), lostAt + asked) - now;
      if (delayMs >= deadline.remainingMs()) throw history.outcomeUnknown(cause);
      await this.call.wait(failed, delayMs);
      try {
        const found = await this.#ask();
        if (found !== undefined) return found;
        if (questions.answeredNo(performance.now())) break;
      } catch (error) {
        history.throwIfEnded();
        cause = error;
        if (!isWorthAskingAgain(error)) throw history.outcomeUnknown(cause);
        questions.failed();
      }
    }
    // The service is asked after the last permitted request too.
    if (history.retries++ >= limits.maxRetries) throw history.outcomeUnknown(cause);
    return undefined;
  }

  /** The result of an earlier request, if the service says that it took effect. */
  async #ask(): Promise<CallResult<T> | undefined> {
    const { maxThrottleWaitMs } = this.context;
    const { deadline, history } = this.call;
    const deadlineMs = Math.max(1, deadline.remainingMs());
    const found = await this.request.settlement?.ask?.({ ...this.limits, maxThrottleWaitMs, deadlineMs });
    return found && { ...found, attempts: history.attempts, settled: true };
  }

  /**
   * Returns the result of an earlier request that a refusal such as "already exists" confirms. Throws the error of the call
   * if the refusal confirms none.
   */
  recognise(failed: AttemptFailed): CallResult<T> {
    const { history } = this.call;
    const error = history.finalError(failed);
    const data = history.mayHaveSucceeded ? this.request.settlement?.recognise(error) : undefined;
    if (data === undefined && history.mayBeOurOwn(error)) throw history.outcomeUnknown(error, true);
    if (data === undefined || failed.answer === undefined) throw error;
    const { status, headers } = failed.answer;
    return { data, status, headers, attempts: history.attempts, requestId: requestIdOf(failed.answer), settled: true };
  }
}

/** Whether the status query failed for a reason that may pass. */
function isWorthAskingAgain(error: unknown): boolean {
  return isConnectionError(error) || isTimeoutError(error) || isServerError(error) || isRateLimitError(error);
}
