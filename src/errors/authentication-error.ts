import { type AnswerFacts, ApiError } from './api-error.js';

/** 401: the token is missing, invalid or expired, also after it was renewed once where it can be. */
export class AuthenticationError extends ApiError {
  /** @internal */
  static override readonly className: string = 'AuthenticationError';
  /** Tells this class from the others. */
  declare readonly name: 'AuthenticationError';

  /** @internal */
  constructor(facts: AnswerFacts) {
    super(facts, { nextAction: 'fixToken', sentence: 'Check the token, its scheme and the API key behind it.' });
  }
}
