/** An attempt that did not succeed, and the error that the caller sees if it was the last one. */

import type { DataImportError } from '../../errors/data-import-error.js';
import { errorFromAnswer } from '../../errors/from-answer.js';
import { ConnectionError, TimeoutError } from '../../errors/no-answer-errors.js';
import { retryAfterMs } from '../time/delay.js';
import type { Secrets } from '../token/secrets.js';
import { parseBody, requestIdOf } from '../transport/answer.js';
import type { Obstacle, TransportFailure, WireAnswer } from '../transport/wire.js';
import { type Outcome, outcomeOf } from './policy.js';

/** Thrown from attempt to recovery; never seen by a caller. */
export class AttemptFailed extends Error {
  constructor(
    readonly outcome: Exclude<Outcome, 'done'>,
    /** A status such as `500`, or a reason such as `ECONNRESET` or `timeout`. */
    readonly reason: string,
    readonly answer: WireAnswer | undefined,
    /** The time limit that ended it, in milliseconds. */
    readonly timedOutAfterMs: number | undefined,
    readonly transportError: unknown,
    readonly obstacle?: Obstacle,
  ) {
    super(reason);
  }
}

/** An error answer. */
export function failedByAnswer(answer: WireAnswer): AttemptFailed {
  const outcome = outcomeOf(answer.status);
  if (outcome === 'done') throw new TypeError(`${answer.status} is no error`);
  return new AttemptFailed(outcome, String(answer.status), answer, undefined, undefined);
}

/** No answer, or only a part of one. */
export function failedByTransport(failure: TransportFailure, timedOutAfterMs: number | undefined): AttemptFailed {
  const reason = timedOutAfterMs === undefined ? failure.reason : 'timeout';
  const { sent, obstacle, cause } = failure;
  const outcome = sent ? 'lost' : obstacle?.isFinal === true ? 'hopeless' : 'neverSent';
  return new AttemptFailed(outcome, reason, undefined, timedOutAfterMs, cause, obstacle);
}

/** `sent` tells whether any request of the call left; `retryAfterBoundMs` is what a `Retry-After` that means nothing counts as. */
export function finalError(
  { outcome, reason, answer, timedOutAfterMs, transportError, obstacle }: AttemptFailed,
  call: {
    operation: string;
    host: string;
    attempts: number;
    sent: boolean;
    repeatable: boolean;
    mayHaveSucceeded: boolean;
  },
  retryAfterBoundMs: number,
  { mask }: Pick<Secrets, 'mask'>,
): DataImportError {
  if (answer !== undefined) {
    const { value: body, isJson } = parseBody(answer);
    const facts = {
      ...call,
      status: answer.status,
      body,
      isJson,
      headers: answer.headers,
      requestId: requestIdOf(answer),
      retryAfterMs: retryAfterMs(answer.headers['retry-after'], retryAfterBoundMs),
    };
    return errorFromAnswer(facts, mask);
  }
  if (timedOutAfterMs !== undefined) {
    return new TimeoutError({ ...call, limit: 'timeoutMs', limitMs: timedOutAfterMs });
  }
  return new ConnectionError({ ...call, reason, obstacle, connected: outcome === 'lost', cause: transportError });
}
