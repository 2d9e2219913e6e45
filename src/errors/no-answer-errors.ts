/** Exports the errors of calls without an answer: none arrived in time, the outcome is unknown, or nothing was sent. */
import { DataImportError } from './data-import-error.js';
import { attemptsInWords, presentable } from './items.js';
import type { NextAction } from './known-errors.js';

/** Returns whether a proxy gave the request up. */
export function isLostByGateway(status: number): boolean {
  return status === 408 || status === 499;
}

interface UnansweredFacts {
  operation: string;
  attempts: number;
  /** Host and port of the service. */
  host: string;
  /** False if no request was sent. */
  sent: boolean;
  /** Whether the request is safe to repeat. */
  repeatable: boolean;
  /** The reason, if it is neither the network nor the service. */
  obstacle?: { what: string; remedy: string; isFinal: boolean } | undefined;
  /** Whether the obstacle is an error of the caller's `fetch`, which may have sent the request. */
  isFaulty?: boolean;
  /** Whether an earlier request of the same call may have succeeded. */
  mayHaveSucceeded?: boolean;
}

/** Returns the remedy as a sentence and as a word. */
function remedyFor({ attempts, sent, repeatable, obstacle, isFaulty }: UnansweredFacts): {
  sentence: string;
  nextAction: NextAction;
} {
  if (!sent && obstacle !== undefined) {
    const sentence = `Nothing was sent: ${obstacle.remedy}.`;
    return { sentence, nextAction: obstacle.isFinal ? 'none' : 'retryLater' };
  }
  if (isFaulty && obstacle !== undefined) {
    const sentence = `It may have been sent: ${obstacle.remedy}.`;
    if (!repeatable) return { sentence, nextAction: 'resolve' };
    return { sentence: `${sentence} Then it is safe to call again.`, nextAction: 'none' };
  }
  if (attempts === 0) return { sentence: 'Nothing was sent: it is safe to call again.', nextAction: 'retryLater' };
  if (!sent)
    return {
      sentence: 'Nothing was sent: check the base URL, the proxy, the certificate and the network.',
      nextAction: 'retryLater',
    };
  if (repeatable && obstacle?.isFinal)
    return { sentence: `To call again, ${obstacle.remedy}: that is safe.`, nextAction: 'none' };
  if (repeatable) return { sentence: 'It is safe to call again.', nextAction: 'retryLater' };
  return { sentence: 'The request may have taken effect.', nextAction: 'resolve' };
}

/**
 * No answer came: the connection could not be made, or broke before the answer was complete. `code` is that of the network or of
 * TLS, such as `ECONNREFUSED`, `ENOTFOUND` or `CERT_HAS_EXPIRED`.
 */
export class ConnectionError extends DataImportError {
  /** @internal */
  static override readonly className: string = 'ConnectionError';
  /** Discriminates this class. */
  declare readonly name: 'ConnectionError';
  /** False if no request was sent. The call is then safe to repeat. */
  readonly sent: boolean;
  /** Host of the service, with the port if it is not the default of the scheme. Never path, query or credentials. */
  readonly host: string;

  /** @internal */
  constructor(facts: UnansweredFacts & { reason: string; connected: boolean; cause: unknown }) {
    const { sentence, nextAction } = remedyFor(facts);
    const what =
      facts.obstacle?.what ??
      (facts.connected
        ? `the connection to ${facts.host} broke before the answer was complete`
        : `no connection to ${facts.host} could be made`);
    super(`${facts.operation}: ${what} (${facts.reason}) after ${attemptsInWords(facts.attempts)}. ${sentence}`, {
      ...facts,
      code: presentable(facts.reason) ?? 'connection_error',
      nextAction,
    });
    this.sent = facts.sent;
    this.host = facts.host;
  }
}

/**
 * No complete answer arrived within `timeoutMs` (one request) or `deadlineMs` (the whole call with its waits). For
 * `imports.waitFor`: none of the expected statuses within `deadlineMs`. With `deadlineMs`, `cause` is the last failure before, if there was one.
 */
export class TimeoutError extends DataImportError {
  /** @internal */
  static override readonly className: string = 'TimeoutError';
  /** Discriminates this class. */
  declare readonly name: 'TimeoutError';
  /** The same for every error of this class. */
  declare readonly code: 'timeout';
  /** The limit that ended the call. */
  readonly limit: 'timeoutMs' | 'deadlineMs';
  /** False if no request was sent. */
  readonly sent: boolean;
  /** Host of the service, with the port if it is not the default of the scheme. Never path, query or credentials. */
  readonly host: string;

  /** @internal */
  constructor(
    facts: UnansweredFacts & { limit: 'timeoutMs' | 'deadlineMs'; limitMs: number; missing?: string; cause?: unknown },
  ) {
    const { sentence, nextAction } = remedyFor(facts);
    super(
      `${facts.operation}: no ${facts.missing ?? 'complete answer'} from ${facts.host} within ` +
        `${facts.limitMs} ms (${facts.limit}) after ${attemptsInWords(facts.attempts)}. ${sentence}`,
      { ...facts, code: 'timeout', nextAction },
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
  /** Discriminates this class. */
  declare readonly name: 'AbortedError';
  /** The same for every error of this class. */
  declare readonly code: 'aborted';
  /** True if a request may have reached the service, and repeating it may apply it twice. */
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
      { ...facts, code: 'aborted', nextAction: facts.outcomeUnknown ? 'resolve' : 'none' },
    );
    this.outcomeUnknown = facts.outcomeUnknown;
  }
}

/** Returns what came in place of an answer that says whether the request took effect. A refusal of a later request is no such answer. */
function whatCame(cause: unknown): string {
  const status = cause instanceof DataImportError && 'status' in cause ? Number(cause.status) : 0;
  return status >= 500 || status === 303 || isLostByGateway(status) ? `only a ${status} came` : 'no answer came';
}

const WHY_UNKNOWN = {
  refused:
    'the service refuses it because it exists or conflicts, and an earlier attempt of this call may have created it.',
  otherAnswer: 'the answer belongs to another request, so this one may have taken effect or not.',
};

/**
 * It is unknown whether the request took effect, and repeating it might apply it twice: it got no answer or the answer to another
 * request, or an attempt failed and the next one was refused because the object exists. Never thrown for calls that are safe to
 * repeat. `cause` is the last failure.
 */
export class OutcomeUnknownError extends DataImportError {
  /** @internal */
  static override readonly className: string = 'OutcomeUnknownError';
  /** Discriminates this class. */
  declare readonly name: 'OutcomeUnknownError';
  /** The same for every error of this class. */
  declare readonly code: 'outcome_unknown';
  /** How to find out whether the request took effect. */
  readonly howToResolve: string;

  /** @internal */
  constructor(facts: {
    operation: string;
    attempts: number;
    why?: keyof typeof WHY_UNKNOWN | undefined;
    obstacle?: UnansweredFacts['obstacle'];
    howToResolve: string;
    cause: unknown;
  }) {
    const what =
      facts.why === undefined
        ? `${facts.obstacle?.what ?? whatCame(facts.cause)}, so the request may have taken effect.`
        : WHY_UNKNOWN[facts.why];
    super(`${facts.operation}: ${what} ${facts.howToResolve}`, {
      ...facts,
      code: 'outcome_unknown',
      nextAction: 'resolve',
      mayHaveSucceeded: true,
    });
    this.howToResolve = facts.howToResolve;
  }
}
