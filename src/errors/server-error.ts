import { type AnswerFacts, ApiError } from './api-error.js';

/** 5xx: the service failed, or a payment vendor behind it did, on every attempt. */
export class ServerError extends ApiError {
  /** @internal */
  static override readonly className: string = 'ServerError';
  /** Tells this class from the others. */
  declare readonly name: 'ServerError';

  /** @internal */
  constructor(facts: AnswerFacts, repeatable: boolean) {
    super(
      facts,
      repeatable
        ? { nextAction: 'retryLater', sentence: 'Call again later with the same payload.' }
        : { nextAction: 'settle', sentence: 'The platform may have done it.' },
    );
  }
}
