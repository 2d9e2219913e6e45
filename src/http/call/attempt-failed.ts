/** Exports `AttemptFailed`, a failed attempt of a call, and `finalError`, which returns the error for the caller. */

import type { DataImportError } from '../../errors/data-import-error.js';
import { errorFromAnswer } from '../../errors/from-answer.js';
import { ConnectionError, TimeoutError } from '../../errors/no-answer-errors.js';
import { retryAfterMs } from '../time/delay.js';
import type { Secrets } from '../token/secrets.js';
import { parseBody, requestIdOf } from '../transport/answer.js';
import type { TransportFailure, WireAnswer } from '../transport/wire.js';
import { answersOfErrors } from './call-types.js';
import { type Outcome, outcomeOf } from './retry-policy.js';

/** A failed attempt. `Call` catches it; the caller of the client never gets it. */
export class AttemptFailed extends Error {
  constructor(
    readonly outcome: Exclude<Outcome, 'done'>,
    /** A status such as `500`, or a reason such as `ECONNRESET` or `timeout`. */
    readonly reason: string,
    readonly answer: WireAnswer | undefined,
    readonly failure?: TransportFailure,
    /** The time limit that ended it, in milliseconds. */
    readonly timedOutAfterMs?: number,
  ) {
    super(reason);
  }
}

/** Returns the failed attempt of an error answer. */
export function failedByAnswer(answer: WireAnswer): AttemptFailed {
  const outcome = outcomeOf(answer.status);
  if (outcome === 'done') throw new TypeError(`${answer.status} is no error`);
  return new AttemptFailed(outcome, String(answer.status), answer);
}

/** Returns the failed attempt of a request without a complete answer. */
export function failedByTransport(failure: TransportFailure, timedOutAfterMs?: number): AttemptFailed {
  const reason = timedOutAfterMs === undefined ? failure.reason : 'timeout';
  const isHopeless = failure.obstacle?.isFinal === true;
  const outcome = failure.sent ? (isHopeless ? 'faulty' : 'lost') : isHopeless ? 'hopeless' : 'neverSent';
  return new AttemptFailed(outcome, reason, undefined, failure, timedOutAfterMs);
}

/**
 * Returns the error of a call whose last attempt is this one. `sent`: whether any request of the call was sent.
 * `retryAfterBoundMs` replaces an implausible `Retry-After`.
 */
export function finalError(
  { outcome, reason, answer, failure, timedOutAfterMs }: AttemptFailed,
  call: {
    operation: string;
    host: string;
    attempts: number;
    sent: boolean;
    repeatable: boolean;
    mayHaveSucceeded: boolean;
    payload?: unknown;
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
    const error = errorFromAnswer(facts, mask);
    answersOfErrors.set(error, answer);
    return error;
  }
  if (timedOutAfterMs !== undefined) {
    return new TimeoutError({ ...call, limit: 'timeoutMs', limitMs: timedOutAfterMs });
  }
  const { obstacle, cause } = failure ?? {};
  const isFaulty = outcome === 'faulty';
  return new ConnectionError({ ...call, reason, obstacle, isFaulty, connected: outcome === 'lost', cause });
}
