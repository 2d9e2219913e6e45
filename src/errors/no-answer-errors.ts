/** Errors of calls without an answer: it did not come, its outcome is unknown, or nothing was sent. */
import { DataImportError, type NextAction } from './data-import-error.js';

interface UnansweredFacts {
  operation: string;
  attempts: number;
  /** Host and port of the service. */
  host: string;
  /** False if it is certain that no request left. */
  sent: boolean;
  /** Whether sending it again can do no harm. */
  repeatable: boolean;
  /** What stood in the way, where that was neither the network nor the service. */
  obstacle?: { what: string; remedy: string; isFinal: boolean } | undefined;
  /** Whether an earlier request of the same call may have succeeded. */
  mayHaveSucceeded?: boolean;
}

/** What to do when no answer came; as a sentence and as a word. */
function remedyFor({ attempts, sent, repeatable, obstacle }: UnansweredFacts): {
  sentence: string;
  nextAction: NextAction;
} {
  if (!sent && obstacle !== undefined) {
    const sentence = `Nothing was sent: ${obstacle.remedy}.`;
    return { sentence, nextAction: obstacle.isFinal ? 'none' : 'retryLater' };
  }
  if (attempts === 0) return { sentence: 'Nothing was sent: it is safe to call again.', nextAction: 'retryLater' };
  if (!sent) return { sentence: 'Nothing was sent: check the base URL and the network.', nextAction: 'retryLater' };
  if (repeatable) return { sentence: 'It is safe to call again.', nextAction: 'retryLater' };
  return { sentence: 'The request may have taken effect.', nextAction: 'resolve' };
}

function attemptsInWords(attempts: number): string {
  return attempts === 1 ? '1 attempt' : `${attempts} attempts`;
}

/** No answer came: the connection could not be made, or broke before the answer was complete. */
export class ConnectionError extends DataImportError {
  /** @internal */
  static override readonly className: string = 'ConnectionError';
  /** Tells this class from the others. */
  declare readonly name: 'ConnectionError';
  /** False if it is certain that no request left; then sending it again can do no harm. */
  readonly sent: boolean;
  /** Host of the service, with the port where it is not the scheme's own; never path, query or credentials. */
  readonly host: string;
  /** What the system or TLS says, such as `ECONNREFUSED`, `ENOTFOUND` or `CERT_HAS_EXPIRED`. */
  readonly reason: string;

  /** @internal */
  constructor(facts: UnansweredFacts & { reason: string; connected: boolean; cause: unknown }) {
    const { sentence, nextAction } = remedyFor(facts);
    const what = facts.connected
      ? `the connection to ${facts.host} broke before the answer was complete`
      : (facts.obstacle?.what ?? `no connection to ${facts.host} could be made`);
    super(`${facts.operation}: ${what} (${facts.reason}) after ${attemptsInWords(facts.attempts)}. ${sentence}`, {
      operation: facts.operation,
      attempts: facts.attempts,
      nextAction,
      mayHaveSucceeded: facts.mayHaveSucceeded,
      cause: facts.cause,
    });
    this.sent = facts.sent;
    this.host = facts.host;
    this.reason = facts.reason;
  }
}

/** No complete answer, or in `imports.waitFor` no such status, within `timeoutMs` (one attempt) or `deadlineMs` (the whole call, waits included). */
export class TimeoutError extends DataImportError {
  /** @internal */
  static override readonly className: string = 'TimeoutError';
  /** Tells this class from the others. */
  declare readonly name: 'TimeoutError';
  /** Which of the two limits ended it. */
  readonly limit: 'timeoutMs' | 'deadlineMs';
  /** False if it is certain that no request left. */
  readonly sent: boolean;
  /** Host of the service, with the port where it is not the scheme's own; never path, query or credentials. */
  readonly host: string;

  /** @internal */
  constructor(facts: UnansweredFacts & { limit: 'timeoutMs' | 'deadlineMs'; limitMs: number; missing?: string }) {
    const { sentence, nextAction } = remedyFor(facts);
    super(
      `${facts.operation}: no ${facts.missing ?? 'complete answer'} from ${facts.host} within ` +
        `${facts.limitMs} ms (${facts.limit}) after ${attemptsInWords(facts.attempts)}. ${sentence}`,
      { operation: facts.operation, attempts: facts.attempts, nextAction, mayHaveSucceeded: facts.mayHaveSucceeded },
    );
    this.limit = facts.limit;
    this.sent = facts.sent;
    this.host = facts.host;
  }
}

/** Your AbortSignal ended the call. `cause` is the signal's reason. */
export class AbortedError extends DataImportError {
  /** @internal */
  static override readonly className: string = 'AbortedError';
  /** Tells this class from the others. */
  declare readonly name: 'AbortedError';
  /** True if a request may have reached the service, and sending it again may do it twice. */
  readonly outcomeUnknown: boolean;

  /** @internal */
  constructor(facts: {
    operation: string;
    attempts: number;
    outcomeUnknown: boolean;
    mayHaveSucceeded?: boolean;
    cause: unknown;
  }) {
    super(
      `${facts.operation}: aborted by its signal. ` +
        (facts.outcomeUnknown
          ? 'A request was in flight and may have taken effect: ask the service before you send it again.'
          : 'It is safe to call again.'),
      {
        operation: facts.operation,
        attempts: facts.attempts,
        mayHaveSucceeded: facts.mayHaveSucceeded,
        nextAction: facts.outcomeUnknown ? 'resolve' : 'none',
        cause: facts.cause,
      },
    );
    this.outcomeUnknown = facts.outcomeUnknown;
  }
}

/**
 * A request of the call may have succeeded without an answer that says so, and sending it again might do it twice: its
 * answer was lost, or an attempt failed and the next one was refused because it exists already. Never thrown for calls
 * that can be repeated without harm. `cause` is the last failure.
 */
export class OutcomeUnknownError extends DataImportError {
  /** @internal */
  static override readonly className: string = 'OutcomeUnknownError';
  /** Tells this class from the others. */
  declare readonly name: 'OutcomeUnknownError';
  /** How to find out whether the request took effect. */
  readonly howToResolve: string;

  /** @internal */
  constructor(facts: {
    operation: string;
    attempts: number;
    isRefused?: boolean;
    howToResolve: string;
    cause: unknown;
  }) {
    const what = facts.isRefused
      ? 'the service refuses it because it exists or conflicts, and an earlier attempt of this call may have created it.'
      : 'no answer came, so the request may have taken effect.';
    super(`${facts.operation}: ${what} ${facts.howToResolve}`, {
      operation: facts.operation,
      attempts: facts.attempts,
      nextAction: 'resolve',
      mayHaveSucceeded: true,
      cause: facts.cause,
    });
    this.howToResolve = facts.howToResolve;
  }
}

/**
 * The call was kept from sending a request, because another call of the same client was answered 429 and the service asks
 * to wait for longer than `maxThrottleWaitMs`, or than the call's deadline. It has no body, status or
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
