import { type AnswerFacts, ApiError } from './api-error.js';

/** 404: no such account or import process for this supplier. Notes need an imported account; staged is not enough. */
export class NotFoundError extends ApiError {
  /** @internal */
  static override readonly className: string = 'NotFoundError';
  /** Tells this class from the others. */
  declare readonly name: 'NotFoundError';

  /** @internal */
  constructor(facts: AnswerFacts) {
    super(facts, {
      nextAction: 'fixPayload',
      sentence: 'Not retried: check supplier code, account number, whether the account is imported, and the base URL.',
    });
  }
}
