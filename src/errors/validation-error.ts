import { type AnswerFacts, ApiError, type Remedy } from './api-error.js';

/** 400: the service refuses the payload, or the state does not allow it. `errors` says where and why. */
export class ValidationError extends ApiError {
  /** @internal */
  static override readonly className: string = 'ValidationError';
  /** Tells this class from the others. */
  declare readonly name: 'ValidationError';

  /** @internal */
  constructor(facts: AnswerFacts, remedy: Remedy = FIX_PAYLOAD) {
    super(facts, remedy);
  }
}

const FIX_PAYLOAD: Remedy = { nextAction: 'fixPayload', sentence: 'Not retried: fix the payload.' };
