/**
 * `Call`: one call of a client, from its first request to its result. `policy.ts` decides what follows a failed attempt;
 * p-retry repeats the attempts.
 */
import pRetry from 'p-retry';
import { operations, type ReplayClass, replayClass } from '../../schemas/operations.js';
import { type DataImportError, isBranded } from '../errors/data-import-error.js';
import { isApiError, isConnectionError, isRateLimitError, isServerError, isTimeoutError } from '../errors/guards.js';
import { AbortedError, OutcomeUnknownError, ThrottledError, TimeoutError } from '../errors/no-answer-errors.js';
import { requestPath } from './address.js';
import { maskHeaders, parseBody, parseLargeBody, requestIdOf, successData } from './answer.js';
import { Attempt } from './attempt.js';
import { AttemptFailed, failedByAnswer, failedByTransport, finalError } from './attempt-failed.js';
import type { CallContext, CallLimits, CallRequest, CallResult } from './call-types.js';
import type { CooldownScope, Probe } from './cooldown.js';
import { Deadline } from './deadline.js';
import { backoffMs, retryAfterMs, sleep } from './delay.js';
import { LARGE } from './large-json.js';
import { createPatience, type HeldBack, type Patience } from './patience.js';
import { howToResolve, mayStillRun, outcomeOf, verdictOn } from './policy.js';
import type { HeldToken } from './token.js';
import { closedFailure, type Transport, type WireAnswer } from './wire.js';

/** One call. `run` may be called once; it rejects with a `DataImportError`. */
export class Call<T> {
  readonly #replay: ReplayClass;
  readonly #path: string;
  readonly #deadline: Deadline;
  /** Created at the first 429. */
  #patienceOnce: Patience | undefined;
  #attempts = 0;
  #retries = 0;
  #cooldownMs = 0;
  #token: HeldToken | undefined;
  #renewed = false;
  /** A request of this call has been sent, or may have been. */
  #sent = false;
  /** An earlier request got no answer: it may have taken effect. */
  #lost = false;
  /** The service answered an earlier request with its own error: the request may have taken effect. */
  #failed = false;
  /** Which calls wait after a 429 of this call, and after whose 429 this call waits. */
  readonly #scope: CooldownScope;
  /** Set while this call is sent during a cooldown, to find out whether the limit was lifted. */
  #probe: Probe | undefined;
  /** The last attempt without success. */
  #lastFailed: AttemptFailed | undefined;

  constructor(
    readonly context: CallContext,
    readonly request: CallRequest<T>,
    readonly limits: CallLimits,
  ) {
    const { operation, payload, path, query } = request;
    this.#replay = replayClass(operation, { payload, query });
    this.#scope = operation === operations['accounts.process'] ? 'process' : 'all';
    this.#path = requestPath(context.base, operation, path, query);
    this.#deadline = new Deadline(limits.deadlineMs, limits.signal);
  }

  async run(): Promise<CallResult<T>> {
    try {
      return await this.#attempt();
    } catch (error) {
      if (!(error instanceof AttemptFailed)) throw error;
      return await this.#retry(error);
    } finally {
      this.#endProbe();
      this.#deadline.dispose();
    }
  }

