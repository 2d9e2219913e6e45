import { DataImportError } from './data-import-error.js';

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
  /** How to find out whether the platform did it. */
  readonly howToSettle: string;

  /** @internal */
  constructor(facts: {
    operation: string;
    attempts: number;
    isRefused?: boolean;
    howToSettle: string;
    cause: unknown;
  }) {
    const what = facts.isRefused
      ? 'the service refuses it because it exists or conflicts, and an earlier attempt of this call may have created it.'
      : 'the answer got lost, so the platform may have done it.';
    super(`${facts.operation}: ${what} ${facts.howToSettle}`, {
      operation: facts.operation,
      attempts: facts.attempts,
      nextAction: 'settle',
      mayHaveSucceeded: true,
      cause: facts.cause,
    });
    this.howToSettle = facts.howToSettle;
  }
}
