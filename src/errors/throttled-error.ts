import { DataImportError } from './data-import-error.js';
import { attemptsInWords } from './unanswered.js';

/**
 * The call was kept from sending a request, because another call of the same client was answered 429 and the service asks
 * to wait for longer than `throttlePatienceMs`, or than the call's deadline. It has no body, status or
 * request id of that answer. Usually no request was made for this call (`attempts` is 0); otherwise it was not sent again.
 */
export class ThrottledError extends DataImportError {
  /** @internal */
  static override readonly className: string = 'ThrottledError';
  /** Tells this class from the others. */
  declare readonly name: 'ThrottledError';
  /** Milliseconds until calls may be sent again. */
  readonly retryAfterMs: number;
  /** The method that was answered 429, such as `accounts.stage`. */
  readonly refusedOperation: string;

  /** @internal */
  constructor(facts: {
    operation: string;
    attempts: number;
    mayHaveSucceeded?: boolean;
    retryAfterMs: number;
    refusedOperation: string;
    cause?: unknown;
  }) {
    const { operation, attempts, mayHaveSucceeded, retryAfterMs, refusedOperation, cause } = facts;
    const what = attempts === 0 ? 'nothing was sent' : `not sent again after ${attemptsInWords(attempts)}`;
    const why = `another call of this client (${refusedOperation}) was answered 429`;
    const sentence = `Wait ${retryAfterMs} ms (retryAfterMs) and call again, with fewer calls at once.`;
    super(`${operation}: ${what}, because ${why}. ${sentence}`, {
      ...{ operation, attempts, nextAction: 'wait', mayHaveSucceeded, cause },
    });
    this.retryAfterMs = retryAfterMs;
    this.refusedOperation = refusedOperation;
  }

  /** What may be logged. */
  override toJSON(): Record<string, unknown> {
    const { retryAfterMs, refusedOperation } = this;
    return { ...super.toJSON(), retryAfterMs, refusedOperation };
  }
}
