import { type AnswerFacts, ApiError } from './api-error.js';

/** 429: too many requests, for longer than `throttlePatienceMs`. Nothing was done. */
export class RateLimitError extends ApiError {
  /** @internal */
  static override readonly className: string = 'RateLimitError';
  /** Tells this class from the others. */
  declare readonly name: 'RateLimitError' | 'ConcurrencyLimitError';

  /** @internal */
  constructor(facts: AnswerFacts) {
    const wait = facts.retryAfterMs === undefined ? 'a while' : `${facts.retryAfterMs} ms (retryAfterMs)`;
    super(facts, {
      nextAction: 'wait',
      sentence: `Nothing was done: wait ${wait} and call again, with fewer calls at once.`,
    });
  }
}
