import { DataImportError } from './data-import-error.js';
import { attemptsInWords, remedyFor, type UnansweredFacts } from './unanswered.js';

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
