import { DataImportError } from './data-import-error.js';
import { attemptsInWords, remedyFor, type UnansweredFacts } from './unanswered.js';

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
