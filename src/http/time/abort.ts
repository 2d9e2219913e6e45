/**
 * `onAbort` registers callbacks for the abort of a signal through one shared listener. Node warns about more than ten
 * listeners on a signal, and a thousand calls may share one.
 */
interface Shared {
  waiting: Waiting;
  listener: () => void;
}

const shared = new WeakMap<AbortSignal, Shared>();

/** Calls `notify` when the signal aborts. Returns a function that removes the callback. */
export function onAbort(signal: AbortSignal, notify: () => void): () => void {
  const { waiting, listener } = shared.get(signal) ?? share(signal);
  if (waiting.count === 0) signal.addEventListener('abort', listener, { once: true });
  const place = waiting.add(notify);
  return () => {
    waiting.remove(place, notify);
    if (waiting.count === 0) signal.removeEventListener('abort', listener);
  };
}

function share(signal: AbortSignal): Shared {
  const waiting = new Waiting();
  const listener = () => waiting.notifyAll();
  shared.set(signal, { waiting, listener });
  return { waiting, listener };
}

/**
 * The callbacks of a signal, each in a slot that is reused after removal. A `Set` with many additions and deletions
 * replaces its table repeatedly, and each old table references the next one with its calls, so that they survive the
 * collections of young garbage (decision 11).
 */
class Waiting {
  count = 0;
  readonly #places: ((() => void) | undefined)[] = [];
  readonly #free: number[] = [];

  add(notify: () => void): number {
    const place = this.#free.pop() ?? this.#places.length;
    this.#places[place] = notify;
    this.count++;
    return place;
  }

  /** Removes only this callback: after a removal the slot can belong to another one. */
  remove(place: number, notify: () => void): void {
    if (this.#places[place] !== notify) return;
    this.#places[place] = undefined;
    this.#free.push(place);
    this.count--;
  }

  notifyAll(): void {
    for (const notify of this.#places) notify?.();
  }
}
