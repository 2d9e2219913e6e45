import { DataImportError } from './data-import-error.js';

/**
 * The request left and its answer got lost, so the platform may have done it; and sending it again might do it twice.
 * Never thrown for calls that can be repeated without harm. `cause` says how the answer got lost.
 */
export class OutcomeUnknownError extends DataImportError {
  /** @internal */
  static override readonly className: string = 'OutcomeUnknownError';
  /** Tells this class from the others. */
  declare readonly name: 'OutcomeUnknownError';
  /** How to find out whether the platform did it. */
  readonly howToSettle: string;

  /** @internal */
  constructor(facts: { operation: string; attempts: number; howToSettle: string; cause: unknown }) {
    super(`${facts.operation}: the answer got lost, so the platform may have done it. ${facts.howToSettle}`, {
      operation: facts.operation,
      attempts: facts.attempts,
      nextAction: 'settle',
      cause: facts.cause,
    });
    this.howToSettle = facts.howToSettle;
  }
}
