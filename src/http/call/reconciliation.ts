/**
 * Exports `askOnce`, `askUntilCertain` and `recogniseResult`: they find out whether a request without an answer took effect,
 * by asking the service or by its refusal. `in-flight.ts` says when the service is asked.
 */
import { ApiError, RateLimitError, ServerError } from '../../errors/api-errors.js';
import { innerBody } from '../../errors/decode.js';
import { ConnectionError, TimeoutError } from '../../errors/no-answer-errors.js';
import type { Deadline } from '../time/deadline.js';
import { backoffMs } from '../time/delay.js';
import { parseBody, requestIdOf } from '../transport/answer.js';
import { otherNameIn } from '../transport/other-name.js';
import type { AttemptFailed } from './attempt-failed.js';
import type { CallHistory } from './call-history.js';
import type { CallContext, CallLimits, CallRequest, CallResult } from './call-types.js';

/** The call that they belong to. */
export interface ReconciledCall<T> {
  context: Pick<CallContext, 'inFlight' | 'maxThrottleWaitMs' | 'retryBaseMs'>;
  request: Pick<CallRequest<T>, 'settlement' | 'names'>;
  limits: CallLimits;
  deadline: Deadline;
  history: CallHistory;
  /** Waits and reports the wait as one before a retry. Rejects with the error of the call if the call ends meanwhile. */
  wait(failed: AttemptFailed, delayMs: number): Promise<void>;
}

/**
 * For a request that has ended: one answer that there is no account is certain. Asks again while the status query fails for a reason
 * that may pass. Rejects with `OutcomeUnknownError` without a usable answer.
 */
export async function askOnce<T>(call: ReconciledCall<T>, failed: AttemptFailed): Promise<CallResult<T> | undefined> {
  const { context, deadline, history } = call;
  let cause: unknown = history.errorOf(failed);
  for (let asked = 0; ; asked++) {
    let found: Awaited<ReturnType<typeof ask<T>>>;
    try {
      found = await ask(call);
    } catch (error) {
      cause = causeAfter(call, error, cause);
      const delayMs = Math.max(1, backoffMs(context.retryBaseMs, asked));
      if (!isWorthAskingAgain(error) || delayMs >= deadline.remainingMs()) throw history.outcomeUnknown(cause);
      await call.wait(failed, delayMs);
      continue;
    }
    return found === 'underWay' ? askUntilCertain(call, failed) : found;
  }
}

/**
 * Asks the service with growing gaps whether the request took effect. Resolves with undefined when the request may be sent
 * again: its quiet time is over, and two status queries found no account. Rejects with `OutcomeUnknownError` if the limits
 * of the call permit no further question or request, also while the account exists without a number.
 */
export async function askUntilCertain<T>(
  call: ReconciledCall<T>,
  failed: AttemptFailed,
): Promise<CallResult<T> | undefined> {
  const { context, request, limits, deadline, history } = call;
  let cause: unknown = history.errorOf(failed);
  const askedMs = history.askedMs(failed);
  const isPermitted = request.settlement?.ask !== undefined && limits.maxRetries > 0;
  if (isPermitted && askedMs <= context.maxThrottleWaitMs) {
    const lostAt = performance.now();
    const questions = context.inFlight.questions(lostAt, limits.timeoutMs);
    for (;;) {
      const now = performance.now();
      const delayMs = Math.max(questions.nextAt(now), lostAt + askedMs) - now;
      if (delayMs >= deadline.remainingMs()) break;
      await call.wait(failed, delayMs);
      try {
        const found = await ask(call);
        if (found === 'underWay') {
          questions.underWay();
          continue;
        }
        if (found !== undefined) return found;
        if (!questions.answeredNo(performance.now())) continue;
        // The service is asked after the last permitted request too.
        if (history.retries++ < limits.maxRetries) return undefined;
        break;
      } catch (error) {
        cause = causeAfter(call, error, cause);
        if (!isWorthAskingAgain(error)) break;
        questions.failed();
      }
    }
  }
  throw history.outcomeUnknown(cause);
}

/** Returns the reason why the outcome is unknown. The end of a status query by the deadline of the call is none. */
function causeAfter({ deadline, history }: ReconciledCall<unknown>, error: unknown, before: unknown): unknown {
  if (deadline.ended === 'aborted') history.throwIfEnded();
  return error instanceof TimeoutError && error.limit === 'deadlineMs' ? (error.cause ?? before) : error;
}

/** Returns the result of an earlier request, if the service says that it took effect. */
async function ask<T>({
  context,
  request,
  limits,
  deadline,
  history,
}: ReconciledCall<T>): Promise<CallResult<T> | 'underWay' | undefined> {
  const { maxThrottleWaitMs } = context;
  const deadlineMs = Math.max(1, deadline.remainingMs());
  const found = await request.settlement?.ask?.({ ...limits, maxThrottleWaitMs, deadlineMs });
  return typeof found === 'object' ? { ...found, attempts: history.attempts, callOutcome: 'confirmed' } : found;
}

/**
 * Returns the result of an earlier request that a refusal such as "already exists" confirms. Throws the error of the call
 * if the refusal confirms none.
 */
export async function recogniseResult<T>(call: ReconciledCall<T>, failed: AttemptFailed): Promise<CallResult<T>> {
  const { request, history } = call;
  const { answer } = failed;
  const error = history.finalError(failed);
  const isOfOther =
    answer !== undefined && otherNameIn(request.names, innerBody(parseBody(answer).value)) !== undefined;
  const isConfirmed = history.mayHaveSucceeded && !isOfOther ? request.settlement?.confirms(error) : undefined;
  if (isConfirmed === true && answer !== undefined && error instanceof ApiError) {
    const { status, headers, text } = answer;
    const requestId = requestIdOf(answer);
    return {
      ...{ data: error.body as T, status, headers, text, attempts: history.attempts, requestId },
      callOutcome: 'confirmed',
    };
  }
  if (isConfirmed === undefined && !history.mayBeOurOwn(error)) throw error;
  // The refusal says that the object exists, but has not its number: the service has.
  const asked = await ask(call).catch(() => undefined);
  history.throwIfEnded();
  const found = asked === 'underWay' ? await askUntilCertain(call, failed) : asked;
  if (found !== undefined) return found;
  throw history.outcomeUnknown(error, 'refused');
}

/** Whether the status query failed for a reason that may pass. */
function isWorthAskingAgain(error: unknown): boolean {
  return (
    error instanceof ConnectionError ||
    error instanceof TimeoutError ||
    error instanceof ServerError ||
    error instanceof RateLimitError
  );
}
