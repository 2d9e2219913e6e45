/**
 * `Cancellation`: ends what a call waits for, by its deadline, the timeout of an attempt or the caller's signal. A call waits
 * for one thing at a time, so one listener suffices. An AbortSignal with its listeners for each call and attempt would cost
 * more than the rest of the call.
 */
import { onAbort } from './abort.js';

type OnCancel = (reason: unknown) => void;

export class Cancellation {
  isCancelled = false;
  reason: unknown;
  /** Called right before a request is written. If it cancels, the request does not leave. */
  onSend: (() => void) | undefined;
  #listener: OnCancel | undefined;

  /** Sets the listener; calls it at once if the call is cancelled already. */
  onCancel(listener: OnCancel): void {
    if (this.isCancelled) listener(this.reason);
    else this.#listener = listener;
  }

  /** Removes the listener, unless another one has taken its place. */
  offCancel(listener: OnCancel): void {
    if (this.#listener === listener) this.#listener = undefined;
  }

  /** Ends only the current wait. */
  cancelCurrent(reason: unknown): void {
    const listener = this.#listener;
    this.#listener = undefined;
    listener?.(reason);
  }

  /** Ends the current wait and every later one. */
  cancel(reason: unknown): void {
    if (this.isCancelled) return;
    this.isCancelled = true;
    this.reason = reason;
    this.cancelCurrent(reason);
  }

  /** Settles as the promise does, or rejects with the reason of a cancellation before that. The promise itself continues. */
  race<T>(promise: Promise<T>, onCancelled?: OnCancel): Promise<T> {
    return new Promise((resolve, reject) => {
      const listener = (reason: unknown) => {
        onCancelled?.(reason);
        reject(reason);
      };
      this.onCancel(listener);
      promise.then(resolve, reject).finally(() => this.offCancel(listener));
    });
  }
}

/** Runs a task that is cancelled when the signal aborts. Settles as the task does. */
export async function withSignal<T>(signal: AbortSignal, task: (cancellation: Cancellation) => Promise<T>): Promise<T> {
  const cancellation = new Cancellation();
  const abort = () => cancellation.cancel(signal.reason);
  if (signal.aborted) abort();
  const stop = onAbort(signal, abort);
  try {
    return await task(cancellation);
  } finally {
    stop();
  }
}
