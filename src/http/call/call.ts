/**
 * `Call`: one call of a client, from its first request to its result. `policy.ts` decides what follows a failed attempt,
 * `call-history.ts` knows the attempts so far, `reconciliation.ts` asks about a request without an answer; p-retry repeats
 * the attempts.
 */
import pRetry from 'p-retry';
import { operations } from '../../../schemas/operations.js';
import { TokenError } from '../../errors/client-errors.js';
import { isBranded } from '../../errors/data-import-error.js';
import type { CooldownScope, Probe } from '../limits/cooldown.js';
import { CallCooldown } from '../limits/cooldown.js';
import { Deadline } from '../time/deadline.js';
import { backoffMs, sleep } from '../time/delay.js';
import type { HeldToken } from '../token/token.js';
import { requestPath } from '../transport/address.js';
import { expectOwnError, maskHeaders, requestIdOf, successData } from '../transport/answer.js';
import { closedFailure, type Transport, type WireAnswer } from '../transport/wire.js';
import { Attempt } from './attempt.js';
import { AttemptFailed, failedByAnswer, failedByTransport } from './attempt-failed.js';
import { CallHistory } from './call-history.js';
import { answersOfErrors, type CallContext, type CallLimits, type CallRequest, type CallResult } from './call-types.js';
import { calls } from './observe.js';
import { askOnce, askUntilCertain, type ReconciledCall, recogniseResult } from './reconciliation.js';
import { outcomeOf, verdictOn } from './retry-policy.js';

/** One call. `run` may be called once; it rejects with a `DataImportError`. */
export class Call<T> {
  readonly #context: CallContext;
  readonly #request: CallRequest<T>;
  readonly #limits: CallLimits;
  readonly #history: CallHistory;
  readonly #path: string;
  readonly #deadline: Deadline;
  /** Created at the first 429. */
  #callCooldownOnce: CallCooldown | undefined;
  #cooldownMs = 0;
  #token: HeldToken | undefined;
  #renewed = false;
  /** Which calls wait after a 429 of this call, and after whose 429 this call waits. */
  readonly #scope: CooldownScope;
  /** Set while this call is sent during a cooldown, to find out whether the limit was lifted. */
  #probe: Probe | undefined;

  constructor(context: CallContext, request: CallRequest<T>, limits: CallLimits) {
    this.#context = context;
    this.#request = request;
    this.#limits = limits;
    const { operation, path, query } = request;
    this.#scope = operation === operations['accounts.process'] ? 'process' : 'all';
    this.#path = requestPath(context.base, operation, path, query);
    this.#deadline = new Deadline(limits.deadlineMs, limits.signal);
    this.#history = new CallHistory({ context, request, limits, deadline: this.#deadline });
  }

  run(): Promise<CallResult<T>> {
    return calls.hasSubscribers ? this.#publish() : this.#conclude();
  }

