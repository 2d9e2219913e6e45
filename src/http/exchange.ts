/** One request and its answer, within the time that one attempt has, and watched by whoever looks on. */
import { requestIdOf } from './answer.js';
import { failedByTransport } from './attempt-failed.js';
import { MAX_TIMER_MS } from './delay.js';
import type { Observer, RequestEvent } from './observe.js';
import type { Wait } from './wait.js';
import { type Transport, TransportFailure, type WireAnswer, type WireRequest } from './wire.js';

/** Any answer, whatever its status. Throws `AttemptFailed` where no complete one came. */
export async function exchange(
  { send, observer }: { send: Transport; observer: Observer },
  event: RequestEvent,
  request: WireRequest,
  timeoutMs: number,
  wait: Wait,
): Promise<WireAnswer> {
  if (observer.isWatched()) observer.request(event);
  const startedAt = performance.now();
  let timedOut = false;
  const stop = () => {
    timedOut = true;
    wait.interrupt(new Error('timeout'));
  };
  const timer = timeoutMs > MAX_TIMER_MS ? undefined : setTimeout(stop, timeoutMs);
  let answer: WireAnswer | undefined;
  try {
    answer = await send(request, wait);
    return answer;
  } catch (failure) {
    if (!(failure instanceof TransportFailure)) throw failure;
    throw failedByTransport(failure, timedOut ? timeoutMs : undefined);
  } finally {
    clearTimeout(timer);
    if (observer.isWatched()) {
      const durationMs = performance.now() - startedAt;
      observer.response({ ...event, status: answer?.status, durationMs, requestId: requestIdOf(answer) });
    }
  }
}
