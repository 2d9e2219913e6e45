/** One call from first request to final result: attempts, waits, renewals and settlement, as `policy.ts` says. */
import pRetry from 'p-retry';
import { operations, type ReplayClass, replayClass } from '../../schemas/operations.js';
import { AbortedError } from '../errors/aborted-error.js';
import { type DataImportError, isBranded } from '../errors/data-import-error.js';
import { isApiError, isConnectionError, isRateLimitError, isServerError, isTimeoutError } from '../errors/guards.js';
import { OutcomeUnknownError } from '../errors/outcome-unknown-error.js';
import { ThrottledError } from '../errors/throttled-error.js';
import { TimeoutError } from '../errors/timeout-error.js';
import { type BaseAddress, type PathValues, type QueryValues, requestPath } from './address.js';
import { maskHeaders, parseBody, parseLargeBody, requestIdOf, successData } from './answer.js';
import { Attempt } from './attempt.js';
import { AttemptFailed, failedByAnswer, failedByTransport, finalError } from './attempt-failed.js';
import type { Cooldown, CooldownScope, Probe } from './cooldown.js';
import { Deadline } from './deadline.js';
import { backoffMs, retryAfterMs, sleep } from './delay.js';
import type { HeadersOf, HeaderValues } from './headers.js';
import type { InFlight } from './in-flight.js';
import { LARGE } from './large-json.js';
import type { Observer, Suspicion } from './observe.js';
import { createPatience, type HeldBack, type Patience } from './patience.js';
import { howToSettle, mayStillRun, outcomeOf, verdictOn } from './policy.js';
import type { Secrets } from './secrets.js';
import type { Settlement } from './settlement.js';
import type { HeldToken, TokenHolder } from './token.js';
import type { Places } from './turn.js';
import { closedFailure, type Endpoint, type Transport, type WireAnswer } from './wire.js';

/** What all calls of a client share. */
export interface CallContext {
  base: BaseAddress;
  send: Transport;
  isClosed(): boolean;
  maxAnswerBytes: number;
  places: Places;
  tokens: TokenHolder;
  secrets: Secrets;
  headersOf: HeadersOf;
  cooldown: Cooldown;
  inFlight: InFlight;
  observer: Observer;
  retryBaseMs: number;
  throttlePatienceMs: number;
  /** What a `Retry-After` that no service means counts as. */
  retryAfterBoundMs: number;
}

/** The limits of one call. */
export interface CallLimits {
  signal: AbortSignal | undefined;
  timeoutMs: number;
  deadlineMs: number;
  maxRetries: number;
  throttlePatienceMs: number;
  resendUnknown: boolean | undefined;
  /** Headers of its requests, also of those that ask what became of one. */
  headers?: HeaderValues | undefined;
}

export interface CallResult<T> {
  data: T;
  status: number;
  headers: Record<string, string>;
  attempts: number;
  requestId: string | undefined;
  /** True where the answer to the request itself was lost, and the service told otherwise that it was done. */
  settled?: boolean;
}

export interface CallRequest<T> {
  /** The name that errors and hooks show. */
  label: string;
  operation: Endpoint;
  payload?: unknown;
  /** The payload as JSON. */
  body?: string | undefined;
  path?: PathValues | undefined;
  query?: QueryValues | undefined;
  settlement?: Settlement<T> | undefined;
  /** What is suspicious about a success, for whoever watches. */
  suspicions?: ((data: T) => Suspicion[]) | undefined;
  /** The result is a `BodyReader`: it is there as soon as the answer begins, and the limits of time end with that. */
  isStreamed?: boolean;
}

export function performCall<T>(
  context: CallContext,
  request: CallRequest<T>,
  limits: CallLimits,
): Promise<CallResult<T>> {
  return new Call(context, request, limits).run();
}

