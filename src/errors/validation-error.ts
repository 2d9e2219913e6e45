import { type AnswerFacts, ApiError, type Remedy } from './api-error.js';
import type { DecodedError } from './decode.js';
import { causeOutsidePayload, type KnownError } from './known-errors.js';

/**
 * 400, and 409 or 422 with the same body: the service refuses the payload, or its state does not allow the call.
 * `errors` says where and why, `nextAction` what to do.
 */
export class ValidationError extends ApiError {
  /** @internal */
  static override readonly className: string = 'ValidationError';
  /** Tells this class from the others. */
  declare readonly name: 'ValidationError';

  /** @internal */
  constructor(facts: AnswerFacts, remedy: Remedy = remedyFor(facts.decoded)) {
    super(facts, remedy);
  }
}

function remedyFor(decoded: DecodedError): Remedy {
  const known = causeOf(decoded);
  if (known === undefined) return { nextAction: 'fixPayload', sentence: 'Not retried: fix the payload.' };
  return { nextAction: known.nextAction, sentence: `Not retried. ${known.cause} ${known.action}` };
}

/** By the code of the whole answer; without one, by those of all items. undefined where any item refuses a value of the payload. */
function causeOf({ code, errors }: DecodedError): KnownError | undefined {
  const ofItems = errors.map((item) => causeOutsidePayload(item.code));
  return causeOutsidePayload(code) ?? (ofItems.includes(undefined) ? undefined : ofItems[0]);
}