  #conclude(): Promise<CallResult<T>> {
    const answer = this.#run();
    return this.#request.conclude?.(answer, () => this.#sent()) ?? answer;
  }

  /** Runs the call for subscribers, which do not get its result: it may contain personal data. */
  async #publish(): Promise<CallResult<T>> {
    let result: CallResult<T> | undefined;
    const { origin, path } = this.#context.base;
    await calls.tracePromise(
      async () => {
        result = await this.#conclude();
      },
      { callId: this.#request.id, operation: this.#request.label, baseUrl: origin + path },
    );
    return result as CallResult<T>;
  }

  async #run(): Promise<CallResult<T>> {
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
    const { semaphore, tokens } = this.#context;
    const { cancellation } = this.#deadline;
    try {
      for (;;) {
        this.#throwIfClosed();
        if (this.#isHeldBack) await this.#passCooldown();
        this.#history.throwIfEnded();
        await semaphore.acquire(cancellation);
        try {
          this.#history.throwIfEnded();
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
      if (!isBranded(error, 'DataImportError')) this.#history.throwIfEnded();
      throw isBranded(error, 'TokenError') ? this.#history.unlessMayBeDone(this.#noToken(error as TokenError)) : error;
    }
  }

  /** Calls share the request for a token and its error. Each call rejects with its own, which names the call and its caller. */
  #noToken(error: TokenError): TokenError {
    const { id, code, nextAction, cause, host } = error;
    const message = error.message.slice(0, -` [${id}]`.length);
    return new TokenError(message, { operation: this.#request.label, code, nextAction, cause, host });
  }

  #endProbe(): void {
    this.#probe?.end();
    this.#probe = undefined;
  }

  get #isHeldBack(): boolean {
    return this.#probe === undefined && this.#context.cooldown.isHolding(this.#scope);
  }

  async #exchange(token: HeldToken): Promise<CallResult<T>> {
    const [context, request, limits] = [this.#context, this.#request, this.#limits];
    this.#token = token;
    this.#throwIfClosed();
    const { cancellation } = this.#deadline;
    const attempts = ++this.#history.attempts;
    const attempt = new Attempt(
      { callId: request.id, operation: request.label, attempt: attempts },
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
    const { status, headers } = answer;
    const outcome = outcomeOf(status);
    if (this.#history.replay === 'reconcilable') context.inFlight.observe(performance.now() - attempt.startedAt);
    this.#probe?.answered();
    // Before the permit is released: the next call must not run into the same limit.
    if (outcome === 'throttled') this.#beginCooldown(answer);
    if (outcome !== 'done') {
      this.#expectOwn(answer, () => expectOwnError(answer, this.#facts));
      throw failedByAnswer(answer);
    }
    const data = (answer.reader ?? this.#dataOf(answer)) as T;
    if (request.suspicions !== undefined && context.observer.seesSuspicions()) {
      for (const suspicion of request.suspicions(data, () => this.#sent())) {
        context.observer.suspicion({ callId: request.id, operation: request.label, ...suspicion });
      }
    }
    return { data, status, headers, text: answer.text, attempts, requestId: requestIdOf(answer) };
  }

  /** Returns what the request had. The caller may have changed the payload since. */
  #sent(): unknown {
    const { body } = this.#request;
    return body === undefined ? undefined : JSON.parse(body);
  }

  get #facts() {
    const { label, names } = this.#request;
    return { label, names, attempts: this.#history.attempts };
  }

  #dataOf(answer: WireAnswer): T {
    const { maxAnswerBytes } = this.#context;
    const { operation } = this.#request;
    return this.#expectOwn(answer, () => successData<T>(answer, operation, { ...this.#facts, maxAnswerBytes }));
  }

  /** Rejects as `read`; with an `OutcomeUnknownError` if the call may have taken effect. */
  #expectOwn<Read>(answer: WireAnswer, read: () => Read): Read {
    try {
      return read();
    } catch (mismatch) {
      const error = this.#history.afterMismatch(mismatch);
      answersOfErrors.set(error as object, answer);
      throw error;
    }
  }

  get #reconciled(): ReconciledCall<T> {
    return {
      context: this.#context,
      request: this.#request,
      limits: this.#limits,
      deadline: this.#deadline,
      history: this.#history,
      wait: (failed, delayMs) => this.#wait(failed, delayMs),
    };
  }

  get #callCooldown(): CallCooldown {
    this.#callCooldownOnce ??= new CallCooldown({ ...this.#context, ...this.#limits }, this.#scope, this.#deadline);
    return this.#callCooldownOnce;
  }

  /**
   * Resolves when the next attempt may start: with undefined, or with the result if the service confirms that an earlier
   * request took effect. Rejects with the error of the call.
   */
  async #recover(failed: AttemptFailed): Promise<CallResult<T> | undefined> {
    const history = this.#history;
    const outcome = history.add(failed);
    if (failed.answer === undefined) history.throwIfEnded();

    switch (verdictOn(outcome, history.replay, this.#limits.retryUnknownOutcome)) {
      case 'renewToken':
        return this.#renewToken(failed);
      case 'pause':
        return this.#pause(failed);
      case 'resend':
        return this.#waitForRetry(failed);
      case 'askOnce': {
        await this.#waitForRetry(failed);
        history.isAsking = true;
        const found = await askOnce(this.#reconciled, failed);
        history.isAsking = false;
        return found;
      }
      case 'reconcile':
        return askUntilCertain(this.#reconciled, failed);
      case 'outcomeUnknown':
        throw history.outcomeUnknown(history.errorOf(failed));
      case 'giveUp':
        return recogniseResult(this.#reconciled, failed);
    }
  }

  #renewToken(failed: AttemptFailed): undefined {
    const renewable = !this.#renewed && this.#token !== undefined && this.#context.tokens.invalidate(this.#token);
    if (!renewable) throw this.#history.finalError(failed);
    this.#renewed = true;
  }

  #beginCooldown(refusal: WireAnswer): void {
    const { id: callId, label: operation } = this.#request;
    const { delayMs, isShared } = this.#callCooldown.begin(refusal, operation);
    this.#cooldownMs = delayMs;
    if (isShared) this.#context.observer.cooldown({ callId, operation, delayMs, scope: this.#scope });
  }

  #pause(failed: AttemptFailed): undefined {
    if (!this.#callCooldown.covers(this.#cooldownMs)) throw this.#history.finalError(failed);
    this.#reportRetry(failed, this.#cooldownMs);
  }

  async #passCooldown(): Promise<void> {
    const passed = await this.#callCooldown.pass();
    if (passed !== undefined && 'probe' in passed) this.#probe = passed.probe;
    else if (passed !== undefined) throw this.#history.throttled(passed);
    this.#history.throwIfEnded();
    this.#throwIfClosed();
  }

  async #waitForRetry(failed: AttemptFailed): Promise<undefined> {
    const history = this.#history;
    const asked = history.askedMs(failed);
    const delayMs = Math.max(asked, backoffMs(this.#context.retryBaseMs, history.retries));
    const noTime = asked > this.#context.maxThrottleWaitMs || delayMs >= this.#deadline.remainingMs();
    if (noTime || history.retries >= this.#limits.maxRetries) throw history.finalError(failed);
    history.retries++;
    await this.#wait(failed, delayMs);
  }

  async #wait(failed: AttemptFailed, delayMs: number): Promise<void> {
    this.#reportRetry(failed, delayMs);
    this.#throwIfClosed();
    await sleep(delayMs, this.#deadline.cancellation, this.#context.sleepers);
    this.#history.throwIfEnded();
    this.#throwIfClosed();
  }

  #reportRetry({ reason }: AttemptFailed, delayMs: number): void {
    const { id: callId, label: operation } = this.#request;
    this.#context.observer.retry({ callId, operation, attempt: this.#history.attempts, delayMs, reason });
  }

  /** After `close()` no request is sent, and no call waits to send one. Requests in flight are not cancelled. */
  #throwIfClosed(): void {
    if (this.#context.isClosed()) throw failedByTransport(closedFailure());
  }
}