class Call<T> {
  readonly #replay: ReplayClass;
  readonly #path: string;
  readonly #deadline: Deadline;
  /** Made when the first refusal is met. */
  #patienceOnce: Patience | undefined;
  #attempts = 0;
  #retries = 0;
  #cooldownMs = 0;
  #token: HeldToken | undefined;
  #renewed = false;
  /** Some request of this call left, or may have left. */
  #sent = false;
  /** The answer to an earlier request got lost: it may have been carried out. */
  #lost = false;
  /** The service failed on an earlier request, and may have done so after carrying it out. */
  #failed = false;
  #settled: CallResult<T> | undefined;
  /** Which 429 hold this call back, and whom its own holds back. */
  readonly #scope: CooldownScope;
  /** While this call is let through to find out whether the cooldown has to last. */
  #probe: Probe | undefined;
  /** Its last attempt that did not succeed. */
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
      return await this.#again(error);
    } finally {
      this.#endProbe();
      this.#deadline.dispose();
    }
  }

  /** Not before a failure: p-retry round every call costs more than all else that a call adds to its request. */
  async #again(failure: unknown): Promise<CallResult<T>> {
    await this.#recover(failure);
    return pRetry(() => this.#attempt(), {
      // How often and after which wait is decided in #recover, failure by failure.
      retries: Number.POSITIVE_INFINITY,
      minTimeout: 0,
      onFailedAttempt: ({ error }) => this.#recover(error),
    });
  }

  async #attempt(): Promise<CallResult<T>> {
    if (this.#settled !== undefined) return this.#settled;
    const { places, tokens } = this.context;
    for (;;) {
      if (this.#isHeldBack) await this.#passCooldown();
      this.#throwIfEnded();
      await places.take(this.#deadline.wait);
      try {
        this.#throwIfEnded();
        this.#throwIfClosed();
        // While it waited for its turn or for the token, another call may have been refused. It gives its place up before
        // it waits: calls that this refusal does not hold back go on.
        if (this.#isHeldBack) continue;
        const token = tokens.current() ?? (await tokens.get(this.#deadline.wait));
        if (this.#isHeldBack) continue;
        return await this.#exchange(token);
      } finally {
        places.give();
        this.#endProbe();
      }
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
    const { wait } = this.#deadline;
    const attempts = ++this.#attempts;
    const attempt = new Attempt(
      { operation: request.label, attempt: attempts },
      context.observer,
      limits.timeoutMs,
      wait,
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
      answer = await context.send(wire, wait, request.isStreamed);
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
    // While we still hold our place: who takes it next is not to run into the same limit.
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

  /** Returns when the next attempt may start; throws what the caller is to see. */
  async #recover(failed: unknown): Promise<void> {
    // The reason for which a wait ended may be anything, and p-retry makes an error of it.
    if (!(failed instanceof AttemptFailed) && !isBranded(failed, 'DataImportError')) this.#throwIfEnded();
    if (!(failed instanceof AttemptFailed))
      throw this.#mayBeDone && isBranded(failed, 'TokenError') ? this.#outcomeUnknown(failed) : failed;
    this.#lastFailed = failed;
    const outcome = this.#outcomeOf(failed);
    if (outcome !== 'neverSent' && outcome !== 'hopeless') this.#sent = true;
    if (outcome === 'lost') this.#lost = true;
    if (outcome === 'failed') this.#failed = true;
    if (failed.answer === undefined) this.#throwIfEnded();

    switch (verdictOn(outcome, this.#replay, this.limits.resendUnknown)) {
      case 'renewToken':
        return this.#renewToken(failed);
      case 'coolDown':
        return this.#coolDown(failed);
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

  #renewToken(failed: AttemptFailed): void {
    const renewable = !this.#renewed && this.#token !== undefined && this.context.tokens.invalidate(this.#token);
    if (!renewable) throw this.#final(failed);
    this.#renewed = true;
  }

  #beginCooldown(refusal: WireAnswer): void {
    const { label: operation } = this.request;
    this.#cooldownMs = this.#patience.beginCooldown(refusal, operation);
    this.context.observer.cooldown({ operation, delayMs: this.#cooldownMs, scope: this.#scope });
  }

  #coolDown(failed: AttemptFailed): void {
    if (!this.#patience.covers(this.#cooldownMs)) throw this.#final(failed);
    this.#reportRetry(failed, this.#cooldownMs);
  }

  async #passCooldown(): Promise<void> {
    const passed = await this.#patience.passCooldown();
    if (passed !== undefined && 'probe' in passed) this.#probe = passed.probe;
    else if (passed !== undefined) throw this.#throttled(passed);
    this.#throwIfEnded();
  }

  /** Holds nothing of the answer to the other call. */
  #throttled(held: HeldBack): DataImportError {
    const cause = this.#lastFailed && this.#errorOf(this.#lastFailed);
    const error = new ThrottledError({ ...this.#facts, ...held, cause });
    return this.#mayBeDone ? this.#outcomeUnknown(error) : error;
  }

  async #waitForRetry(failed: AttemptFailed): Promise<void> {
    const asked = retryAfterMs(failed.answer?.headers['retry-after'], this.context.retryAfterBoundMs) ?? 0;
    const delayMs = Math.max(asked, backoffMs(this.context.retryBaseMs, this.#retries));
    const noTime = asked > this.context.throttlePatienceMs || delayMs >= this.#deadline.remainingMs();
    if (noTime || this.#retries >= this.limits.maxRetries) throw this.#final(failed);
    this.#retries++;
    await this.#wait(failed, delayMs);
  }

  /** Where a request that is still running forbids the next one, an answer that does not rule that out counts as lost. */
  #outcomeOf({ outcome, answer }: AttemptFailed): AttemptFailed['outcome'] {
    if (outcome !== 'failed' || answer === undefined || this.#isHarmless) return outcome;
    return mayStillRun(answer.status, parseBody(answer).isJson) ? 'lost' : outcome;
  }

  /** Sending it again at once does no harm, also where an earlier request of it is still running. */
  get #isHarmless(): boolean {
    return this.#replay === 'pure' || this.#replay === 'upsert' || this.#isResentAtOnce;
  }

  get #isResentAtOnce(): boolean {
    return this.#replay === 'deduplicated' && this.limits.resendUnknown !== false;
  }

  /** The request has ended, so that sending it again is safe also where the question gets no answer. */
  async #askOnce(): Promise<void> {
    await this.#ask().catch(() => {});
    this.#throwIfEnded();
  }

  /**
   * Asks with growing gaps. Returns when the request was settled, or may be sent again: its quiet time is over and the
   * service said twice that there is no account.
   */
  async #settle(failed: AttemptFailed): Promise<void> {
    const { limits, context } = this;
    let cause: unknown = this.#errorOf(failed);
    if (this.request.settlement?.ask === undefined || limits.maxRetries === 0) throw this.#outcomeUnknown(cause);
    const asked = retryAfterMs(failed.answer?.headers['retry-after'], context.retryAfterBoundMs) ?? 0;
    if (asked > context.throttlePatienceMs) throw this.#outcomeUnknown(cause);
    const lostAt = performance.now();
    const questions = context.inFlight.questions(lostAt, limits.timeoutMs);
    for (;;) {
      const now = performance.now();
      const delayMs = Math.max(questions.nextAt(now), lostAt + asked) - now;
      if (delayMs >= this.#deadline.remainingMs()) throw this.#outcomeUnknown(cause);
      await this.#wait(failed, delayMs);
      try {
        if ((await this.#ask()) || questions.answeredNo(performance.now())) break;
      } catch (error) {
        this.#throwIfEnded();
        cause = error;
        if (!isWorthAskingAgain(error)) throw this.#outcomeUnknown(cause);
        questions.failed();
      }
    }
    // Asked also after the last request: that it cannot be sent again is no reason not to look.
    if (this.#settled === undefined && this.#retries++ >= limits.maxRetries) throw this.#outcomeUnknown(cause);
  }

  /** Whether the service says that the request was done. */
  async #ask(): Promise<boolean> {
    const { throttlePatienceMs } = this.context;
    const deadlineMs = Math.max(1, this.#deadline.remainingMs());
    const found = await this.request.settlement?.ask?.({ ...this.limits, throttlePatienceMs, deadlineMs });
    if (found !== undefined) this.#settled = { ...found, attempts: this.#attempts, settled: true };
    return found !== undefined;
  }

  /** After a lost answer or a failure, an error may be the trace of our own success. */
  #recognise(failed: AttemptFailed): void {
    const error = this.#final(failed);
    const data = this.#lost || this.#failed ? this.request.settlement?.recognise(error) : undefined;
    if (data === undefined && this.#mayBeOurOwn(error)) throw this.#outcomeUnknown(error, true);
    if (data === undefined || failed.answer === undefined) throw error;
    const { status, headers } = failed.answer;
    const requestId = requestIdOf(failed.answer);
    this.#settled = { data, status, headers, attempts: this.#attempts, requestId, settled: true };
  }

  /** A conflict, or a refusal of what exists already, after an attempt that may have created it. */
  #mayBeOurOwn(error: DataImportError): boolean {
    if (!error.mayHaveSucceeded || this.#isHarmless || !isApiError(error)) return false;
    return error.status === 409 || error.nextAction === 'useExisting';
  }

  async #wait(failed: AttemptFailed, delayMs: number): Promise<void> {
    this.#reportRetry(failed, delayMs);
    await sleep(delayMs, this.#deadline.wait);
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

  /** An answer was lost and the request cannot be repeated without harm. */
  get #mayBeDone(): boolean {
    return this.#lost && !this.#isHarmless;
  }

  #errorOf(failed: AttemptFailed): DataImportError {
    return finalError(failed, this.#facts, this.context.retryAfterBoundMs, this.context.secrets);
  }

  #final(failed: AttemptFailed): DataImportError {
    const error = this.#errorOf(failed);
    // Only a decision of the service settles that; the page of a gateway is none.
    const decided = failed.outcome === 'refused' && failed.answer !== undefined && parseBody(failed.answer).isJson;
    return this.#mayBeDone && !decided ? this.#outcomeUnknown(error) : error;
  }

  #outcomeUnknown(cause: unknown, isRefused = false): OutcomeUnknownError {
    const settling = howToSettle(this.request.label, isRefused);
    return new OutcomeUnknownError({ ...this.#facts, isRefused, howToSettle: settling, cause });
  }

  /** Nothing else ends then: no wait is broken off, and what has left is waited for. */
  #throwIfClosed(): void {
    if (this.context.isClosed()) throw failedByTransport(closedFailure(), undefined);
  }

  /** The caller's signal or the deadline ends the call, wherever it is. */
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

/** The service cannot be reached or is busy; anything else stays as it is. */
function isWorthAskingAgain(error: unknown): boolean {
  return isConnectionError(error) || isTimeoutError(error) || isServerError(error) || isRateLimitError(error);
}
