/** One request and its answer, within the time that one attempt has, and watched by whoever looks on. */
import { requestIdOf } from './answer.js';
import { failedByTransport } from './attempt-failed.js';
import { withTimeout } from './deadline.js';
import type { Observer, RequestEvent } from './observe.js';
import { type Send, TransportFailure, type WireAnswer, type WireRequest } from './wire.js';

/** Any answer, whatever its status. Throws `AttemptFailed` where no complete one came. */
export async function exchange(
  { send, observer }: { send: Send; observer: Observer },
  event: RequestEvent,
  request: Omit<WireRequest, 'signal'>,
  timeoutMs: number,
  callSignal: AbortSignal,
): Promise<WireAnswer> {
  observer.request(event);
  const startedAt = performance.now();
  const result = await withTimeout(timeoutMs, callSignal, (signal) => send({ ...request, signal }));
  const answer = 'value' in result ? result.value : undefined;
  const durationMs = performance.now() - startedAt;
  observer.response({ ...event, status: answer?.status, durationMs, requestId: requestIdOf(answer) });
  if (!('failure' in result)) return result.value;
  if (!(result.failure instanceof TransportFailure)) throw result.failure;
  throw failedByTransport(result.failure, result.timedOut ? timeoutMs : undefined);
}

/** The token goes into no other place. */
export function requestHeaders(
  { authorization, userAgent }: { authorization: (token: string) => string; userAgent: string },
  token: string,
  body: string | undefined,
): Record<string, string> {
  return {
    authorization: authorization(token),
    accept: 'application/json',
    'user-agent': userAgent,
    ...(body !== undefined && { 'content-type': 'application/json' }),
  };
}