  /**
   * Repeats the attempt as `#recover` permits. p-retry begins only here: around every call it would cost more than the rest
   * of the client (decision 10).
   */
  #retry(failure: AttemptFailed): Promise<CallResult<T>> {
    let failed = failure;
    return pRetry(async () => (await this.#recover(failed)) ?? this.#attempt(), {
      // `#recover` counts: a 429 and a renewed token are no retries.
      retries: Number.POSITIVE_INFINITY,
      minTimeout: 0,
      shouldRetry: ({ error }) => error instanceof AttemptFailed,
      onFailedAttempt({ error }) {
        failed = error as AttemptFailed;
      },
    });
  }

  /** Sends the request once, when cooldown and semaphore permit. Rejects with `AttemptFailed`, or with the error of the call. */
  async #attempt(): Promise<CallResult<T>> {
    const { semaphore, tokens } = this.context;
    const { cancellation } = this.#deadline;
    try {
      for (;;) {
        if (this.#isHeldBack) await this.#passCooldown();
        this.#throwIfEnded();
        await semaphore.acquire(cancellation);
        try {
          this.#throwIfEnded();
          this.#throwIfClosed();
          // Another call may have got a 429 meanwhile. This one releases its permit before it waits, so that calls which
          // that 429 does not concern continue.
          if (this.#isHeldBack) continue;
          const token = tokens.current() ?? (await tokens.get(cancellation));
          if (this.#isHeldBack) continue;
          return await this.#exchange(token);
        } finally {
          semaphore.release();
          this.#endProbe();
        }
      }
    } catch (error) {
      if (error instanceof AttemptFailed) throw error;
      // The reason of a cancellation may be any value.
      if (!isBranded(error, 'DataImportError')) this.#throwIfEnded();
      throw this.#mayBeDone && isBranded(error, 'TokenError') ? this.#outcomeUnknown(error) : error;
    }
  }

  #endProbe(): void {
    this.#probe?.end();
    this.#probe = undefined;
  }

  get #isHeldBack(): boolean {
    return this.#probe === undefined && this.context.cooldown.isHolding(this.#scope);
  }

  async #exchange(token: HeldToken): Promise<CallResult<T>> {
    const { context, request, limits } = this;
    this.#token = token;
    this.#throwIfClosed();
    const { cancellation } = this.#deadline;
    const attempts = ++this.#attempts;
    const attempt = new Attempt(
      { operation: request.label, attempt: attempts },
      context.observer,
      limits.timeoutMs,
      cancellation,
    );
    const wire = {
      method: request.operation.method,
      origin: context.base.origin,
      path: this.#path,
      headers: context.headersOf(token, request.body !== undefined, limits.headers),
      body: request.body,
    };
    let answer: Awaited<ReturnType<Transport>> | undefined;
    try {
      answer = await context.send(wire, cancellation, request.isStreamed);
      maskHeaders(answer, context.secrets);
    } catch (failure) {
      throw attempt.failed(failure);
    } finally {
      attempt.end(answer);
    }
    if ((answer.text?.length ?? 0) > LARGE) await parseLargeBody(answer);
    const { status, headers } = answer;
    const outcome = outcomeOf(status);
    if (this.#replay === 'reconcilable') context.inFlight.observe(performance.now() - attempt.startedAt);
    this.#probe?.answered();
    // Before the permit is released: the next call must not run into the same limit.
    if (outcome === 'throttled') this.#beginCooldown(answer);
    if (outcome !== 'done') throw failedByAnswer(answer);
    const { maxAnswerBytes } = context;
    const data = (answer.reader ??
      successData<T>(answer, request.operation, { label: request.label, attempts, maxAnswerBytes })) as T;
    if (request.suspicions !== undefined && context.observer.isWatched()) {
      for (const suspicion of request.suspicions(data)) {
        context.observer.suspicion({ operation: request.label, ...suspicion });
      }
    }
    return { data, status, headers, attempts, requestId: requestIdOf(answer) };
  }

  get #patience(): Patience {
    this.#patienceOnce ??= createPatience({ ...this.context, ...this.limits }, this.#scope, this.#deadline);
    return this.#patienceOnce;
  }

  /**
   * Resolves when the next attempt may start: with undefined, or with the result if the service confirms that an earlier
   * request took effect. Rejects with the error of the call.
   */
  async #recover(failed: AttemptFailed): Promise<CallResult<T> | undefined> {
    this.#lastFailed = failed;
    const outcome = this.#outcomeOf(failed);
    if (outcome !== 'neverSent' && outcome !== 'hopeless') this.#sent = true;
    if (outcome === 'lost') this.#lost = true;
    if (outcome === 'failed') this.#failed = true;
    if (failed.answer === undefined) this.#throwIfEnded();

    switch (verdictOn(outcome, this.#replay, this.limits.retryUnknownOutcome)) {
      case 'renewToken':
        return this.#renewToken(failed);
      case 'pause':
        return this.#pause(failed);
      case 'resend':
        return this.#waitForRetry(failed);
      case 'askOnce':
        await this.#waitForRetry(failed);
        return this.#askOnce();
      case 'settle':
        return this.#settle(failed);
      case 'outcomeUnknown':
        throw this.#outcomeUnknown(this.#errorOf(failed));
      case 'giveUp':
        return this.#recognise(failed);
    }
  }

  #renewToken(failed: AttemptFailed): undefined {
    const renewable = !this.#renewed && this.#token !== undefined && this.context.tokens.invalidate(this.#token);
    if (!renewable) throw this.#final(failed);
    this.#renewed = true;
  }

  #beginCooldown(refusal: WireAnswer): void {
    const { label: operation } = this.request;
    this.#cooldownMs = this.#patience.beginCooldown(refusal, operation);
    this.context.observer.cooldown({ operation, delayMs: this.#cooldownMs, scope: this.#scope });
  }

  #pause(failed: AttemptFailed): undefined {
    if (!this.#patience.covers(this.#cooldownMs)) throw this.#final(failed);
    this.#reportRetry(failed, this.#cooldownMs);
  }

  async #passCooldown(): Promise<void> {
    const passed = await this.#patience.passCooldown();
    if (passed !== undefined && 'probe' in passed) this.#probe = passed.probe;
    else if (passed !== undefined) throw this.#throttled(passed);
    this.#throwIfEnded();
  }

  /** The 429 was another call's, so the error has no body, status or request id. */
  #throttled(held: HeldBack): DataImportError {
    const cause = this.#lastFailed && this.#errorOf(this.#lastFailed);
    const error = new ThrottledError({ ...this.#facts, ...held, cause });
    return this.#mayBeDone ? this.#outcomeUnknown(error) : error;
  }

  async #waitForRetry(failed: AttemptFailed): Promise<undefined> {
    const asked = retryAfterMs(failed.answer?.headers['retry-after'], this.context.retryAfterBoundMs) ?? 0;
    const delayMs = Math.max(asked, backoffMs(this.context.retryBaseMs, this.#retries));
    const noTime = asked > this.context.maxThrottleWaitMs || delayMs >= this.#deadline.remainingMs();
    if (noTime || this.#retries >= this.limits.maxRetries) throw this.#final(failed);
    this.#retries++;
    await this.#wait(failed, delayMs);
  }

  /** An error answer counts as lost if the request may still be running and must not run twice. */
  #outcomeOf({ outcome, answer }: AttemptFailed): AttemptFailed['outcome'] {
    if (outcome !== 'failed' || answer === undefined || this.#isHarmless) return outcome;
    return mayStillRun(answer.status, parseBody(answer).isJson) ? 'lost' : outcome;
  }

  /** Whether the request may be sent again at once, even while an earlier one is running. */
  get #isHarmless(): boolean {
    return this.#replay === 'pure' || this.#replay === 'upsert' || this.#isResentAtOnce;
  }

  get #isResentAtOnce(): boolean {
    return this.#replay === 'deduplicated' && this.limits.retryUnknownOutcome !== false;
  }

  /** The request has ended, so it may be sent again even if this status query fails. */
  async #askOnce(): Promise<CallResult<T> | undefined> {
    const found = await this.#ask().catch(() => undefined);
    this.#throwIfEnded();
    return found;
  }

  /**
   * Asks the service with growing gaps whether the request took effect. Resolves with undefined when the request may be sent
   * again: its quiet time is over, and two status queries found no account.
   */
  async #settle(failed: AttemptFailed): Promise<CallResult<T> | undefined> {
    const { limits, context } = this;
    let cause: unknown = this.#errorOf(failed);
    if (this.request.settlement?.ask === undefined || limits.maxRetries === 0) throw this.#outcomeUnknown(cause);
    const asked = retryAfterMs(failed.answer?.headers['retry-after'], context.retryAfterBoundMs) ?? 0;
    if (asked > context.maxThrottleWaitMs) throw this.#outcomeUnknown(cause);
    const lostAt = performance.now();
    const questions = context.inFlight.questions(lostAt, limits.timeoutMs);
    for (;;) {
      const now = performance.now();
      const delayMs = Math.max(questions.nextAt(now), lostAt + asked) - now;
      if (delayMs >= this.#deadline.remainingMs()) throw this.#outcomeUnknown(cause);
      await this.#wait(failed, delayMs);
      try {
        const found = await this.#ask();
        if (found !== undefined) return found;
        if (questions.answeredNo(performance.now())) break;
      } catch (error) {
        this.#throwIfEnded();
        cause = error;
        if (!isWorthAskingAgain(error)) throw this.#outcomeUnknown(cause);
        questions.failed();
      }
    }
    // The service is asked after the last permitted request too.
    if (this.#retries++ >= limits.maxRetries) throw this.#outcomeUnknown(cause);
    return undefined;
  }

  /** The result of an earlier request, if the service says that it took effect. */
  async #ask(): Promise<CallResult<T> | undefined> {
    const { maxThrottleWaitMs } = this.context;
    const deadlineMs = Math.max(1, this.#deadline.remainingMs());
    const found = await this.request.settlement?.ask?.({ ...this.limits, maxThrottleWaitMs, deadlineMs });
    return found && { ...found, attempts: this.#attempts, settled: true };
  }

  /** After a request without an answer, a refusal such as "already exists" can mean that it took effect. */
  #recognise(failed: AttemptFailed): CallResult<T> {
    const error = this.#final(failed);
    const data = this.#lost || this.#failed ? this.request.settlement?.recognise(error) : undefined;
    if (data === undefined && this.#mayBeOurOwn(error)) throw this.#outcomeUnknown(error, true);
    if (data === undefined || failed.answer === undefined) throw error;
    const { status, headers } = failed.answer;
    return { data, status, headers, attempts: this.#attempts, requestId: requestIdOf(failed.answer), settled: true };
  }

  /** A refusal because something exists already, which an earlier attempt may have created. */
  #mayBeOurOwn(error: DataImportError): boolean {
    if (!error.mayHaveSucceeded || this.#isHarmless || !isApiError(error)) return false;
    return error.status === 409 || error.nextAction === 'useExisting';
  }

  async #wait(failed: AttemptFailed, delayMs: number): Promise<void> {
    this.#reportRetry(failed, delayMs);
    await sleep(delayMs, this.#deadline.cancellation);
    this.#throwIfEnded();
  }

  #reportRetry({ reason }: AttemptFailed, delayMs: number): void {
    const { observer } = this.context;
    observer.retry({ operation: this.request.label, attempt: this.#attempts, delayMs, reason });
  }

  get #facts(): Parameters<typeof finalError>[1] {
    const { label: operation } = this.request;
    const mayHaveSucceeded = (this.#lost || this.#failed) && this.#replay !== 'pure';
    const { host } = this.context.base;
    return {
      operation,
      host,
      attempts: this.#attempts,
      sent: this.#sent,
      repeatable: !this.#mayBeDone,
      mayHaveSucceeded,
    };
  }

  /** A request got no answer and must not be repeated unasked. */
  get #mayBeDone(): boolean {
    return this.#lost && !this.#isHarmless;
  }

  #errorOf(failed: AttemptFailed): DataImportError {
    return finalError(failed, this.#facts, this.context.retryAfterBoundMs, this.context.secrets);
  }

  #final(failed: AttemptFailed): DataImportError {
    const error = this.#errorOf(failed);
    // A refusal counts only if the service wrote it; a gateway answers with its own page.
    const decided = failed.outcome === 'refused' && failed.answer !== undefined && parseBody(failed.answer).isJson;
    return this.#mayBeDone && !decided ? this.#outcomeUnknown(error) : error;
  }

  #outcomeUnknown(cause: unknown, isRefused = false): OutcomeUnknownError {
    const settling = howToResolve(this.request.label, isRefused);
    return new OutcomeUnknownError({ ...this.#facts, isRefused, howToResolve: settling, cause });
  }

  /** After `close()` no request is sent. Waits and requests in flight are not cancelled. */
  #throwIfClosed(): void {
    if (this.context.isClosed()) throw failedByTransport(closedFailure(), undefined);
  }

  /** Throws the error of the call if the caller's signal or the deadline has ended it. */
  #throwIfEnded(): void {
    const { ended } = this.#deadline;
    if (ended === 'aborted') {
      throw new AbortedError({ ...this.#facts, outcomeUnknown: this.#mayBeDone, cause: this.limits.signal?.reason });
    }
    if (ended === 'deadline') {
      const limitMs = Math.round(this.limits.deadlineMs);
      const error = new TimeoutError({ ...this.#facts, limit: 'deadlineMs', limitMs });
      throw this.#mayBeDone ? this.#outcomeUnknown(error) : error;
    }
  }
}

/** Whether the status query failed for a reason that may pass. */
function isWorthAskingAgain(error: unknown): boolean {
  return isConnectionError(error) || isTimeoutError(error) || isServerError(error) || isRateLimitError(error);
}
