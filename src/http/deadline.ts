/** One call's time: its total deadline and the caller's signal, as one signal that is cleaned up when the call ends. */
import { onAbort } from './abort.js';
import { MAX_TIMER_MS } from './delay.js';

export interface Deadline {
  /** Aborts when the deadline passes or the caller aborts. */
  readonly signal: AbortSignal;
  /** Why `signal` aborted. */
  readonly ended: 'aborted' | 'deadline' | undefined;
  remainingMs(): number;
  /** Removes timer and listener. */
  dispose(): void;
}

export function startDeadline(deadlineMs: number, callerSignal: AbortSignal | undefined): Deadline {
  const end = performance.now() + deadlineMs;
  const controller = new AbortController();
  let ended: Deadline['ended'];
  const stop = (why: 'aborted' | 'deadline', reason: unknown) => {
    ended ??= why;
    controller.abort(reason);
  };
  const abort = () => stop('aborted', callerSignal?.reason);
  const timer =
    deadlineMs > MAX_TIMER_MS ? undefined : setTimeout(() => stop('deadline', new Error('deadline')), deadlineMs);
  const stopListening = callerSignal === undefined ? undefined : onAbort(callerSignal, abort);
  if (callerSignal?.aborted) abort();
  return {
    signal: controller.signal,
    get ended() {
      return ended;
    },
    remainingMs: () => Math.max(0, end - performance.now()),
    dispose() {
      clearTimeout(timer);
      stopListening?.();
    },
  };
}

/** Runs one attempt under its own time limit within the call's; tells whether the limit ended it. */
export async function withTimeout<T>(
  timeoutMs: number,
  parent: AbortSignal,
  attempt: (signal: AbortSignal) => Promise<T>,
): Promise<{ value: T } | { failure: unknown; timedOut: boolean }> {
  const controller = new AbortController();
  let timedOut = false;
  const abort = () => controller.abort(parent.reason);
  const timer =
    timeoutMs > MAX_TIMER_MS
      ? undefined
      : setTimeout(() => {
          timedOut = true;
          controller.abort(new Error('timeout'));
        }, timeoutMs);
  parent.addEventListener('abort', abort, { once: true });
  if (parent.aborted) abort();
  try {
    return { value: await attempt(controller.signal) };
  } catch (failure) {
    return { failure, timedOut };
  } finally {
    clearTimeout(timer);
    parent.removeEventListener('abort', abort);
  }
}
