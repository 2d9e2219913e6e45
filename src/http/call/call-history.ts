/**
 * `CallHistory`: the attempts of one call so far, and the error that follows from them. Use it to find out whether a
 * request may have taken effect, and whether it may be sent again.
 */
import { type ReplayClass, replayClass } from '../../../schemas/operations.js';
import { ApiError, RateLimitError } from '../../errors/api-errors.js';
import { ResponseMismatchError } from '../../errors/client-errors.js';
import type { DataImportError } from '../../errors/data-import-error.js';
import { NOTHING_DECODED } from '../../errors/decode.js';
import { AbortedError, OutcomeUnknownError, TimeoutError } from '../../errors/no-answer-errors.js';
import type { HeldBack } from '../limits/cooldown.js';
import type { Deadline } from '../time/deadline.js';
import { retryAfterMs } from '../time/delay.js';
import { parseBody } from '../transport/answer.js';
import { type AttemptFailed, finalError } from './attempt-failed.js';
import type { CallContext, CallLimits, CallRequest } from './call-types.js';
import { howToResolve, mayStillRun } from './retry-policy.js';

/** The parts of the call that decide about its errors. */
interface CallFacts {
  context: Pick<CallContext, 'base' | 'retryAfterBoundMs' | 'secrets'>;
  request: Pick<CallRequest<unknown>, 'label' | 'operation' | 'payload' | 'query'>;
  limits: CallLimits;
  deadline: Deadline;
}

export class CallHistory {
  readonly replay: ReplayClass;
  attempts = 0;
  retries = 0;
  /** A request of this call has been sent, or may have been. */
  #sent = false;
  /** An earlier request got no answer: it may have taken effect. */
  #lost = false;
  /** The service answered an earlier request with its own error: the request may have taken effect. */
  #failed = false;
  /** The service is asked whether a request that failed took effect, and has not said so. */
  isAsking = false;
  /** The last attempt without success, except one that the end of the call cut off. */
  #lastFailed: AttemptFailed | undefined;

  readonly #call: CallFacts;

  constructor(call: CallFacts) {
    this.#call = call;
    this.replay = replayClass(call.request.operation, call.request);
  }

  /** Adds an attempt without success. Returns its outcome: `lost` if the request may still be running and must not run twice. */
  add(failed: AttemptFailed): AttemptFailed['outcome'] {
    // An attempt that the call itself cut off says nothing about the service.
    if (failed.answer !== undefined || this.#call.deadline.ended === undefined) this.#lastFailed = failed;
    const outcome = this.#outcomeOf(failed);
    if (outcome !== 'neverSent' && outcome !== 'hopeless') this.#sent = true;
    if (outcome === 'lost' || outcome === 'faulty') this.#lost = true;
    if (outcome === 'failed') this.#failed = true;
    return outcome;
  }

  #outcomeOf({ outcome, answer }: AttemptFailed): AttemptFailed['outcome'] {
    if (answer === undefined || this.#isHarmless) return outcome;
    const { status } = answer;
    // 303 of a write: it was done, and its result is at another address.
    const isLost = outcome === 'failed' ? mayStillRun(status, parseBody(answer).isJson) : status === 303;
    return isLost ? 'lost' : outcome;
  }

  /** Whether the request may be sent again at once, even while an earlier one is running. */
  get #isHarmless(): boolean {
    const { replay } = this;
    if (replay === 'deduplicated') return this.#call.limits.retryUnknownOutcome !== false;
    return replay === 'pure' || replay === 'upsert';
  }

  /** Whether an earlier request may have taken effect. */
  get mayHaveSucceeded(): boolean {
    return this.#lost || this.#failed;
  }

  /** A request may have taken effect and must not be repeated unasked. */
  get #mayBeDone(): boolean {
    return (this.#lost || this.isAsking) && !this.#isHarmless;
  }

  get #facts(): Parameters<typeof finalError>[1] {
    return {
      operation: this.#call.request.label,
      host: this.#call.context.base.host,
      attempts: this.attempts,
      sent: this.#sent,
      repeatable: !this.#mayBeDone,
      mayHaveSucceeded: this.mayHaveSucceeded && this.replay !== 'pure',
      payload: this.#call.request.payload,
    };
  }

  /** The error of one attempt, whatever the earlier ones were. */
  errorOf(failed: AttemptFailed): DataImportError {
    const { retryAfterBoundMs, secrets } = this.#call.context;
    return finalError(failed, this.#facts, retryAfterBoundMs, secrets);
  }

  /** Milliseconds that the service asks to wait before the next attempt; 0 if it asks for none. */
  askedMs({ answer }: AttemptFailed): number {
    return retryAfterMs(answer?.headers['retry-after'], this.#call.context.retryAfterBoundMs) ?? 0;
  }

  /** The error of the call if this attempt was its last one. */
  finalError(failed: AttemptFailed): DataImportError {
    const error = this.errorOf(failed);
    // A refusal counts only if the service wrote it; a gateway answers with its own page.
    const decided = failed.outcome === 'refused' && failed.answer !== undefined && parseBody(failed.answer).isJson;
    return decided ? error : this.unlessMayBeDone(error);
  }

  /** Returns the error, or an `OutcomeUnknownError` with that cause if an earlier request may have taken effect. */
  unlessMayBeDone(error: DataImportError): DataImportError {
    return this.#mayBeDone ? this.outcomeUnknown(error) : error;
  }

  outcomeUnknown(
    cause: unknown,
    why?: ConstructorParameters<typeof OutcomeUnknownError>[0]['why'],
  ): OutcomeUnknownError {
    const settling = howToResolve(this.#call.request.label, why === 'refused');
    const obstacle = this.#lastFailed?.outcome === 'faulty' ? this.#lastFailed.failure?.obstacle : undefined;
    return new OutcomeUnknownError({ ...this.#facts, why, obstacle, howToResolve: settling, cause });
  }

  /** Returns the error of the call after an answer that is not understood. That of another request says nothing about this one. */
  afterMismatch(error: unknown): unknown {
    const isOfOther = error instanceof ResponseMismatchError && error.otherName !== undefined;
    return isOfOther && !this.#isHarmless ? this.outcomeUnknown(error, 'otherAnswer') : error;
  }

  /** The 429 was another call's, so the error has no body and no request id. */
  throttled(held: HeldBack): DataImportError {
    const decoded = NOTHING_DECODED;
    const cause = this.#lastError;
    return this.unlessMayBeDone(
      new RateLimitError({ ...this.#facts, ...held, status: 429, decoded, body: undefined, headers: {}, cause }),
    );
  }

  get #lastError(): DataImportError | undefined {
    return this.#lastFailed && this.errorOf(this.#lastFailed);
  }

  /** Whether the error refuses something that exists already, which an earlier attempt may have created. */
  mayBeOurOwn(error: DataImportError): boolean {
    if (!error.mayHaveSucceeded || this.#isHarmless || !(error instanceof ApiError)) return false;
    return error.status === 409 || error.nextAction === 'useExisting';
  }

  /** Throws the error of the call if the caller's signal or the deadline has ended it. */
  throwIfEnded(): void {
    const { deadline, limits } = this.#call;
    const { ended } = deadline;
    if (ended === 'aborted') {
      throw new AbortedError({ ...this.#facts, outcomeUnknown: this.#mayBeDone, cause: limits.signal?.reason });
    }
    if (ended === 'deadline') {
      const limitMs = Math.round(limits.deadlineMs);
      throw this.unlessMayBeDone(
        new TimeoutError({ ...this.#facts, limit: 'deadlineMs', limitMs, cause: this.#lastError }),
      );
    }
  }
}
