/**
 * What a call waits for, and how that ends before its time: by the deadline, the time of an attempt, the caller's
 * signal. A call waits for one thing at a time, so there is one place for whoever is to be told. An AbortSignal with
 * its listeners, for each call and attempt, costs more than all the rest of the call.
 */
type Leave = (reason: unknown) => void;

export class Wait {
  /** Nothing is waited for any more. */
  ended = false;
  reason: unknown;
  /** Called right before a request is written: who ends the wait here keeps it from leaving. */
  onSend: (() => void) | undefined;
  #leave: Leave | undefined;

  /** `leave` is called where the wait ends before its time: at once where it has. */
  begin(leave: Leave): void {
    if (this.ended) leave(this.reason);
    else this.#leave = leave;
  }

  /** What `leave` waited for has come. It may come late, when something else is waited for. */
  finish(leave: Leave): void {
    if (this.#leave === leave) this.#leave = undefined;
  }

  /** Ends what is waited for now; the next wait is not touched. */
  interrupt(reason: unknown): void {
    const leave = this.#leave;
    this.#leave = undefined;
    leave?.(reason);
  }

  /** Ends this wait and all that follow. */
  end(reason: unknown): void {
    if (this.ended) return;
    this.ended = true;
    this.reason = reason;
    this.interrupt(reason);
  }

  /** The promise, or the reason for which the wait ended before. Who else waits for the promise goes on. */
  until<T>(promise: Promise<T>, onLeave?: Leave): Promise<T> {
    return new Promise((resolve, reject) => {
      const leave = (reason: unknown) => {
        onLeave?.(reason);
        reject(reason);
      };
      this.begin(leave);
      promise.then(resolve, reject).finally(() => this.finish(leave));
    });
  }
}

/** A task whose wait ends when the signal aborts. */
export async function underSignal<T>(signal: AbortSignal, task: (wait: Wait) => Promise<T>): Promise<T> {
  const wait = new Wait();
  const end = () => wait.end(signal.reason);
  if (signal.aborted) end();
  signal.addEventListener('abort', end, { once: true });
  try {
    return await task(wait);
  } finally {
    signal.removeEventListener('abort', end);
  }
}
